//! What is run, for the raw client and the tool alike, and the place where it is run.

use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Pod};
use k8s_openapi::api::rbac::v1::{Role, RoleBinding};
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use kubectl_jobset::driver::kube::transport;
use kubectl_jobset::engine::build::{Identity, JobBuilder, OwnerRef};
use kubectl_jobset::manifest::{self, Source};
use serde_json::{Value, json};

use crate::Res;

/// One role `w` of N Jobs with so many pods each, in the JobSet `b`.
pub(crate) fn manifest(jobs: usize, pods: usize) -> Value {
    json!({
        "apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "b"},
        "spec": {
            "failurePolicy": {"maxRestarts": 1000},
            "replicatedJobs": [{"name": "w", "replicas": jobs, "template": {"spec": {
                "backoffLimit": 0, "completions": pods, "parallelism": pods,
                "template": {"spec": {
                    "restartPolicy": "Never",
                    "containers": [{"name": "main", "image": "busybox", "command": ["sleep", "600"]}]
                }}
            }}}]
        }
    })
}

/// The Jobs that the tool makes of that manifest, byte for byte but for the UID of their owner, which
/// is made here so that the garbage collector leaves them alone.
pub(crate) async fn jobs(
    client: &Client,
    namespace: &str,
    n: usize,
) -> Res<Vec<(String, Vec<u8>)>> {
    let text = manifest(n, 1).to_string();
    let loaded = manifest::load(&[Source::new("bench.json", text)], &Default::default());
    let jobset = loaded.jobset.ok_or("the manifest is refused")?;
    let owner = json!({"metadata": {"name": "b-run"}});
    let owner = Api::<ConfigMap>::namespaced(client.clone(), namespace)
        .create(&PostParams::default(), &serde_json::from_value(owner)?)
        .await?;
    let uid = owner.metadata.uid.ok_or("no uid")?;
    let identity = Identity {
        run_uid: uid.clone(),
        owner: OwnerRef {
            api_version: "v1".to_owned(),
            kind: "ConfigMap".to_owned(),
            name: "b-run".to_owned(),
            uid,
        },
    };
    let builder = JobBuilder::new(&jobset, namespace, Some(&identity));
    (0..n)
        .map(|i| {
            let job = builder.job(0, u32::try_from(i)?, 0, 0, false);
            Ok((name(i), serde_json::to_vec(&job.ok_or("no such job")?)?))
        })
        .collect()
}

/// Small suspended Jobs: what a server can do at best.
pub(crate) fn suspended(n: usize) -> Res<Vec<(String, Vec<u8>)>> {
    (0..n)
        .map(|i| {
            let name = format!("s-{i}");
            let job = json!({
                "apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name},
                "spec": {
                    "suspend": true, "backoffLimit": 0, "completionMode": "Indexed",
                    "completions": 1, "parallelism": 1,
                    "template": {"spec": {
                        "restartPolicy": "Never",
                        "containers": [{"name": "main", "image": "busybox", "command": ["sleep", "600"]}]
                    }}
                }
            });
            Ok((name, serde_json::to_vec(&job)?))
        })
        .collect()
}

fn name(job: usize) -> String {
    format!("b-w-{job}")
}

/// A client of the administrator or of the ordinary user, with a name of its own in the audit log and
/// the tool's own transport.
pub(crate) async fn client(who: Who, agent: &'static str) -> Res<Client> {
    let file = std::env::var(match who {
        Who::Admin => "KUBECTL_JOBSET_E2E_ADMIN",
        Who::User => "KUBECONFIG",
    })?;
    let kubeconfig = Kubeconfig::read_from(file)?;
    let mut config =
        Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
    config.default_retry = false;
    config.headers.push((
        http::header::USER_AGENT,
        http::HeaderValue::from_static(agent),
    ));
    Ok(transport::client(config)?)
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Who {
    Admin,
    User,
}

/// A new namespace in which the ordinary user has the Role of the examples.
pub(crate) async fn namespace(client: &Client, name: &str) -> Res<()> {
    let object: Namespace = serde_json::from_value(json!({"metadata": {"name": name}}))?;
    Api::<Namespace>::all(client.clone())
        .create(&PostParams::default(), &object)
        .await?;
    let role: Role = serde_saphyr::from_str(include_str!("../../examples/role.yaml"))?;
    Api::namespaced(client.clone(), name)
        .create(&PostParams::default(), &role)
        .await?;
    let binding: RoleBinding = serde_json::from_value(json!({
        "metadata": {"name": "bench"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "kubectl-jobset"},
        "subjects": [{"kind": "User", "name": "jobset-user", "apiGroup": "rbac.authorization.k8s.io"}]
    }))?;
    Api::namespaced(client.clone(), name)
        .create(&PostParams::default(), &binding)
        .await?;
    Ok(())
}

/// Deletes a namespace and waits until its pods are gone, so that they don't disturb what follows.
pub(crate) async fn remove(client: &Client, name: &str) -> Res<()> {
    Api::<Namespace>::all(client.clone())
        .delete(name, &DeleteParams::default())
        .await?;
    let pods: Api<Pod> = Api::namespaced(client.clone(), name);
    let one = ListParams::default().limit(1);
    while !pods.list_metadata(&one).await?.items.is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
    Ok(())
}

/// Waits until so many pods run.
pub(crate) async fn running(client: &Client, namespace: &str, n: usize) -> Res<()> {
    let pods: Api<Pod> = Api::namespaced(client.clone(), namespace);
    let params = ListParams::default().fields("status.phase=Running");
    while pods.list_metadata(&params).await?.items.len() < n {
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    }
    Ok(())
}

/// Makes the pod of Job 0 end with code 1.
pub(crate) async fn fail_one(client: &Client, ns: &str) -> Res<()> {
    let pods: Api<Pod> = Api::namespaced(client.clone(), ns);
    let params = ListParams::default().labels("batch.kubernetes.io/job-name=b-w-0");
    let pod = pods.list(&params).await?.items.pop();
    let name = pod.and_then(|p| p.metadata.name).ok_or("no pod of b-w-0")?;
    let patch = json!({"metadata": {"annotations": {"kubectl-jobset.test/exit-code": "1"}}});
    pods.patch(&name, &PatchParams::default(), &Patch::Merge(patch))
        .await?;
    Ok(())
}
