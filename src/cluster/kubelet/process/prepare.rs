//! From a container's spec to the order that starts it.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use k8s_openapi::api::core::v1::{Container, Pod};

use super::environment;
use super::expand::expand;
use super::fields::{self, Place};
use super::inside::protocol::{Mount, Program, Root, Run};
use super::node::Shared;
use super::volumes::{self, Ready};
use super::{logs, names};

/// Bytes of a termination message.
const MOST_MESSAGE: u64 = 4096;
/// Of the log instead of one: lines and bytes.
const LOG_MESSAGE: (u64, usize) = (80, 2048);

/// Why there is no order.
pub(super) enum NoOrder {
    /// It may go better later: `CreateContainerConfigError`.
    Config(String),
    /// It won't: `StartError`.
    Start(String),
}

/// Folder of a pod below the run's.
pub(super) fn pod_folder(run: &Path, pod: &Pod) -> PathBuf {
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let meta = &pod.metadata;
    run.join("pods").join(format!(
        "{}_{}_{}",
        text(&meta.namespace),
        text(&meta.name),
        text(&meta.uid)
    ))
}

/// Where a container's first process leaves its last words.
pub(super) fn message_file(folder: &Path, container: &str, number: i32) -> PathBuf {
    folder
        .join(container)
        .join(format!("{number}.termination-log"))
}

/// Everything that an order needs besides the container.
pub(super) struct Ground<'a> {
    pub(super) node: &'a Shared,
    pub(super) pod: &'a Pod,
    pub(super) place: &'a Place,
    /// The pod's.
    pub(super) folder: &'a Path,
    pub(super) volumes: &'a BTreeMap<String, Ready>,
}

impl Ground<'_> {
    /// The order that starts `container` for the time `number`.
    pub(super) fn order(
        &self,
        container: &Container,
        id: u64,
        number: i32,
    ) -> Result<Run, NoOrder> {
        let env =
            environment::of_container(self.pod, container, self.place, self.node.lookups.as_ref())
                .map_err(NoOrder::Config)?;
        let volumes = volumes::mounts(container, self.volumes, &env).map_err(NoOrder::Config)?;
        let argv: Vec<String> = container
            .command
            .iter()
            .flatten()
            .chain(container.args.iter().flatten())
            .map(|word| expand(word, &env))
            .collect();
        if container.command.as_ref().is_none_or(Vec::is_empty) {
            return Err(NoOrder::Start(format!(
                "no command specified: image \"{}\" is not pulled, so its entrypoint is not known; \
                 hint: set command of container \"{}\"",
                container.image.as_deref().unwrap_or_default(),
                container.name
            )));
        }
        let directory = match container.working_dir.as_deref().filter(|d| !d.is_empty()) {
            Some(directory) => PathBuf::from(directory),
            None => self.node.options.directory.clone(),
        };
        let root = self
            .root(container, number, volumes, &directory)
            .map_err(|e| NoOrder::Start(format!("the container's files can't be made: {e}")))?;
        let (user, group) = self.user(container);
        let mut env = environment::whole(
            &self.node.options.environment,
            &names::hostname(self.pod),
            &env,
        );
        env.extend(self.node.names_in_environment());
        Ok(Run {
            id,
            program: Program {
                argv,
                env,
                directory: text(&directory),
                user,
                group,
            },
            root,
            log: text(&logs::path(&self.folder.join(&container.name), number)),
            memory_limit: fields::memory_limit(container),
        })
    }

    /// What it sees besides the machine and its volumes.
    fn root(
        &self,
        container: &Container,
        number: i32,
        volumes: Vec<Mount>,
        directory: &Path,
    ) -> io::Result<Root> {
        let own = self.folder.join(&container.name);
        let staging = self.folder.join("root");
        fs::create_dir_all(&staging)?;
        fs::create_dir_all(&own)?;
        let message = message_file(self.folder, &container.name, number);
        fs::write(&message, "")?;
        fs::set_permissions(&message, fs::Permissions::from_mode(0o666))?;
        // Its own, and empty each time, as in a container: markers in /tmp are common.
        let scratch = own.join("tmp");
        let _ = fs::remove_dir_all(&scratch);
        fs::create_dir(&scratch)?;
        fs::set_permissions(&scratch, fs::Permissions::from_mode(0o1777))?;
        let comfort = |source: &Path, target: &Path| Mount {
            source: text(source),
            target: text(target),
            read_only: false,
            optional: true,
        };
        let message_path = container
            .termination_message_path
            .as_deref()
            .filter(|p| !p.is_empty())
            .unwrap_or("/dev/termination-log");
        let run = &self.node.options.folder;
        let mut mounts = vec![
            comfort(&run.join("hosts"), Path::new("/etc/hosts")),
            comfort(&run.join("nsswitch.conf"), Path::new("/etc/nsswitch.conf")),
            comfort(&self.folder.join("hostname"), Path::new("/etc/hostname")),
            comfort(&scratch, Path::new("/tmp")),
            comfort(&message, Path::new(message_path)),
        ];
        // A name server cache would answer from the machine's own hosts file.
        if Path::new("/run/nscd").is_dir() {
            let empty = self.folder.join("empty");
            fs::create_dir_all(&empty)?;
            mounts.push(comfort(&empty, Path::new("/run/nscd")));
        }
        let shown = self.node.options.shown.iter().map(PathBuf::as_path);
        mounts.extend(
            shown
                .chain([self.node.options.directory.as_path()])
                .filter(|path| path.starts_with("/tmp") && *path != Path::new("/tmp"))
                .map(|path| comfort(path, path)),
        );
        mounts.extend(volumes);
        Ok(Root {
            staging: text(&staging),
            mounts,
            directories: vec![text(directory)],
        })
    }

    fn user(&self, container: &Container) -> (Option<u32>, Option<u32>) {
        let own = container.security_context.as_ref();
        let pod = self
            .pod
            .spec
            .as_ref()
            .and_then(|s| s.security_context.as_ref());
        let number = |id: Option<i64>| id.and_then(|id| u32::try_from(id).ok());
        (
            number(
                own.and_then(|c| c.run_as_user)
                    .or(pod.and_then(|c| c.run_as_user)),
            ),
            number(
                own.and_then(|c| c.run_as_group)
                    .or(pod.and_then(|c| c.run_as_group)),
            ),
        )
    }
}

/// The last words of a container, as its policy has it.
pub(super) fn termination_message(
    folder: &Path,
    container: &Container,
    number: i32,
    code: i32,
) -> Option<String> {
    use std::io::Read as _;
    let mut message = Vec::new();
    let file = fs::File::open(message_file(folder, &container.name, number)).ok()?;
    file.take(MOST_MESSAGE).read_to_end(&mut message).ok()?;
    let from_log = container.termination_message_policy.as_deref() == Some("FallbackToLogsOnError");
    if message.is_empty() && from_log && code != 0 {
        let log = logs::path(&folder.join(&container.name), number);
        return logs::last(&log, LOG_MESSAGE.0, LOG_MESSAGE.1).ok();
    }
    Some(String::from_utf8_lossy(&message).into_owned())
}

/// Paths of a run are text: that was checked when the node was made.
fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
