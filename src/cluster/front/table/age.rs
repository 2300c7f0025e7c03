//! Durations in the short form that kubectl shows: two units while they matter, one later.

use k8s_openapi::jiff::{SignedDuration, Timestamp};

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const YEAR: i64 = 365 * DAY;

/// Time since then; `<unknown>` without.
pub(super) fn since(then: Option<Timestamp>, now: Timestamp) -> String {
    then.map_or_else(
        || "<unknown>".to_owned(),
        |then| short(now.duration_since(then)),
    )
}

/// `0s`, `119s`, `2m30s`, `10m`, `3h5m`, `47h`, `7d3h`, `200d`, `2y5d`.
pub(super) fn short(duration: SignedDuration) -> String {
    let seconds = duration.as_secs();
    let two = |big: i64, unit: char, rest: i64, small: char| {
        if rest == 0 {
            format!("{big}{unit}")
        } else {
            format!("{big}{unit}{rest}{small}")
        }
    };
    let (minutes, hours, days) = (seconds / MINUTE, seconds / HOUR, seconds / DAY);
    let years = seconds / YEAR;
    if seconds < -1 {
        "<invalid>".to_owned()
    } else if seconds < 0 {
        "0s".to_owned()
    } else if seconds < 2 * MINUTE {
        format!("{seconds}s")
    } else if minutes < 10 {
        two(minutes, 'm', seconds % MINUTE, 's')
    } else if minutes < 180 {
        format!("{minutes}m")
    } else if hours < 8 {
        two(hours, 'h', minutes % 60, 'm')
    } else if hours < 48 {
        format!("{hours}h")
    } else if days < 8 {
        two(days, 'd', hours % 24, 'h')
    } else if years < 2 {
        format!("{days}d")
    } else if years < 8 {
        two(years, 'y', days % 365, 'd')
    } else {
        format!("{years}y")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_get_coarser() {
        for (seconds, wanted) in [
            (-5, "<invalid>"),
            (-1, "0s"),
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (150, "2m30s"),
            (605, "10m"),
            (179 * 60, "179m"),
            (3 * HOUR, "3h"),
            (3 * HOUR + 5 * 60, "3h5m"),
            (47 * HOUR, "47h"),
            (49 * HOUR, "2d1h"),
            (7 * DAY, "7d"),
            (200 * DAY, "200d"),
            (2 * YEAR + 5 * DAY, "2y5d"),
            (9 * YEAR, "9y"),
        ] {
            assert_eq!(
                short(SignedDuration::from_secs(seconds)),
                wanted,
                "{seconds}"
            );
        }
    }
}
