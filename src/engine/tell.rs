//! Telling what changed: failed Jobs with the pod behind them, and how far the roles are.

use k8s_openapi::jiff::Timestamp;

use crate::engine::event::EventKind;
use crate::engine::run::Engine;
use crate::engine::view::Class;

impl Engine {
    /// Facts that were taken in since the last step.
    pub(super) fn tell(&mut self, now: Timestamp) {
        for id in std::mem::take(&mut self.untold) {
            let Some(seen) = self.view.current(id).map(|e| e.seen.clone()) else {
                continue;
            };
            let Some(end) = self.view.failure(&seen) else {
                continue;
            };
            let (role, job) = self.place(id);
            let kind = EventKind::JobFailed {
                role,
                job,
                attempt: seen.restart_attempt,
                reason: end.reason.clone(),
                message: end.message.clone(),
                cause: self.falls.first_of(id).map(super::history::Fall::cause),
            };
            self.say(end.at, kind);
        }
        if !self.looked && !self.fresh {
            // What was there before us was told by whoever saw it come.
            for (role, told) in self.view.roles.iter().zip(&mut self.told) {
                told.created = role.made == role.replicas;
                told.completed = role.count(Class::Succeeded) == role.replicas;
            }
        }
        if !self.looked {
            for id in 0..self.view.slots.len() {
                self.watch_orphans(id, now);
            }
        }
        self.tell_roles(now);
        self.looked = true;
        self.live = true;
    }

    /// How far the roles are, where it changed.
    pub(super) fn tell_roles(&mut self, now: Timestamp) {
        for position in std::mem::take(&mut self.view.dirty_roles) {
            let progress = self.progress_of(position);
            if self.progress[position] != progress {
                self.progress[position] = progress;
                self.changed = true;
            }
            let role = &self.view.roles[position];
            let attempt = self.state.status.restarts;
            if role.replicas == 0 || self.view.finished {
                continue;
            }
            let (name, replicas, made) = (role.name.clone(), role.replicas, role.made);
            let succeeded = role.count(Class::Succeeded);
            let ready = role.count(Class::Ready) + succeeded;
            let quiet = self.jobset.suspended();
            let told = &mut self.told[position];
            let mut kinds = Vec::new();
            if made == replicas && !told.created {
                told.created = true;
                told.created_at = Some(now);
                kinds.push(EventKind::RoleCreated {
                    role: name.clone(),
                    attempt,
                    replicas,
                });
            }
            if ready != told.ready && !quiet {
                told.ready = ready;
                let after_s = told
                    .created_at
                    .filter(|_| ready == replicas)
                    .map(|at| now.duration_since(at).as_secs());
                let role = name.clone();
                kinds.push(EventKind::RoleReady {
                    role,
                    attempt,
                    ready,
                    replicas,
                    after_s,
                });
            }
            if succeeded == replicas && !told.completed {
                told.completed = true;
                kinds.push(EventKind::RoleCompleted {
                    role: name,
                    attempt,
                });
            }
            for kind in kinds {
                self.say(now, kind);
            }
        }
    }
}
