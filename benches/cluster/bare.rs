//! The bare client: creates and deletes Jobs with 32 requests in flight and does nothing else.

use std::time::Instant;

use futures::{StreamExt as _, TryStreamExt as _};
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{Namespace, Pod};
use kube::api::{Api, DeleteParams, ListParams, PostParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use serde_json::json;

use crate::Res;

/// Requests in flight, as in the peer's figures.
const IN_FLIGHT: usize = 32;

pub(crate) struct Bare {
    pub(crate) suspended_s: f64,
    pub(crate) create_s: f64,
    pub(crate) gone_s: f64,
    pub(crate) restart_s: f64,
}

/// A client as the administrator.
pub(crate) async fn admin() -> Res<Client> {
    let kubeconfig = Kubeconfig::read_from(std::env::var("KUBECTL_JOBSET_E2E_ADMIN")?)?;
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
    Ok(Client::try_from(config)?)
}

/// A new namespace.
pub(crate) async fn namespace(client: &Client, name: &str) -> Res<()> {
    let object: Namespace = serde_json::from_value(json!({"metadata": {"name": name}}))?;
    Api::<Namespace>::all(client.clone())
        .create(&PostParams::default(), &object)
        .await?;
    Ok(())
}

pub(crate) async fn measure(n: usize) -> Res<Bare> {
    let client = admin().await?;
    let ns = format!("bare-{n}-{}", std::process::id());
    namespace(&client, &ns).await?;
    let jobs: Api<Job> = Api::namespaced(client.clone(), &ns);
    let pods: Api<Pod> = Api::namespaced(client.clone(), &ns);

    let suspended_s = create(&jobs, "s", n, true).await?;
    delete(&jobs, "s", n).await?;
    gone(&jobs).await?;

    let create_s = create(&jobs, "r", n, false).await?;
    running(&pods, n).await?;
    let begin = Instant::now();
    delete(&jobs, "r", n).await?;
    gone(&jobs).await?;
    let gone_s = begin.elapsed().as_secs_f64();
    create(&jobs, "r", n, false).await?;
    let restart_s = begin.elapsed().as_secs_f64();
    running(&pods, n).await?;
    Api::<Namespace>::all(client)
        .delete(&ns, &DeleteParams::default())
        .await?;
    while !pods
        .list(&ListParams::default().limit(1))
        .await?
        .items
        .is_empty()
    {
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
    Ok(Bare {
        suspended_s,
        create_s,
        gone_s,
        restart_s,
    })
}

async fn create(jobs: &Api<Job>, prefix: &str, n: usize, suspend: bool) -> Res<f64> {
    let begin = Instant::now();
    futures::stream::iter(0..n)
        .map(|i| async move {
            let job: Job = serde_json::from_value(json!({
                "metadata": {"name": format!("{prefix}-{i}")},
                "spec": {
                    "suspend": suspend, "backoffLimit": 0, "completionMode": "Indexed",
                    "completions": 1, "parallelism": 1,
                    "template": {"spec": {
                        "restartPolicy": "Never",
                        "containers": [{"name": "main", "image": "busybox", "command": ["sleep", "600"]}]
                    }}
                }
            }))?;
            jobs.create(&PostParams::default(), &job).await?;
            Res::Ok(())
        })
        .buffer_unordered(IN_FLIGHT)
        .try_collect::<Vec<()>>()
        .await?;
    Ok(begin.elapsed().as_secs_f64())
}

async fn delete(jobs: &Api<Job>, prefix: &str, n: usize) -> Res<()> {
    futures::stream::iter(0..n)
        .map(|i| async move {
            jobs.delete(&format!("{prefix}-{i}"), &DeleteParams::foreground())
                .await?;
            Res::Ok(())
        })
        .buffer_unordered(IN_FLIGHT)
        .try_collect::<Vec<()>>()
        .await?;
    Ok(())
}

async fn gone(jobs: &Api<Job>) -> Res<()> {
    // A watch would cost the server as much as the tool's own; a cheap list does for the bare one.
    while !jobs
        .list_metadata(&ListParams::default().limit(1))
        .await?
        .items
        .is_empty()
    {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    Ok(())
}

async fn running(pods: &Api<Pod>, n: usize) -> Res<()> {
    let params = ListParams::default().fields("status.phase=Running");
    while pods.list_metadata(&params).await?.items.len() < n {
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
    Ok(())
}
