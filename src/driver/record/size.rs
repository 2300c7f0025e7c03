//! Keeps the engine's state within what a ConfigMap may hold. Pure.

use std::borrow::Cow;

use crate::engine::RunState;

/// Bytes of the whole record: half of what a ConfigMap may hold, so that a large JobSet and somebody's
/// annotations fit beside it (200 roles with a long history).
pub const RECORD_BYTES: usize = 512 * 1024;
/// Bytes of the state in it; the other half is the JobSet's.
pub const STATE_BYTES: usize = RECORD_BYTES / 2;

/// The state, without what is oldest if it is too long: first the kept lines of the oldest attempts,
/// then their evidence and causes, then the attempts themselves. What decides anything (status,
/// succeeded Jobs, the current attempt, the first failure) stays.
#[must_use]
pub fn fit(state: &RunState, limit: usize) -> Cow<'_, RunState> {
    let mut over = length(state).saturating_sub(limit);
    if over == 0 {
        return Cow::Borrowed(state);
    }
    let mut state = state.clone();
    let old = state.attempts.len().saturating_sub(1);
    for attempt in &mut state.attempts[..old] {
        if over == 0 {
            break;
        }
        let before = length(attempt);
        for evidence in &mut attempt.evidence {
            evidence.lines.clear();
        }
        if let Some(cause) = &mut attempt.cause {
            cause.last_lines.clear();
        }
        over = over.saturating_sub(before - length(attempt));
    }
    for attempt in &mut state.attempts[..old] {
        if over == 0 {
            break;
        }
        let before = length(attempt);
        attempt.evidence.clear();
        attempt.cause = None;
        over = over.saturating_sub(before.saturating_sub(length(attempt)));
    }
    let mut drop = 0;
    while over > 0 && drop < old {
        over = over.saturating_sub(length(&state.attempts[drop]) + 1);
        drop += 1;
    }
    state.attempts.drain(..drop);
    state.attempts_dropped += u32::try_from(drop).unwrap_or(u32::MAX);
    Cow::Owned(state)
}

fn length(value: &impl serde::Serialize) -> usize {
    let mut count = Counter(0);
    // Only maps with keys that are no strings can't be written as JSON; there are none.
    serde_json::to_writer(&mut count, value).unwrap_or_default();
    count.0
}

/// Counts instead of writing.
struct Counter(usize);

impl std::io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
