//! Amounts as manifests have them (`500m`, `1Gi`, `1e3`). Nanos and micros are rounded up, as the real
//! scheduler does.

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

/// Thousandths of the amount, rounded up; `None`: it isn't one.
pub(in crate::cluster) fn milli(quantity: &Quantity) -> Option<i64> {
    parse(&quantity.0, 1000)
}

/// Whole units of the amount, rounded up; `None`: it isn't one.
pub(in crate::cluster) fn units(quantity: &Quantity) -> Option<i64> {
    parse(&quantity.0, 1)
}

fn parse(text: &str, times: i128) -> Option<i64> {
    let split = text
        .find(|c: char| !matches!(c, '0'..='9' | '.' | '+' | '-'))
        .unwrap_or(text.len());
    let (number, suffix) = text.split_at(split);
    let (up, down) = scale(suffix)?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
    let tens = 10_i128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    let top = digits.checked_mul(up)?.checked_mul(times)?;
    let bottom = down.checked_mul(tens)?;
    let rounded = top.div_euclid(bottom) + i128::from(top.rem_euclid(bottom) != 0);
    // What is larger than any machine is as large as can be said.
    Some(i64::try_from(rounded).unwrap_or(i64::MAX))
}

/// What a suffix multiplies and divides by.
fn scale(suffix: &str) -> Option<(i128, i128)> {
    const DECIMAL: [&str; 7] = ["", "k", "M", "G", "T", "P", "E"];
    const BINARY: [&str; 6] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    const SMALL: [&str; 3] = ["m", "u", "n"];
    let place = |list: &[&str]| {
        let at = list.iter().position(|s| *s == suffix)?;
        u32::try_from(at).ok()
    };
    if let Some(at) = place(&DECIMAL) {
        return Some((1000_i128.pow(at), 1));
    }
    if let Some(at) = place(&BINARY) {
        return Some((1024_i128.pow(at + 1), 1));
    }
    if let Some(at) = place(&SMALL) {
        return Some((1, 1000_i128.pow(at + 1)));
    }
    let exponent: i32 = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
    let power = 10_i128.checked_pow(exponent.unsigned_abs())?;
    Some(if exponent < 0 { (1, power) } else { (power, 1) })
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
}
