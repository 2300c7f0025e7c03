//! What would be made for a new run, for the checks before anything is made.

use serde_json::Value;

use crate::api::names::job_name;
use crate::driver::clock;
use crate::driver::kube::Connection;
use crate::driver::lease;
use crate::driver::preflight::{self, Checked, DRY_RUN_UID, FieldValidation, Objects};
use crate::driver::record::{NewRecord, configmap, types};
use crate::engine::build::{Identity, JobBuilder, service};
use crate::error::Result;

/// Checks rights, names and, by server-side dry runs, every distinct object of a new run: the record,
/// the Lease, the Service, one Job per role (the last one, whose name is the longest).
///
/// # Errors
///
/// As [`preflight::check`].
pub async fn check(
    conn: &Connection,
    new: &NewRecord,
    validate: FieldValidation,
) -> Result<Checked> {
    let jobset = &new.jobset;
    let name = &jobset.metadata.name;
    let owner = types::owner(name, DRY_RUN_UID);
    let identity = Identity {
        run_uid: DRY_RUN_UID.to_owned(),
        owner: owner.clone(),
    };
    let builder = JobBuilder::new(jobset, &new.namespace, Some(&identity));
    let roles = &jobset.spec.replicated_jobs;
    let jobs: Vec<(String, Value)> = roles
        .iter()
        .enumerate()
        .filter_map(|(position, role)| {
            let last = role.replicas().checked_sub(1)?;
            let job = builder.job(position, last, 0, 0, jobset.suspended())?;
            Some((role.name.clone(), job))
        })
        .collect();
    let job_names: Vec<String> = roles
        .iter()
        .flat_map(|role| (0..role.replicas()).map(|index| job_name(name, &role.name, index)))
        .collect();
    let service = service(jobset, &new.namespace, Some(&identity));
    let lease = lease::body(name, &new.namespace, &new.seat.holder, &owner, clock::now());
    let objects = Objects {
        record: &configmap::encode(new),
        lease: &lease,
        service: service.as_ref(),
        jobs: &jobs,
        job_names: &job_names,
    };
    preflight::check(conn, &new.namespace, &objects, validate).await
}
