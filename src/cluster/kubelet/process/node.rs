//! This machine as a node.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use k8s_openapi::api::core::v1::{Node as NodeObject, Pod, Service};
use tokio::sync::mpsc;

use super::addresses::Addresses;
use super::hosts::Hosts;
use super::inside::protocol::{Order, Program, Root, Run, Sandbox, Told};
use super::link::Link;
use super::lookups::Lookups;
use super::machine::{self, Machine};
use super::names::Names;
use super::pod::PodHandle;
use super::prepare;
use crate::driver::clock;
use crate::error::{Error, Result};

/// The same program as the one that runs.
const OURSELVES: &str = "/proc/self/exe";

/// Variable that has the path of the file of names, where `/etc/hosts` can't be that file.
const HOSTS_VARIABLE: &str = "KUBECTL_JOBSET_HOSTS";
/// Beginning of the variables that have addresses by host name, in capitals.
const ADDRESS_VARIABLE: &str = "KUBECTL_JOBSET_ADDRESS_";

/// What a node is made with.
#[derive(Clone, Debug)]
pub struct NodeOptions {
    /// Its name.
    pub name: String,
    /// Name of the run: decides which addresses its pods get.
    pub run: String,
    /// Folder that everything is written to. It is made.
    pub folder: PathBuf,
    /// Where a container without `workingDir` starts.
    pub directory: PathBuf,
    /// What an image would bring, and the machine brings here: `PATH`, `HOME`, `LANG`.
    pub environment: BTreeMap<String, String>,
    /// Paths below `/tmp` that containers see, beside `directory`; the rest of `/tmp` is their own.
    pub shown: Vec<PathBuf>,
    /// A program whose first thing is to call [`super::pod_init`] if its first argument is [`super::POD_INIT`]; `None`:
    /// this one.
    pub program: Option<PathBuf>,
    /// False: don't even try namespaces.
    pub isolate: bool,
}

/// Why pods run without namespaces: names resolve nowhere, and volumes can't be mounted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotIsolated {
    /// What the system said.
    pub why: String,
    /// What can be done, and what works meanwhile.
    pub hint: String,
}

/// What a node and its pods share.
pub(super) struct Shared {
    pub(super) options: NodeOptions,
    pub(super) lookups: Arc<dyn Lookups>,
    pub(super) machine: Machine,
    pub(super) program: PathBuf,
    pub(super) isolated: bool,
    names: Mutex<Names>,
    addresses: Mutex<Addresses>,
}

impl Shared {
    pub(super) fn names(&self) -> MutexGuard<'_, Names> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }
    pub(super) fn addresses(&self) -> MutexGuard<'_, Addresses> {
        self.addresses
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
    /// Names for a container that can't look them up; none for one that can.
    pub(super) fn names_in_environment(&self) -> Vec<(String, String)> {
        if self.isolated {
            return Vec::new();
        }
        let file = self.options.folder.join("hosts");
        let mut all = vec![(
            HOSTS_VARIABLE.to_owned(),
            file.to_string_lossy().into_owned(),
        )];
        all.extend(self.names().pods().map(|(name, address)| {
            let capitals: String = name
                .chars()
                .map(|c| {
                    if c.is_ascii_alphanumeric() {
                        c.to_ascii_uppercase()
                    } else {
                        '_'
                    }
                })
                .collect();
            (format!("{ADDRESS_VARIABLE}{capitals}"), address.to_string())
        }));
        all
    }
}

/// This machine as a Node object, with its capacity.
#[must_use]
pub fn machine(name: &str) -> NodeObject {
    machine::node(name, Machine::look(), clock::now())
}

/// Folder of the logs of a container of a run whose folder that is, for [`super::logs::LogReader::open`].
#[must_use]
pub fn log_folder(run: &Path, pod: &Pod, container: &str) -> PathBuf {
    prepare::pod_folder(run, pod).join(container)
}

/// A kubelet for this machine. Dropping it leaves its pods alone; dropping a pod's handle ends the pod.
pub struct Node {
    shared: Arc<Shared>,
    refused: Option<NotIsolated>,
}

impl Node {
    /// Makes the run's folder and finds out what the system allows. Needs a tokio runtime.
    ///
    /// # Errors
    /// The folder can't be made, or its path isn't text.
    pub async fn new(options: NodeOptions, lookups: Arc<dyn Lookups>) -> Result<Self> {
        let folder = options.folder.clone();
        let failed = |e: &dyn std::fmt::Display| {
            Error::other(format!(
                "the folder {} of the run can't be used",
                folder.display()
            ))
            .caused_by(e)
        };
        if [&options.folder, &options.directory]
            .iter()
            .any(|path| path.to_str().is_none() || !path.is_absolute())
        {
            return Err(failed(&"the path is not an absolute one in UTF-8"));
        }
        fs::create_dir_all(folder.join("pods")).map_err(|e| failed(&e))?;
        let machine_hosts = fs::read_to_string("/etc/hosts").unwrap_or_default();
        let hosts = Hosts::create(&folder.join("hosts"), &machine_hosts).map_err(|e| failed(&e))?;
        if let Some(switch) = fs::read_to_string("/etc/nsswitch.conf")
            .ok()
            .map(|text| files_first(&text))
        {
            fs::write(folder.join("nsswitch.conf"), switch).map_err(|e| failed(&e))?;
        }
        let program = options
            .program
            .clone()
            .unwrap_or_else(|| PathBuf::from(OURSELVES));
        let refused = if options.isolate {
            try_namespaces(&program, &folder).await.err()
        } else {
            Some("namespaces were not asked for".to_owned())
        };
        let refused = refused.map(|why| not_isolated(why, &folder));
        Ok(Self {
            shared: Arc::new(Shared {
                lookups,
                machine: Machine::look(),
                program,
                isolated: refused.is_none(),
                names: Mutex::new(Names::new(hosts)),
                addresses: Mutex::new(Addresses::new(&options.run)),
                options,
            }),
            refused,
        })
    }

