//! Quantities: `500m`, `2Gi`, `1e3`. Read exactly, added, compared, and written in the one form that the API
//! writes.

use std::fmt;

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

/// How it was written, and so will be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Form {
    /// `k`, `M`, `m`.
    #[default]
    Decimal,
    /// `Ki`, `Mi`.
    Binary,
    /// `e3`.
    Exponent,
}

/// An exact amount, to a billionth.
#[derive(Clone, Copy, Debug, Default)]
pub struct Amount {
    nano: i128,
    form: Form,
}

const NANO: i128 = 1_000_000_000;
const BINARY: [&str; 6] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
/// From a thousand on, and from a thousandth down.
const LARGE: [&str; 6] = ["k", "M", "G", "T", "P", "E"];
const SMALL: [&str; 3] = ["m", "u", "n"];

impl Amount {
    /// So many.
    #[must_use]
    pub fn whole(count: i64) -> Self {
        Self {
            nano: i128::from(count) * NANO,
            form: Form::Decimal,
        }
    }

    /// Reads one; none: it is no quantity.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let end = text
            .find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | '+' | '-'))
            .unwrap_or(text.len());
        let (number, suffix) = text.split_at(end);
        let (negative, digits) = match number.as_bytes().first()? {
            b'-' => (true, &number[1..]),
            b'+' => (false, &number[1..]),
            _ => (false, number),
        };
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        let plain = |digits: &str| digits.bytes().all(|b| b.is_ascii_digit());
        if whole.is_empty() && part.is_empty() || !plain(whole) || !plain(part) {
            return None;
        }
        let (numerator, denominator, form) = scale(suffix)?;
        let mantissa: i128 = format!("0{whole}{part}").parse().ok()?;
        let below = 10_i128.checked_pow(u32::try_from(part.len()).ok()?)?;
        let over = mantissa.checked_mul(numerator)?.checked_mul(NANO)?;
        let under = below.checked_mul(denominator)?;
        // What is finer than a billionth is rounded up.
        let nano = over / under + i128::from(over % under != 0);
        Some(Self {
            nano: if negative { -nano } else { nano },
            form,
        })
    }

    /// Of an object; what can't be read counts as nothing.
    #[must_use]
    pub fn of(quantity: &Quantity) -> Self {
        Self::parse(&quantity.0).unwrap_or_default()
    }

    /// As objects hold it.
    #[must_use]
    pub fn quantity(self) -> Quantity {
        Quantity(self.to_string())
    }

    /// So many of it.
    #[must_use]
    pub fn times(self, count: i64) -> Self {
        Self {
            nano: self.nano.saturating_mul(i128::from(count)),
            form: self.form,
        }
    }

    /// Whole units, rounded up; what is larger than any machine is as large as can be said.
    #[must_use]
    pub fn units(self) -> i64 {
        self.parts(NANO)
    }

    /// Thousandths, rounded up.
    #[must_use]
    pub fn milli(self) -> i64 {
        self.parts(NANO / 1000)
    }

    fn parts(self, size: i128) -> i64 {
        let rounded = self.nano.div_euclid(size) + i128::from(self.nano.rem_euclid(size) != 0);
        i64::try_from(rounded).unwrap_or(if rounded < 0 { i64::MIN } else { i64::MAX })
    }

    /// Whether it is below nothing.
    #[must_use]
    pub fn is_negative(self) -> bool {
        self.nano < 0
    }

    /// Whether it is a count.
    #[must_use]
    pub fn is_whole(self) -> bool {
        self.nano % NANO == 0
    }
}

/// Thousandths of an object's amount, rounded up; `None`: it isn't one.
#[must_use]
pub fn milli(quantity: &Quantity) -> Option<i64> {
    Amount::parse(&quantity.0).map(Amount::milli)
}

/// Whole units of an object's amount, rounded up; `None`: it isn't one.
#[must_use]
pub fn units(quantity: &Quantity) -> Option<i64> {
    Amount::parse(&quantity.0).map(Amount::units)
}

