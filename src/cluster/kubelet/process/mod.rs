//! The kubelet that runs pods as processes of this machine, for `run --local`: a pod that is bound to this node goes
//! in, the statuses that a kubelet would report come out.
//!
//! Linux only: elsewhere this module isn't built. A pod has namespaces of mounts, names, processes and shared memory, for an ordinary user in a user
//! namespace. So it has its own `/etc/hosts` (in which all pods of the run are found by name), `/tmp`, `/dev/shm` and
//! volumes, and when its first process ends, whatever the reason, no other stays. Where the system refuses that, pods run
//! without, and [`Node::not_isolated`] says so.
//!
//! What it doesn't do: pull images (a container needs a command; the machine's files are what it sees); networks (pods
//! share the machine's, each with an address of its own in 127/8, so two that listen on `0.0.0.0` with the same port are in
//! each other's way); CPU limits; HTTPS and gRPC probes; volumes that need a driver; updates of ConfigMaps in running pods;
//! security contexts beyond `runAsUser` and `runAsGroup`; ephemeral containers; rotation of logs. Memory limits are kept by
//! looking ten times a second.
//!
//! - `node`, `machine`: the machine as a node, its capacity
//! - `pod`, `containers`, `member`: what a pod does, what its containers do, one container
//! - `status`: the status, from those
//! - `prepare`, `environment`, `expand`, `fields`, `volumes`, `lookups`: from a spec to what is started
//! - `names`, `hosts`, `addresses`: who is found where
//! - `probe`, `link`: looks into containers, the line to a pod's first process
//! - `inside`: what runs at the other end of that line
//! - `logs`: files of output and their reader

mod addresses;
mod containers;
mod environment;
mod expand;
mod fields;
mod hosts;
mod inside;
mod link;
pub mod logs;
mod lookups;
mod machine;
mod member;
mod names;
mod node;
mod pod;
mod prepare;
mod probe;
mod status;
mod volumes;

pub use inside::{WORD as POD_INIT, main as pod_init};
pub use lookups::{Lookups, NoLookups};
pub use node::{Node, NodeOptions, NotIsolated, log_folder, machine};
pub use pod::{News, PodHandle};
