//! Logs of containers. No kubelet has any to show yet: 501.

use crate::cluster::api::Status;
use crate::cluster::front::reply::Reply;

/// Opens a log.
///
/// # Errors
/// Always.
pub(super) fn open() -> Result<Reply, Status> {
    let why = "no kubelet here has logs to show";
    Err(Status::new(501, "NotImplemented", why))
}