/// Numerator and denominator of a suffix.
fn scale(suffix: &str) -> Option<(i128, i128, Form)> {
    if suffix.is_empty() {
        return Some((1, 1, Form::Decimal));
    }
    let at = |all: &[&str]| all.iter().position(|s| *s == suffix);
    let power = |base: i128, at: usize| base.checked_pow(u32::try_from(at + 1).ok()?);
    if let Some(at) = at(&BINARY) {
        return Some((power(1024, at)?, 1, Form::Binary));
    }
    if let Some(at) = at(&LARGE) {
        return Some((power(1000, at)?, 1, Form::Decimal));
    }
    if let Some(at) = at(&SMALL) {
        return Some((1, power(1000, at)?, Form::Decimal));
    }
    let exponent: i32 = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
    let factor = 10_i128.checked_pow(exponent.unsigned_abs())?;
    Some(if exponent < 0 {
        (1, factor, Form::Exponent)
    } else {
        (factor, 1, Form::Exponent)
    })
}

impl PartialEq for Amount {
    fn eq(&self, other: &Self) -> bool {
        self.nano == other.nano
    }
}
impl Eq for Amount {}
impl PartialOrd for Amount {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Amount {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.nano.cmp(&other.nano)
    }
}

impl std::ops::Add for Amount {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            nano: self.nano.saturating_add(other.nano),
            // Nothing takes the form of what is added to it.
            form: if self.nano == 0 {
                other.form
            } else {
                self.form
            },
        }
    }
}

impl std::iter::Sum for Amount {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::default(), |a, b| a + b)
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.nano == 0 {
            return f.write_str("0");
        }
        if self.form == Form::Binary && self.is_whole() {
            let mut count = self.nano / NANO;
            let mut suffix = "";
            for next in BINARY {
                if count % 1024 != 0 {
                    break;
                }
                count /= 1024;
                suffix = next;
            }
            return write!(f, "{count}{suffix}");
        }
        let mut count = self.nano;
        let mut power = -3_i32;
        while count % 1000 == 0 && power < 6 {
            count /= 1000;
            power += 1;
        }
        let at = usize::try_from(power.unsigned_abs()).unwrap_or_default();
        match (self.form, power) {
            (_, 0) => write!(f, "{count}"),
            (Form::Exponent, power) => write!(f, "{count}e{}", power * 3),
            (_, 1..) => write!(f, "{count}{}", LARGE[at - 1]),
            (_, _) => write!(f, "{count}{}", SMALL[at - 1]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_write_an_amount() {
        for (text, expected) in [
            ("1", Some(1000)),
            ("1.5", Some(1500)),
            ("250m", Some(250)),
            ("2Ki", Some(2_048_000)),
            ("1G", Some(1_000_000_000_000)),
            ("1e3", Some(1_000_000)),
            ("5E-1", Some(500)),
            ("0.0001", Some(1)),
            ("1n", Some(1)),
            ("9E", Some(i64::MAX)),
            ("1X", None),
            ("", None),
            ("many", None),
        ] {
            assert_eq!(milli(&Quantity(text.to_owned())), expected, "{text}");
        }
        assert_eq!(units(&Quantity("1500m".to_owned())), Some(2));
        assert_eq!(units(&Quantity("1Gi".to_owned())), Some(1 << 30));
    }

    #[test]
    fn one_form() {
        for (text, form) in [
            ("1", "1"),
            ("1000m", "1"),
            ("0.5", "500m"),
            ("1500m", "1500m"),
            ("1024Mi", "1Gi"),
            ("1.5Gi", "1536Mi"),
            ("1000", "1k"),
            ("0", "0"),
            ("-1", "-1"),
            ("1e3", "1e3"),
            ("100u", "100u"),
            ("0.5Ki", "512"),
        ] {
            assert_eq!(Amount::parse(text).unwrap().to_string(), form, "{text}");
        }
        for text in ["", "x", "1.2.3", "1Q", "Gi", "--1"] {
            assert_eq!(Amount::parse(text), None, "{text}");
        }
    }

    #[test]
    fn sums_and_order() {
        let of = |text| Amount::parse(text).unwrap();
        assert_eq!((of("500m") + of("1")).to_string(), "1500m");
        assert_eq!((of("0") + of("1Gi")).to_string(), "1Gi");
        assert!(of("1Gi") > of("1G"));
        assert_eq!(of("1"), of("1000m"));
    }
}
