//! Which path means what. Only paths: what is done there depends on the method.

use crate::cluster::api::Subresource;
use crate::cluster::object::Kind;

/// Where a request goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// `/version`
    Version,
    /// `/healthz`, `/livez`, `/readyz`
    Health,
    /// `/api`
    Core,
    /// `/apis`
    Groups,
    /// `/apis/batch`
    Group(String),
    /// `/api/v1`, `/apis/batch/v1`: group (empty for core) and version.
    Version1(String, String),
    /// `/openapi/v3`
    OpenApi3,
    /// `/openapi/v3/apis/batch/v1`: group and version.
    OpenApi3Of(String, String),
    /// A question about the one who asks.
    Review(Review),
    /// Objects.
    Objects(Target),
}

/// Questions about the one who asks; nothing is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Review {
    /// May I?
    Access,
    /// What may I?
    Rules,
    /// Who am I?
    Subject,
}

impl Review {
    /// All.
    pub(super) const ALL: [Self; 3] = [Self::Access, Self::Rules, Self::Subject];

    /// Group, plural, kind.
    pub(super) const fn names(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Access => (
                "authorization.k8s.io",
                "selfsubjectaccessreviews",
                "SelfSubjectAccessReview",
            ),
            Self::Rules => (
                "authorization.k8s.io",
                "selfsubjectrulesreviews",
                "SelfSubjectRulesReview",
            ),
            Self::Subject => (
                "authentication.k8s.io",
                "selfsubjectreviews",
                "SelfSubjectReview",
            ),
        }
    }
}

/// Which objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// Kind.
    pub(super) kind: Kind,
    /// Namespace; none: all of them, or a kind without.
    pub(super) namespace: Option<String>,
    /// Name; none: many.
    pub(super) name: Option<String>,
    /// Which part.
    pub(super) part: Part,
}

/// A part of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// All of it.
    Whole,
    /// A part that the world serves.
    Sub(Subresource),
    /// The log of a pod.
    Log,
}

/// Where a path goes; none: nothing is there.
pub(super) fn route(path: &str) -> Option<Route> {
    let words: Vec<String> = path
        .split('/')
        .filter(|w| !w.is_empty())
        .map(decode)
        .collect::<Option<_>>()?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["version"] => Some(Route::Version),
        ["healthz" | "livez" | "readyz", ..] => Some(Route::Health),
        ["api"] => Some(Route::Core),
        ["apis"] => Some(Route::Groups),
        ["openapi", "v3"] => Some(Route::OpenApi3),
        ["openapi", "v3", "api", version] => {
            Some(Route::OpenApi3Of(String::new(), (*version).to_owned()))
        }
        ["openapi", "v3", "apis", group, version] => Some(Route::OpenApi3Of(
            (*group).to_owned(),
            (*version).to_owned(),
        )),
        ["apis", group] => Some(Route::Group((*group).to_owned())),
        ["api", version, rest @ ..] => below("", version, rest),
        ["apis", group, version, rest @ ..] => below(group, version, rest),
        _ => None,
    }
}

fn below(group: &str, version: &str, rest: &[&str]) -> Option<Route> {
    let find = |plural: &str| Kind::find(group, version, plural);
    match *rest {
        [] => Some(Route::Version1(group.to_owned(), version.to_owned())),
        [plural] if version == "v1" => {
            let review = Review::ALL.into_iter().find(|review| {
                let (in_group, called, _) = review.names();
                in_group == group && called == plural
            });
            if let Some(review) = review {
                return Some(Route::Review(review));
            }
            target(find(plural)?, None, None, None)
        }
        // A namespace itself, and its parts: whatever else has the word in its path is in one.
        ["namespaces", name] => target(find("namespaces")?, None, Some(name), None),
        ["namespaces", name, part @ "status"] => {
            target(find("namespaces")?, None, Some(name), Some(part))
        }
        ["namespaces", namespace, plural] => inside(find(plural)?, namespace, None, None),
        ["namespaces", namespace, plural, name] => {
            inside(find(plural)?, namespace, Some(name), None)
        }
        ["namespaces", namespace, plural, name, part] => {
            inside(find(plural)?, namespace, Some(name), Some(part))
        }
        [plural, name] => outside(find(plural)?, name, None),
        [plural, name, part] => outside(find(plural)?, name, Some(part)),
        _ => None,
    }
}

