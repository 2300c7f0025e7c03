//! What a pod does with its containers: which to start, which to end, what each end means.

use std::time::Duration;

use k8s_openapi::api::core::v1::{Container, Probe};

use super::inside::protocol::{Order, Told};
use super::link::KILL;
use super::member::{Killing, Member, Running};
use super::pod::{Life, Note, RETRY, Worker};
use super::prepare::{self, Ground, NoOrder};
use super::probe::{Kind, Look, Numbers, Row, Target};
use super::status::{Role, State};
use crate::driver::clock::{self, Instant};

/// Signal that asks for the end.
const TERM: i32 = 15;
/// What is left for the end after a hook has used up all the time.
const AFTER_HOOK: Duration = Duration::from_secs(2);
/// Hooks have no time limit of their own while nobody ends the container.
const NO_LIMIT: Duration = Duration::from_secs(24 * 3600);

impl Worker {
    /// Starts every container whose turn it is.
    pub(super) fn start_what_is_due(&mut self) {
        for index in 0..self.members.len() {
            let (role, passed) = {
                let member = &self.members[index];
                (member.role, member.lets_others_start())
            };
            if self.may_start(index) {
                self.start(index);
            }
            // One after the other until the last of those before the pod's own containers.
            if role != Role::Main && !passed && !self.initialized {
                return;
            }
        }
        self.initialized = true;
    }

    fn may_start(&self, index: usize) -> bool {
        let member = &self.members[index];
        if !self.waiting(index)
            || member.not_before.is_some_and(|at| clock::instant() < at)
            || self.mains_have_ended()
        {
            return false;
        }
        member.code().is_none() || member.starts_again(self.policy())
    }

    fn start(&mut self, index: usize) {
        let id = self.number();
        let (Some(volumes), Some(link)) = (&self.volumes, &self.link) else {
            return;
        };
        let member = &self.members[index];
        let number = member.number();
        let name = member.spec.name.clone();
        let ground = Ground {
            node: &self.node,
            pod: &self.pod,
            place: &self.place,
            folder: &self.folder,
            volumes,
        };
        match ground.order(&member.spec, id, number) {
            Ok(order) => {
                let target = Target {
                    link: link.clone(),
                    id,
                    program: order.program.clone(),
                    address: self.address(),
                    container: member.spec.clone(),
                };
                link.order(Order::Run(Box::new(order)));
                let container_id = self.container_id(&name, number);
                let member = &mut self.members[index];
                member.not_before = None;
                member.run = Some(Running {
                    id,
                    number,
                    container_id,
                    target,
                    since: None,
                    started: false,
                    rows: [Row::default(); 3],
                    tasks: Vec::new(),
                    killing: None,
                });
            }
            Err(NoOrder::Config(message)) => {
                self.event(true, "Failed", format!("Error: {message}"));
                let member = &mut self.members[index];
                member.wait("CreateContainerConfigError", Some(message));
                member.not_before = Some(clock::instant().after(RETRY));
            }
            Err(NoOrder::Start(message)) => {
                self.event(true, "Failed", format!("Error: {message}"));
                self.members[index].not_started(message, clock::now());
                self.after_end(index, Duration::ZERO);
            }
        }
    }

    /// Opaque, the same for the same run of a container.
    fn container_id(&self, name: &str, number: i32) -> String {
        use sha1::{Digest as _, Sha1};
        use std::fmt::Write as _;
        let uid = self.pod.metadata.uid.as_deref().unwrap_or_default();
        let hash = Sha1::digest(format!("{uid}/{name}/{number}"));
        let mut id = "process://".to_owned();
        for byte in hash {
            let _ = write!(id, "{byte:02x}");
        }
        id
    }

    fn of(&self, id: u64) -> Option<usize> {
        self.members
            .iter()
            .position(|m| m.run.as_ref().is_some_and(|run| run.id == id))
    }

