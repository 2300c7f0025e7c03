//! Last step: sees the file system that the container is to see, is the user that it is to be, and becomes its program.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use rustix::process::{Signal, getgid, getuid, set_parent_process_death_signal, setsid};
use rustix::thread::{LinkNameSpaceType, UnshareFlags, move_into_link_name_space};

use super::protocol::{self, Become, Mount, Program, Stage};
use super::{root, sandbox};

pub(super) fn main() -> io::Result<()> {
    // A session of its own: its process group is what signals go to, and no terminal reaches it.
    setsid()?;
    set_parent_process_death_signal(Some(Signal::KILL))?;
    let socket = protocol::socket()?;
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    let Some(what) = protocol::lines(socket.try_clone()?).next() else {
        return Ok(());
    };
    let failure = become_it(&socket, what?);
    protocol::send(&socket, &Stage::Failed(failure))
}

/// Returns only if it fails.
fn become_it(socket: &UnixStream, what: Become) -> String {
    let (program, isolated) = match what {
        Become::Container {
            program,
            root: Some(plan),
            ..
        } => match sandbox::unshare(UnshareFlags::NEWNS)
            .map_err(|e| format!("no mount namespace: {e}"))
            .and_then(|()| root::enter(&plan))
        {
            Ok(()) => {
                let name = fs::read_link("/proc/self/ns/mnt").unwrap_or_default();
                let name = name.to_string_lossy().into_owned();
                if let Err(e) = protocol::send(socket, &Stage::Namespace(name)) {
                    return e.to_string();
                }
                (program, true)
            }
            Err(message) => return message,
        },
        Become::Container {
            program,
            root: None,
            wanted,
        } => match refused(&wanted) {
            Some(message) => return message,
            None => (program, false),
        },
        Become::Beside { program, pid } => {
            if let Some(pid) = pid
                && let Err(e) = join(pid)
            {
                return format!("the container can't be joined: {e}");
            }
            (program, pid.is_some())
        }
    };
    start(&program, isolated)
}

/// The first mount that the bare machine can't do without. One onto itself is there already.
fn refused(wanted: &[Mount]) -> Option<String> {
    wanted
        .iter()
        .find(|mount| !mount.optional && mount.source != mount.target)
        .map(|mount| {
            format!(
                "error mounting \"{}\" to rootfs at \"{}\": this system lets nobody but root mount",
                mount.source, mount.target
            )
        })
}

/// Enters the mount namespace of that process; its root directory comes with it.
fn join(pid: i32) -> io::Result<()> {
    let mounts = File::open(format!("/proc/{pid}/ns/mnt"))?;
    move_into_link_name_space(mounts.as_fd(), Some(LinkNameSpaceType::Mount))?;
    Ok(())
}

fn start(program: &Program, isolated: bool) -> String {
    if let Err(e) = std::env::set_current_dir(&program.directory) {
        return format!("chdir to cwd (\"{}\"): {e}", program.directory);
    }
    let Some((name, args)) = program.argv.split_first() else {
        return "no command specified".to_owned();
    };
    let mut command = Command::new(name);
    command.args(args).env_clear();
    command.envs(program.env.iter().map(|(k, v)| (k, v)));
    if (isolated || getuid().is_root())
        && let Err(message) = be_user(program, &mut command)
    {
        return message;
    }
    let e = command.exec();
    let what = match e.kind() {
        io::ErrorKind::NotFound if name.contains('/') => {
            format!("stat {name}: no such file or directory")
        }
        io::ErrorKind::NotFound => "executable file not found in $PATH".to_owned(),
        // One directory that may not be looked into hides that no other has it either.
        io::ErrorKind::PermissionDenied if !in_path(program, name) => {
            "executable file not found in $PATH".to_owned()
        }
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => e.to_string(),
    };
    format!("exec: \"{name}\": {what}")
}

fn in_path(program: &Program, name: &str) -> bool {
    let path = program.env.iter().find(|(key, _)| key == "PATH");
    name.contains('/')
        || path.is_some_and(|(_, path)| {
            std::env::split_paths(path).any(|folder| folder.join(name).exists())
        })
}

/// In a user namespace of ours there is one user, who can be seen under any number; else, as root, we can become others.
fn be_user(program: &Program, command: &mut Command) -> Result<(), String> {
    let map = fs::read_to_string("/proc/self/uid_map").map_err(|e| e.to_string())?;
    let Some(outside) = only_user(&map) else {
        if let Some(group) = program.group.or(program.user) {
            command.gid(group);
        }
        if let Some(user) = program.user {
            command.uid(user);
        }
        return Ok(());
    };
    let user = program.user.unwrap_or(outside);
    let group = program.group.unwrap_or(user);
    let (now_user, now_group) = (getuid().as_raw(), getgid().as_raw());
    if (user, group) == (now_user, now_group) {
        return Ok(());
    }
    let failed = |e: &dyn std::fmt::Display| format!("user {user}, group {group}: {e}");
    sandbox::unshare(UnshareFlags::NEWUSER).map_err(|e| failed(&e))?;
    fs::write("/proc/self/uid_map", format!("{user} {now_user} 1")).map_err(|e| failed(&e))?;
    fs::write("/proc/self/gid_map", format!("{group} {now_group} 1")).map_err(|e| failed(&e))
}

/// Number outside of the only user of this user namespace; `None` if it has more.
fn only_user(map: &str) -> Option<u32> {
    let mut numbers = map.split_whitespace().map(str::parse::<u32>);
    let [Some(Ok(_)), Some(Ok(outside)), Some(Ok(1)), None] = [
        numbers.next(),
        numbers.next(),
        numbers.next(),
        numbers.next(),
    ] else {
        return None;
    };
    Some(outside)
}

#[cfg(test)]
mod tests {
    use super::only_user;

    #[test]
    fn a_namespace_of_one_user_is_told_from_that_of_the_machine() {
        assert_eq!(only_user("         0       1000          1\n"), Some(1000));
        assert_eq!(only_user("         0          0 4294967295\n"), None);
        assert_eq!(only_user("0 1000 1\n1 100000 65536\n"), None);
    }
}
