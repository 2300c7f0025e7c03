//! Errors of the API, in its own words.

use serde_json::{Value, json};

use crate::cluster::api::problems::Problems;
use crate::cluster::object::Kind;

/// A cause of a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// `FieldValueRequired`, …
    pub reason: String,
    /// What is wrong.
    pub message: String,
    /// Where.
    pub field: String,
}

impl Cause {
    fn to_json(&self) -> Value {
        let mut cause = json!({"reason": self.reason, "message": self.message});
        if !self.field.is_empty() {
            cause["field"] = json!(self.field);
        }
        cause
    }
}

/// A `Status` that says no.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// HTTP code.
    pub code: u16,
    /// `NotFound`, …
    pub reason: &'static str,
    /// For people.
    pub message: String,
    /// Resource (plural), group and name that it is about.
    pub about: Option<(Kind, String)>,
    /// What is wrong with an invalid object.
    pub causes: Vec<Cause>,
    /// Seconds after which to try again.
    pub retry_after: Option<u16>,
    /// Where an expired list can go on all the same.
    pub continue_token: Option<Box<str>>,
    /// What its details call the kind.
    pub called: Called,
}

/// Options of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Options {
    /// Of a list or watch.
    List,
    /// Of a `POST`.
    Create,
    /// Of a `PUT`.
    Update,
    /// Of a `PATCH`.
    Patch,
    /// Of a `DELETE`.
    Delete,
}

impl Options {
    fn kind(self) -> &'static str {
        match self {
            Self::List => "ListOptions",
            Self::Create => "CreateOptions",
            Self::Update => "UpdateOptions",
            Self::Patch => "PatchOptions",
            Self::Delete => "DeleteOptions",
        }
    }
}

/// What the details of a refusal call the kind of the object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Called {
    /// `jobs`.
    #[default]
    Resource,
    /// `Job`.
    Kind,
    /// `pods/binding`.
    Binding,
    /// It is about no object but about the options of the request.
    Options(Options),
    /// It is about a review, which is not named.
    Review,
}

