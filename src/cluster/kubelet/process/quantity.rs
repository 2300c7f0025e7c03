//! Amounts as the kubelet counts them: rounded up.

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use crate::cluster::quantity::Amount;

/// Thousandths of the amount, rounded up; `None` if it isn't one.
pub(super) fn milli(quantity: &Quantity) -> Option<i128> {
    Amount::parse(&quantity.0).map(|amount| amount.milli().into())
}

/// Whole units, rounded up.
pub(super) fn units(quantity: &Quantity) -> Option<i128> {
    Amount::parse(&quantity.0).map(|amount| amount.units().into())
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
