use super::*;
use crate::report::testing::{at, snapshot};

fn frame(columns: usize) -> Frame<'static> {
    Frame {
        run: "train",
        columns,
        rows: 24,
        glyphs: Glyphs::ASCII,
        reminder: "Ctrl-C for choices",
    }
}

/// The mock-up "run, terminal" of cli.md 8.
#[test]
fn starting() {
    let text = render(&snapshot(), at(151), &frame(79), 0).join("\n");
    insta::assert_snapshot!(text, @r"
    ---------------------------------------------------------------- attempt 0 ---
      leader   [==========]  1/1 ready
      worker   [=====     ]  2/4 ready   worker/3: pulling image, 41s
                                         worker/1: no node with 2 free gpus, 2m10s
      eval     [          ]  waits for worker to complete
      train    Starting  2m31s   restarts 0/3                   Ctrl-C for choices
    ");
}

/// The mock-up "a restart in the middle".
#[test]
fn restarting() {
    let mut s = snapshot();
    s.state = StateWord::Restarting;
    s.attempt = 1;
    s.restarts_counted = 1;
    s.attempt_started = Some(at(100));
    for role in &mut s.roles {
        role.ready = 0;
        role.starting = 0;
        role.notes.clear();
    }
    s.roles[0].pods_terminating = 1;
    s.roles[1].pods_terminating = 6;
    s.roles[1].notes = vec![Note {
        target: "worker/0/1".to_owned(),
        reason: "Terminating".to_owned(),
        message: "node gpu-09 is NotReady".to_owned(),
        since: Some(at(68)),
        and_more: 0,
    }];
    let text = render(&s, at(148), &frame(79), 0).join("\n");
    insta::assert_snapshot!(text, @r"
    ---------------------------------------------------- attempt 1, restarting ---
      leader   [          ]  0/1 ready   1 terminating
      worker   [          ]  0/4 ready   6 terminating, worker/0/1: node gpu-09 i~
      eval     [          ]  waits for worker to complete
      train    Restarting  48s   restarts 1/3                   Ctrl-C for choices
    ");
}

#[test]
fn other_counts() {
    let role = |ready, succeeded, failed, suspended| RoleSnapshot {
        name: "w".to_owned(),
        replicas: 4,
        ready,
        succeeded,
        failed,
        suspended,
        ..RoleSnapshot::default()
    };
    assert_eq!(counts(&role(0, 4, 0, 0)), "4/4 done");
    assert_eq!(counts(&role(1, 2, 1, 0)), "3/4 ready, 2 done, 1 failed");
    assert_eq!(counts(&role(0, 0, 0, 4)), "0/4 ready, 4 suspended");
    let none = RoleSnapshot::default();
    assert_eq!(counts(&none), "0/0 ready");
}

/// A full bar means that all are there.
#[test]
fn bars_are_rounded_down() {
    let of = |ready, replicas| {
        let role = RoleSnapshot {
            ready,
            replicas,
            ..RoleSnapshot::default()
        };
        bar(&role, Glyphs::ASCII)
    };
    assert_eq!(of(0, 3), "[          ]");
    assert_eq!(of(1, 3), "[===       ]");
    assert_eq!(of(999, 1000), "[========= ]");
    assert_eq!(of(1000, 1000), "[==========]");
    assert_eq!(of(0, 0), "[==========]");
}

/// Nothing wraps, whatever the width, in either set of characters, with wide characters in messages.
#[test]
fn never_wider_than_the_terminal() {
    let mut s = snapshot();
    s.roles[1].notes[0].message = "イメージを取得しています ".repeat(9);
    for columns in 0..140 {
        for glyphs in [Glyphs::ASCII, Glyphs::UNICODE] {
            let f = Frame {
                glyphs,
                ..frame(columns)
            };
            for line in render(&s, at(151), &f, 0) {
                assert!(
                    measure_text_width(&line) <= columns.saturating_sub(1),
                    "{columns}: {line}"
                );
                assert!(!line.contains('\n'));
            }
        }
    }
}

#[test]
fn ascii_means_ascii() {
    let all = render(&snapshot(), at(151), &frame(60), 0).join("");
    assert!(all.is_ascii(), "{all}");
}

/// It keeps its height when notes go away; the state line stays last.
#[test]
fn never_becomes_shorter() {
    let tall = render(&snapshot(), at(151), &frame(80), 0).len();
    let mut s = snapshot();
    s.roles[1].notes.clear();
    let lines = render(&s, at(151), &frame(80), tall);
    assert_eq!(lines.len(), tall);
    assert!(lines.last().is_some_and(|l| l.contains("Starting")));
}

/// 200 roles on a small terminal: those that need attention are shown, the rest is counted.
#[test]
fn many_roles_fit_the_screen() {
    let mut s = snapshot();
    let template = RoleSnapshot {
        replicas: 1,
        ready: 1,
        ..RoleSnapshot::default()
    };
    s.roles = (0..200)
        .map(|n| RoleSnapshot {
            name: format!("role-{n}"),
            ..template.clone()
        })
        .collect();
    s.roles[150].ready = 0;
    s.roles[150].failed = 1;
    let f = Frame {
        rows: 14,
        ..frame(80)
    };
    let lines = render(&s, at(151), &f, 0);
    assert!(lines.len() <= 10, "{lines:#?}");
    assert!(lines.iter().any(|l| l.contains("role-150")));
    assert!(
        lines.iter().any(|l| l == "  and 193 more roles"),
        "{lines:#?}"
    );
}
