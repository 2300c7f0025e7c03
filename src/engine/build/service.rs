//! The headless Service (spec 2).

use serde_json::{Value, json};

use crate::api::JobSet;
use crate::api::names::{JOBSET_NAME, JOBSET_UID, MANAGED_BY, MANAGED_BY_LABEL, subdomain};
use crate::engine::build::Identity;

/// The Service of a JobSet; none when `network.enableDNSHostnames` is false. Its selector is the JobSet's
/// name alone, as upstream has it. Ours carries labels, by which `delete` and a curious user find it.
#[must_use]
pub fn service(jobset: &JobSet, namespace: &str, identity: Option<&Identity>) -> Option<Value> {
    if !jobset.dns_hostnames() {
        return None;
    }
    let mut labels = json!({
        MANAGED_BY_LABEL: MANAGED_BY,
        JOBSET_NAME: jobset.metadata.name,
    });
    let mut metadata = json!({
        "name": subdomain(jobset),
        "namespace": namespace,
    });
    if let Some(identity) = identity {
        labels[JOBSET_UID] = json!(identity.run_uid);
        metadata["ownerReferences"] = json!([identity.owner.to_json()]);
    }
    metadata["labels"] = labels;
    Some(json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata,
        "spec": {
            "clusterIP": "None",
            "publishNotReadyAddresses": jobset.publish_not_ready(),
            "selector": { JOBSET_NAME: jobset.metadata.name },
        },
    }))
}
