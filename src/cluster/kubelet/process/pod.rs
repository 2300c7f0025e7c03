//! A pod from its start to its end: one loop that hears what has happened, decides what is to be done now, and reports.

use std::collections::BTreeMap;
use std::fs;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::{Pod, PodSpec, PodStatus};
use k8s_openapi::jiff::Timestamp;
use tokio::sync::mpsc;

use super::fields::Place;
use super::inside::protocol::{Sandbox, Told};
use super::link::Link;
use super::machine::ADDRESS;
use super::member::Member;
use super::node::Shared;
use super::probe::Kind;
use super::status::{self, Role, State, View};
use super::volumes::{Ready, Refused, Sources};
use super::{names, prepare};
use crate::driver::clock::{self, Instant};

/// What a pod has for its end if it doesn't say.
const GRACE: Duration = Duration::from_secs(30);
/// Before something that was refused is tried again.
pub(super) const RETRY: Duration = Duration::from_secs(2);

/// News of a pod.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "nearly all of them are statuses")]
pub enum News {
    /// Its status has changed. Conditions that aren't a kubelet's are as they were when the pod was started.
    Status(PodStatus),
    /// Something for `kubectl describe`.
    Event {
        /// `Warning`, else `Normal`.
        warning: bool,
        /// `BackOff`.
        reason: &'static str,
        /// What happened.
        message: String,
    },
}

/// A pod on this node. Dropping it ends the pod at once.
#[derive(Debug)]
pub struct PodHandle {
    news: mpsc::UnboundedReceiver<News>,
    notes: mpsc::UnboundedSender<Note>,
}

/// What a pod hears.
#[derive(Debug)]
pub(super) enum Note {
    /// From its first process; `None`: that is gone, and all others with it.
    Told(Option<Told>),
    Probed {
        id: u64,
        kind: Kind,
        result: Result<(), String>,
    },
    /// A `postStart` has ended.
    Hooked {
        id: u64,
        result: Result<(), String>,
    },
    /// A `preStop` has ended.
    Unhooked {
        id: u64,
        result: Result<(), String>,
    },
    Stop(Option<Duration>),
}

impl PodHandle {
    pub(super) fn start(node: Arc<Shared>, pod: Pod) -> Self {
        let (news, receiver) = mpsc::unbounded_channel();
        let (notes, inbox) = mpsc::unbounded_channel();
        let worker = Worker::new(node, pod, news, notes.clone());
        tokio::spawn(worker.run(inbox));
        Self {
            news: receiver,
            notes,
        }
    }

    /// What happens next; `None` when the pod has ended and nothing of it is left.
    pub async fn next(&mut self) -> Option<News> {
        self.news.recv().await
    }

    /// Ends the pod as its deletion does: hooks, SIGTERM, and SIGKILL after `grace` (the pod's own if `None`). The news go
    /// on to its last status. Said again it can only shorten.
    pub fn stop(&self, grace: Option<Duration>) {
        let _ = self.notes.send(Note::Stop(grace));
    }
}

/// How far the pod is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Life {
    /// Containers are started.
    Wanted,
    /// Containers are ended, by then.
    Ending(Instant),
}

/// The pod and its containers. What happens to a container is in `containers.rs`.
pub(super) struct Worker {
    pub(super) node: Arc<Shared>,
    pub(super) pod: Pod,
    pub(super) folder: PathBuf,
    pub(super) place: Place,
    address: Option<(Ipv4Addr, u64)>,
    pub(super) link: Option<Link>,
    pub(super) volumes: Option<BTreeMap<String, Ready>>,
    pub(super) members: Vec<Member>,
    pub(super) life: Life,
    failed: Option<(&'static str, String)>,
    /// All that comes before the pod's own containers was done once.
    pub(super) initialized: bool,
    /// Nothing is tried before that.
    pub(super) not_before: Option<Instant>,
    since: Timestamp,
    born: Instant,
    status: PodStatus,
    next_id: u64,
    news: mpsc::UnboundedSender<News>,
    pub(super) notes: mpsc::UnboundedSender<Note>,
}

impl Worker {
    fn new(
        node: Arc<Shared>,
        pod: Pod,
        news: mpsc::UnboundedSender<News>,
        notes: mpsc::UnboundedSender<Note>,
    ) -> Self {
        let folder = prepare::pod_folder(&node.options.folder, &pod);
        let place = Place {
            pod_ip: String::new(),
            host_ip: ADDRESS.to_owned(),
            node: node.options.name.clone(),
            cpus: node.machine.cpus,
            memory: node.machine.memory,
        };
        let spec = pod.spec.clone().unwrap_or_default();
        let init = spec.init_containers.unwrap_or_default();
        let first = if init.is_empty() {
            "ContainerCreating"
        } else {
            "PodInitializing"
        };
        let mut members: Vec<Member> = init
            .into_iter()
            .map(|c| {
                let sidecar = c.restart_policy.as_deref() == Some("Always");
                let role = if sidecar { Role::Sidecar } else { Role::Init };
                Member::new(c, role, first)
            })
            .collect();
        members.extend(
            spec.containers
                .into_iter()
                .map(|c| Member::new(c, Role::Main, first)),
        );
        Self {
            status: pod.status.clone().unwrap_or_default(),
            node,
            pod,
            folder,
            place,
            address: None,
            link: None,
            volumes: None,
            members,
            life: Life::Wanted,
            failed: None,
            initialized: false,
            not_before: None,
            since: clock::now(),
            born: clock::instant(),
            next_id: 0,
            news,
            notes,
        }
    }

