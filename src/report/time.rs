//! Times and durations as text. Ages in tables are kubectl's, digit for digit; sentences use the two
//! largest units. Times are RFC 3339 in UTC for programs and local for people (cli.md 6.9).
//!
//! Refuses to read a clock or the environment: the time and the zone are handed in.

use k8s_openapi::jiff::{Timestamp, tz::TimeZone};

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const YEAR: i64 = 365 * DAY;

/// Seconds from `from` to `to`, whole, negative if `to` is earlier.
#[must_use]
pub fn seconds_between(from: Timestamp, to: Timestamp) -> i64 {
    to.duration_since(from).as_secs()
}

/// An age as `kubectl get` prints it (apimachinery's `HumanDuration`): `90s`, `2m3s`, `47m`, `3h5m`,
/// `25h`, `3d`. Takes seconds; a clock that is off by more than a second gives `<invalid>`.
#[must_use]
pub fn age(seconds: i64) -> String {
    if seconds < -1 {
        return "<invalid>".to_owned();
    }
    let s = seconds.max(0);
    let (minutes, hours) = (s / MINUTE, s / HOUR);
    if s < 2 * MINUTE {
        format!("{s}s")
    } else if minutes < 10 {
        two(minutes, 'm', s % MINUTE, 's')
    } else if minutes < 3 * 60 {
        format!("{minutes}m")
    } else if hours < 8 {
        two(hours, 'h', minutes % 60, 'm')
    } else if hours < 48 {
        format!("{hours}h")
    } else if hours < 8 * 24 {
        two(hours / 24, 'd', hours % 24, 'h')
    } else if hours < 2 * 365 * 24 {
        format!("{}d", hours / 24)
    } else if hours < 8 * 365 * 24 {
        two(s / YEAR, 'y', (s % YEAR) / DAY, 'd')
    } else {
        format!("{}y", s / YEAR)
    }
}

/// The age of something that began at `since`, or `<unknown>`.
#[must_use]
pub fn age_of(since: Option<Timestamp>, now: Timestamp) -> String {
    since.map_or_else(|| "<unknown>".to_owned(), |t| age(seconds_between(t, now)))
}

/// A duration in a sentence, the two largest units: `38s`, `2m31s`, `1h27m`, `2d3h`. Takes seconds;
/// negative ones (clocks that disagree) count as 0.
#[must_use]
pub fn human(seconds: i64) -> String {
    let s = seconds.max(0);
    if s < MINUTE {
        format!("{s}s")
    } else if s < HOUR {
        two(s / MINUTE, 'm', s % MINUTE, 's')
    } else if s < DAY {
        two(s / HOUR, 'h', (s % HOUR) / MINUTE, 'm')
    } else {
        two(s / DAY, 'd', (s % DAY) / HOUR, 'h')
    }
}

/// RFC 3339, UTC, whole seconds: the time of a plain line.
#[must_use]
pub fn utc_seconds(t: Timestamp) -> String {
    t.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// RFC 3339, UTC, milliseconds: the time in the event stream.
#[must_use]
pub fn utc_millis(t: Timestamp) -> String {
    t.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}

/// Wall-clock time in `zone`, for people at a terminal: `10:02:11`.
#[must_use]
pub fn local_clock(t: Timestamp, zone: &TimeZone) -> String {
    t.to_zoned(zone.clone()).strftime("%H:%M:%S").to_string()
}

fn two(large: i64, large_unit: char, small: i64, small_unit: char) -> String {
    if small == 0 {
        format!("{large}{large_unit}")
    } else {
        format!("{large}{large_unit}{small}{small_unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of apimachinery's `duration_test.go`, in seconds.
    #[test]
    fn ages_are_kubectls() {
        let table = [
            (-2, "<invalid>"),
            (-1, "0s"),
            (0, "0s"),
            (1, "1s"),
            (70, "70s"),
            (119, "119s"),
            (120, "2m"),
            (190, "3m10s"),
            (599, "9m59s"),
            (600, "10m"),
            (70 * 60, "70m"),
            (179 * 60 + 59, "179m"),
            (180 * 60, "3h"),
            (3 * HOUR + 10 * 60, "3h10m"),
            (8 * HOUR, "8h"),
            (47 * HOUR + 59 * 60, "47h"),
            (48 * HOUR, "2d"),
            (7 * DAY + 9 * HOUR, "7d9h"),
            (8 * DAY, "8d"),
            (8 * DAY + 23 * HOUR, "8d"),
            (2 * YEAR - HOUR, "729d"),
            (2 * YEAR, "2y"),
            (2 * YEAR + DAY, "2y1d"),
            (8 * YEAR - HOUR, "7y364d"),
            (8 * YEAR, "8y"),
            (8 * YEAR + 364 * DAY, "8y"),
        ];
        for (seconds, want) in table {
            assert_eq!(age(seconds), want, "{seconds}");
        }
    }

    #[test]
    fn sentences_use_two_units() {
        let table = [
            (-5, "0s"),
            (38, "38s"),
            (60, "1m"),
            (80, "1m20s"),
            (151, "2m31s"),
            (860, "14m20s"),
            (HOUR + 27 * MINUTE + 3, "1h27m"),
            (2 * HOUR, "2h"),
            (2 * DAY + 3 * HOUR, "2d3h"),
        ];
        for (seconds, want) in table {
            assert_eq!(human(seconds), want, "{seconds}");
        }
    }

    #[test]
    fn times() {
        let t: Timestamp = "2026-12-01T09:14:02.1014Z".parse().unwrap();
        assert_eq!(utc_seconds(t), "2026-12-01T09:14:02Z");
        assert_eq!(utc_millis(t), "2026-12-01T09:14:02.101Z");
        let zone = TimeZone::fixed(k8s_openapi::jiff::tz::offset(2));
        assert_eq!(local_clock(t, &zone), "11:14:02");
        assert_eq!(age_of(None, t), "<unknown>");
    }
}
