//! The kinds of objects that are touched, and their places in the API.

use std::fmt;

/// A resource of the API, as far as this tool uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resource {
    /// batch/v1 Jobs.
    Jobs,
    /// Status subresource of Jobs.
    JobStatus,
    /// Pods.
    Pods,
    /// Logs of pods.
    PodLog,
    /// Services.
    Services,
    /// ConfigMaps.
    ConfigMaps,
    /// coordination.k8s.io/v1 Leases.
    Leases,
    /// Core events.
    Events,
    /// authorization.k8s.io/v1 SelfSubjectAccessReviews.
    AccessReviews,
    /// authorization.k8s.io/v1 SelfSubjectRulesReviews.
    RulesReviews,
    /// Discovery of JobSet's API group.
    JobSetGroup,
    /// Version of the server.
    Version,
}

impl Resource {
    /// API group; empty: core.
    #[must_use]
    pub fn group(self) -> &'static str {
        match self {
            Self::Jobs | Self::JobStatus => "batch",
            Self::Leases => "coordination.k8s.io",
            Self::AccessReviews | Self::RulesReviews => "authorization.k8s.io",
            Self::JobSetGroup => "jobset.x-k8s.io",
            Self::Pods
            | Self::PodLog
            | Self::Services
            | Self::ConfigMaps
            | Self::Events
            | Self::Version => "",
        }
    }

    /// Plural name in paths and roles.
    #[must_use]
    pub fn plural(self) -> &'static str {
        match self {
            Self::Jobs | Self::JobStatus => "jobs",
            Self::Pods | Self::PodLog => "pods",
            Self::Services => "services",
            Self::ConfigMaps => "configmaps",
            Self::Leases => "leases",
            Self::Events => "events",
            Self::AccessReviews => "selfsubjectaccessreviews",
            Self::RulesReviews => "selfsubjectrulesreviews",
            Self::JobSetGroup => "apis",
            Self::Version => "version",
        }
    }

    /// Subresource.
    #[must_use]
    pub fn subresource(self) -> Option<&'static str> {
        match self {
            Self::JobStatus => Some("status"),
            Self::PodLog => Some("log"),
            _ => None,
        }
    }

    /// Word before an object's name in messages (`job`, `configmap`).
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Jobs | Self::JobStatus => "job",
            Self::Pods | Self::PodLog => "pod",
            Self::Services => "service",
            Self::ConfigMaps => "configmap",
            Self::Leases => "lease",
            Self::Events => "event",
            Self::AccessReviews | Self::RulesReviews => "review of rights",
            Self::JobSetGroup => "API group",
            Self::Version => "version",
        }
    }

    /// Path without a query; `None` for the namespace: all of them.
    #[must_use]
    pub fn path(self, namespace: Option<&str>, name: Option<&str>) -> String {
        match self {
            Self::Version => return "/version".to_owned(),
            Self::JobSetGroup => return format!("/apis/{}", self.group()),
            Self::AccessReviews | Self::RulesReviews => {
                return format!("/apis/{}/v1/{}", self.group(), self.plural());
            }
            _ => {}
        }
        let mut path = match self.group() {
            "" => "/api/v1".to_owned(),
            group => format!("/apis/{group}/v1"),
        };
        for part in [
            namespace.map(|n| ["namespaces", n]),
            Some([self.plural(), name.unwrap_or("")]),
        ]
        .into_iter()
        .flatten()
        .flatten()
        .chain(self.subresource())
        .filter(|part| !part.is_empty())
        {
            path.push('/');
            path.push_str(part);
        }
        path
    }
}

/// As in roles and error messages: `jobs.batch`, `pods/log`.
impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.plural())?;
        if !self.group().is_empty() {
            write!(f, ".{}", self.group())?;
        }
        match self.subresource() {
            Some(sub) => write!(f, "/{sub}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_the_api() {
        let cases = [
            (
                Resource::Jobs.path(Some("ml"), None),
                "/apis/batch/v1/namespaces/ml/jobs",
            ),
            (
                Resource::JobStatus.path(Some("ml"), Some("a")),
                "/apis/batch/v1/namespaces/ml/jobs/a/status",
            ),
            (
                Resource::PodLog.path(Some("ml"), Some("a")),
                "/api/v1/namespaces/ml/pods/a/log",
            ),
            (Resource::ConfigMaps.path(None, None), "/api/v1/configmaps"),
            (
                Resource::Leases.path(Some("ml"), Some("a-run")),
                "/apis/coordination.k8s.io/v1/namespaces/ml/leases/a-run",
            ),
            (
                Resource::RulesReviews.path(None, None),
                "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
            ),
            (
                Resource::JobSetGroup.path(None, None),
                "/apis/jobset.x-k8s.io",
            ),
        ];
        for (path, wanted) in cases {
            assert_eq!(path, wanted);
        }
    }

    #[test]
    fn names_are_those_of_roles() {
        assert_eq!(Resource::Jobs.to_string(), "jobs.batch");
        assert_eq!(Resource::PodLog.to_string(), "pods/log");
        assert_eq!(Resource::JobStatus.to_string(), "jobs.batch/status");
    }
}
