//! Amounts as manifests have them (`500m`, `1Gi`, `1e3`), as thousandths.

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

/// Thousandths of the amount, rounded up; `None` if it isn't one.
pub(super) fn milli(quantity: &Quantity) -> Option<i128> {
    let text = quantity.0.trim();
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '+' | '-')))
        .unwrap_or(text.len());
    let (number, suffix) = text.split_at(end);
    let (up, down): (i128, i128) = match suffix {
        "" => (1000, 1),
        "n" => (1, 1_000_000),
        "u" => (1, 1000),
        "m" => (1, 1),
        "k" => (1_000_000, 1),
        "M" => (1_000_000_000, 1),
        "G" => (1_000_000_000_000, 1),
        "T" => (1_000_000_000_000_000, 1),
        "P" => (1_000_000_000_000_000_000, 1),
        "E" => (1_000_000_000_000_000_000_000, 1),
        "Ki" => (1000 << 10, 1),
        "Mi" => (1000 << 20, 1),
        "Gi" => (1000 << 30, 1),
        "Ti" => (1000 << 40, 1),
        "Pi" => (1000 << 50, 1),
        "Ei" => (1000 << 60, 1),
        _ => {
            let exponent: i32 = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
            let power = 10i128.checked_pow(exponent.unsigned_abs())?;
            if exponent < 0 {
                (1000, power)
            } else {
                (power.checked_mul(1000)?, 1)
            }
        }
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = format!("{whole}{fraction}");
    let scale = 10i128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    let top = digits.parse::<i128>().ok()?.checked_mul(up)?;
    let bottom = down.checked_mul(scale)?;
    Some(top.div_euclid(bottom) + i128::from(top.rem_euclid(bottom) != 0))
}

/// Whole units, rounded up.
pub(super) fn units(quantity: &Quantity) -> Option<i128> {
    milli(quantity).map(|milli| milli.div_euclid(1000) + i128::from(milli.rem_euclid(1000) != 0))
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
            ("1X", None),
            ("", None),
        ] {
            assert_eq!(milli(&Quantity(text.to_owned())), expected, "{text}");
        }
        assert_eq!(units(&Quantity("1500m".to_owned())), Some(2));
    }
}