    /// The pod's first process has told something.
    pub(super) fn told(&mut self, told: Told) {
        match told {
            Told::Refused(why) => self.event(true, "FailedCreatePodSandBox", why),
            Told::Started(id) => {
                if let Some(index) = self.of(id) {
                    self.started(index);
                }
            }
            Told::NotStarted { id, message } => {
                if let Some(index) = self.of(id) {
                    self.event(true, "Failed", format!("Error: {message}"));
                    self.members[index].not_started(message, clock::now());
                    self.after_end(index, Duration::ZERO);
                }
            }
            Told::Ended {
                id,
                code,
                out_of_memory,
            } => {
                if let Some(index) = self.of(id) {
                    self.ended(index, code, out_of_memory);
                }
            }
            Told::Ready | Told::ExecEnded { .. } => {}
        }
    }

    fn started(&mut self, index: usize) {
        self.members[index].started(clock::now(), clock::instant());
        let name = self.members[index].spec.name.clone();
        self.event(false, "Started", format!("Started container {name}"));
        let hook = self.members[index]
            .spec
            .lifecycle
            .as_ref()
            .and_then(|l| l.post_start.as_ref())
            .map(Look::from);
        if let Some(look) = hook {
            let exec = self.number();
            self.hook(index, look, NO_LIMIT, exec, |id, result| Note::Hooked {
                id,
                result,
            });
        }
        if self.members[index].spec.startup_probe.is_some() {
            self.watch(index, Kind::Startup);
        } else {
            self.watch(index, Kind::Readiness);
            self.watch(index, Kind::Liveness);
        }
    }

    fn ended(&mut self, index: usize, code: i32, out_of_memory: bool) {
        let reason = match (out_of_memory, code) {
            (true, _) => "OOMKilled",
            (_, 0) => "Completed",
            _ => "Error",
        };
        let member = &mut self.members[index];
        let Some(run) = &member.run else { return };
        let ran = run
            .since
            .map_or(Duration::ZERO, |(_, since)| since.elapsed());
        let message = prepare::termination_message(&self.folder, &member.spec, run.number, code);
        member.ended(code, reason, message, clock::now());
        self.after_end(index, ran);
    }

    /// Says when a container that has ended starts again, if it does.
    fn after_end(&mut self, index: usize, ran: Duration) {
        if self.life != Life::Wanted
            || !self.members[index].starts_again(self.policy())
            || self.mains_have_ended()
        {
            return;
        }
        let wait = self.members[index].back_off(ran);
        if wait.is_zero() {
            return;
        }
        let meta = &self.pod.metadata;
        let pod = format!(
            "{}_{}({})",
            meta.name.as_deref().unwrap_or_default(),
            meta.namespace.as_deref().unwrap_or_default(),
            meta.uid.as_deref().unwrap_or_default()
        );
        let name = self.members[index].spec.name.clone();
        self.event(
            true,
            "BackOff",
            format!("Back-off restarting failed container {name} in pod {pod}"),
        );
        let message = format!("back-off {wait:?} restarting failed container={name} pod={pod}");
        let member = &mut self.members[index];
        member.not_before = Some(clock::instant().after(wait));
        member.wait("CrashLoopBackOff", Some(message));
    }

    /// All processes are gone, and nobody has told how they ended.
    pub(super) fn all_lost(&mut self) {
        for index in 0..self.members.len() {
            if self.members[index].run.is_some() {
                self.ended(index, 128 + KILL, false);
            }
        }
    }

    /// A container of those before the others has failed for good.
    pub(super) fn init_has_failed(&self) -> bool {
        self.policy() == "Never"
            && self
                .members
                .iter()
                .any(|m| m.role == Role::Init && m.code().is_some_and(|code| code != 0))
    }

    /// The pod's own containers have ended and stay so.
    fn mains_have_ended(&self) -> bool {
        self.members
            .iter()
            .filter(|m| m.role == Role::Main)
            .all(|m| m.code().is_some() && !m.starts_again(self.policy()))
    }

    /// Nothing will be started any more.
    pub(super) fn has_ended(&self) -> bool {
        self.init_has_failed() || self.mains_have_ended()
    }

