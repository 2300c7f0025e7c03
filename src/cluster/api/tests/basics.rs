//! Writing and reading.

use super::*;
use crate::cluster::api::Answer;

#[test]
fn a_new_object_gets_its_metadata() {
    let mut world = world();
    let made = create(&mut world, Kind::ConfigMap, json!({
        "metadata": {"name": "a", "uid": "x", "generation": 7, "creationTimestamp": "2001-01-01T00:00:00Z",
            "deletionTimestamp": "2001-01-01T00:00:00Z", "managedFields": []},
        "data": {"k": "v"}}))
    .unwrap();
    let meta = &made["metadata"];
    assert_eq!(meta["namespace"], NS);
    assert_eq!(meta["uid"].as_str().unwrap().len(), 36);
    assert_eq!(meta["creationTimestamp"], "1970-01-01T00:00:00Z");
    assert_eq!(meta["resourceVersion"], world.version().to_string());
    for absent in ["generation", "deletionTimestamp", "managedFields", "labels"] {
        assert!(meta[absent].is_null(), "{absent}: {meta}");
    }
    assert_eq!(get(&mut world, Kind::ConfigMap, "a").unwrap(), made);
}

#[test]
fn names_are_generated_and_cut() {
    let mut world = world();
    let made = create(
        &mut world,
        Kind::ConfigMap,
        json!({"metadata": {"generateName": "x".repeat(250)}}),
    );
    assert_eq!(
        made.unwrap()["metadata"]["name"].as_str().unwrap().len(),
        63
    );
    let made = create(
        &mut world,
        Kind::ConfigMap,
        json!({"metadata": {"generateName": "made-"}}),
    );
    assert_eq!(
        made.unwrap()["metadata"]["name"].as_str().unwrap().len(),
        10
    );
}

#[test]
fn refusals() {
    let mut world = world();
    let w = &mut world;
    create(w, Kind::ConfigMap, map("a", json!({}))).unwrap();
    create(w, Kind::Job, job("j")).unwrap();
    for (result, expected) in [
        (
            get(w, Kind::Job, "gone"),
            "404 jobs.batch \"gone\" not found",
        ),
        (
            create(w, Kind::ConfigMap, map("a", json!({}))),
            "409 configmaps \"a\" already exists",
        ),
        (
            create(w, Kind::Job, job("j")),
            "409 jobs.batch \"j\" already exists",
        ),
        (
            put(w, Kind::ConfigMap, "a", map("b", json!({}))),
            "400 the name of the object (b) does not match the name on the URL (a)",
        ),
        (
            put(w, Kind::Job, "k", job("k")),
            "404 jobs.batch \"k\" not found",
        ),
        (
            patch(
                w,
                Kind::Job,
                "j",
                json!({"metadata": {"resourceVersion": "1", "labels": {"x": "y"}}}),
            ),
            "409 Operation cannot be fulfilled on jobs.batch \"j\": the object has been modified; please apply your changes to the latest version and try again",
        ),
        (
            create(
                w,
                Kind::ConfigMap,
                json!({"metadata": {"name": "b", "namespace": "other"}}),
            ),
            "400 the namespace of the provided object does not match the namespace sent on the request",
        ),
        (
            create(w, Kind::ConfigMap, json!({"metadata": {}})),
            "422 ConfigMap \"\" is invalid: metadata.name: Required value: name or generateName is required",
        ),
        (
            create(
                w,
                Kind::Job,
                json!({"metadata": {"name": "k"}, "spec": {"foo": 1, "template": {}}}),
            ),
            "400 Job in version \"v1\" cannot be handled as a Job: strict decoding error: unknown field \"spec.foo\"",
        ),
    ] {
        assert_eq!(refusal(result), expected);
    }
    let other = Request {
        user: ADMIN.to_owned(),
        kind: Kind::ConfigMap,
        namespace: Some("gone".to_owned()),
        name: None,
        subresource: None,
        verb: Verb::Create(strict(), map("a", json!({}))),
    };
    assert_eq!(refusal(w.call(&other)), "404 namespaces \"gone\" not found");
    let stranger = Request {
        user: "who".to_owned(),
        namespace: Some(NS.to_owned()),
        kind: Kind::Job,
        ..other
    };
    assert_eq!(
        refusal(w.call(&stranger)),
        "403 jobs.batch is forbidden: User \"who\" cannot create resource \"jobs\" in API group \"batch\" in the namespace \"default\""
    );
}

#[test]
fn what_is_not_changed_keeps_its_version() {
    let mut world = world();
    let made = create(&mut world, Kind::ConfigMap, map("a", json!({"k": "1"}))).unwrap();
    let version = world.version();
    assert_eq!(
        patch(
            &mut world,
            Kind::ConfigMap,
            "a",
            json!({"data": {"k": "1"}})
        )
        .unwrap(),
        made
    );
    assert_eq!(
        put(&mut world, Kind::ConfigMap, "a", made.clone()).unwrap(),
        made
    );
    assert_eq!(world.version(), version);
    let changed = patch(
        &mut world,
        Kind::ConfigMap,
        "a",
        json!({"data": {"k": null, "l": "2"}}),
    );
    assert_eq!(changed.unwrap()["data"], json!({"l": "2"}));
}

