//! The codes of all findings, each with what it stands for. They are stable: scripts match on them.

/// Every code a [`crate::manifest::Finding`] can have, sorted, and what it means.
pub const CODES: &[(&str, &str)] = &[
    (
        "alias-bomb",
        "aliases expand to more than a JobSet can hold",
    ),
    (
        "ambiguous-key",
        "a plain key that YAML 1.1 reads as a boolean or number",
    ),
    (
        "any-counts-jobs",
        "success policy Any waits for a whole Job, not for a pod",
    ),
    (
        "any-initialiser",
        "success policy Any is met before the real work starts",
    ),
    ("api-version", "not jobset.x-k8s.io/v1alpha2"),
    (
        "backoff-limit-shared",
        "backoffLimit is shared by all indexes of a Job",
    ),
    (
        "coordinator-job-index",
        "the coordinator's Job doesn't exist",
    ),
    (
        "coordinator-length",
        "the coordinator's endpoint is too long for a label",
    ),
    (
        "coordinator-no-completions",
        "the coordinator's role has no completions",
    ),
    (
        "coordinator-not-indexed",
        "the coordinator's role is NonIndexed",
    ),
    (
        "coordinator-pod-index",
        "the coordinator's pod doesn't exist",
    ),
    ("coordinator-role", "the coordinator's role doesn't exist"),
    (
        "coordinator-without-dns",
        "the coordinator's endpoint doesn't resolve",
    ),
    ("depends-on-first", "dependsOn on the first replicated job"),
    ("depends-on-in-order", "dependsOn together with InOrder"),
    (
        "depends-on-itself",
        "a replicated job that depends on itself",
    ),
    ("depends-on-later", "a dependency that is listed later"),
    ("depends-on-too-many", "more than five dependencies"),
    ("depends-on-twice", "the same dependency twice"),
    ("depends-on-unknown", "a dependency that doesn't exist"),
    ("duplicate-key", "a key given twice"),
    ("extension-field", "a field x-... beside the JobSet's own"),
    ("group-name", "groupName is no DNS-1035 label"),
    (
        "indexed-without-completions",
        "an Indexed Job without completions",
    ),
    ("job-name-length", "a Job's name would be too long"),
    ("jobset-name", "the set's name is no DNS-1035 label"),
    ("managed-by", "managedBy is no domain and path, or too long"),
    (
        "managed-by-controller",
        "managedBy names the controller in the cluster",
    ),
    ("managed-by-other", "managedBy names somebody else"),
    ("manual-selector", "a Job template with its own selector"),
    ("max-restarts-negative", "maxRestarts below 0"),
    ("metadata-ignored", "metadata that has no meaning for a run"),
    ("missing-field", "a required field is absent"),
    (
        "namespace-mismatch",
        "the file and the command line name different namespaces",
    ),
    ("no-jobset", "no JobSet in the files"),
    ("not-an-object", "a document that is no mapping"),
    (
        "not-supported",
        "a feature that this release doesn't carry out",
    ),
    ("not-utf8", "the file isn't UTF-8"),
    ("nothing-to-run", "a set without any Job"),
    ("parallelism-zero", "parallelism 0"),
    (
        "pod-failure-policy",
        "podFailurePolicy without restartPolicy Never",
    ),
    ("pod-name-length", "a pod's name would be too long"),
    (
        "readiness-needs-later-role",
        "readiness may wait for an address that isn't there yet",
    ),
    ("replicas-negative", "replicas below 0"),
    (
        "reserved-key",
        "a label or annotation of JobSet's own domain in a template",
    ),
    (
        "restart-job-replicas",
        "a RestartJob rule with a role of more than 1024 Jobs",
    ),
    ("restart-never", "a restart rule with maxRestarts 0"),
    (
        "restart-policy",
        "restartPolicy neither Never nor OnFailure",
    ),
    (
        "role-name",
        "a replicated job's name doesn't make DNS-1035 labels",
    ),
    ("role-name-twice", "two replicated jobs of the same name"),
    (
        "rule-name",
        "a failure rule's name is malformed or too long",
    ),
    ("rule-name-twice", "two failure rules of the same name"),
    (
        "rule-never-matches",
        "a failure rule for reasons that can't occur",
    ),
    ("rule-pattern", "a message pattern that doesn't compile"),
    ("rule-reason", "a failure reason that doesn't exist"),
    ("rule-reason-twice", "the same failure reason twice"),
    (
        "rule-target",
        "a failure rule for a role that doesn't exist",
    ),
    (
        "rule-unreachable",
        "a failure rule after one that matches everything",
    ),
    ("several-jobsets", "more than one JobSet"),
    ("status-ignored", "a status block"),
    (
        "subdomain",
        "network.subdomain is no DNS-1035 label, or too long",
    ),
    (
        "success-target",
        "a success policy for a role that doesn't exist",
    ),
    (
        "success-targets-empty",
        "the success policy's targets have no Jobs",
    ),
    ("syntax", "not YAML"),
    (
        "template-managed-by",
        "a Job template that another controller manages",
    ),
    (
        "template-metadata-ignored",
        "template metadata that reaches no object",
    ),
    (
        "template-subdomain",
        "a pod template's subdomain that is overridden",
    ),
    (
        "template-suspend",
        "a Job template's suspend that is overridden",
    ),
    ("template-ttl", "Jobs that delete themselves"),
    ("too-deep", "nested too deeply"),
    ("too-large", "a file or document that is too large"),
    (
        "too-many-pods",
        "replicas times parallelism exceeds 2147483647",
    ),
    ("ttl-negative", "ttlSecondsAfterFinished below 0"),
    ("unknown-field", "a field that no type has"),
    ("unknown-value", "a word that isn't one of the allowed"),
    ("wrong-kind", "an object that isn't a JobSet"),
    ("wrong-type", "a value of the wrong type"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted_and_unique() {
        assert!(CODES.windows(2).all(|w| w[0].0 < w[1].0));
    }
}
