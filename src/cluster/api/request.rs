//! What can be asked of the API, and what comes back: HTTP without its wire.

use std::sync::Arc;

use serde_json::Value;

use crate::cluster::object::{Kind, Object};
use crate::cluster::store::ChangeKind;

/// A request about objects of a kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Who asks: the user name that rights are looked up for.
    pub user: String,
    /// Kind.
    pub kind: Kind,
    /// Namespace; none: all of them, or a kind without.
    pub namespace: Option<String>,
    /// Name; none for lists and `POST`.
    pub name: Option<String>,
    /// `/status`, …
    pub subresource: Option<Subresource>,
    /// What to do.
    pub verb: Verb,
}

/// Part of an object with a path of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subresource {
    /// `/status`
    Status,
    /// `/binding` of a pod.
    Binding,
    /// `/eviction` of a pod.
    Eviction,
}

/// What to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Verb {
    /// `GET` of one.
    Get,
    /// `GET` of many.
    List(ListOptions),
    /// `POST`.
    Create(WriteOptions, Value),
    /// `PUT`.
    Update(WriteOptions, Value),
    /// `PATCH`.
    Patch(WriteOptions, Patch),
    /// `DELETE` of one.
    Delete(DeleteOptions),
    /// `DELETE` of many.
    DeleteCollection(DeleteOptions, ListOptions),
}

/// A patch by its content type.
#[derive(Clone, Debug, PartialEq)]
pub enum Patch {
    /// RFC 7386.
    Merge(Value),
    /// RFC 6902.
    Json(Value),
    /// Kubernetes' own: lists merge by key.
    Strategic(Value),
    /// Server-side apply.
    Apply {
        /// The applied configuration.
        value: Value,
        /// Takes over fields that others manage.
        force: bool,
    },
}

/// What happens with unknown fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldValidation {
    /// 400.
    Strict,
    /// Dropped with a warning: the API server's default.
    #[default]
    Warn,
    /// Dropped.
    Ignore,
}

/// Options of writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WriteOptions {
    /// All is checked, nothing is kept.
    pub dry_run: bool,
    /// `fieldValidation`.
    pub validation: FieldValidation,
    /// `fieldManager`.
    pub manager: Option<String>,
}

/// Options of lists and watches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListOptions {
    /// `labelSelector`.
    pub labels: String,
    /// `fieldSelector`.
    pub fields: String,
    /// `limit`.
    pub limit: Option<usize>,
    /// `continue`.
    pub continue_token: Option<String>,
    /// `resourceVersion`.
    pub version: Option<String>,
    /// `resourceVersionMatch`.
    pub version_match: Option<String>,
    /// `allowWatchBookmarks`.
    pub bookmarks: bool,
    /// `sendInitialEvents`.
    pub initial_events: Option<bool>,
}

/// `propagationPolicy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Propagation {
    /// Dependents stay, without an owner.
    Orphan,
    /// The object goes, the garbage collector takes its dependents.
    Background,
    /// Dependents go first.
    Foreground,
}

/// Options of deletions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeleteOptions {
    /// `gracePeriodSeconds`.
    pub grace: Option<i64>,
    /// `propagationPolicy`; none: the kind's default (a Job's is to orphan its pods).
    pub propagation: Option<Propagation>,
    /// Only the object with that UID.
    pub uid: Option<String>,
    /// Only at that resourceVersion.
    pub version: Option<String>,
    /// Nothing is deleted.
    pub dry_run: bool,
}

/// An answer that is no error.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// HTTP code: 200, 201, 202.
    pub code: u16,
    /// Body.
    pub body: Body,
    /// `Warning` headers.
    pub warnings: Vec<String>,
}

/// What an answer holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// One object.
    Object(Arc<Object>),
    /// Many.
    List(List),
    /// Something that isn't stored (`Status`, a review).
    Value(Value),
}

/// A list or a page of it.
#[derive(Clone, Debug, PartialEq)]
pub struct List {
    /// Kind.
    pub kind: Kind,
    /// Objects.
    pub items: Vec<Arc<Object>>,
    /// Version the list is of.
    pub version: u64,
    /// Where the next page starts.
    pub continue_token: Option<String>,
    /// Objects after this page.
    pub remaining: Option<usize>,
}

/// What a watch tells.
#[derive(Clone, Debug, PartialEq)]
pub enum WatchEvent {
    /// An object came, changed, went, as its selectors see it.
    Change(ChangeKind, Arc<Object>),
    /// Nothing but the version; `initial`: it ends the initial events.
    Bookmark {
        /// Version.
        version: u64,
        /// It ends the initial events.
        initial: bool,
    },
}
