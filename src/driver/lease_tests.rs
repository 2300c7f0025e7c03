use super::*;
use crate::driver::kube::fake::{Calls, Reply, server};

/// What the server's clock says throughout.
const NOW: &str = "2026-12-01T09:10:00Z";
const DATE: &str = "Tue, 01 Dec 2026 09:10:00 GMT";

fn owner() -> OwnerRef {
    OwnerRef {
        api_version: "v1".to_owned(),
        kind: "ConfigMap".to_owned(),
        name: "train-run".to_owned(),
        uid: "run".to_owned(),
    }
}

fn lease(holder: Option<&str>, renewed: &str, version: &str) -> Value {
    let mut lease = body("train", "ml", "x", &owner(), NOW.parse().unwrap());
    lease["metadata"]["resourceVersion"] = json!(version);
    lease["spec"]["holderIdentity"] = json!(holder);
    lease["spec"]["renewTime"] = json!(renewed);
    lease["spec"]["leaseTransitions"] = json!(4);
    lease
}

fn leases(answer: impl Fn(usize, &str) -> Reply + Send + Sync + 'static) -> (Leases, Calls) {
    let (conn, calls) = server(move |n, got| answer(n, &got.short()).header("date", DATE));
    (Leases::new(&conn.patient(), "ml"), calls)
}

/// A world in which that Lease stands and every guarded write is taken.
fn standing(there: Value) -> (Leases, Calls) {
    leases(move |_, call| match call {
        "POST leases" => Reply::status(409, "AlreadyExists"),
        "PATCH leases/train-run" => Reply::ok(lease(Some("me"), NOW, "9")),
        _ => Reply::ok(there.clone()),
    })
}

#[tokio::test(start_paused = true)]
async fn a_new_lease_is_one_call() {
    let (leases, calls) = leases(|_, _| Reply::created(lease(Some("me"), NOW, "1")));
    let acquired = leases
        .acquire("train", "me", &owner(), false)
        .await
        .unwrap();
    assert_eq!(acquired, Acquired::Held { previous: None });
    let calls = calls.all();
    assert_eq!(calls.len(), 1);
    let made = &calls[0].body;
    assert_eq!(made["metadata"]["name"], "train-run");
    assert_eq!(made["metadata"]["ownerReferences"][0]["uid"], "run");
    assert_eq!(made["metadata"]["ownerReferences"][0]["controller"], true);
    assert_eq!(
        made["metadata"]["ownerReferences"][0]["blockOwnerDeletion"],
        false
    );
    assert_eq!(made["spec"]["holderIdentity"], "me");
    assert_eq!(made["spec"]["leaseDurationSeconds"], 30);
}

/// Six digits, as the API's MicroTime is written.
#[test]
fn times_have_six_digits() {
    let lease = body("train", "ml", "me", &owner(), NOW.parse().unwrap());
    assert_eq!(lease["spec"]["renewTime"], "2026-12-01T09:10:00.000000Z");
}

#[tokio::test(start_paused = true)]
async fn a_live_holder_is_left_alone() {
    let (leases, calls) = standing(lease(Some("ada"), "2026-12-01T09:09:40Z", "3"));
    let Acquired::HeldBy(seen) = leases
        .acquire("train", "me", &owner(), false)
        .await
        .unwrap()
    else {
        panic!("taken");
    };
    assert_eq!(seen.holder.as_deref(), Some("ada"));
    assert!(seen.live);
    assert_eq!(calls.short(), ["POST leases", "GET leases/train-run"]);
}

/// The server's clock judges, not ours: here ours is whatever the test machine has.
#[tokio::test(start_paused = true)]
async fn a_lease_that_has_run_out_by_the_servers_clock_is_taken() {
    let (leases, calls) = standing(lease(Some("ada"), "2026-12-01T09:09:20Z", "3"));
    let acquired = leases
        .acquire("train", "me", &owner(), false)
        .await
        .unwrap();
    let Acquired::Held {
        previous: Some(previous),
    } = acquired
    else {
        panic!("{acquired:?}")
    };
    assert_eq!(previous.holder.as_deref(), Some("ada"));
    let patch = calls.all().pop().unwrap().body;
    assert_eq!(patch["metadata"]["resourceVersion"], "3");
    assert_eq!(patch["spec"]["holderIdentity"], "me");
    assert_eq!(patch["spec"]["leaseTransitions"], 5);
    assert_eq!(patch["spec"]["renewTime"], "2026-12-01T09:10:00.000000Z");
}

