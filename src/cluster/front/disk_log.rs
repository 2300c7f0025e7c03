//! Logs of containers that are processes: read from their files.

use bytes::Bytes;
use k8s_openapi::jiff::Timestamp;

use crate::cluster::api::Status;
use crate::cluster::front::query::Query;
use crate::cluster::front::reply::{self, Reply};
use crate::cluster::front::shared::{DiskLogs, Shared};
use crate::cluster::kubelet::process::logs::{LogOptions, LogReader, which};
use crate::cluster::object::Kind;
use crate::cluster::store::Key;

/// Opens a log.
///
/// # Errors
/// There is no such pod or container, or nothing that it has written.
pub(super) fn open(
    shared: &Shared,
    folder: &DiskLogs,
    namespace: &str,
    name: &str,
    query: &Query,
    since: Option<Timestamp>,
) -> Result<Reply, Status> {
    let key = Key::new(Kind::Pod, namespace, name);
    let object = shared
        .look(|world| world.store().get(&key).cloned())
        .ok_or_else(|| Status::not_found(Kind::Pod, name))?;
    let pod = object
        .as_pod()
        .ok_or_else(|| Status::not_found(Kind::Pod, name))?;
    let spec = pod.spec.clone().unwrap_or_default();
    let container = match query.get("container") {
        Some(container) => container.to_owned(),
        None => match spec.containers.as_slice() {
            [only] => only.name.clone(),
            several => {
                let names: Vec<&str> = several.iter().map(|c| c.name.as_str()).collect();
                return Err(Status::bad_request(format!(
                    "a container name must be specified for pod {name}, choose one of: [{}]",
                    names.join(" ")
                )));
            }
        },
    };
    let status = pod.status.clone().unwrap_or_default();
    let statuses = [status.init_container_statuses, status.container_statuses];
    let of_container = statuses
        .iter()
        .flatten()
        .flatten()
        .find(|status| status.name == container);
    let Some(of_container) = of_container else {
        let known = spec
            .containers
            .iter()
            .chain(spec.init_containers.iter().flatten());
        let why = if known.into_iter().any(|c| c.name == container) {
            format!(
                "container \"{container}\" in pod \"{name}\" is waiting to start: ContainerCreating"
            )
        } else {
            format!("container {container} is not valid for pod {name}")
        };
        return Err(Status::bad_request(why));
    };
    let number = which(name, of_container, query.flag("previous")).map_err(Status::bad_request)?;
    let count = |key: &str| -> Result<Option<u64>, Status> {
        Ok(query.number(key)?.map(|n| u64::try_from(n).unwrap_or(0)))
    };
    let options = LogOptions {
        follow: query.flag("follow"),
        timestamps: query.flag("timestamps"),
        tail_lines: count("tailLines")?,
        since,
        limit_bytes: count("limitBytes")?,
    };
    let reader = LogReader::open(&folder(pod, &container), number, options).map_err(|e| {
        Status::new(
            500,
            "InternalError",
            format!("the log of {name} can't be read: {e}"),
        )
    })?;
    // A file that can't be read any more ends the stream: its client asks again and is told why.
    Ok(reply::text_stream(futures::stream::unfold(
        reader,
        |mut reader| async move {
            let text = reader.next().await.ok().flatten()?;
            Some((Bytes::from(text), reader))
        },
    )))
}
