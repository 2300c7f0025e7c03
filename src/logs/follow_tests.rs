use k8s_openapi::jiff::Timestamp;
use proptest::prelude::*;

use tokio::time::sleep;

use super::*;
use crate::logs::fake::Fake;
use crate::logs::pod::{ContainerNow, PodNow, State};
use crate::logs::source::{OpenError, Since};

/// A pod of `role`, Job 0, as the API would tell it, pending.
fn pod(role: &str, index: u32, attempt: u32, uid: &str) -> PodNow {
    PodNow {
        name: format!("train-{role}-0-{index}-{uid}"),
        uid: uid.to_owned(),
        role: role.to_owned(),
        job_name: format!("train-{role}-0"),
        index: Some(index),
        attempt,
        containers: vec![ContainerNow {
            name: "main".to_owned(),
            ..ContainerNow::default()
        }],
        default_container: "main".to_owned(),
        ..PodNow::default()
    }
}

fn seen(pod: &PodNow, phase: PodPhase) -> PodSeen {
    PodSeen {
        name: pod.name.clone(),
        uid: pod.uid.clone(),
        job: pod.job_name.clone(),
        job_uid: String::new(),
        role: pod.role.clone(),
        job_index: pod.job,
        completion_index: pod.index,
        restart_attempt: pod.attempt,
        job_restart_attempt: pod.job_restarts,
        node: None,
        phase,
        ready: false,
        created: Timestamp::UNIX_EPOCH,
        started: None,
        deleting: None,
        waiting: None,
        ends: Vec::new(),
        restarts: 0,
        reason: None,
        message: None,
        disruption: None,
    }
}

fn failed_end(code: i32, restarted: bool) -> ContainerEnd {
    ContainerEnd {
        container: "main".to_owned(),
        init: false,
        exit_code: code,
        signal: None,
        reason: None,
        message: None,
        started: None,
        finished: Some(Timestamp::UNIX_EPOCH),
        restarted,
    }
}

fn options() -> Options {
    Options {
        start: Start::default(),
        limit: 500,
        by_time: false,
        attempt: 0,
        skip: BTreeSet::new(),
    }
}

/// Streams over a fake, and everything that has come out.
struct Bench {
    fake: Fake,
    streams: LogStreams<Fake>,
    got: Vec<String>,
    over: bool,
}

impl Bench {
    fn new(selection: Selection, options: Options) -> Self {
        let fake = Fake::new();
        Self {
            streams: LogStreams::new(fake.clone(), selection, options),
            fake,
            got: Vec::new(),
            over: false,
        }
    }

    fn plain() -> Self {
        Self::new(Selection::default(), options())
    }

    /// A pod that runs from the start.
    fn running(&mut self, pod: &PodNow) {
        self.fake.make(pod.clone());
        self.fake.runs(&pod.name);
        self.streams.pod_seen(&seen(pod, PodPhase::Running));
    }

    /// Reads what comes within `seconds` of the paused clock.
    async fn wait(&mut self, seconds: u64) {
        let pause = sleep(Duration::from_secs(seconds));
        tokio::pin!(pause);
        while !self.over {
            tokio::select! {
                biased;
                item = self.streams.next() => match item {
                    Some(Item::Line(line)) => {
                        let text = String::from_utf8(line.text).unwrap();
                        self.got.push(format!("{} {text}", line.from.name()));
                    }
                    Some(Item::Note(note)) => self.got.push(format!("-- {note}")),
                    None => self.over = true,
                },
                () = &mut pause => break,
            }
        }
    }

    fn take(&mut self) -> Vec<String> {
        std::mem::take(&mut self.got)
    }
}

