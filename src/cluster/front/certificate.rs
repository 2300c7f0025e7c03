//! A self-signed certificate for 127.0.0.1, made anew by each server: clients send no token over plain
//! HTTP. Written by hand, as one fixed form is all it takes: ECDSA on P-256, names in an extension.

use k8s_openapi::jiff::tz::TimeZone;
use k8s_openapi::jiff::{SignedDuration, Timestamp};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair as _};

/// A certificate and its key, both DER.
#[derive(Clone)]
pub(super) struct Certificate {
    /// X.509.
    pub(super) certificate: Vec<u8>,
    /// PKCS #8.
    pub(super) key: Vec<u8>,
}

/// The system gave no random numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct NoRandom;

const INTEGER: u8 = 0x02;
const BITS: u8 = 0x03;
const OCTETS: u8 = 0x04;
const UTF8: u8 = 0x0c;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;

const ECDSA_SHA256: &[u8] = b"\x06\x08\x2a\x86\x48\xce\x3d\x04\x03\x02";
const EC_PUBLIC_KEY: &[u8] = b"\x06\x07\x2a\x86\x48\xce\x3d\x02\x01";
const P256: &[u8] = b"\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07";
const COMMON_NAME: &[u8] = b"\x06\x03\x55\x04\x03";
const SUBJECT_ALT_NAME: &[u8] = b"\x06\x03\x55\x1d\x11";

/// A clock that is a day behind takes the certificate too.
const BEFORE: SignedDuration = SignedDuration::from_hours(24);
/// Nobody lets a pocket cluster run for longer.
const AFTER: SignedDuration = SignedDuration::from_hours(365 * 24);

impl Certificate {
    /// A new one, valid around `now`.
    pub(super) fn new(now: Timestamp) -> Result<Self, NoRandom> {
        let random = SystemRandom::new();
        let algorithm = &ECDSA_P256_SHA256_ASN1_SIGNING;
        let key = EcdsaKeyPair::generate_pkcs8(algorithm, &random).map_err(|_| NoRandom)?;
        let pair =
            EcdsaKeyPair::from_pkcs8(algorithm, key.as_ref(), &random).map_err(|_| NoRandom)?;
        let mut serial: [u8; 16] = ring::rand::generate(&random)
            .map_err(|_| NoRandom)?
            .expose();
        // Positive, and no zero in front.
        serial[0] = 0x40 | serial[0] & 0x3f;
        let signed = to_be_signed(&serial, pair.public_key().as_ref(), now);
        let signature = pair.sign(&random, &signed).map_err(|_| NoRandom)?;
        let certificate = all(
            SEQUENCE,
            &[
                &signed,
                &all(SEQUENCE, &[ECDSA_SHA256]),
                &bits(signature.as_ref()),
            ],
        );
        Ok(Self {
            certificate,
            key: key.as_ref().to_vec(),
        })
    }
}

fn to_be_signed(serial: &[u8], public: &[u8], now: Timestamp) -> Vec<u8> {
    let name = all(
        SEQUENCE,
        &[&all(
            SET,
            &[&all(SEQUENCE, &[COMMON_NAME, &one(UTF8, b"pocket")])],
        )],
    );
    let from = now.saturating_sub(BEFORE).unwrap_or(now);
    let to = now.saturating_add(AFTER).unwrap_or(now);
    let names = all(
        SEQUENCE,
        // iPAddress and dNSName.
        &[&one(0x87, &[127, 0, 0, 1]), &one(0x82, b"localhost")],
    );
    let extension = all(SEQUENCE, &[SUBJECT_ALT_NAME, &one(OCTETS, &names)]);
    all(
        SEQUENCE,
        &[
            // Version 3.
            &one(0xa0, &one(INTEGER, &[2])),
            &one(INTEGER, serial),
            &all(SEQUENCE, &[ECDSA_SHA256]),
            &name,
            &all(SEQUENCE, &[&time(from), &time(to)]),
            &name,
            &all(
                SEQUENCE,
                &[&all(SEQUENCE, &[EC_PUBLIC_KEY, P256]), &bits(public)],
            ),
            &one(0xa3, &all(SEQUENCE, &[&extension])),
        ],
    )
}

/// Two digits for the year up to 2049, as X.509 wants it.
fn time(at: Timestamp) -> Vec<u8> {
    let at = at.to_zoned(TimeZone::UTC);
    if at.year() < 2050 {
        one(
            UTC_TIME,
            at.strftime("%y%m%d%H%M%SZ").to_string().as_bytes(),
        )
    } else {
        one(
            GENERALIZED_TIME,
            at.strftime("%Y%m%d%H%M%SZ").to_string().as_bytes(),
        )
    }
}

fn bits(bytes: &[u8]) -> Vec<u8> {
    // No unused bits.
    all(BITS, &[&[0], bytes])
}

fn one(tag: u8, content: &[u8]) -> Vec<u8> {
    all(tag, &[content])
}

fn all(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let length: usize = parts.iter().map(|p| p.len()).sum();
    let mut out = vec![tag];
    let bytes = length.to_be_bytes();
    let significant = &bytes[bytes
        .iter()
        .position(|b| *b != 0)
        .unwrap_or(bytes.len() - 1)..];
    if length >= 0x80 {
        // At most eight bytes of length.
        out.push(0x80 | u8::try_from(significant.len()).unwrap_or(8));
    }
    out.extend_from_slice(significant);
    for part in parts {
        out.extend_from_slice(part);
    }
    out
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rustls::pki_types::{CertificateDer, ServerName, UnixTime};

    use super::*;

    /// Checked by the verifier that our own client uses.
    #[test]
    fn a_client_that_trusts_it_takes_it_for_loopback_only() {
        let now: Timestamp = "2026-12-01T10:00:00Z".parse().unwrap();
        let made = Certificate::new(now).unwrap();
        let certificate = CertificateDer::from(made.certificate);
        let mut roots = rustls::RootCertStore::empty();
        roots.add(certificate.clone()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let verifier =
            rustls::client::WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider)
                .build()
                .unwrap();
        let check = |name: &str, seconds: i64| {
            use rustls::client::danger::ServerCertVerifier as _;
            let name = ServerName::try_from(name.to_owned()).unwrap();
            let at = u64::try_from(now.as_second() + seconds).unwrap();
            let at = UnixTime::since_unix_epoch(std::time::Duration::from_secs(at));
            verifier.verify_server_cert(&certificate, &[], &name, &[], at)
        };
        assert!(check("127.0.0.1", 0).is_ok());
        assert!(check("localhost", 3600).is_ok());
        assert!(check("example.org", 0).is_err());
        assert!(check("127.0.0.1", 2 * 365 * 24 * 3600).is_err());
    }
}
