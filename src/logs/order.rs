//! Lines of several containers in order of their time stamps. Pure: time is a parameter.
//!
//! [`Window`] is for following: a line is held back for [`WINDOW`] so that an older one of another
//! container can overtake it. [`Merge`] is for logs that are read to their end: the oldest of all
//! heads comes next. Lines of one container never change places.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use k8s_openapi::jiff::Timestamp;

/// How long a followed line is held back (cli.md 7): longer than API servers and kubelets take to pass
/// a line on, short enough for a person who watches.
pub const WINDOW: Duration = Duration::from_secs(1);

/// Bytes held back at most; beyond, the oldest lines go out early. A second of fast logs of 500 pods.
pub const WINDOW_BYTES: usize = 16 * 1024 * 1024;

/// Identifies a source within one [`Window`] or [`Merge`].
pub type SourceId = u64;

/// Stamps of one source that never go back: a line without a time, or stamped earlier than the line
/// before it, goes with that line.
#[derive(Debug, Default)]
struct Clamp(BTreeMap<SourceId, Timestamp>);

impl Clamp {
    fn time(&mut self, source: SourceId, time: Option<Timestamp>) -> Timestamp {
        let last = self.0.entry(source).or_insert(Timestamp::MIN);
        *last = time.map_or(*last, |time| time.max(*last));
        *last
    }
}

/// The reorder window. `I` is an instant of whatever clock the caller has.
#[derive(Debug)]
pub struct Window<I, T> {
    /// By time, then by arrival.
    held: BTreeMap<(Timestamp, u64), (usize, T)>,
    /// In order of arrival: when the line has been held long enough.
    due: VecDeque<(I, (Timestamp, u64))>,
    clamp: Clamp,
    arrivals: u64,
    bytes: usize,
}

impl<I, T> Default for Window<I, T> {
    fn default() -> Self {
        Self {
            held: BTreeMap::new(),
            due: VecDeque::new(),
            clamp: Clamp::default(),
            arrivals: 0,
            bytes: 0,
        }
    }
}

impl<I: Copy + Ord, T> Window<I, T> {
    /// Holds a line back until `due` (its arrival plus [`WINDOW`]). `due` must not go backwards.
    pub fn hold(
        &mut self,
        due: I,
        source: SourceId,
        time: Option<Timestamp>,
        bytes: usize,
        line: T,
    ) {
        let key = (self.clamp.time(source, time), self.arrivals);
        self.arrivals += 1;
        self.bytes += bytes;
        self.held.insert(key, (bytes, line));
        self.due.push_back((due, key));
    }

    /// When the next line has been held long enough; none while nothing is held.
    pub fn next_due(&mut self) -> Option<I> {
        while let Some((due, key)) = self.due.front() {
            if self.held.contains_key(key) {
                return Some(*due);
            }
            // It went out before its time, with a line that was stamped later.
            self.due.pop_front();
        }
        None
    }

    /// The lines that go out now, oldest first: those held long enough and all that are stamped
    /// earlier; more if too many bytes are held.
    pub fn release(&mut self, now: I) -> Vec<T> {
        let mut upto = None;
        while let Some((due, key)) = self.due.front()
            && *due <= now
        {
            upto = upto.max(Some(*key));
            self.due.pop_front();
        }
        let mut out = Vec::new();
        while let Some(entry) = self.held.first_entry() {
            if upto.is_none_or(|upto| *entry.key() > upto) && self.bytes <= WINDOW_BYTES {
                break;
            }
            let (bytes, line) = entry.remove();
            self.bytes -= bytes;
            out.push(line);
        }
        out
    }

    /// Everything that is held, oldest first.
    pub fn flush(&mut self) -> Vec<T> {
        self.due.clear();
        self.bytes = 0;
        std::mem::take(&mut self.held)
            .into_values()
            .map(|(_, line)| line)
            .collect()
    }
}

/// Merge of sources that are read to their end. The caller puts in one line of each source, then, each
/// time a line is taken, the next line of that source, if it has one.
#[derive(Debug)]
pub struct Merge<T> {
    heads: BTreeMap<(Timestamp, SourceId), T>,
    clamp: Clamp,
}

