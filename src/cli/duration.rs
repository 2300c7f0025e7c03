//! Durations as Go and kubectl write them: `90s`, `5m`, `1h30m`, `1.5h`, `0`; and `2d`, which kubectl
//! prints for ages and Go cannot read.

use std::time::Duration;

/// Nanoseconds of each unit. Longest names first where one is a prefix of another.
const UNITS: [(&str, u64); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60 * 1_000_000_000),
    ("h", 3_600 * 1_000_000_000),
    ("d", 86_400 * 1_000_000_000),
];

/// What every refusal ends with.
const EXAMPLES: &str = "examples: 90s, 5m, 1h30m, 0";

/// Reads a duration.
///
/// # Errors
/// A fragment that says what is wrong, with examples: no unit, an unknown unit, a negative value, a
/// value of more than 500 years.
pub fn parse(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    if text == "0" {
        return Ok(Duration::ZERO);
    }
    if text.is_empty() {
        return Err(format!("a duration is missing ({EXAMPLES})"));
    }
    if text.starts_with('-') {
        return Err(format!("a duration can't be negative ({EXAMPLES})"));
    }
    let mut rest = text;
    let mut nanos: u64 = 0;
    while !rest.is_empty() {
        let digits = rest
            .find(|c: char| !(c.is_ascii_digit() || c == '.'))
            .unwrap_or(rest.len());
        let (number, tail) = rest.split_at(digits);
        let length = tail
            .find(|c: char| c.is_ascii_digit() || c == '.')
            .unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(length);
        if unit.is_empty() {
            return Err(format!("the unit is missing behind {number} ({EXAMPLES})"));
        }
        let Some((_, scale)) = UNITS.iter().find(|(name, _)| *name == unit) else {
            return Err(format!("`{unit}` is not a unit of time ({EXAMPLES})"));
        };
        let part = scaled(number, *scale).ok_or_else(|| format!("not a duration ({EXAMPLES})"))?;
        nanos = nanos
            .checked_add(part)
            .ok_or_else(|| format!("the duration is too long ({EXAMPLES})"))?;
        rest = tail;
    }
    Ok(Duration::from_nanos(nanos))
}

/// `--request-timeout`: as [`parse`], and a bare number is seconds, as kubectl has it there.
///
/// # Errors
/// As [`parse`].
pub fn parse_request_timeout(text: &str) -> Result<Duration, String> {
    match text.trim().parse::<u32>() {
        Ok(seconds) => Ok(Duration::from_secs(seconds.into())),
        Err(_) => parse(text),
    }
}

/// `number` (digits with at most one point) times `scale`, exact to the nanosecond.
fn scaled(number: &str, scale: u64) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && fraction.is_empty() || fraction.contains('.') {
        return None;
    }
    let whole = match whole {
        "" => 0,
        digits => digits.parse::<u64>().ok()?.checked_mul(scale)?,
    };
    let mut part: u64 = 0;
    let mut place = scale;
    for digit in fraction.chars() {
        place /= 10;
        part += u64::from(digit.to_digit(10)?) * place;
    }
    whole.checked_add(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_go_reads() {
        for (text, millis) in [
            ("0", 0),
            ("0s", 0),
            ("90s", 90_000),
            ("5m", 300_000),
            ("1h30m", 5_400_000),
            ("1.5h", 5_400_000),
            (".5s", 500),
            ("5.s", 5_000),
            ("2h45m10s500ms", 9_910_500),
            ("2d", 172_800_000),
        ] {
            assert_eq!(parse(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        assert_eq!(parse("3us7ns"), Ok(Duration::from_nanos(3_007)));
    }

    #[test]
    fn refuses_the_rest_with_examples() {
        for text in [
            "", "90", "5 m", "-5m", "1w", "m", "1..5s", "abc", "600000d", "1h30", ".",
        ] {
            let error = parse(text).unwrap_err();
            assert!(
                error.contains("examples: 90s, 5m, 1h30m"),
                "{text}: {error}"
            );
        }
    }

    #[test]
    fn request_timeout_takes_bare_seconds() {
        assert_eq!(parse_request_timeout("30"), Ok(Duration::from_secs(30)));
        assert_eq!(parse_request_timeout("1m"), Ok(Duration::from_secs(60)));
        assert!(parse_request_timeout("-1").is_err());
    }
}
