//! How a line is printed by `logs`: prefix, time, escapes; or as JSON; or as it is. Pure: gives bytes,
//! prints nothing.

use std::collections::BTreeMap;

use k8s_openapi::jiff::Timestamp;
use k8s_openapi::jiff::tz::TimeZone;
use serde_json::{Map, Value};

use crate::cli::words::{LogsOutput, TimestampStyle};
use crate::engine::RunState;
use crate::logs::origin::LogLine;
use crate::report::escape;
use crate::report::prefix::Prefixes;
use crate::report::style::Styles;
use crate::report::time::{human, local_clock};

/// The form of lines.
#[derive(Clone, Debug)]
pub struct Form {
    /// Text, JSON or as they are.
    pub output: LogsOutput,
    /// Text has a prefix.
    pub prefix: bool,
    /// Several attempts are shown: attempt 0 is marked as well.
    pub several_attempts: bool,
    /// The time in front, in that style. JSON always has it.
    pub timestamps: Option<TimestampStyle>,
    /// Take control characters out of text (a terminal, and no `--raw`).
    pub filter: bool,
    /// Colours of prefixes.
    pub styles: Styles,
    /// Zone of `TimestampStyle::Short`.
    pub zone: TimeZone,
    /// When each attempt began, for `TimestampStyle::Elapsed`.
    pub starts: BTreeMap<u32, Timestamp>,
}

/// When each attempt of a run began. Several entries of one number (a Job restarted by itself, a
/// resume) count from the first.
#[must_use]
pub fn starts(state: &RunState) -> BTreeMap<u32, Timestamp> {
    let mut starts = BTreeMap::new();
    for attempt in &state.attempts {
        if let Some(started) = attempt.started {
            starts.entry(attempt.number).or_insert(started);
        }
    }
    starts
}

/// Makes lines.
#[derive(Debug)]
pub struct Formatter {
    form: Form,
    prefixes: Prefixes,
}

impl Formatter {
    /// A formatter that has seen no source yet.
    #[must_use]
    pub fn new(form: Form) -> Self {
        Self {
            form,
            prefixes: Prefixes::new(),
        }
    }

    /// The bytes of a line, with its line end.
    pub fn line(&mut self, line: &LogLine) -> Vec<u8> {
        let mut out = match self.form.output {
            LogsOutput::Json => json(line).into_bytes(),
            LogsOutput::Raw => line.text.clone(),
            LogsOutput::Text => self.text(line),
        };
        out.push(b'\n');
        out
    }

    fn text(&mut self, line: &LogLine) -> Vec<u8> {
        let mut out = Vec::with_capacity(line.text.len() + 40);
        if self.form.prefix {
            let from = &line.from;
            let attempt = (self.form.several_attempts || from.attempt > 0).then_some(from.attempt);
            let container = from.several.then_some(from.container.as_str());
            let prefix = self
                .prefixes
                .named(&from.target(), container, attempt, &self.form.styles);
            out.extend_from_slice(prefix.as_bytes());
        }
        if let Some(style) = self.form.timestamps {
            out.extend_from_slice(self.stamp(style, line).as_bytes());
            out.push(b' ');
        }
        if self.form.filter {
            let text = String::from_utf8_lossy(&line.text);
            out.extend_from_slice(escape::log(&text).as_bytes());
        } else {
            out.extend_from_slice(&line.text);
        }
        out
    }

    fn stamp(&self, style: TimestampStyle, line: &LogLine) -> String {
        let Some(time) = line.time else {
            // Kept lines have no times, nor has what the kubelet adds by itself.
            return "-".to_owned();
        };
        match style {
            TimestampStyle::Rfc3339 => time.to_string(),
            TimestampStyle::Short => local_clock(time, &self.form.zone),
            TimestampStyle::Elapsed => match self.form.starts.get(&line.from.attempt) {
                Some(start) => format!("+{}", human(time.duration_since(*start).as_secs())),
                None => "-".to_owned(),
            },
        }
    }
}