impl Status {
    /// Any error.
    #[must_use]
    pub fn new(code: u16, reason: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            reason,
            message: message.into(),
            about: None,
            causes: Vec::new(),
            retry_after: None,
            continue_token: None,
            called: Called::Resource,
        }
    }

    /// The same about an object or a kind.
    #[must_use]
    pub fn about(mut self, kind: Kind, name: &str) -> Self {
        self.about = Some((kind, name.to_owned()));
        self
    }

    /// 404 of an object.
    #[must_use]
    pub fn not_found(kind: Kind, name: &str) -> Self {
        let resource = kind.info().resource();
        Self::new(404, "NotFound", format!("{resource} \"{name}\" not found")).about(kind, name)
    }

    /// 409 of a create.
    #[must_use]
    pub fn already_exists(kind: Kind, name: &str) -> Self {
        let resource = kind.info().resource();
        Self::new(
            409,
            "AlreadyExists",
            format!("{resource} \"{name}\" already exists"),
        )
        .about(kind, name)
    }

    /// 409 of a write at an old version.
    #[must_use]
    pub fn conflict(kind: Kind, name: &str, why: &str) -> Self {
        let resource = kind.info().resource();
        Self::new(
            409,
            "Conflict",
            format!("Operation cannot be fulfilled on {resource} \"{name}\": {why}"),
        )
        .about(kind, name)
    }

    /// 409 of a precondition of a deletion, which names the kind.
    #[must_use]
    pub fn precondition(kind: Kind, name: &str, why: &str) -> Self {
        let word = kind_word(kind);
        let mut status = Self::new(
            409,
            "Conflict",
            format!("Operation cannot be fulfilled on {word} \"{name}\": {why}"),
        )
        .about(kind, name);
        status.called = Called::Kind;
        status
    }

    /// 422 of an object with problems.
    #[must_use]
    pub fn invalid(kind: Kind, name: &str, problems: Problems) -> Self {
        let word = kind_word(kind);
        let message = format!("{word} \"{name}\" is invalid: {}", problems.text());
        let mut status = Self::new(422, "Invalid", message).about(kind, name);
        status.called = Called::Kind;
        status.causes = problems.into_causes();
        status
    }

    /// 422 of the options of a request, such as `ListOptions`.
    #[must_use]
    pub fn invalid_options(options: Options, problems: Problems) -> Self {
        let mut status = Self::invalid_request(problems);
        status.message = format!("{}.meta.k8s.io{}", options.kind(), status.message);
        status.called = Called::Options(options);
        status
    }

    /// 422 of something that is no object.
    #[must_use]
    pub fn invalid_request(problems: Problems) -> Self {
        let message = format!(" \"\" is invalid: {}", problems.text());
        let mut status = Self::new(422, "Invalid", message);
        status.causes = problems.into_causes();
        status
    }

    /// 405.
    #[must_use]
    pub fn no_such_method() -> Self {
        Self::new(
            405,
            "MethodNotAllowed",
            "the server does not allow this method on the requested resource",
        )
    }

    /// 404 of a path.
    #[must_use]
    pub fn no_such_resource() -> Self {
        Self::new(
            404,
            "NotFound",
            "the server could not find the requested resource",
        )
    }

    /// 410.
    #[must_use]
    pub fn expired(message: impl Into<String>) -> Self {
        Self::new(410, "Expired", message)
    }

    /// 403.
    #[must_use]
    pub fn forbidden(kind: Kind, name: &str, why: &str) -> Self {
        let resource = kind.info().resource();
        let name_part = if name.is_empty() {
            String::new()
        } else {
            format!(" \"{name}\"")
        };
        Self::new(
            403,
            "Forbidden",
            format!("{resource}{name_part} is forbidden: {why}"),
        )
        .about(kind, name)
    }

    /// 400.
    #[must_use]
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    /// As the API sends it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut status = json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": self.message, "code": self.code,
        });
        if !self.reason.is_empty() {
            status["reason"] = json!(self.reason);
        }
        let mut details = serde_json::Map::new();
        if let Some((kind, name)) = &self.about {
            if !name.is_empty() {
                details.insert("name".to_owned(), json!(name));
            }
            let info = kind.info();
            if !info.group.is_empty() {
                details.insert("group".to_owned(), json!(info.group));
            }
            let word = match self.called {
                Called::Resource => info.plural,
                Called::Kind => info.kind,
                Called::Binding => "pods/binding",
                Called::Options(_) | Called::Review => "",
            };
            details.insert("kind".to_owned(), json!(word));
        }
        match self.called {
            Called::Options(options) => {
                details.insert("group".to_owned(), json!("meta.k8s.io"));
                details.insert("kind".to_owned(), json!(options.kind()));
            }
            Called::Review => {
                details.insert("group".to_owned(), json!("authorization.k8s.io"));
            }
            Called::Resource | Called::Kind | Called::Binding => {}
        }
        if !self.causes.is_empty() {
            let causes: Vec<Value> = self.causes.iter().map(Cause::to_json).collect();
            details.insert("causes".to_owned(), json!(causes));
        }
        if let Some(seconds) = self.retry_after {
            details.insert("retryAfterSeconds".to_owned(), json!(seconds));
        }
        if let Some(token) = &self.continue_token {
            status["metadata"] = json!({"continue": token});
        }
        // Answers in the words of HTTP alone have details with nothing in them.
        let plain = matches!(self.code, 404..=406 | 422) || self.message.starts_with("415: ");
        if !details.is_empty() || plain {
            status["details"] = Value::Object(details);
        }
        status
    }
}

/// `Job.batch`, `Pod`.
fn kind_word(kind: Kind) -> String {
    let info = kind.info();
    if info.group.is_empty() {
        info.kind.to_owned()
    } else {
        format!("{}.{}", info.kind, info.group)
    }
}