    async fn run(mut self, mut inbox: mpsc::UnboundedReceiver<Note>) {
        let news = self.news.clone();
        loop {
            let now = clock::instant();
            self.sync();
            self.report();
            if self.is_over() {
                break;
            }
            let wake = self.wake(now);
            tokio::select! {
                note = inbox.recv() => if let Some(note) = note { self.hear(note) },
                () = sleep_until(wake) => {}
                // Nobody wants the pod any more.
                () = news.closed() => break,
            }
            self.report();
        }
        if let Some(link) = self.link.take() {
            link.close();
            while let Some(note) = inbox.recv().await {
                if matches!(note, Note::Told(None)) {
                    break;
                }
            }
        }
        self.clean_up();
        self.report();
    }

    /// Logs stay.
    fn clean_up(&mut self) {
        if let Some((address, key)) = self.address.take() {
            // A file that can't be written any more was told when it was written first.
            let _ = self.node.names().remove(key);
            self.node.addresses().give_back(address);
        }
        for name in ["volumes", "root", "empty", "hostname", "diary"] {
            let path = self.folder.join(name);
            let _ = fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path));
        }
        for member in &self.members {
            let _ = fs::remove_dir_all(self.folder.join(&member.spec.name).join("tmp"));
        }
    }

    /// What is to be done now.
    fn sync(&mut self) {
        if self.life == Life::Wanted {
            if self.deadline().is_some_and(|at| clock::instant() >= at) {
                let message = "Pod was active on the node longer than the specified deadline";
                self.fail("DeadlineExceeded", message.to_owned());
            } else if self.not_before.is_none_or(|at| clock::instant() >= at) {
                self.not_before = None;
                match self.prepare() {
                    Ok(()) => self.start_what_is_due(),
                    Err(Refused::NotYet(why)) => {
                        self.not_before = Some(clock::instant().after(RETRY));
                        self.event(true, "FailedMount", why);
                    }
                    Err(Refused::Never(why)) => self.fail("FailedMount", why),
                }
            }
        }
        self.end_what_is_due();
    }

    /// The pod as a whole has failed; what runs is ended.
    pub(super) fn fail(&mut self, reason: &'static str, message: String) {
        self.event(true, reason, message.clone());
        self.failed = Some((reason, message));
        self.stop(None);
    }

    fn stop(&mut self, grace: Option<Duration>) {
        let grace = grace.unwrap_or_else(|| self.grace());
        let by = clock::instant().after(grace);
        self.life = match self.life {
            Life::Ending(before) => Life::Ending(before.min(by)),
            Life::Wanted => Life::Ending(by),
        };
    }

    /// Address, volumes and first process of the pod.
    fn prepare(&mut self) -> Result<(), Refused> {
        let refused = |e: &dyn std::fmt::Display| {
            Refused::NotYet(format!("the pod's place can't be made: {e}"))
        };
        if self.address.is_none() {
            let address = self.node.addresses().take();
            let address = address.ok_or_else(|| refused(&"there is no free loopback address"))?;
            self.place.pod_ip = address.to_string();
            let key = self
                .node
                .names()
                .add(&self.pod, address)
                .map_err(|e| refused(&e))?;
            self.address = Some((address, key));
        }
        if self.volumes.is_none() {
            let (folder, claims) = (
                self.folder.join("volumes"),
                self.node.options.folder.join("claims"),
            );
            fs::create_dir_all(&folder).map_err(|e| refused(&e))?;
            let host = names::hostname(&self.pod);
            fs::write(self.folder.join("hostname"), format!("{host}\n"))
                .map_err(|e| refused(&e))?;
            let sources = Sources {
                pod: &self.pod,
                place: &self.place,
                lookups: self.node.lookups.as_ref(),
                folder: &folder,
                claims: &claims,
            };
            self.volumes = Some(sources.make()?);
        }
        if self.link.is_none() {
            let sandbox = Sandbox {
                hostname: names::hostname(&self.pod),
                isolate: self.node.isolated,
            };
            let notes = self.notes.clone();
            let diary = self.folder.join("diary");
            let link = Link::start(&self.node.program, &sandbox, &diary, move |told| {
                let _ = notes.send(Note::Told(told));
            });
            self.link = Some(link.map_err(|e| refused(&e))?);
        }
        Ok(())
    }

    fn hear(&mut self, note: Note) {
        match note {
            Note::Told(Some(told)) => self.told(told),
            Note::Told(None) => {
                // Somebody has killed it: what ran is gone, and may start again in a new one.
                self.link = None;
                self.not_before = Some(clock::instant().after(RETRY));
                self.all_lost();
            }
            Note::Probed { id, kind, result } => self.probed(id, kind, result),
            Note::Hooked { id, result } => self.post_started(id, result),
            Note::Unhooked { id, result } => self.pre_stopped(id, result),
            Note::Stop(grace) => self.stop(grace),
        }
    }

    /// No container runs, and none will.
    fn is_over(&self) -> bool {
        let none_runs = self.members.iter().all(|m| m.run.is_none());
        let all_told = match self.life {
            Life::Ending(_) => true,
            Life::Wanted => self.has_ended(),
        };
        none_runs && all_told && self.members.iter().all(|m| self.end_is_told(m))
    }

    fn end_is_told(&self, member: &Member) -> bool {
        member.role != Role::Main
            || member.code().is_some()
            || self.failed.is_some()
            || self.init_has_failed()
    }

    /// When something has to be done though nothing is heard. What was due at `now` has been done, or waits for something
    /// that will be heard.
    fn wake(&self, now: Instant) -> Option<Instant> {
        let killing = |m: &Member| Some(m.run.as_ref()?.killing.as_ref()?.at);
        self.members
            .iter()
            .flat_map(|m| [m.not_before, killing(m)])
            .chain([self.not_before, self.deadline()])
            .flatten()
            .filter(|at| *at > now)
            .min()
    }

    fn deadline(&self) -> Option<Instant> {
        let seconds = self.spec()?.active_deadline_seconds?;
        let wanted = self.life == Life::Wanted;
        wanted.then(|| {
            self.born
                .after(Duration::from_secs(u64::try_from(seconds).unwrap_or(0)))
        })
    }

    pub(super) fn spec(&self) -> Option<&PodSpec> {
        self.pod.spec.as_ref()
    }

    pub(super) fn policy(&self) -> &str {
        self.spec()
            .and_then(|s| s.restart_policy.as_deref())
            .unwrap_or("Always")
    }

    /// What the pod says about its end.
    pub(super) fn grace(&self) -> Duration {
        self.spec()
            .and_then(|s| s.termination_grace_period_seconds)
            .and_then(|s| u64::try_from(s).ok())
            .map_or(GRACE, Duration::from_secs)
    }

    pub(super) fn address(&self) -> Ipv4Addr {
        self.address
            .map_or(Ipv4Addr::LOCALHOST, |(address, _)| address)
    }

    /// A number that was not used before.
    pub(super) fn number(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    pub(super) fn event(&self, warning: bool, reason: &'static str, message: String) {
        let _ = self.news.send(News::Event {
            warning,
            reason,
            message,
        });
    }

    /// Tells the status, if it isn't the one told last.
    fn report(&mut self) {
        let view = View {
            pod: &self.pod,
            containers: self.members.iter().map(Member::seen).collect(),
            address: (!self.place.pod_ip.is_empty()).then(|| self.place.pod_ip.clone()),
            host: ADDRESS,
            since: self.since,
            over: matches!(self.life, Life::Ending(_)),
            sandbox: self.link.is_some(),
            failed: self.failed.clone(),
        };
        let status = status::build(&view, &self.status, clock::now());
        if status == self.status {
            return;
        }
        if let Some((_, key)) = self.address {
            let ready = status
                .conditions
                .iter()
                .flatten()
                .any(|c| c.type_ == "Ready" && c.status == "True");
            if let Err(e) = self.node.names().set_ready(key, ready) {
                self.event(true, "FailedNames", e.to_string());
            }
        }
        self.status = status.clone();
        let _ = self.news.send(News::Status(status));
    }

    /// Containers that could be running and aren't, in the status.
    pub(super) fn waiting(&self, index: usize) -> bool {
        let member = &self.members[index];
        member.run.is_none() && !matches!(member.state, State::Running(_))
    }
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => clock::sleep_until(at).await,
        None => std::future::pending().await,
    }
}
