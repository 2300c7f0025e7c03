//! How Jobs are deleted: this file and nothing else.
//!
//! Each Job by itself, in the foreground, bound to its UID. Measured with 500 running one-pod Jobs, all
//! gone after: 4.5 s by single foreground deletes with 32 in flight (this); 3.9 s by one foreground
//! delete of the collection; 3.1 s in the background. A collection can't be bound to UIDs, only to
//! labels, and needs one more right; background deletion lets go of the name before the pods are gone,
//! so that we would have to wait for them ourselves, also across a crash. With foreground deletion
//! the server keeps the name taken until the last pod is gone, whatever happens to us (trap D.1.2).
//!
//! A plain delete is never sent: the server's default for Jobs orphans their pods (trap D.1.1).

use serde_json::json;

use crate::driver::kube::apply::Applier;
use crate::driver::kube::call::Call;
use crate::driver::kube::resource::Resource;
use crate::engine::input::ActionResult;

impl Applier {
    /// Deletes a Job and its pods. `Ok` means that the server has begun: the Job is gone when a watch
    /// says so.
    pub async fn delete_job(&self, name: &str, uid: &str) -> ActionResult {
        let options = json!({
            "apiVersion": "v1",
            "kind": "DeleteOptions",
            "propagationPolicy": "Foreground",
            "preconditions": {"uid": uid},
        });
        let call = Call::delete(Resource::Jobs, &self.namespace, name, &options).metadata_only();
        self.on_uid(&call, name, uid).await
    }
}