    /// The Node object, with this machine's capacity.
    #[must_use]
    pub fn object(&self) -> NodeObject {
        machine::node(&self.shared.options.name, self.shared.machine, clock::now())
    }

    /// Set if pods can't have namespaces: to be told once.
    #[must_use]
    pub fn not_isolated(&self) -> Option<&NotIsolated> {
        self.refused.as_ref()
    }

    /// Services whose names are to resolve, all of them each time. A pod's own name doesn't wait for its Service.
    ///
    /// # Errors
    /// The file of names can't be written.
    pub fn set_services(&self, services: Vec<Service>) -> Result<()> {
        self.shared
            .names()
            .set_services(services)
            .map_err(|e| Error::other("the file of names can't be written").caused_by(e))
    }

    /// Starts a pod that is bound to this node.
    #[must_use]
    pub fn start(&self, pod: Pod) -> PodHandle {
        PodHandle::start(Arc::clone(&self.shared), pod)
    }

    /// Folder of a container's logs, for [`super::logs::LogReader::open`].
    #[must_use]
    pub fn logs(&self, pod: &Pod, container: &str) -> PathBuf {
        log_folder(&self.shared.options.folder, pod, container)
    }
}

/// Goes the whole way of a container once, with a program of ours that does nothing.
async fn try_namespaces(program: &Path, folder: &Path) -> std::result::Result<(), String> {
    let staging = folder.join("trial");
    fs::create_dir_all(&staging).map_err(|e| e.to_string())?;
    let (sender, mut heard) = mpsc::unbounded_channel();
    let sandbox = Sandbox {
        hostname: "trial".to_owned(),
        isolate: true,
    };
    let link = Link::start(program, &sandbox, &staging.join("diary"), move |told| {
        let _ = sender.send(told);
    })
    .map_err(|e| format!("{} can't be started: {e}", program.display()))?;
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let root = staging.join("root");
    fs::create_dir_all(&root).map_err(|e| e.to_string())?;
    link.order(Order::Run(Box::new(Run {
        id: 0,
        program: Program {
            // With no step to do it ends at once.
            argv: vec![OURSELVES.to_owned(), super::POD_INIT.to_owned()],
            env: Vec::new(),
            directory: "/".to_owned(),
            user: None,
            group: None,
        },
        root: Root {
            staging: text(&root),
            ..Root::default()
        },
        log: text(&staging.join("0.log")),
        memory_limit: None,
    })));
    let answer = loop {
        match heard.recv().await.flatten() {
            Some(Told::Ended { .. }) => break Ok(()),
            Some(Told::Refused(why) | Told::NotStarted { message: why, .. }) => break Err(why),
            Some(_) => {}
            None => break Err("the trial of namespaces ended without a word".to_owned()),
        }
    };
    link.close();
    let _ = fs::remove_dir_all(&staging);
    answer
}

fn not_isolated(why: String, folder: &Path) -> NotIsolated {
    let knob = [
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "/proc/sys/user/max_user_namespaces",
        "/proc/sys/kernel/unprivileged_userns_clone",
    ]
    .into_iter()
    .zip(["1", "0", "0"])
    .find(|(file, closed)| fs::read_to_string(file).is_ok_and(|text| text.trim() == *closed))
    .map(|(file, closed)| {
        let name = file.trim_start_matches("/proc/sys/").replace('/', ".");
        match closed {
            "1" => format!("`sysctl {name}=0` as root allows them; "),
            _ => format!("`sysctl {name}` is 0 and forbids them; "),
        }
    })
    .unwrap_or_default();
    NotIsolated {
        why,
        hint: format!(
            "{knob}pods run without: their names don't resolve, but {HOSTS_VARIABLE} names a file with all addresses \
             ({}), and {ADDRESS_VARIABLE}<HOST_NAME> has those that were known at the start",
            folder.join("hosts").display()
        ),
    }
}

/// Where the system asks others before it looks into the hosts file, names of pods would not be found.
fn files_first(switch: &str) -> String {
    let mut text = String::new();
    for line in switch.lines() {
        if line.trim_start().starts_with("hosts:") {
            text.push_str("hosts: files dns");
        } else {
            text.push_str(line);
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::files_first;

    #[test]
    fn only_the_line_of_hosts_changes() {
        assert_eq!(
            files_first("passwd: files\nhosts: resolve [!UNAVAIL=return] files dns\n"),
            "passwd: files\nhosts: files dns\n"
        );
    }
}
