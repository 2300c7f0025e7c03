use serde_json::{Value, json};

use super::*;
use crate::api::names;
use crate::manifest::{LoadOptions, Source, load};

fn jobset(yaml: &str) -> JobSet {
    let loaded = load(&[Source::new("t.yaml", yaml)], &LoadOptions::default());
    loaded
        .jobset
        .unwrap_or_else(|| panic!("{:?}", loaded.findings))
}

/// C43: two groups, a subdomain, a NonIndexed role.
const NET: &str = "
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: net}
spec:
  network: {enableDNSHostnames: true, subdomain: mesh}
  replicatedJobs:
  - name: idx
    replicas: 2
    groupName: train
    template: {spec: {completions: 2, parallelism: 2, template: {spec: {containers: [{name: c, image: busybox}]}}}}
  - name: free
    groupName: aux
    template: {spec: {completionMode: NonIndexed, parallelism: 2, completions: 2, template: {spec: {containers: [{name: c, image: busybox}]}}}}
";

fn owner() -> OwnerRef {
    OwnerRef {
        api_version: "v1".to_owned(),
        kind: "ConfigMap".to_owned(),
        name: "net-run".to_owned(),
        uid: "u-1".to_owned(),
    }
}

#[test]
fn labels_count_over_the_set_and_over_groups() {
    let set = jobset(NET);
    let of = |role, index| job(&set, "ns", "u-1", &owner(), role, index, 3, 1, false).unwrap();
    let label =
        |job: &Value, key: &str| job["metadata"]["labels"][key].as_str().unwrap().to_owned();
    for (role, index, global, group, in_group) in [
        (0, 0, "0", "2", "0"),
        (0, 1, "1", "2", "1"),
        (1, 0, "2", "1", "0"),
    ] {
        let job = of(role, index);
        assert_eq!(label(&job, names::GLOBAL_REPLICAS), "3");
        assert_eq!(label(&job, names::JOB_GLOBAL_INDEX), global);
        assert_eq!(label(&job, names::GROUP_REPLICAS), group);
        assert_eq!(label(&job, names::JOB_GROUP_INDEX), in_group);
        assert_eq!(label(&job, names::RESTART_ATTEMPT), "3");
        assert_eq!(label(&job, names::JOB_RESTART_ATTEMPT), "1");
        assert_eq!(label(&job, names::JOBSET_UID), "u-1");
        assert_eq!(
            job["spec"]["template"]["metadata"]["labels"],
            job["metadata"]["labels"]
        );
        assert_eq!(job["metadata"]["annotations"], job["metadata"]["labels"]);
        assert_eq!(job["spec"]["template"]["spec"]["subdomain"], "mesh");
    }
}

#[test]
fn the_owner_controls_but_does_not_block() {
    let set = jobset(NET);
    let job = job(&set, "ns", "u-1", &owner(), 0, 0, 0, 0, true).unwrap();
    assert_eq!(
        job["metadata"]["ownerReferences"],
        json!([{"apiVersion": "v1", "kind": "ConfigMap", "name": "net-run", "uid": "u-1",
                "controller": true, "blockOwnerDeletion": false}])
    );
    assert_eq!(job["spec"]["suspend"], true);
    let identity = Identity {
        run_uid: "u-1".to_owned(),
        owner: owner(),
    };
    let service = service(&set, "ns", Some(&identity)).unwrap();
    assert_eq!(service["metadata"]["name"], "mesh");
    assert_eq!(
        service["metadata"]["ownerReferences"],
        job["metadata"]["ownerReferences"]
    );
}

#[test]
fn what_does_not_exist_is_not_built() {
    let set = jobset(NET);
    let builder = JobBuilder::new(&set, "ns", None);
    assert!(builder.job(0, 2, 0, 0, false).is_none());
    assert!(builder.job(2, 0, 0, 0, false).is_none());
}

#[test]
fn rendered_objects_carry_nothing_that_only_a_run_knows() {
    let mut set = jobset(NET);
    set.spec.suspend = Some(true);
    let objects: Vec<Value> = render_objects(&set, "ns").collect();
    let names: Vec<_> = objects
        .iter()
        .map(|o| o["metadata"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["mesh", "net-idx-0", "net-idx-1", "net-free-0"]);
    for object in &objects {
        assert!(object["metadata"].get("ownerReferences").is_none());
        assert!(
            object["metadata"]["labels"]
                .get(names::JOBSET_UID)
                .is_none()
        );
    }
    assert!(objects[1..].iter().all(|o| o["spec"]["suspend"] == true));
}

#[test]
fn a_field_that_this_build_does_not_know_survives() {
    let yaml = NET.replace(
        "{name: c, image: busybox}",
        "{name: c, image: busybox, brandNew: [1]}",
    );
    let options = LoadOptions {
        validate: crate::manifest::Validate::Ignore,
        ..LoadOptions::default()
    };
    let set = load(&[Source::new("t.yaml", yaml)], &options)
        .jobset
        .unwrap();
    let job = JobBuilder::new(&set, "ns", None)
        .job(0, 0, 0, 0, false)
        .unwrap();
    assert_eq!(
        job["spec"]["template"]["spec"]["containers"][0]["brandNew"],
        json!([1])
    );
}

#[test]
fn what_is_not_asked_for_is_not_built() {
    let mut set = jobset(NET);
    set.spec.replicated_jobs[0].replicas = Some(i32::MAX);
    let names: Vec<_> = render_objects(&set, "ns")
        .map(|o| o["metadata"]["name"].as_str().unwrap().to_owned())
        .take(3)
        .collect();
    assert_eq!(names, ["mesh", "net-idx-0", "net-idx-1"]);
}