impl<T> Default for Merge<T> {
    fn default() -> Self {
        Self {
            heads: BTreeMap::new(),
            clamp: Clamp::default(),
        }
    }
}

impl<T> Merge<T> {
    /// The next line of that source.
    pub fn put(&mut self, source: SourceId, time: Option<Timestamp>, line: T) {
        let time = self.clamp.time(source, time);
        self.heads.insert((time, source), line);
    }

    /// The oldest line, and whose it is. Equal stamps: the source with the smaller number first.
    pub fn take(&mut self) -> Option<(SourceId, T)> {
        let ((_, source), line) = self.heads.pop_first()?;
        Some((source, line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Option<Timestamp> {
        Some(Timestamp::from_second(second).unwrap())
    }

    #[test]
    fn an_older_line_overtakes_within_the_window() {
        let mut window = Window::default();
        window.hold(1000, 1, at(20), 1, "b");
        window.hold(1400, 2, at(10), 1, "a");
        window.hold(1900, 1, at(30), 1, "c");
        assert_eq!(window.release(999), Vec::<&str>::new());
        assert_eq!(window.next_due(), Some(1000));
        assert_eq!(window.release(1000), ["a", "b"]);
        assert_eq!(window.next_due(), Some(1900), "a has gone out already");
        assert_eq!(window.release(1899), Vec::<&str>::new());
        assert_eq!(window.release(1900), ["c"]);
        assert_eq!(window.next_due(), None);
    }

    #[test]
    fn a_source_that_lags_holds_nobody_up() {
        // Source 2 is an hour late and goes on writing; source 1 still comes out after its window.
        let mut window = Window::default();
        window.hold(1000, 1, at(7200), 1, "new");
        for due in [1100, 1200, 1900] {
            window.hold(due, 2, at(3600), 1, "late");
        }
        assert_eq!(window.release(1000), ["late", "late", "late", "new"]);
    }

    #[test]
    fn lines_of_one_source_keep_their_places() {
        let mut window = Window::default();
        window.hold(1, 1, at(5), 1, "first");
        window.hold(2, 1, at(4), 1, "second, stamped earlier");
        window.hold(3, 1, None, 1, "third, without a time");
        window.hold(4, 1, at(5), 1, "fourth");
        assert_eq!(
            window.flush(),
            [
                "first",
                "second, stamped earlier",
                "third, without a time",
                "fourth"
            ]
        );
    }

    #[test]
    fn too_many_bytes_go_out_early() {
        let mut window = Window::default();
        window.hold(10, 1, at(1), WINDOW_BYTES, "big");
        assert!(window.release(0).is_empty());
        window.hold(11, 1, at(2), 1, "small");
        assert_eq!(window.release(0), ["big"]);
        assert_eq!(window.next_due(), Some(11));
        assert_eq!(window.flush(), ["small"]);
        assert_eq!(window.next_due(), None);
    }

    #[test]
    fn merges_logs_read_to_their_end() {
        let mut sources: Vec<VecDeque<(Option<Timestamp>, &str)>> = vec![
            [(at(1), "a1"), (at(4), "a4"), (None, "a-"), (at(9), "a9")].into(),
            [(at(2), "b2"), (at(4), "b4")].into(),
            [].into(),
            [(None, "d-"), (at(3), "d3")].into(),
        ];
        let mut merge = Merge::default();
        for (id, source) in sources.iter_mut().enumerate() {
            if let Some((time, line)) = source.pop_front() {
                merge.put(id as SourceId, time, line);
            }
        }
        let mut out = Vec::new();
        while let Some((id, line)) = merge.take() {
            out.push(line);
            if let Some((time, line)) = sources[usize::try_from(id).unwrap()].pop_front() {
                merge.put(id, time, line);
            }
        }
        assert_eq!(out, ["d-", "a1", "b2", "d3", "a4", "a-", "b4", "a9"]);
    }
}
