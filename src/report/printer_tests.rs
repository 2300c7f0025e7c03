use super::*;

const TTY: Terminals = Terminals {
    stdin: true,
    stdout: true,
    stderr: true,
};

#[test]
fn levels() {
    let said = |level| {
        let p = Printer::captured(level, Terminals::default(), 80);
        p.out("data");
        p.error("verdict");
        p.err("talk");
        p.verbose("why");
        assert_eq!(p.captured_out(), "data\n");
        p.captured_err()
    };
    assert_eq!(said(Level::Quiet), "verdict\n");
    assert_eq!(said(Level::Normal), "verdict\ntalk\n");
    assert_eq!(said(Level::Verbose), "verdict\ntalk\nwhy\n");
}

fn broken(out: Sink, err: Sink) -> Printer {
    let live = Live::in_memory(80);
    Printer::with(Level::Normal, Terminals::default(), None, out, err, live)
}

/// cli.md 5: stdout closed: logs stop, the run goes on, and nobody is told.
#[test]
fn a_closed_stdout_is_remembered_silently() {
    let p = broken(
        Sink::Broken(io::ErrorKind::BrokenPipe),
        Sink::Buffer(Vec::new()),
    );
    assert!(!p.stdout_closed());
    p.out("a");
    assert!(p.stdout_closed() && !p.stdout_failed());
    p.out("b");
    p.err("talk");
    assert_eq!(p.captured_err(), "talk\n");
}

/// A full disk is not a reader that has had enough: it is said, once.
#[test]
fn a_failed_stdout_is_said_once() {
    let p = broken(
        Sink::Broken(io::ErrorKind::StorageFull),
        Sink::Buffer(Vec::new()),
    );
    p.out("a");
    p.out("b");
    assert!(p.stdout_closed() && p.stdout_failed());
    assert_eq!(
        p.captured_err(),
        "error: stdout can't be written: no storage space\n"
    );
}

/// cli.md 5: stderr closed: go on silently.
#[test]
fn a_closed_stderr_is_ignored() {
    let p = broken(
        Sink::Buffer(Vec::new()),
        Sink::Broken(io::ErrorKind::BrokenPipe),
    );
    p.err("talk");
    p.error("verdict");
    p.out("data");
    assert_eq!(p.captured_out(), "data\n");
    assert!(!p.stdout_closed());
}

#[test]
fn clones_share_the_streams() {
    let p = Printer::captured(Level::Normal, Terminals::default(), 80);
    p.clone().out("a");
    p.raw_out(b"b\xff\n");
    assert_eq!(p.captured_out(), "a\nb\u{fffd}\n");
}

#[test]
fn err_writer_passes_whole_lines() {
    let p = Printer::captured(Level::Normal, Terminals::default(), 80);
    let mut w = p.err_writer();
    write!(w, "half ").unwrap();
    assert_eq!(p.captured_err(), "");
    write!(w, "line\nrest").unwrap();
    assert_eq!(p.captured_err(), "half line\n");
    drop(w);
    assert_eq!(p.captured_err(), "half line\nrest\n");
}

#[test]
fn live_display_comes_back_after_each_line() {
    let p = Printer::captured(Level::Normal, TTY, 40);
    p.set_live(&["bar".to_owned()]);
    assert_eq!(p.captured_live(), ["bar"]);
    p.out("log line");
    p.err("talk");
    assert_eq!(p.captured_live(), ["bar"]);
    p.end_live();
    assert!(p.captured_live().is_empty());
    assert_eq!(p.captured_out(), "log line\n");
}

#[test]
fn live_display_is_away_while_held() {
    let p = Printer::captured(Level::Normal, TTY, 40);
    p.set_live(&["one".to_owned()]);
    let outer = p.hold();
    p.suspend(|| {
        p.err("asked");
        assert!(p.captured_live().is_empty());
    });
    p.set_live(&["two".to_owned()]);
    assert!(p.captured_live().is_empty());
    drop(outer);
    assert_eq!(p.captured_live(), ["two"]);
    assert_eq!(p.captured_err(), "asked\n");
}