fn inside(kind: Kind, namespace: &str, name: Option<&str>, part: Option<&str>) -> Option<Route> {
    kind.info()
        .namespaced
        .then(|| target(kind, Some(namespace), name, part))?
}

fn outside(kind: Kind, name: &str, part: Option<&str>) -> Option<Route> {
    (!kind.info().namespaced).then(|| target(kind, None, Some(name), part))?
}

fn target(
    kind: Kind,
    namespace: Option<&str>,
    name: Option<&str>,
    part: Option<&str>,
) -> Option<Route> {
    let part = match part {
        None => Part::Whole,
        Some("status") if kind.info().status => Part::Sub(Subresource::Status),
        Some("binding") if kind == Kind::Pod => Part::Sub(Subresource::Binding),
        Some("eviction") if kind == Kind::Pod => Part::Sub(Subresource::Eviction),
        Some("log") if kind == Kind::Pod => Part::Log,
        Some(_) => return None,
    };
    Some(Route::Objects(Target {
        kind,
        namespace: namespace.map(str::to_owned),
        name: name.map(str::to_owned),
        part,
    }))
}

/// Undoes `%3A`; none: no UTF-8, or a percent sign with something else behind it.
fn decode(word: &str) -> Option<String> {
    if !word.contains('%') {
        return Some(word.to_owned());
    }
    let mut out = Vec::with_capacity(word.len());
    let mut bytes = word.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let mut digit = || char::from(bytes.next()?).to_digit(16);
        let value = digit()? * 16 + digit()?;
        out.push(u8::try_from(value).ok()?);
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn objects(path: &str) -> (Kind, Option<String>, Option<String>, Part) {
        match route(path) {
            Some(Route::Objects(t)) => (t.kind, t.namespace, t.name, t.part),
            other => panic!("{path}: {other:?}"),
        }
    }

    #[test]
    fn objects_are_found_in_and_out_of_namespaces() {
        let some = |s: &str| Some(s.to_owned());
        for (path, wanted) in [
            ("/api/v1/pods", (Kind::Pod, None, None, Part::Whole)),
            (
                "/api/v1/nodes/n",
                (Kind::Node, None, some("n"), Part::Whole),
            ),
            (
                "/api/v1/namespaces/a",
                (Kind::Namespace, None, some("a"), Part::Whole),
            ),
            (
                "/api/v1/namespaces/a/status",
                (
                    Kind::Namespace,
                    None,
                    some("a"),
                    Part::Sub(Subresource::Status),
                ),
            ),
            (
                "/apis/batch/v1/namespaces/a/jobs",
                (Kind::Job, some("a"), None, Part::Whole),
            ),
            (
                "/apis/batch/v1/namespaces/a/jobs/j/status",
                (
                    Kind::Job,
                    some("a"),
                    some("j"),
                    Part::Sub(Subresource::Status),
                ),
            ),
            (
                "/api/v1/namespaces/a/pods/p/log",
                (Kind::Pod, some("a"), some("p"), Part::Log),
            ),
            (
                "/api/v1/namespaces/a/events/x%3Ay",
                (Kind::Event, some("a"), some("x:y"), Part::Whole),
            ),
        ] {
            assert_eq!(objects(path), wanted, "{path}");
        }
    }

    #[test]
    fn nothing_is_where_nothing_is_served() {
        for path in [
            "/",
            "/apis/batch/v1/pods",
            "/apis/batch/v2/jobs",
            "/api/v1/pods/p",
            "/api/v1/namespaces/a/nodes/n",
            "/api/v1/namespaces/a/configmaps/c/status",
            "/api/v1/namespaces/a/pods/p/exec",
            "/api/v1/namespaces/a/pods/%zz",
            "/apis/events.k8s.io/v1/events",
        ] {
            assert_eq!(route(path), None, "{path}");
        }
    }

    #[test]
    fn the_rest_of_the_paths() {
        let own = str::to_owned;
        assert_eq!(
            route("/apis/batch/v1"),
            Some(Route::Version1(own("batch"), own("v1")))
        );
        assert_eq!(
            route("/openapi/v3/api/v1"),
            Some(Route::OpenApi3Of(String::new(), own("v1")))
        );
        assert_eq!(
            route("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"),
            Some(Route::Review(Review::Access))
        );
        assert_eq!(route("/readyz/ping"), Some(Route::Health));
    }
}