/// The object of cli.md 8. `kept: true` and no time: from the record. `jobRestarts`: if the Job was
/// restarted by itself. Bytes that are not UTF-8 become U+FFFD.
fn json(line: &LogLine) -> String {
    let from = &line.from;
    let mut out = Map::new();
    let mut put = |key: &str, value: Value| {
        out.insert(key.to_owned(), value);
    };
    if let Some(time) = line.time {
        put("time", time.to_string().into());
    }
    put("role", from.role.clone().into());
    put("job", from.job.into());
    if let Some(index) = from.index {
        put("index", index.into());
    }
    put("attempt", from.attempt.into());
    if from.job_restarts > 0 {
        put("jobRestarts", from.job_restarts.into());
    }
    put("pod", from.pod.clone().into());
    put("container", from.container.clone().into());
    if from.kept {
        put("kept", true.into());
    }
    put("line", String::from_utf8_lossy(&line.text).into());
    Value::Object(out).to_string()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::logs::origin::Origin;

    fn form() -> Form {
        Form {
            output: LogsOutput::Text,
            prefix: true,
            several_attempts: false,
            timestamps: None,
            filter: false,
            styles: Styles::plain(),
            zone: TimeZone::UTC,
            starts: BTreeMap::from([(1, "2026-12-01T09:57:00Z".parse().unwrap())]),
        }
    }

    fn origin(attempt: u32) -> Origin {
        Origin {
            role: "leader".to_owned(),
            index: Some(0),
            attempt,
            pod: "train-leader-0-0-9fk4c".to_owned(),
            container: "main".to_owned(),
            ..Origin::default()
        }
    }

    fn line(origin: Origin, text: &[u8]) -> LogLine {
        LogLine {
            from: Arc::new(origin),
            time: Some("2026-12-01T09:58:03.114Z".parse().unwrap()),
            text: text.to_vec(),
        }
    }

    fn shown(form: Form, line: &LogLine) -> String {
        String::from_utf8_lossy(&Formatter::new(form).line(line)).into_owned()
    }

    #[test]
    fn prefix_rules() {
        let several = Origin {
            several: true,
            ..origin(0)
        };
        let no_index = Origin {
            index: None,
            ..origin(0)
        };
        for (form, origin, expected) in [
            (form(), origin(0), "leader/0/0 | x\n"),
            (form(), origin(2), "leader/0/0#2 | x\n"),
            (
                Form {
                    several_attempts: true,
                    ..form()
                },
                origin(0),
                "leader/0/0#0 | x\n",
            ),
            (form(), several, "leader/0/0:main | x\n"),
            (form(), no_index, "leader/0/9fk4c | x\n"),
            (
                Form {
                    prefix: false,
                    ..form()
                },
                origin(2),
                "x\n",
            ),
        ] {
            assert_eq!(shown(form, &line(origin, b"x")), expected);
        }
    }

    /// The mock-up of cli.md 8.
    #[test]
    fn json_line() {
        let form = Form {
            output: LogsOutput::Json,
            ..form()
        };
        let text = shown(form.clone(), &line(origin(1), b"step 8101  loss 1.91"));
        assert_eq!(
            serde_json::from_str::<Value>(&text).unwrap(),
            serde_json::json!({
                "time": "2026-12-01T09:58:03.114Z", "role": "leader", "job": 0, "index": 0,
                "attempt": 1, "pod": "train-leader-0-0-9fk4c", "container": "main",
                "line": "step 8101  loss 1.91",
            })
        );
        let kept = LogLine {
            time: None,
            ..line(
                Origin {
                    kept: true,
                    job_restarts: 2,
                    ..origin(0)
                },
                b"\xff\x1b[2J",
            )
        };
        assert_eq!(
            serde_json::from_str::<Value>(&shown(form, &kept)).unwrap(),
            serde_json::json!({
                "role": "leader", "job": 0, "index": 0, "attempt": 0, "jobRestarts": 2,
                "pod": "train-leader-0-0-9fk4c", "container": "main", "kept": true,
                "line": "\u{fffd}\u{1b}[2J",
            })
        );
    }

    #[test]
    fn times() {
        for (style, expected) in [
            (TimestampStyle::Rfc3339, "2026-12-01T09:58:03.114Z x\n"),
            (TimestampStyle::Short, "09:58:03 x\n"),
            (TimestampStyle::Elapsed, "+1m3s x\n"),
        ] {
            let form = Form {
                prefix: false,
                timestamps: Some(style),
                ..form()
            };
            assert_eq!(shown(form, &line(origin(1), b"x")), expected);
        }
    }

    #[test]
    fn bytes_stay_unless_a_terminal_must_be_protected() {
        let bad = line(origin(0), b"a\xff\x1b[2Jb");
        let raw = Formatter::new(Form {
            output: LogsOutput::Raw,
            ..form()
        })
        .line(&bad);
        assert_eq!(raw, b"a\xff\x1b[2Jb\n");
        let plain = Form {
            prefix: false,
            ..form()
        };
        assert_eq!(Formatter::new(plain.clone()).line(&bad), b"a\xff\x1b[2Jb\n");
        assert_eq!(
            shown(
                Form {
                    filter: true,
                    ..plain
                },
                &bad
            ),
            "a\u{fffd}b\n"
        );
    }

    #[test]
    fn an_attempt_counts_from_its_first_entry() {
        use crate::engine::state::Attempt;
        let at = |t: &str| Some(t.parse().unwrap());
        let attempt = |number, started| Attempt {
            number,
            started,
            ..Attempt::default()
        };
        let state = RunState {
            attempts: vec![
                attempt(0, at("2026-12-01T09:00:00Z")),
                attempt(0, at("2026-12-01T10:00:00Z")),
                attempt(1, None),
            ],
            ..RunState::default()
        };
        assert_eq!(
            starts(&state),
            BTreeMap::from([(0, at("2026-12-01T09:00:00Z").unwrap())])
        );
    }
}