#[test]
fn generation_counts_changes_of_the_spec() {
    let mut world = world();
    let made = create(&mut world, Kind::Job, job("a")).unwrap();
    assert_eq!(made["metadata"]["generation"], 1);
    for (path, change, generation) in [
        ("a", json!({"metadata": {"labels": {"a": "b"}}}), 1),
        ("a", json!({"spec": {"parallelism": 3}}), 2),
        ("a", json!({"spec": {"parallelism": 3}}), 2),
        (
            "a",
            json!({"metadata": {"generation": 9}, "status": {"active": 3}}),
            2,
        ),
        (
            "a/status",
            json!({"spec": {"parallelism": 5}, "status": {"active": 2}}),
            2,
        ),
    ] {
        let changed = patch(&mut world, Kind::Job, path, change).unwrap();
        assert_eq!(changed["metadata"]["generation"], generation);
    }
    let job = get(&mut world, Kind::Job, "a").unwrap();
    assert_eq!(job["spec"]["parallelism"], 3);
    assert_eq!(job["status"]["active"], 2);
}

#[test]
fn a_job_selects_its_pods() {
    let mut world = world();
    let made = create(&mut world, Kind::Job, job("a")).unwrap();
    let uid = &made["metadata"]["uid"];
    let labels = &made["spec"]["template"]["metadata"]["labels"];
    assert_eq!(
        labels,
        &json!({"job-name": "a", "batch.kubernetes.io/job-name": "a",
        "controller-uid": uid, "batch.kubernetes.io/controller-uid": uid})
    );
    assert_eq!(
        made["spec"]["selector"]["matchLabels"],
        json!({"batch.kubernetes.io/controller-uid": uid})
    );
    assert_eq!(made["spec"]["backoffLimit"], 6);
    assert_eq!(made["status"], json!({}));
}

#[test]
fn dry_runs_change_nothing() {
    let mut world = world();
    create(&mut world, Kind::ConfigMap, map("a", json!({}))).unwrap();
    let version = world.version();
    let dry = WriteOptions {
        dry_run: true,
        ..strict()
    };
    let made = ask(
        &mut world,
        Kind::ConfigMap,
        "",
        Verb::Create(dry.clone(), map("b", json!({}))),
    );
    assert_eq!(value_of(made.unwrap())["metadata"]["name"], "b");
    let changed = Verb::Patch(dry, Patch::Merge(json!({"data": {"k": "v"}})));
    let changed = ask(&mut world, Kind::ConfigMap, "a", changed);
    assert_eq!(value_of(changed.unwrap())["data"]["k"], "v");
    let options = DeleteOptions {
        dry_run: true,
        ..DeleteOptions::default()
    };
    delete(&mut world, Kind::ConfigMap, "a", options).unwrap();
    assert_eq!(world.version(), version);
    assert!(get(&mut world, Kind::ConfigMap, "a").is_ok());
}

#[test]
fn warnings_name_unknown_fields() {
    let mut world = world();
    let mut value = job("a");
    value["spec"]["foo"] = json!(1);
    let Answer { warnings, .. } = ask(
        &mut world,
        Kind::Job,
        "",
        Verb::Create(WriteOptions::default(), value),
    )
    .unwrap();
    assert_eq!(warnings, ["unknown field \"spec.foo\""]);
}

#[test]
fn pages_show_one_version() {
    let mut world = world();
    for name in ["a", "b", "c", "d", "e"] {
        create(&mut world, Kind::Secret, map(name, json!({}))).unwrap();
    }
    let page = |limit, token: Option<String>| ListOptions {
        limit: Some(limit),
        continue_token: token,
        ..ListOptions::default()
    };
    let first = list(&mut world, Kind::Secret, page(2, None)).unwrap();
    assert_eq!(names(&first.items), ["a", "b"]);
    assert_eq!(first.remaining, Some(3));
    delete(&mut world, Kind::Secret, "c", DeleteOptions::default()).unwrap();
    create(&mut world, Kind::Secret, map("bb", json!({}))).unwrap();
    let second = list(
        &mut world,
        Kind::Secret,
        page(2, first.continue_token.clone()),
    )
    .unwrap();
    assert_eq!(names(&second.items), ["c", "d"]);
    assert_eq!((second.version, second.remaining), (first.version, Some(1)));
    let last = list(&mut world, Kind::Secret, page(2, second.continue_token)).unwrap();
    assert_eq!(names(&last.items), ["e"]);
    assert_eq!((last.continue_token, last.remaining), (None, None));
    world.store.compact(Kind::Secret);
    let gone = list(&mut world, Kind::Secret, page(2, first.continue_token)).unwrap_err();
    assert_eq!((gone.code, gone.reason), (410, "Expired"));
    let rest = list(
        &mut world,
        Kind::Secret,
        page(9, gone.continue_token.map(String::from)),
    )
    .unwrap();
    assert_eq!(names(&rest.items), ["bb", "d", "e"]);
}
