//! What is refused, for each kind. Rules are those of the API server as far as JobSets meet them.
//!
//! - `meta`: metadata; `job` (`job_rules`, `job_update`, `job_status`), `pod` (`container`), `service`, `others`: the kinds
//!
//! Not looked at: affinities, topology spread, security contexts, DNS settings and host aliases of pods;
//! scheduling groups; the status of other kinds than Jobs. A value that may not change is shown as the API writes objects, not
//! with the field names of the server's own types.

mod container;
mod job;
mod job_rules;
mod job_status;
mod job_update;
mod meta;
mod others;
mod pod;
mod service;
#[cfg(test)]
mod tests;

use crate::cluster::api::names;
use crate::cluster::api::problems::Problems;
use crate::cluster::object::Object;

/// Problems of a new object.
pub(super) fn create(object: &Object) -> Problems {
    let mut problems = Problems::default();
    meta::object(object, &mut problems);
    match object {
        Object::Job(job) => job::create(job, &mut problems),
        Object::Pod(pod) => pod::create(pod, &mut problems),
        Object::Service(service) => service::create(service, &mut problems),
        other => others::object(other, &mut problems),
    }
    problems
}

/// Problems of a change; `status`: only the status is written.
pub(super) fn update(new: &Object, old: &Object, status: bool) -> Problems {
    let mut problems = Problems::default();
    meta::common(new, &mut problems);
    meta::update(new, old, &mut problems);
    if status {
        if let (Object::Job(new), Object::Job(old)) = (new, old) {
            job_status::update(new, old, &mut problems);
        }
        return problems;
    }
    match (new, old) {
        (Object::Job(new), Object::Job(old)) => job_update::update(new, old, &mut problems),
        (Object::Pod(new), Object::Pod(old)) => pod::update(new, old, &mut problems),
        (Object::Service(new), Object::Service(old)) => {
            service::update(new, old, &mut problems);
        }
        _ => others::update(new, old, &mut problems),
    }
    problems
}

/// What is worth a warning in a new object.
pub(super) fn warnings(object: &Object) -> Vec<String> {
    match object {
        Object::Job(job) => {
            let name = names::dns_label(object.name());
            let mut warnings = Vec::new();
            if !name.is_empty() {
                warnings.push(format!(
                    "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [{}]",
                    name.join(" ")
                ));
            }
            warnings.extend(job::warnings(job));
            warnings
        }
        Object::Pod(_) => {
            let name = names::dns_label(object.name());
            if name.is_empty() {
                Vec::new()
            } else {
                vec![format!(
                    "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [{}]",
                    name.join(" ")
                )]
            }
        }
        _ => Vec::new(),
    }
}

/// What is worth a warning in a change.
pub(super) fn update_warnings(new: &Object, old: &Object) -> Vec<String> {
    match new {
        Object::Job(job) if new.meta().generation != old.meta().generation => job::warnings(job),
        _ => Vec::new(),
    }
}

/// 1 to 65535.
fn port_number(port: i32) -> Vec<String> {
    if (1..=65_535).contains(&port) {
        Vec::new()
    } else {
        vec!["must be between 1 and 65535, inclusive".to_owned()]
    }
}

/// A name of IANA: up to 15 letters, digits and single hyphens.
fn port_name(name: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut say = |holds: bool, what: &str| {
        if !holds {
            wrong.push(what.to_owned());
        }
    };
    say(name.len() <= 15, "must be no more than 15 characters");
    say(
        !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'),
        "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
    );
    say(
        name.chars().any(|c| c.is_ascii_lowercase()),
        "must contain at least one letter (a-z)",
    );
    say(!name.contains("--"), "must not contain consecutive hyphens");
    say(
        !name.starts_with('-') && !name.ends_with('-'),
        "must not begin or end with a hyphen",
    );
    wrong
}
