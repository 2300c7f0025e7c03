//! Reads logs as far as they have come, without following: one after the other, or merged by time.

use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;

use futures::StreamExt as _;

use crate::logs::line::Stamped;
use crate::logs::order::{Merge, SourceId};
use crate::logs::origin::{Item, LogLine, Note};
use crate::logs::plan::Pick;
use crate::logs::read::Whole;
use crate::logs::resume::Position;
use crate::logs::source::{LogSource, OpenError, OpenLog};
use crate::logs::stream::Start;

/// Logs opened at the same time: what creates are begun with as well; a server without much load
/// answers that at once.
const OPENING: usize = 32;

/// How it went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dumped {
    /// Logs that could not be read (to their end), those before a restart aside. A note was given for
    /// each.
    pub failed: usize,
}

/// Reads all of `picks` and gives every line to `out`, until that says break. `by_time`: merged by
/// time, which keeps all of them open at once; else one after the other.
///
/// # Errors
/// `OpenError::Forbidden` if logs may not be read at all.
pub async fn dump<S: LogSource + 'static>(
    source: S,
    picks: &[Pick],
    start: Start,
    by_time: bool,
    mut out: impl FnMut(Item) -> ControlFlow<()>,
) -> Result<Dumped, OpenError> {
    let source = Rc::new(source);
    let mut logs: Vec<Log<S>> = picks
        .iter()
        .map(|pick| Log::new(&source, pick, start))
        .collect();
    let mut dumped = Dumped::default();
    if !by_time {
        for log in &mut logs {
            loop {
                match log.next().await {
                    Ok(Some(line)) => {
                        if out(log.line(line)).is_break() {
                            return Ok(dumped);
                        }
                    }
                    Ok(None) => break,
                    Err(error) => {
                        if out(log.trouble(error, &mut dumped)?).is_break() {
                            return Ok(dumped);
                        }
                        break;
                    }
                }
            }
        }
        return Ok(dumped);
    }

    let mut merge = Merge::default();
    let firsts: Vec<Result<Option<Stamped>, OpenError>> =
        futures::stream::iter(logs.iter_mut().map(Log::next))
            .buffered(OPENING)
            .collect()
            .await;
    for ((id, log), first) in (0..).zip(&logs).zip(firsts) {
        match first {
            Ok(Some(line)) => put(&mut merge, id, line),
            Ok(None) => {}
            Err(error) => {
                if out(log.trouble(error, &mut dumped)?).is_break() {
                    return Ok(dumped);
                }
            }
        }
    }
    while let Some((id, line)) = merge.take() {
        let Some(log) = usize::try_from(id).ok().and_then(|id| logs.get_mut(id)) else {
            continue;
        };
        if out(log.line(line)).is_break() {
            return Ok(dumped);
        }
        match log.next().await {
            Ok(Some(line)) => put(&mut merge, id, line),
            Ok(None) => {}
            Err(error) => {
                if out(log.trouble(error, &mut dumped)?).is_break() {
                    return Ok(dumped);
                }
            }
        }
    }
    Ok(dumped)
}

/// Where a log begins.
pub(crate) fn beginning(start: Start) -> Position {
    match start.tail {
        None => Position::default(),
        Some(_) => Position::tail(),
    }
}

fn put(merge: &mut Merge<Stamped>, id: SourceId, line: Stamped) {
    merge.put(id, line.time, line);
}

/// One log.
struct Log<S: LogSource> {
    pick: Pick,
    whole: Whole<S>,
}

impl<S: LogSource> Log<S> {
    fn new(source: &Rc<S>, pick: &Pick, start: Start) -> Self {
        let log = OpenLog {
            pod: pick.from.pod.clone(),
            container: pick.from.container.clone(),
            follow: false,
            previous: pick.previous,
            tail: start.tail,
            since: start.since,
        };
        Self {
            pick: pick.clone(),
            whole: Whole::new(Rc::clone(source), log, beginning(start)),
        }
    }

    async fn next(&mut self) -> Result<Option<Stamped>, OpenError> {
        self.whole.next().await
    }

    fn line(&self, line: Stamped) -> Item {
        Item::Line(LogLine {
            from: Arc::clone(&self.pick.from),
            time: line.time,
            text: line.text,
        })
    }

    /// A note about it; an error if it concerns all logs.
    fn trouble(&self, error: OpenError, dumped: &mut Dumped) -> Result<Item, OpenError> {
        if matches!(error, OpenError::Forbidden(_)) {
            return Err(error);
        }
        // Kubelets remove containers that have been started again when they like: no fault of anyone.
        let which = if self.pick.previous {
            " before its restart"
        } else {
            dumped.failed += 1;
            ""
        };
        Ok(Item::Note(Note::Warning(format!(
            "the log of {}{which} can't be read: {error}",
            self.pick.from.name()
        ))))
    }
}

#[cfg(test)]
#[path = "dump_tests.rs"]
mod tests;
