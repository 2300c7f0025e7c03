use super::*;
use crate::logs::fake::Fake;
use crate::logs::origin::Origin;
use crate::logs::pod::{ContainerNow, PodNow};

/// Two pods that have ended, with stamps that interleave.
fn fake() -> (Fake, Vec<Pick>) {
    let fake = Fake::new();
    let mut picks = Vec::new();
    for (index, stamps) in [[10, 30, 50], [20, 30, 40]].iter().enumerate() {
        let index = u32::try_from(index).unwrap();
        let name = format!("p{index}");
        fake.make(PodNow {
            name: name.clone(),
            uid: name.clone(),
            containers: vec![ContainerNow {
                name: "main".to_owned(),
                ..ContainerNow::default()
            }],
            ..PodNow::default()
        });
        fake.runs(&name);
        for stamp in stamps {
            fake.writes(&name, (*stamp, 0), &format!("at {stamp}"));
        }
        fake.ends(&name, 0);
        picks.push(Pick {
            from: Arc::new(Origin {
                role: "w".to_owned(),
                index: Some(index),
                pod: name.clone(),
                container: "main".to_owned(),
                ..Origin::default()
            }),
            pod_uid: name,
            previous: false,
        });
    }
    (fake, picks)
}

async fn dumped(
    fake: &Fake,
    picks: &[Pick],
    by_time: bool,
) -> (Vec<String>, Result<usize, OpenError>) {
    let mut got = Vec::new();
    let result = dump(fake.clone(), picks, Start::default(), by_time, |item| {
        got.push(match item {
            Item::Line(line) => {
                format!(
                    "{} {}",
                    line.from.name(),
                    String::from_utf8(line.text).unwrap()
                )
            }
            Item::Note(note) => format!("-- {note}"),
        });
        ControlFlow::Continue(())
    })
    .await;
    (got, result.map(|d| d.failed))
}

const MERGED: [&str; 6] = [
    "w/0/0 at 10",
    "w/0/1 at 20",
    "w/0/0 at 30",
    "w/0/1 at 30",
    "w/0/1 at 40",
    "w/0/0 at 50",
];

#[tokio::test(start_paused = true)]
async fn merged_by_time_or_one_after_the_other() {
    let (fake, picks) = fake();
    assert_eq!(
        dumped(&fake, &picks, true).await,
        (MERGED.map(str::to_owned).to_vec(), Ok(0))
    );
    let (got, _) = dumped(&fake, &picks, false).await;
    assert_eq!(got[..3], ["w/0/0 at 10", "w/0/0 at 30", "w/0/0 at 50"]);
}

#[tokio::test(start_paused = true)]
async fn trouble_that_passes_is_sat_out() {
    let (fake, picks) = fake();
    for _ in 0..4 {
        fake.refuses(OpenError::Passing("no".to_owned()));
    }
    assert_eq!(
        dumped(&fake, &picks, true).await,
        (MERGED.map(str::to_owned).to_vec(), Ok(0))
    );
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_breaks_in_the_middle_goes_on() {
    let (fake, picks) = fake();
    let mut got = Vec::new();
    let cutter = fake.clone();
    dump(fake, &picks, Start::default(), true, |item| {
        if let Item::Line(line) = item {
            got.push(format!(
                "{} {}",
                line.from.name(),
                String::from_utf8(line.text).unwrap()
            ));
        }
        // After every line, all streams break.
        cutter.cuts(false);
        ControlFlow::Continue(())
    })
    .await
    .unwrap();
    assert_eq!(got, MERGED);
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_read_is_named_and_counted() {
    let (fake, picks) = fake();
    fake.remove("p0");
    let (got, failed) = dumped(&fake, &picks, true).await;
    assert_eq!(failed, Ok(1));
    assert_eq!(
        got,
        [
            "-- the log of w/0/0 can't be read: the pod is gone",
            "w/0/1 at 20",
            "w/0/1 at 30",
            "w/0/1 at 40"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn not_allowed_is_an_error() {
    let (fake, picks) = fake();
    fake.refuses(OpenError::Forbidden("no".to_owned()));
    let (_, result) = dumped(&fake, &picks, true).await;
    assert_eq!(result, Err(OpenError::Forbidden("no".to_owned())));
}

#[tokio::test(start_paused = true)]
async fn stops_when_told() {
    let (fake, picks) = fake();
    let mut count = 0;
    dump(fake, &picks, Start::default(), true, |_| {
        count += 1;
        ControlFlow::Break(())
    })
    .await
    .unwrap();
    assert_eq!(count, 1);
}
