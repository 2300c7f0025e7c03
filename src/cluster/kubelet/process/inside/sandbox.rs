//! First step: namespaces for the pod, then the supervisor as the first process in them. This process stays outside of
//! the process namespace and waits, so that the kubelet has a child that lives as long as the pod.

use std::fs;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use rustix::mount::{MountPropagationFlags, mount_change};
use rustix::process::{getgid, getuid};
use rustix::thread::UnshareFlags;

use super::entry::{BARE_SUPERVISOR, SUPERVISOR, WORD};
use super::protocol::{self, Sandbox, Told};

/// This program, whatever has happened to its file since it was started.
const OURSELVES: &str = "/proc/self/exe";

/// `kubectl-jobset pod-init STEP`, as a command of this same program.
pub(super) fn ourselves(step: &str) -> Command {
    let mut command = Command::new(OURSELVES);
    command
        .arg0("kubectl-jobset")
        .args([WORD, step])
        .env_clear();
    command
}

pub(super) fn main() -> io::Result<()> {
    let socket = protocol::socket()?;
    let Some(sandbox) = protocol::first::<Sandbox>(&socket)? else {
        return Ok(());
    };
    let step = if sandbox.isolate {
        if let Err(why) = isolate(&sandbox.hostname) {
            return protocol::send(&socket, &Told::Refused(why));
        }
        SUPERVISOR
    } else {
        BARE_SUPERVISOR
    };
    let mut child = match ourselves(step).spawn() {
        Ok(child) => child,
        Err(e) => {
            let why = format!("the first process of the pod can't be started: {e}");
            return protocol::send(&socket, &Told::Refused(why));
        }
    };
    // The socket is the supervisor's alone from here on: its end tells the kubelet that the pod is gone.
    drop(socket);
    let null = fs::File::open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    child.wait().map(|_| ())
}

/// Namespaces of users (where needed), mounts, names, processes and shared memory.
fn isolate(hostname: &str) -> Result<(), String> {
    let own =
        UnshareFlags::NEWNS | UnshareFlags::NEWUTS | UnshareFlags::NEWPID | UnshareFlags::NEWIPC;
    let (user, group) = (getuid(), getgid());
    // Root doesn't need a user namespace, and would lose the other users of the machine in one; but root of a
    // container often may do nothing without.
    let privileged = user.is_root() && unshare(own).is_ok();
    if !privileged {
        unshare(own | UnshareFlags::NEWUSER)
            .map_err(|e| format!("namespaces are refused by the system: {e}"))?;
        // Without this the kernel takes no map of groups from an ordinary user; old kernels don't know it.
        match fs::write("/proc/self/setgroups", "deny") {
            Err(e) if e.kind() != io::ErrorKind::NotFound => {
                return Err(format!("the groups of a user namespace can't be set: {e}"));
            }
            _ => {}
        }
        for (file, id) in [("uid_map", user.as_raw()), ("gid_map", group.as_raw())] {
            fs::write(format!("/proc/self/{file}"), format!("0 {id} 1"))
                .map_err(|e| format!("{file} of a user namespace can't be written: {e}"))?;
        }
    }
    mount_change(
        "/",
        MountPropagationFlags::PRIVATE | MountPropagationFlags::REC,
    )
    .map_err(|e| format!("mounts in a user namespace are refused by the system: {e}"))?;
    rustix::system::sethostname(hostname.as_bytes())
        .map_err(|e| format!("the host name can't be set: {e}"))
}

/// `unshare(2)` of this process, which has one thread.
pub(super) fn unshare(flags: UnshareFlags) -> rustix::io::Result<()> {
    #[expect(
        deprecated,
        reason = "unsound with FILES only, and with threads that share descriptors; neither is the case"
    )]
    rustix::thread::unshare(flags)
}