    /// Ends the containers whose time has come.
    pub(super) fn end_what_is_due(&mut self) {
        let by = match self.life {
            Life::Ending(by) => Some(by),
            Life::Wanted if self.has_ended() => None,
            Life::Wanted => return self.kill_what_is_late(),
        };
        let by = by.unwrap_or_else(|| clock::instant().after(self.grace()));
        let none_of = |members: &[Member], role| {
            members
                .iter()
                .filter(|m| m.role == role)
                .all(|m| m.run.is_none())
        };
        for index in 0..self.members.len() {
            if self.members[index].role != Role::Sidecar {
                self.end(index, by);
            }
        }
        // Sidecars stay for the others, and end in the reverse order of their start.
        if none_of(&self.members, Role::Main) && none_of(&self.members, Role::Init) {
            let last = self.members.iter().rposition(|m| m.run.is_some());
            if let Some(index) = last {
                self.end(index, by);
            }
        }
        if matches!(self.life, Life::Ending(_)) {
            self.give_up_what_never_ran();
        }
        self.kill_what_is_late();
    }

    fn give_up_what_never_ran(&mut self) {
        for member in &mut self.members {
            if member.run.is_none() && matches!(member.state, State::Waiting { .. }) {
                member.give_up(clock::now());
            }
        }
    }

    /// Begins the end of a container, or shortens it.
    fn end(&mut self, index: usize, by: Instant) {
        let Some(run) = &mut self.members[index].run else {
            return;
        };
        if let Some(killing) = &mut run.killing {
            killing.at = killing.at.min(by);
            return;
        }
        let name = self.members[index].spec.name.clone();
        self.event(false, "Killing", format!("Stopping container {name}"));
        self.begin_end(index, by);
    }

    fn begin_end(&mut self, index: usize, by: Instant) {
        let hook = self.members[index]
            .spec
            .lifecycle
            .as_ref()
            .and_then(|l| l.pre_stop.as_ref())
            .map(Look::from);
        let exec = self.number();
        let left = by.since(clock::instant());
        let member = &mut self.members[index];
        let Some(run) = &mut member.run else { return };
        // Probes have nothing to say about a container that ends.
        for task in run.tasks.drain(..) {
            task.abort();
        }
        let hook = hook.filter(|_| !left.is_zero() && run.since.is_some());
        run.killing = Some(Killing {
            at: by,
            hook: hook.is_some(),
            killed: false,
        });
        let (id, link) = (run.id, run.target.link.clone());
        match hook {
            Some(look) => self.hook(index, look, left, exec, |id, result| Note::Unhooked {
                id,
                result,
            }),
            None if !left.is_zero() => {
                let signal = stop_signal(&self.members[index].spec);
                link.order(Order::Signal { id, signal });
            }
            None => {}
        }
    }

    pub(super) fn pre_stopped(&mut self, id: u64, result: Result<(), String>) {
        if let Err(why) = result {
            self.event(
                true,
                "FailedPreStopHook",
                format!("PreStopHook failed: {why}"),
            );
        }
        let Some(index) = self.of(id) else { return };
        let signal = stop_signal(&self.members[index].spec);
        if let Some(run) = &mut self.members[index].run
            && let Some(killing) = &mut run.killing
        {
            killing.hook = false;
            killing.at = killing.at.max(clock::instant().after(AFTER_HOOK));
            run.target.link.order(Order::Signal { id, signal });
        }
    }

    pub(super) fn post_started(&mut self, id: u64, result: Result<(), String>) {
        if let (Err(why), Some(index)) = (result, self.of(id)) {
            self.event(
                true,
                "FailedPostStartHook",
                format!("PostStartHook failed: {why}"),
            );
            let by = clock::instant().after(self.grace());
            self.end(index, by);
        }
    }

    fn kill_what_is_late(&mut self) {
        let now = clock::instant();
        for run in self.members.iter_mut().filter_map(|m| m.run.as_mut()) {
            let Some(killing) = &mut run.killing else {
                continue;
            };
            // A hook that runs out of time ends by itself, and gives the rest its last two seconds.
            if now >= killing.at && !killing.killed && !killing.hook {
                killing.killed = true;
                run.target.link.order(Order::Signal {
                    id: run.id,
                    signal: KILL,
                });
            }
        }
    }