#[tokio::test(start_paused = true)]
async fn a_lease_given_back_or_ours_is_taken_at_once() {
    for holder in [None, Some(""), Some("me")] {
        let (leases, _) = standing(lease(holder, "2026-12-01T09:09:59Z", "3"));
        let acquired = leases
            .acquire("train", "me", &owner(), false)
            .await
            .unwrap();
        assert_eq!(acquired, Acquired::Held { previous: None }, "{holder:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn take_over_asks_nobody() {
    let (leases, _) = standing(lease(Some("ada"), "2026-12-01T09:09:59Z", "3"));
    let acquired = leases.acquire("train", "me", &owner(), true).await.unwrap();
    assert!(matches!(acquired, Acquired::Held { previous: Some(_) }));
}

/// Two attach at once: one guarded write wins, the other one looks again and finds a live holder.
#[tokio::test(start_paused = true)]
async fn of_two_only_one_takes_it() {
    let (leases, calls) = leases(|n, call| match (n, call) {
        (_, "POST leases") => Reply::status(409, "AlreadyExists"),
        (_, "PATCH leases/train-run") => Reply::status(409, "Conflict"),
        (0..3, _) => Reply::ok(lease(Some("ada"), "2026-12-01T09:00:00Z", "3")),
        _ => Reply::ok(lease(Some("bob"), NOW, "4")),
    });
    let acquired = leases
        .acquire("train", "me", &owner(), false)
        .await
        .unwrap();
    let Acquired::HeldBy(seen) = acquired else {
        panic!("{acquired:?}")
    };
    assert_eq!(seen.holder.as_deref(), Some("bob"));
    assert_eq!(
        calls
            .short()
            .iter()
            .filter(|c| c.starts_with("PATCH"))
            .count(),
        1
    );
}

#[tokio::test(start_paused = true)]
async fn a_foreign_lease_is_in_the_way() {
    let mut foreign = lease(Some("controller"), NOW, "3");
    foreign["metadata"]["labels"] = json!({});
    foreign["metadata"]["ownerReferences"] =
        json!([{"kind": "Deployment", "name": "operator", "uid": "d", "controller": true}]);
    let (leases, _) = standing(foreign);
    let error = leases
        .acquire("train", "me", &owner(), true)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), Kind::InTheWay);
    assert!(error.message().contains("lease/train-run"), "{error}");
    assert!(error.message().contains("deployment/operator"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_renewal_is_one_guarded_call() {
    let (leases, calls) = leases(|n, _| match n {
        0 => Reply::created(lease(Some("me"), NOW, "1")),
        n => Reply::ok(lease(Some("me"), NOW, &(n + 1).to_string())),
    });
    leases
        .acquire("train", "me", &owner(), false)
        .await
        .unwrap();
    for _ in 0..2 {
        assert_eq!(
            leases.renew("train", "me", &owner()).await,
            LeaseAnswer::Held
        );
    }
    let calls = calls.all();
    assert_eq!(calls.len(), 3);
    let versions: Vec<_> = calls[1..]
        .iter()
        .map(|c| c.body["metadata"]["resourceVersion"].clone())
        .collect();
    assert_eq!(versions, ["1", "2"]);
    assert_eq!(
        calls[1].body["spec"]["renewTime"],
        "2026-12-01T09:10:00.000000Z"
    );
}

#[tokio::test(start_paused = true)]
async fn a_renewal_tells_who_has_taken_it() {
    let (leases, _) = leases(|n, call| match (n, call) {
        (0, _) => Reply::created(lease(Some("me"), NOW, "1")),
        (_, "POST leases") => Reply::status(409, "AlreadyExists"),
        (_, "PATCH leases/train-run") => Reply::status(409, "Conflict"),
        _ => Reply::ok(lease(Some("bob"), NOW, "5")),
    });
    leases
        .acquire("train", "me", &owner(), false)
        .await
        .unwrap();
    let answer = leases.renew("train", "me", &owner()).await;
    assert_eq!(answer, LeaseAnswer::HeldBy("bob".to_owned()));
}

/// Somebody deleted it: it is made again.
#[tokio::test(start_paused = true)]
async fn a_lease_that_vanished_is_made_again() {
    let (leases, calls) = leases(|n, _| match n {
        1 => Reply::status(404, "NotFound"),
        _ => Reply::created(lease(Some("me"), NOW, "1")),
    });
    leases
        .acquire("train", "me", &owner(), false)
        .await
        .unwrap();
    assert_eq!(
        leases.renew("train", "me", &owner()).await,
        LeaseAnswer::Held
    );
    assert_eq!(
        calls.short(),
        ["POST leases", "PATCH leases/train-run", "POST leases"]
    );
}

/// Of a renewal whose answer is lost, it is not known which version it left behind.
#[tokio::test(start_paused = true)]
async fn a_renewal_whose_answer_is_lost() {
    let (leases, _) = leases(|n, call| match (n, call) {
        (0, _) => Reply::created(lease(Some("me"), NOW, "1")),
        (1, _) => Reply::Broken,
        (_, "POST leases") => Reply::status(409, "AlreadyExists"),
        (_, "PATCH leases/train-run") => Reply::ok(lease(Some("me"), NOW, "3")),
        _ => Reply::ok(lease(Some("me"), NOW, "2")),
    });
    leases
        .acquire("train", "me", &owner(), false)
        .await
        .unwrap();
    assert_eq!(
        leases.renew("train", "me", &owner()).await,
        LeaseAnswer::Held
    );
}

#[tokio::test(start_paused = true)]
async fn giving_it_back_leaves_no_holder() {
    let (leases, calls) = leases(|n, _| match n {
        0 => Reply::created(lease(Some("me"), NOW, "1")),
        _ => Reply::ok(lease(None, NOW, "2")),
    });
    leases
        .acquire("train", "me", &owner(), false)
        .await
        .unwrap();
    leases.release("train", "me").await;
    let patch = calls.all().pop().unwrap().body;
    assert_eq!(patch["metadata"]["resourceVersion"], "1");
    assert!(
        patch["spec"]
            .as_object()
            .unwrap()
            .contains_key("holderIdentity")
    );
    assert!(patch["spec"]["holderIdentity"].is_null());
}

#[tokio::test(start_paused = true)]
async fn what_another_holds_is_not_given_back() {
    let (leases, calls) = standing(lease(Some("bob"), NOW, "3"));
    leases.release("train", "me").await;
    assert_eq!(calls.short(), ["GET leases/train-run"]);
}

/// Waits for the holder's silence; gives what came of it, the seconds, and who was waited for.
async fn silence(leases: &Leases) -> (Silence, u64, Option<String>) {
    let start = clock::instant();
    let mut waited_for = None;
    let silence = leases.silence("train", |seen| waited_for.clone_from(&seen.holder));
    let silence = silence.await.unwrap();
    (silence, start.elapsed().as_secs(), waited_for)
}

#[tokio::test(start_paused = true)]
async fn what_nobody_holds_is_not_waited_for() {
    for holder in [None, Some("ada")] {
        let (leases, calls) = standing(lease(holder, "2026-12-01T09:00:00Z", "3"));
        assert_eq!(silence(&leases).await, (Silence::Free, 0, None));
        assert_eq!(calls.short(), ["GET leases/train-run"]);
    }
    let (leases, _) = leases(|_, _| Reply::status(404, "NotFound"));
    assert_eq!(silence(&leases).await, (Silence::Free, 0, None));
}

/// A dead holder: it is waited for until the Lease runs out by the server's clock, and nothing is
/// written meanwhile.
#[tokio::test(start_paused = true)]
async fn a_dead_holder_is_waited_for() {
    let start = clock::instant();
    let (leases, calls) = leases(move |_, _| {
        let now = NOW.parse::<Timestamp>().unwrap() + start.elapsed();
        let date = now.strftime("%a, %d %b %Y %H:%M:%S GMT");
        Reply::ok(lease(Some("ada"), "2026-12-01T09:09:50Z", "3")).header("date", date)
    });
    let (silence, waited, holder) = silence(&leases).await;
    assert_eq!((silence, holder.as_deref()), (Silence::Free, Some("ada")));
    assert!((20..26).contains(&waited), "{waited}");
    assert!(calls.short().iter().all(|call| call.starts_with("GET ")));
}

/// Nothing is renewed for one duration: then it can be taken over, whatever clocks say.
#[tokio::test(start_paused = true)]
async fn a_dead_holder_whose_clock_was_ahead_is_waited_for_one_duration() {
    let (leases, _) = standing(lease(Some("ada"), "2026-12-01T10:10:00Z", "3"));
    let (silence, waited, _) = silence(&leases).await;
    assert_eq!(silence, Silence::Kept);
    assert!((30..40).contains(&waited), "{waited}");
}

#[tokio::test(start_paused = true)]
async fn waiting_ends_when_the_holder_turns_out_alive() {
    let (leases, _) = leases(|n, _| match n {
        0..3 => Reply::ok(lease(Some("ada"), "2026-12-01T09:09:50Z", "3")),
        _ => Reply::ok(lease(Some("ada"), "2026-12-01T09:10:00Z", "4")),
    });
    let (silence, waited, _) = silence(&leases).await;
    assert!(matches!(silence, Silence::Broken(seen) if seen.holder.as_deref() == Some("ada")));
    assert!(waited < 30, "{waited}");
}

#[tokio::test(start_paused = true)]
async fn a_foreign_lease_is_not_waited_for() {
    let mut foreign = lease(Some("controller"), NOW, "3");
    foreign["metadata"]["labels"] = json!({});
    let (leases, _) = standing(foreign);
    let error = leases.silence("train", |_| panic!("waiting")).await;
    assert_eq!(error.unwrap_err().kind(), Kind::InTheWay);
}

/// A right that is taken away in mid-run: the record is asked instead, and the server isn't asked again
/// and again.
#[tokio::test(start_paused = true)]
async fn a_refused_renewal_is_one_call() {
    let (leases, calls) = leases(|_, call| match call {
        "POST leases" => Reply::created(lease(Some("me"), NOW, "1")),
        _ => Reply::status(403, "Forbidden"),
    });
    let acquired = leases
        .acquire("train", "me", &owner(), false)
        .await
        .unwrap();
    assert_eq!(acquired, Acquired::Held { previous: None });
    let answer = leases.renew("train", "me", &owner()).await;
    assert!(matches!(answer, LeaseAnswer::HeldBy(_)), "{answer:?}");
    assert_eq!(calls.all().len(), 2);
}
