//! Defaults of pods and pod templates.

use k8s_openapi::api::core::v1::{
    Container, EnvVar, HTTPGetAction, LifecycleHandler, Pod, PodSpec, Probe, Volume,
};

use crate::cluster::api::defaults::{or, or_number};

/// Mode of files from ConfigMaps, Secrets and the like: 0644.
const FILE_MODE: i32 = 0o644;

pub(super) fn apply(pod: &mut Pod) {
    let spec = pod.spec.get_or_insert_default();
    self::spec(spec);
    spec.enable_service_links.get_or_insert(true);
    let host_network = spec.host_network == Some(true);
    for container in containers(spec) {
        // Only a pod's own containers ask for what they are limited to; a template's do when the pod is
        // made.
        let resources = container.resources.get_or_insert_default();
        if let Some(limits) = &resources.limits {
            let requests = resources.requests.get_or_insert_default();
            for (name, limit) in limits {
                requests
                    .entry(name.clone())
                    .or_insert_with(|| limit.clone());
            }
        }
        if host_network {
            for port in container.ports.iter_mut().flatten() {
                if port.host_port.unwrap_or_default() == 0 {
                    port.host_port = Some(port.container_port);
                }
            }
        }
    }
}

fn containers(spec: &mut PodSpec) -> impl Iterator<Item = &mut Container> {
    spec.containers
        .iter_mut()
        .chain(spec.init_containers.iter_mut().flatten())
}

pub(super) fn spec(spec: &mut PodSpec) {
    if spec
        .service_account_name
        .as_deref()
        .unwrap_or_default()
        .is_empty()
    {
        spec.service_account_name.clone_from(&spec.service_account);
    }
    spec.service_account.clone_from(&spec.service_account_name);
    or(&mut spec.dns_policy, "ClusterFirst");
    or(&mut spec.restart_policy, "Always");
    spec.security_context.get_or_insert_default();
    let grace = spec.termination_grace_period_seconds.get_or_insert(30);
    if *grace < 0 {
        *grace = 1;
    }
    or(&mut spec.scheduler_name, "default-scheduler");
    for volume in spec.volumes.iter_mut().flatten() {
        self::volume(volume);
    }
    for container in containers(spec) {
        self::container(container);
    }
}

fn container(container: &mut Container) {
    if container
        .image_pull_policy
        .as_deref()
        .unwrap_or_default()
        .is_empty()
    {
        let image = container.image.as_deref().unwrap_or_default();
        container.image_pull_policy = Some(pull_policy(image).to_owned());
    }
    or(
        &mut container.termination_message_path,
        "/dev/termination-log",
    );
    or(&mut container.termination_message_policy, "File");
    container.resources.get_or_insert_default();
    for port in container.ports.iter_mut().flatten() {
        or(&mut port.protocol, "TCP");
    }
    for variable in container.env.iter_mut().flatten() {
        env(variable);
    }
    let probes = [
        &mut container.liveness_probe,
        &mut container.readiness_probe,
        &mut container.startup_probe,
    ];
    for probe in probes.into_iter().flatten() {
        self::probe(probe);
    }
    if let Some(lifecycle) = &mut container.lifecycle {
        let handlers = [&mut lifecycle.post_start, &mut lifecycle.pre_stop];
        for LifecycleHandler { http_get, .. } in handlers.into_iter().flatten() {
            http_get.as_mut().map(get);
        }
    }
}

/// An image without a tag is the latest one, which is always pulled; one with a digest can't change.
fn pull_policy(image: &str) -> &'static str {
    let name = image.rsplit('/').next().unwrap_or(image);
    let latest = match name.split_once('@') {
        Some(_) => false,
        None => name.split_once(':').is_none_or(|(_, tag)| tag == "latest"),
    };
    if latest { "Always" } else { "IfNotPresent" }
}

fn env(variable: &mut EnvVar) {
    let Some(from) = &mut variable.value_from else {
        return;
    };
    if let Some(field) = &mut from.field_ref {
        or(&mut field.api_version, "v1");
    }
    if let Some(resource) = &mut from.resource_field_ref {
        resource.divisor.get_or_insert_with(|| {
            k8s_openapi::apimachinery::pkg::api::resource::Quantity("0".to_owned())
        });
    }
}

fn probe(probe: &mut Probe) {
    or_number(&mut probe.timeout_seconds, 1);
    or_number(&mut probe.period_seconds, 10);
    or_number(&mut probe.success_threshold, 1);
    or_number(&mut probe.failure_threshold, 3);
    probe.http_get.as_mut().map(get);
    if let Some(grpc) = &mut probe.grpc {
        grpc.service.get_or_insert_default();
    }
}

fn get(action: &mut HTTPGetAction) {
    or(&mut action.path, "/");
    or(&mut action.scheme, "HTTP");
}

fn volume(volume: &mut Volume) {
    if let Some(source) = &mut volume.config_map {
        source.default_mode.get_or_insert(FILE_MODE);
    }
    if let Some(source) = &mut volume.secret {
        source.default_mode.get_or_insert(FILE_MODE);
    }
    if let Some(source) = &mut volume.downward_api {
        source.default_mode.get_or_insert(FILE_MODE);
        for file in source.items.iter_mut().flatten() {
            if let Some(field) = &mut file.field_ref {
                or(&mut field.api_version, "v1");
            }
        }
    }
    if let Some(source) = &mut volume.projected {
        source.default_mode.get_or_insert(FILE_MODE);
        for part in source.sources.iter_mut().flatten() {
            if let Some(token) = &mut part.service_account_token {
                token.expiration_seconds.get_or_insert(3600);
            }
            let files = part.downward_api.iter_mut().flat_map(|d| &mut d.items);
            for file in files.flatten() {
                if let Some(field) = &mut file.field_ref {
                    or(&mut field.api_version, "v1");
                }
            }
        }
    }
    if let Some(source) = &mut volume.host_path {
        source.type_.get_or_insert_default();
    }
    let bare = Volume {
        name: volume.name.clone(),
        ..Volume::default()
    };
    if *volume == bare {
        volume.empty_dir = Some(Default::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images() {
        for (image, policy) in [
            ("a", "Always"),
            ("a:latest", "Always"),
            ("host:5000/a", "Always"),
            ("host:5000/a:1", "IfNotPresent"),
            ("a@sha256:00", "IfNotPresent"),
            ("", "Always"),
        ] {
            assert_eq!(pull_policy(image), policy, "{image}");
        }
    }
}