    /// Runs a hook; what it comes to is heard later.
    fn hook(
        &mut self,
        index: usize,
        look: Look,
        limit: Duration,
        exec: u64,
        note: fn(u64, Result<(), String>) -> Note,
    ) {
        let Some(run) = &mut self.members[index].run else {
            return;
        };
        let (target, notes, id) = (run.target.clone(), self.notes.clone(), run.id);
        let task = tokio::spawn(async move {
            let result = target.look(&look, limit, exec).await;
            let _ = notes.send(note(id, result));
        });
        run.tasks.push(task.abort_handle());
    }

    /// Begins a probe.
    fn watch(&mut self, index: usize, kind: Kind) {
        let member = &mut self.members[index];
        let Some(probe) = probe(&member.spec, kind) else {
            return;
        };
        let (numbers, look) = (Numbers::of(probe), Look::from(probe));
        let Some(run) = &mut member.run else { return };
        let (target, notes, id) = (run.target.clone(), self.notes.clone(), run.id);
        let exec = ExecNumbers::new(id, kind);
        let task = tokio::spawn(async move {
            tokio::time::sleep(numbers.delay).await;
            let mut exec = exec;
            let mut due = tokio::time::interval(numbers.period);
            due.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
            loop {
                due.tick().await;
                let result = target.look(&look, numbers.timeout, exec.next()).await;
                if notes.send(Note::Probed { id, kind, result }).is_err() {
                    return;
                }
            }
        });
        run.tasks.push(task.abort_handle());
    }

    pub(super) fn probed(&mut self, id: u64, kind: Kind, result: Result<(), String>) {
        let Some(index) = self.of(id) else { return };
        let member = &mut self.members[index];
        let Some(probe) = probe(&member.spec, kind) else {
            return;
        };
        let numbers = Numbers::of(probe);
        let own_grace = probe
            .termination_grace_period_seconds
            .and_then(|s| u64::try_from(s).ok())
            .map(Duration::from_secs);
        let name = member.spec.name.clone();
        let Some(run) = &mut member.run else { return };
        if run.killing.is_some() || (kind == Kind::Startup && run.started) {
            return;
        }
        let says = run.rows[kind as usize].add(result.is_ok(), &numbers);
        if let Err(why) = &result {
            let text = format!("{} probe failed: {why}", kind.word());
            self.event(true, "Unhealthy", text);
        }
        let Some(good) = says else { return };
        if self.members[index].probed(kind, good) && kind == Kind::Startup {
            self.watch(index, Kind::Readiness);
            self.watch(index, Kind::Liveness);
        }
        if !good && kind != Kind::Readiness {
            let probe = kind.word().to_lowercase();
            let text = format!("Container {name} failed {probe} probe, will be restarted");
            self.event(false, "Killing", text);
            let grace = own_grace.unwrap_or_else(|| self.grace());
            self.begin_end(index, clock::instant().after(grace));
        }
    }
}

fn probe(container: &Container, kind: Kind) -> Option<&Probe> {
    match kind {
        Kind::Startup => container.startup_probe.as_ref(),
        Kind::Readiness => container.readiness_probe.as_ref(),
        Kind::Liveness => container.liveness_probe.as_ref(),
    }
}

/// `lifecycle.stopSignal`, else SIGTERM.
fn stop_signal(container: &Container) -> i32 {
    let name = container
        .lifecycle
        .as_ref()
        .and_then(|l| l.stop_signal.as_deref());
    match name {
        Some("SIGHUP") => 1,
        Some("SIGINT") => 2,
        Some("SIGQUIT") => 3,
        Some("SIGKILL") => KILL,
        Some("SIGUSR1") => 10,
        Some("SIGUSR2") => 12,
        _ => TERM,
    }
}

/// Numbers for the programs of one probe: from the top, where no container gets its number.
struct ExecNumbers(u64);

impl ExecNumbers {
    fn new(container: u64, kind: Kind) -> Self {
        Self((1 << 63) | (container << 34) | ((kind as u64) << 32))
    }

    fn next(&mut self) -> u64 {
        self.0 += 1;
        self.0
    }
}
