//! Lists: selectors, versions, pages.

use std::sync::Arc;

use crate::cluster::api::fields::FieldSelector;
use crate::cluster::api::page::{self, Token};
use crate::cluster::api::problems::Problems;
use crate::cluster::api::request::{Answer, Body, List, ListOptions, Request};
use crate::cluster::api::selector::LabelSelector;
use crate::cluster::api::status::{Options, Status};
use crate::cluster::object::{Kind, Object};
use crate::cluster::world::World;

/// What of a kind is wanted.
#[derive(Clone, Debug)]
pub(super) struct Filter {
    labels: LabelSelector,
    fields: FieldSelector,
}

impl Filter {
    pub(super) fn new(kind: Kind, options: &ListOptions) -> Result<Self, Status> {
        Ok(Self {
            labels: LabelSelector::parse(&options.labels).map_err(Status::bad_request)?,
            fields: FieldSelector::parse(kind, &options.fields).map_err(Status::bad_request)?,
        })
    }

    pub(super) fn matches(&self, object: &Object) -> bool {
        self.labels.matches(object.meta().labels.as_ref()) && self.fields.matches(object)
    }

    fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }
}

pub(super) fn list(
    world: &World,
    request: &Request,
    options: &ListOptions,
) -> Result<Answer, Status> {
    let list = objects(world, request.kind, request.namespace.as_deref(), options)?;
    Ok(Answer {
        code: 200,
        body: Body::List(list),
        warnings: Vec::new(),
    })
}

/// The list that a request asks for.
pub(super) fn objects(
    world: &World,
    kind: Kind,
    namespace: Option<&str>,
    options: &ListOptions,
) -> Result<List, Status> {
    let filter = Filter::new(kind, options)?;
    check(options)?;
    let store = &world.store;
    let token = match options.continue_token.as_deref() {
        None | Some("") => None,
        Some(text) => {
            if options
                .version
                .as_deref()
                .is_some_and(|v| !v.is_empty() && v != "0")
            {
                return Err(Status::bad_request(
                    "specifying resource version is not allowed when using continue",
                ));
            }
            Some(Token::read(text)?)
        }
    };
    let version = match &token {
        Some(token) => token.version.unwrap_or_else(|| store.version()),
        None => wanted(store.version(), options)?.unwrap_or_else(|| store.version()),
    };
    // Only kinds without a namespace are listed without one, and all namespaces at once.
    let namespace = namespace.filter(|_| kind.info().namespaced);
    let all: Vec<Arc<Object>> = if version == store.version() {
        store.list(kind, namespace).cloned().collect()
    } else {
        page::as_of(store, kind, namespace, version).map_err(|_| match &token {
            Some(token) => page::too_old(token),
            None => Status::expired("The resourceVersion for the provided list is too old."),
        })?
    };
    let mut items = all
        .into_iter()
        .filter(|object| token.as_ref().is_none_or(|token| token.is_before(object)))
        .filter(|object| filter.matches(object));
    let Some(limit) = options.limit.filter(|limit| *limit > 0) else {
        return Ok(List {
            kind,
            items: items.collect(),
            version,
            continue_token: None,
            remaining: None,
        });
    };
    let page: Vec<Arc<Object>> = items.by_ref().take(limit).collect();
    let rest = items.count();
    let last = page.last().filter(|_| rest > 0);
    Ok(List {
        kind,
        version,
        continue_token: last.map(|last| Token::after(last, version).write()),
        remaining: last.filter(|_| filter.is_empty()).map(|_| rest),
        items: page,
    })
}

/// The exact version that is asked for; none where any will do that is not older.
fn wanted(newest: u64, options: &ListOptions) -> Result<Option<u64>, Status> {
    let Some(version) = version(options)? else {
        return Ok(None);
    };
    if version > newest {
        return Err(too_large(version, newest));
    }
    let exact = options.version_match.as_deref() == Some("Exact");
    Ok(exact.then_some(version))
}

/// `resourceVersion` as a number; none where it isn't given or 0.
pub(super) fn version(options: &ListOptions) -> Result<Option<u64>, Status> {
    match options.version.as_deref() {
        None | Some("" | "0") => Ok(None),
        Some(text) => text.parse().map(Some).map_err(|_| {
            let why = format!("strconv.ParseUint: parsing \"{text}\": invalid syntax");
            Status::bad_request(format!(
                "invalid resource version: resourceVersion: Invalid value: \"{text}\": {why}"
            ))
        }),
    }
}

/// A version that there isn't yet.
pub(super) fn too_large(version: u64, newest: u64) -> Status {
    let mut status = Status::new(
        504,
        "Timeout",
        format!("Timeout: Too large resource version: {version}, current: {newest}"),
    );
    status.retry_after = Some(1);
    status.causes.push(crate::cluster::api::status::Cause {
        reason: "ResourceVersionTooLarge".to_owned(),
        message: "Too large resource version".to_owned(),
        field: String::new(),
    });
    status
}

fn check(options: &ListOptions) -> Result<(), Status> {
    let mut problems = Problems::default();
    match options.version_match.as_deref().unwrap_or_default() {
        "" => {}
        word => {
            let versionless = options.version.as_deref().unwrap_or_default().is_empty();
            if versionless {
                problems.forbidden(
                    "resourceVersionMatch",
                    "resourceVersionMatch is forbidden unless resourceVersion is provided",
                );
            }
            if options
                .continue_token
                .as_deref()
                .is_some_and(|t| !t.is_empty())
            {
                problems.forbidden(
                    "resourceVersionMatch",
                    "resourceVersionMatch is forbidden when continue is provided",
                );
            }
            if !matches!(word, "Exact" | "NotOlderThan") {
                problems.not_supported(
                    "resourceVersionMatch",
                    word,
                    &["Exact", "NotOlderThan", ""],
                );
            }
            if word == "Exact" && options.version.as_deref() == Some("0") {
                problems.forbidden(
                    "resourceVersionMatch",
                    "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"",
                );
            }
        }
    }
    if options.initial_events.is_some() {
        problems.forbidden(
            "sendInitialEvents",
            "sendInitialEvents is forbidden for list",
        );
    }
    bad_options(problems)
}

/// 422 of list options, if there are problems.
pub(super) fn bad_options(problems: Problems) -> Result<(), Status> {
    if problems.is_empty() {
        return Ok(());
    }
    Err(Status::invalid_options(Options::List, problems))
}
