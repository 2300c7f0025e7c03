//! A request that has come in whole, and its answer: who asks, where it goes, whether they may.

use bytes::Bytes;
use http::{HeaderMap, Method, Request};
use serde_json::Value;

use crate::cluster::api::Status;
use crate::cluster::api::rights::Action;
use crate::cluster::front::accept::{self, Form};
use crate::cluster::front::objects::{self, Ask, Came, Shape};
use crate::cluster::front::query::Query;
use crate::cluster::front::reply::{self, Reply};
use crate::cluster::front::route::{Route, Target, route};
use crate::cluster::front::shared::Shared;
use crate::cluster::front::{discovery, logging, openapi, review, watching};

/// Answers a user's request.
pub(super) fn handle(shared: &Shared, user: &str, request: &Request<Bytes>) -> Reply {
    let mut reply = answer(shared, user, request);
    reply::date(&mut reply, shared.look(|world| world.now()));
    reply
}

/// Answers somebody who isn't known, or may not be who they say.
pub(super) fn refuse(shared: &Shared, why: &Status) -> Reply {
    let mut reply = reply::status(why);
    reply::date(&mut reply, shared.look(|world| world.now()));
    reply
}

fn answer(shared: &Shared, user: &str, request: &Request<Bytes>) -> Reply {
    let uri = request.uri();
    let missing = || nothing(uri.path());
    let Some(route) = route(uri.path()) else {
        return missing();
    };
    let query = Query::parse(uri.query().unwrap_or_default());
    let Some(form) = accept::form(header(request.headers(), "accept")) else {
        return reply::status(&accept::refused());
    };
    let read = request.method() == Method::GET;
    let found = |value: Option<Value>| value.map_or_else(missing, |value| reply::json(200, &value));
    let came = Came {
        user,
        method: request.method(),
        query: &query,
        content_type: header(request.headers(), "content-type"),
        body: request.body(),
    };
    match route {
        Route::Objects(target) => {
            object(shared, target, &came, form).unwrap_or_else(|status| reply::status(&status))
        }
        Route::Review(what) if request.method() == Method::POST => match objects::document(&came) {
            Ok(asked) => match shared.with(|world| review::answer(what, &asked, user, world)) {
                Ok(answer) => reply::json(201, &answer),
                Err(status) => reply::status(&status),
            },
            Err(status) => reply::status(&status),
        },
        _ if !read => reply::status(&Status::no_such_method()),
        Route::Review(_) => reply::status(&Status::no_such_method()),
        Route::Version => reply::json(200, &discovery::version()),
        Route::Health => reply::text(200, "ok"),
        Route::Core if form == Form::Discovery => aggregated(true),
        Route::Groups if form == Form::Discovery => aggregated(false),
        Route::Core => reply::json(200, &discovery::core()),
        Route::Groups => reply::json(200, &discovery::group_list()),
        Route::Group(group) => found(discovery::group(&group)),
        Route::Version1(group, version) => found(discovery::resource_list(&group, &version)),
        Route::OpenApi3 => reply::json(200, &openapi::index()),
        Route::OpenApi3Of(group, version) => found(openapi::document(&group, &version)),
    }
}

/// What is said of a path where nothing is: below a group that is served in the words of the API, else a
/// page.
fn nothing(path: &str) -> Reply {
    let mut words = path.split('/').filter(|word| !word.is_empty());
    let known = match words.next() {
        Some("api") => true,
        Some("apis") => words
            .next()
            .is_some_and(|group| discovery::group(group).is_some()),
        _ => false,
    };
    if known {
        reply::status(&Status::no_such_resource())
    } else {
        reply::no_page()
    }
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    let value = headers.get(name).and_then(|v| v.to_str().ok());
    value.unwrap_or_default()
}

/// The content type is how clients know that they got what they asked for.
fn aggregated(core: bool) -> Reply {
    const KIND: http::HeaderValue = http::HeaderValue::from_static(
        "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
    );
    let mut reply = reply::json(200, &discovery::aggregated(core));
    reply.headers_mut().insert(http::header::CONTENT_TYPE, KIND);
    reply
}

fn object(shared: &Shared, target: Target, came: &Came<'_>, form: Form) -> Result<Reply, Status> {
    let shape = Shape::of(form, came.query);
    let wanted = target.clone();
    match objects::understand(target, came)? {
        Ask::Call(request) => shared.with(|world| {
            let answer = world.call(&request)?;
            Ok(shape.answer(&answer, world))
        }),
        Ask::Watch(request) => {
            authorize(shared, came.user, &wanted, "watch", "")?;
            watching::open(shared, &request, came.query, shape)
        }
        Ask::Log => {
            authorize(shared, came.user, &wanted, "get", "log")?;
            logging::open(
                shared,
                wanted.namespace.as_deref().unwrap_or_default(),
                wanted.name.as_deref().unwrap_or_default(),
                came.query,
            )
        }
    }
}

/// For what isn't a call of the world, which asks by itself.
fn authorize(
    shared: &Shared,
    user: &str,
    target: &Target,
    verb: &str,
    subresource: &str,
) -> Result<(), Status> {
    let info = target.kind.info();
    let action = Action {
        verb,
        group: info.group,
        resource: info.plural,
        subresource,
        namespace: target.namespace.as_deref().unwrap_or_default(),
        name: target.name.as_deref().unwrap_or_default(),
    };
    shared.look(|world| world.authorize(user, target.kind, &action))
}