#[tokio::test(start_paused = true)]
async fn waits_for_a_container_then_follows_it_to_its_end() {
    let mut b = Bench::plain();
    let p = pod("w", 0, 0, "u1");
    b.fake.make(p.clone());
    b.streams.pod_seen(&seen(&p, PodPhase::Pending));
    b.wait(60).await;
    assert!(
        b.fake.opened().is_empty(),
        "nothing is asked for before there is something"
    );

    b.fake.runs(&p.name);
    b.streams.pod_seen(&seen(&p, PodPhase::Running));
    b.fake.writes(&p.name, (1, 0), "one");
    b.wait(1).await;
    assert_eq!(b.take(), ["w/0/0 one"]);
    b.fake.writes(&p.name, (2, 0), "two");
    b.fake.ends(&p.name, 0);
    b.streams.pod_seen(&seen(&p, PodPhase::Succeeded));
    b.wait(5).await;
    assert_eq!(b.take(), ["w/0/0 two"]);
    assert!(!b.over, "the run has not ended");
    b.streams.run_ended();
    b.wait(1).await;
    assert!(b.over);
    assert_eq!(b.take(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_container_that_is_still_being_created_is_waited_for() {
    let mut b = Bench::plain();
    let p = pod("w", 0, 0, "u1");
    b.fake
        .refuses(OpenError::NotStarted("ContainerCreating".to_owned()));
    b.running(&p);
    b.fake.writes(&p.name, (1, 0), "one");
    b.wait(30).await;
    assert_eq!(b.take(), ["w/0/0 one"]);
}

#[tokio::test(start_paused = true)]
async fn a_broken_stream_goes_on_and_says_so() {
    let mut b = Bench::plain();
    let p = pod("w", 0, 0, "u1");
    b.running(&p);
    for text in ["a", "b", "b"] {
        b.fake.writes(&p.name, (7, 5), text);
    }
    b.wait(1).await;
    for _ in 0..3 {
        b.fake
            .refuses(OpenError::Passing("connection refused".to_owned()));
    }
    b.fake.cuts(false);
    b.fake.writes(&p.name, (7, 5), "c");
    b.fake.writes(&p.name, (7, 6), "d");
    b.wait(30).await;
    let got = b.take();
    // Pauses of 0.25, 0.5, 1 and 2 s.
    assert_eq!(
        got,
        [
            "w/0/0 a",
            "w/0/0 b",
            "w/0/0 b",
            "-- stream of w/0/0 resumed after 3s",
            "w/0/0 c",
            "w/0/0 d"
        ]
    );
    let last = b.fake.opened().pop().unwrap();
    assert_eq!(
        last.since,
        Some(Since::Time(Timestamp::from_second(6).unwrap()))
    );
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_closed_under_a_running_container_goes_on() {
    let mut b = Bench::plain();
    let p = pod("w", 0, 0, "u1");
    b.running(&p);
    b.fake.writes(&p.name, (1, 0), "one");
    b.wait(1).await;
    for n in 2..6 {
        b.fake.cuts(true);
        b.wait(1).await;
        b.fake.writes(&p.name, (n, 0), "more");
        b.wait(20).await;
    }
    assert_eq!(
        b.take(),
        [
            "w/0/0 one",
            "w/0/0 more",
            "w/0/0 more",
            "w/0/0 more",
            "w/0/0 more"
        ]
    );
}

/// The API server closes a stream properly when its kubelet goes away; the container ends meanwhile.
#[tokio::test(start_paused = true)]
async fn what_was_written_after_the_cut_is_read_at_the_end() {
    let mut b = Bench::plain();
    let p = pod("w", 0, 0, "u1");
    b.running(&p);
    b.fake.writes(&p.name, (1, 0), "one");
    b.wait(1).await;
    b.fake.cuts(true);
    b.fake.writes(&p.name, (2, 0), "last words");
    b.fake.ends(&p.name, 1);
    b.streams.run_ended();
    b.wait(5).await;
    assert!(b.over);
    assert_eq!(b.take(), ["w/0/0 one", "w/0/0 last words"]);
}

/// The kubelet answers in a sentence when the runtime has removed the container.
#[tokio::test(start_paused = true)]
async fn a_log_that_is_gone_is_said_only_if_it_was_never_read() {
    let sentence = "unable to retrieve container logs for containerd://1ed6";
    let mut b = Bench::plain();
    let (p, q) = (pod("w", 0, 0, "u0"), pod("w", 1, 0, "u1"));
    b.running(&p);
    b.fake.writes(&p.name, (1, 0), "one");
    b.wait(1).await;
    b.fake.removes_log(&p.name, sentence);
    b.fake.cuts(true);
    b.fake.ends(&p.name, 0);
    b.wait(5).await;
    assert_eq!(b.take(), ["w/0/0 one"]);
    b.fake.make(q.clone());
    b.fake.ends(&q.name, 0);
    b.fake.removes_log(&q.name, sentence);
    b.streams.pod_seen(&seen(&q, PodPhase::Succeeded));
    b.wait(5).await;
    assert_eq!(
        b.take(),
        [format!("-- the log of w/0/1 can't be read: {sentence}")]
    );
}

#[tokio::test(start_paused = true)]
async fn a_rotated_log_goes_on() {
    let mut b = Bench::plain();
    let p = pod("w", 0, 0, "u1");
    b.running(&p);
    b.fake.writes(&p.name, (7, 1), "a");
    b.fake.writes(&p.name, (7, 2), "b");
    b.wait(1).await;
    b.fake.rotates(&p.name);
    b.fake.cuts(false);
    b.fake.writes(&p.name, (7, 3), "c");
    b.wait(5).await;
    assert_eq!(
        b.take(),
        [
            "w/0/0 a",
            "w/0/0 b",
            "-- stream of w/0/0 resumed",
            "w/0/0 c"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_container_restarted_in_its_pod_loses_neither_end_nor_start() {
    let mut b = Bench::plain();
    let p = pod("w", 0, 0, "u1");
    b.running(&p);
    b.fake.writes(&p.name, (1, 0), "first life");
    b.wait(1).await;
    b.fake.cuts(false);
    b.fake.writes(&p.name, (2, 0), "last words");
    b.fake.restarts(&p.name, 3);
    b.fake.writes(&p.name, (3, 0), "second life");
    b.wait(10).await;
    assert_eq!(
        b.take(),
        ["w/0/0 first life", "w/0/0 last words", "w/0/0 second life"]
    );
}

#[tokio::test(start_paused = true)]
async fn another_pod_of_the_index_is_another_source() {
    let mut b = Bench::new(
        Selection::default(),
        Options {
            attempt: 1,
            ..options()
        },
    );
    let old = pod("w", 0, 0, "u0");
    b.running(&old);
    b.fake
        .writes(&old.name, (1, 0), "of an attempt that is over");
    let first = pod("w", 0, 1, "u1");
    b.running(&first);
    b.fake.writes(&first.name, (2, 0), "first");
    b.wait(1).await;
    let second = pod("w", 0, 2, "u2");
    b.running(&second);
    b.fake.writes(&second.name, (2, 0), "second");
    b.wait(1).await;
    assert_eq!(b.take(), ["w/0/0 first", "w/0/0 second"]);
}

/// A pod of the same name with another UID (NonIndexed Jobs aside, that is a pod made by hand).
#[tokio::test(start_paused = true)]
async fn a_pod_is_known_by_its_uid() {
    let mut b = Bench::plain();
    let p = pod("w", 0, 0, "u1");
    b.running(&p);
    b.wait(1).await;
    let other = PodNow {
        uid: "other".to_owned(),
        ..p.clone()
    };
    b.fake.remove(&p.name);
    b.running(&other);
    b.fake.cuts(false);
    b.fake.writes(&p.name, (1, 0), "of the other");
    b.wait(5).await;
    assert_eq!(b.take(), ["w/0/0 of the other"]);
}

#[tokio::test(start_paused = true)]
async fn ends_with_the_run_even_if_a_stream_does_not() {
    let mut b = Bench::plain();
    let p = pod("w", 0, 0, "u1");
    b.running(&p);
    b.streams.run_ended();
    b.wait(9).await;
    b.fake.writes(&p.name, (1, 0), "goodbye");
    b.streams
        .pod_seen(&seen(&pod("w", 1, 0, "u2"), PodPhase::Running));
    assert!(!b.over);
    b.wait(2).await;
    assert!(b.over);
    assert_eq!(
        b.take(),
        [
            "w/0/0 goodbye",
            "-- stream of w/0/0 closed: it goes on 10s after the end of the run"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_container_that_may_be_restarted_does_not_hold_up_the_end() {
    let mut b = Bench::plain();
    let p = pod("w", 0, 0, "u1");
    b.running(&p);
    b.fake.main(&p.name, |c| c.state = State::Ended(1));
    b.wait(1).await;
    b.streams.run_ended();
    b.wait(1).await;
    assert!(b.over);
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_is_gone_ends_its_stream() {
    let mut b = Bench::plain();
    let p = pod("w", 0, 0, "u1");
    b.running(&p);
    b.fake.writes(&p.name, (1, 0), "one");
    b.fake.writes_raw(&p.name, (2, 0), "half a li");
    b.wait(1).await;
    b.fake.remove(&p.name);
    b.wait(1).await;
    b.streams.run_ended();
    b.wait(1).await;
    assert!(b.over);
    assert_eq!(b.take(), ["w/0/0 one", "w/0/0 half a li"]);
}

#[tokio::test(start_paused = true)]
async fn a_last_line_without_an_end_is_given_once() {
    let mut b = Bench::plain();
    let p = pod("w", 0, 0, "u1");
    b.running(&p);
    b.fake.writes_raw(&p.name, (1, 0), "no newline");
    b.wait(1).await;
    b.fake.cuts(true);
    b.wait(5).await;
    b.fake.ends(&p.name, 0);
    b.streams.pod_seen(&seen(&p, PodPhase::Succeeded));
    b.wait(5).await;
    assert_eq!(b.take(), ["w/0/0 no newline"]);
}

#[tokio::test(start_paused = true)]
async fn not_allowed_is_said_once_and_switches_logs_off() {
    let mut b = Bench::plain();
    for n in 0..3 {
        b.fake
            .refuses(OpenError::Forbidden("pods/log is forbidden".to_owned()));
        b.running(&pod("w", n, 0, &format!("u{n}")));
    }
    b.wait(5).await;
    assert!(b.over);
    b.running(&pod("w", 9, 0, "u9"));
    b.wait(5).await;
    assert_eq!(b.take(), ["-- logs are off: pods/log is forbidden"]);
}

/// An API server that has just started refuses everybody until it knows the roles.
#[tokio::test(start_paused = true)]
async fn a_right_that_we_had_is_asked_for_again() {
    let forbidden = || OpenError::Forbidden("pods/log is forbidden".to_owned());
    let mut b = Bench::plain();
    let p = pod("w", 0, 0, "u1");
    b.running(&p);
    b.fake.writes(&p.name, (1, 0), "one");
    b.wait(1).await;
    for _ in 0..3 {
        b.fake.refuses(forbidden());
    }
    b.fake.cuts(false);
    b.fake.writes(&p.name, (2, 0), "two");
    b.wait(30).await;
    assert_eq!(
        b.take(),
        [
            "w/0/0 one",
            "-- stream of w/0/0 resumed after 3s",
            "w/0/0 two"
        ]
    );
    // Taken away for good.
    for _ in 0..20 {
        b.fake.refuses(forbidden());
    }
    b.fake.cuts(false);
    b.wait(120).await;
    assert!(b.over);
    assert_eq!(
        b.take(),
        [
            "-- the log of w/0/0 can't be read: pods/log is forbidden, trying on",
            "-- logs are off: pods/log is forbidden"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn too_many_streams_are_named_once() {
    let mut b = Bench::new(
        Selection::default(),
        Options {
            limit: 2,
            ..options()
        },
    );
    for n in 0..4 {
        let p = pod("w", n, 0, &format!("u{n}"));
        b.running(&p);
        b.fake.writes(&p.name, (1, 0), "hello");
        b.wait(1).await;
    }
    assert_eq!(
        b.take(),
        [
            "w/0/0 hello",
            "w/0/1 hello",
            "-- more than 2 log streams (--max-log-requests): w/0/2 and those after it are not shown"
        ]
    );
    // A stream that has ended makes room.
    b.fake.ends("train-w-0-0-u0", 0);
    b.streams
        .pod_seen(&seen(&pod("w", 0, 0, "u0"), PodPhase::Succeeded));
    b.wait(5).await;
    let p = pod("w", 9, 0, "u9");
    b.running(&p);
    b.fake.writes(&p.name, (1, 0), "hello");
    b.wait(1).await;
    assert_eq!(b.take(), ["w/0/9 hello"]);
}

#[tokio::test(start_paused = true)]
async fn trouble_that_lasts_is_said_once() {
    let mut b = Bench::plain();
    let p = pod("w", 0, 0, "u1");
    for _ in 0..9 {
        b.fake
            .refuses(OpenError::Passing("no route to host".to_owned()));
    }
    b.running(&p);
    b.fake.writes(&p.name, (1, 0), "one");
    b.wait(120).await;
    assert_eq!(
        b.take(),
        [
            "-- the log of w/0/0 can't be read: no route to host, trying on",
            "w/0/0 one"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn by_time_an_older_line_overtakes() {
    let mut b = Bench::new(
        Selection::default(),
        Options {
            by_time: true,
            ..options()
        },
    );
    let (p, q) = (pod("w", 0, 0, "u0"), pod("w", 1, 0, "u1"));
    b.running(&p);
    b.running(&q);
    b.wait(1).await;
    b.fake.writes(&p.name, (20, 0), "later");
    b.wait(0).await;
    b.fake.writes(&q.name, (10, 0), "earlier");
    b.wait(0).await;
    assert_eq!(b.take(), Vec::<String>::new(), "held back");
    b.wait(2).await;
    assert_eq!(b.take(), ["w/0/1 earlier", "w/0/0 later"]);
    // What is held goes out at the end.
    b.fake.writes(&p.name, (30, 0), "bye");
    b.fake.ends(&p.name, 0);
    b.fake.ends(&q.name, 0);
    b.streams.run_ended();
    b.wait(5).await;
    assert!(b.over);
    assert_eq!(b.take(), ["w/0/0 bye"]);
}

#[tokio::test(start_paused = true)]
async fn tail_counts_from_the_start_only() {
    for (tail, expected) in [
        (0, &["w/0/0 new"][..]),
        (1, &["w/0/0 c", "w/0/0 new"]),
        (9, &["w/0/0 a", "w/0/0 b", "w/0/0 c", "w/0/0 new"]),
    ] {
        let start = Start {
            tail: Some(tail),
            since: None,
        };
        let mut b = Bench::new(Selection::default(), Options { start, ..options() });
        let p = pod("w", 0, 0, "u1");
        b.running(&p);
        for (n, text) in ["a", "b", "c"].into_iter().enumerate() {
            b.fake.writes(&p.name, (5, i32::try_from(n).unwrap()), text);
        }
        b.wait(1).await;
        b.fake.cuts(true);
        b.fake.writes(&p.name, (5, 7), "new");
        b.wait(5).await;
        assert_eq!(b.take(), expected, "tail {tail}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_empty_log_with_a_tail_loses_nothing_in_a_drop() {
    for tail in [0, 1] {
        let start = Start {
            tail: Some(tail),
            since: None,
        };
        let mut b = Bench::new(Selection::default(), Options { start, ..options() });
        let p = pod("w", 0, 0, "u1");
        b.running(&p);
        b.wait(1).await;
        b.fake.cuts(true);
        b.fake.writes(&p.name, (5, 1), "a");
        b.fake.writes(&p.name, (5, 2), "b");
        b.wait(5).await;
        assert_eq!(b.take(), ["w/0/0 a", "w/0/0 b"], "tail {tail}");
    }
}

#[tokio::test(start_paused = true)]
async fn failed_prints_each_failure_once() {
    let selection = Selection {
        failed: true,
        ..Selection::default()
    };
    let mut b = Bench::new(selection, options());
    let (good, bad) = (pod("w", 0, 0, "u0"), pod("w", 1, 0, "u1"));
    b.running(&good);
    b.running(&bad);
    b.fake.writes(&good.name, (1, 0), "fine");
    b.fake.writes(&bad.name, (1, 0), "last words");
    b.wait(1).await;
    assert_eq!(b.take(), Vec::<String>::new());
    let mut ended = seen(&bad, PodPhase::Running);
    ended.ends = vec![failed_end(3, false)];
    b.fake.main(&bad.name, |c| c.state = State::Ended(3));
    b.streams.pod_seen(&ended);
    b.wait(1).await;
    assert_eq!(b.take(), ["w/0/1 last words"]);
    // Seen again, now as the last state of a container that runs again.
    b.fake.restarts(&bad.name, 3);
    ended.ends = vec![failed_end(3, true)];
    b.streams.pod_seen(&ended);
    b.wait(1).await;
    assert_eq!(b.take(), Vec::<String>::new());
    b.streams.run_ended();
    b.wait(1).await;
    assert!(b.over);
}

/// It was started again before its log could be asked for.
#[tokio::test(start_paused = true)]
async fn failed_prints_the_instance_that_failed() {
    let selection = Selection {
        failed: true,
        ..Selection::default()
    };
    let mut b = Bench::new(selection, options());
    let p = pod("w", 0, 0, "u0");
    b.running(&p);
    b.fake.writes(&p.name, (1, 0), "last words");
    b.fake.restarts(&p.name, 3);
    b.fake.writes(&p.name, (2, 0), "second life");
    let mut ended = seen(&p, PodPhase::Running);
    ended.ends = vec![failed_end(3, false)];
    b.streams.pod_seen(&ended);
    b.wait(1).await;
    assert_eq!(b.take(), ["w/0/0 last words"]);
}

/// One step of a random life.
#[derive(Clone, Debug)]
enum Step {
    Write { nanos: i32, next_second: bool },
    Cut { clean: bool },
    Refuse,
    Restart,
    Pause(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..3, any::<bool>())
            .prop_map(|(nanos, next_second)| Step::Write { nanos, next_second }),
        2 => any::<bool>().prop_map(|clean| Step::Cut { clean }),
        1 => Just(Step::Refuse),
        1 => Just(Step::Restart),
        2 => (0..20u64).prop_map(Step::Pause),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    /// Whatever is cut whenever: every line comes out once, in order. (Restarts are one at a time:
    /// the server keeps only the instance before.)
    #[test]
    fn nothing_is_lost_and_nothing_repeated(steps in proptest::collection::vec(step(), 1..40)) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(async {
            let mut b = Bench::plain();
            let p = pod("w", 0, 0, "u1");
            b.running(&p);
            b.wait(1).await;
            let (mut second, mut written) = (1, Vec::new());
            for step in &steps {
                match step {
                    Step::Write { nanos, next_second } => {
                        second += i64::from(*next_second);
                        let text = format!("line {}", written.len());
                        b.fake.writes(&p.name, (second, *nanos), &text);
                        written.push(format!("w/0/0 {text}"));
                    }
                    Step::Cut { clean } => b.fake.cuts(*clean),
                    Step::Refuse => b.fake.refuses(OpenError::Passing("no".to_owned())),
                    Step::Restart => {
                        b.wait(30).await;
                        b.fake.restarts(&p.name, 1);
                        second += 1;
                        b.wait(30).await;
                    }
                    Step::Pause(seconds) => b.wait(*seconds).await,
                }
            }
            b.fake.ends(&p.name, 0);
            b.streams.pod_seen(&seen(&p, PodPhase::Succeeded));
            b.wait(300).await;
            b.streams.run_ended();
            b.wait(300).await;
            assert!(b.over);
            let got: Vec<String> = b.take().into_iter().filter(|l| !l.starts_with("--")).collect();
            assert_eq!(got, written);
        });
    }
}
