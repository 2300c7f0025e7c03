//! One request to one answer: rights, what a resource has at all, then the file of its verb.

use std::sync::Arc;

use crate::cluster::api::create::Creation;
use crate::cluster::api::request::{Answer, Body, Request, Subresource, Verb};
use crate::cluster::api::status::Status;
use crate::cluster::api::{delete, get, list, patch, pod, rights, update};
use crate::cluster::object::{Kind, Object};
use crate::cluster::world::World;

impl Answer {
    pub(super) fn object(code: u16, object: Arc<Object>, warnings: Vec<String>) -> Self {
        Self {
            code,
            body: Body::Object(object),
            warnings,
        }
    }
}

impl World {
    /// Answers a request.
    ///
    /// # Errors
    /// The API's refusal.
    pub fn call(&mut self, request: &Request) -> Result<Answer, Status> {
        served(request)?;
        rights::check(self, request)?;
        match &request.verb {
            Verb::Get => get::get(self, request),
            Verb::List(options) => list::list(self, request, options),
            Verb::Create(options, value) => match request.subresource {
                Some(Subresource::Binding) => pod::bind(self, request, options, value),
                Some(Subresource::Eviction) => pod::evict(self, request, options, value),
                _ => Creation::of(request, options).answer(self, value),
            },
            Verb::Update(options, value) => update::put(self, request, options, value),
            Verb::Patch(options, what) => patch::patch(self, request, options, what),
            Verb::Delete(options) => delete::one(self, request, options),
            Verb::DeleteCollection(options, which) => delete::many(self, request, options, which),
        }
    }
}

/// What a path has: other methods are 405, other paths 404.
fn served(request: &Request) -> Result<(), Status> {
    let info = request.kind.info();
    let named = request.name.is_some();
    let there = match request.subresource {
        None => true,
        Some(Subresource::Status) => named && info.status,
        Some(Subresource::Binding | Subresource::Eviction) => named && request.kind == Kind::Pod,
    };
    if !there {
        return Err(Status::no_such_resource());
    }
    // A namespaced object has no path without its namespace; a list has.
    let placed = !info.namespaced || request.namespace.is_some();
    let fits = match (&request.verb, request.subresource) {
        (Verb::Get | Verb::Update(..) | Verb::Patch(..), None | Some(Subresource::Status)) => {
            named && placed
        }
        (Verb::Delete(_), None) => named && placed,
        (Verb::List(_), None) => !named,
        (Verb::Create(..), None) => !named && placed,
        (Verb::DeleteCollection(..), None) => !named && placed && request.kind != Kind::Namespace,
        (Verb::Create(..), Some(Subresource::Binding | Subresource::Eviction)) => placed,
        _ => false,
    };
    if fits {
        Ok(())
    } else {
        Err(Status::no_such_method())
    }
}

impl Request {
    /// Namespace in the path; empty without.
    pub(super) fn place(&self) -> &str {
        self.namespace.as_deref().unwrap_or_default()
    }
    /// Name in the path; empty without.
    pub(super) fn called(&self) -> &str {
        self.name.as_deref().unwrap_or_default()
    }
}
