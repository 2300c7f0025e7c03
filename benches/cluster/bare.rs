//! The raw client: sends ready-made Jobs and deletes them in the foreground with 32 requests in flight,
//! decodes no answer, and does nothing else.

use futures::{StreamExt as _, TryStreamExt as _};
use http::{Method, Request};
use kube::Client;

use crate::Res;
use crate::audit::{self, first, last, seconds};
use crate::eyes::Eyes;
use crate::figures::Figures;
use crate::workload::{self, Who};

/// Requests in flight, as in the peer's figures.
const IN_FLIGHT: usize = 32;

const AGENT: &str = "raw-client";

/// What the tool is held against.
#[derive(Debug)]
pub(crate) struct Bare {
    pub(crate) create_s: f64,
    pub(crate) restart_s: f64,
}

pub(crate) async fn measure(n: usize, run: usize, figures: &mut Figures) -> Res<Bare> {
    let admin = workload::client(Who::Admin, "bench").await?;
    let ns = format!("bare-{n}-{run}-{}", std::process::id());
    workload::namespace(&admin, &ns).await?;
    let eyes = Eyes::open(&admin, &ns).await?;
    let url = format!("/apis/batch/v1/namespaces/{ns}/jobs");
    let per_s = |s: f64| n as f64 / s;

    // A client of its own for each part: like a program that is started, it has no connections yet.
    let raw = workload::client(Who::User, AGENT).await?;
    let small = workload::suspended(n)?;
    let mark = audit::mark()?;
    create(&raw, &url, &small).await?;
    let requests = audit::since(mark, AGENT, &ns)?;
    let took = seconds(
        first(&requests, "create", "jobs")?,
        last(&requests, "create", "jobs")?,
    );
    figures.add(
        "raw client: small suspended Jobs created per second",
        per_s(took),
    );
    delete(&raw, &url, &small).await?;
    eyes.gone(n).await?;

    let raw = workload::client(Who::User, AGENT).await?;
    let same = workload::jobs(&admin, &ns, n).await?;
    let mark = audit::mark()?;
    create(&raw, &url, &same).await?;
    let requests = audit::since(mark, AGENT, &ns)?;
    let create_s = seconds(
        first(&requests, "create", "jobs")?,
        last(&requests, "create", "jobs")?,
    );
    figures.add("raw client: the tool's Jobs created, s", create_s);
    figures.add(
        "raw client: the tool's Jobs created per second",
        per_s(create_s),
    );
    workload::running(&admin, &ns, n).await?;

    eyes.blink();
    let mark = audit::mark()?;
    delete(&raw, &url, &same).await?;
    let gone = eyes.gone(n).await?;
    create(&raw, &url, &same).await?;
    let requests = audit::since(mark, AGENT, &ns)?;
    let begin = first(&requests, "delete", "jobs")?;
    let restart_s = seconds(begin, last(&requests, "create", "jobs")?);
    figures.add(
        "raw client: running Jobs deleted and gone, s",
        seconds(begin, gone),
    );
    figures.add("raw client: deleted, gone, created again, s", restart_s);
    drop(eyes);
    workload::remove(&admin, &ns).await?;
    Ok(Bare {
        create_s,
        restart_s,
    })
}

async fn create(client: &Client, url: &str, jobs: &[(String, Vec<u8>)]) -> Res<()> {
    futures::stream::iter(jobs)
        .map(|(_, body)| send(client, Method::POST, url.to_owned(), body.clone()))
        .buffer_unordered(IN_FLIGHT)
        .try_collect()
        .await
}

async fn delete(client: &Client, url: &str, jobs: &[(String, Vec<u8>)]) -> Res<()> {
    let options = br#"{"apiVersion":"v1","kind":"DeleteOptions","propagationPolicy":"Foreground"}"#;
    futures::stream::iter(jobs)
        .map(|(name, _)| {
            send(
                client,
                Method::DELETE,
                format!("{url}/{name}"),
                options.to_vec(),
            )
        })
        .buffer_unordered(IN_FLIGHT)
        .try_collect()
        .await
}

async fn send(client: &Client, method: Method, url: String, body: Vec<u8>) -> Res<()> {
    let request = Request::builder()
        .method(method)
        .uri(url)
        .header(http::header::CONTENT_TYPE, "application/json")
        .body(body)?;
    client.request_text(request).await?;
    Ok(())
}
