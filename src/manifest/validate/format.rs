//! Kubernetes' formats of names.

/// Longest DNS label, label value and `managedBy`.
pub(super) const LABEL_MAX: usize = 63;

/// Said of a DNS-1035 label.
pub(super) const DNS_1035: &str = "a DNS-1035 label: small letters, digits and -, \
     first a letter, last a letter or digit, at most 63 characters";

/// `[a-z]([-a-z0-9]*[a-z0-9])?`, of whatever length.
pub(super) fn is_dns_1035(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase()) && is_dns_1123(text)
}

/// `[a-z0-9]([-a-z0-9]*[a-z0-9])?`, of whatever length.
fn is_dns_1123(text: &str) -> bool {
    let alphanumeric = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    text.starts_with(alphanumeric)
        && text.ends_with(alphanumeric)
        && text.chars().all(|c| alphanumeric(c) || c == '-')
}

/// DNS-1123 labels with dots between them, 253 characters at most.
pub(super) fn is_dns_1123_subdomain(text: &str) -> bool {
    text.len() <= 253 && text.split('.').all(is_dns_1123)
}

/// `acme.io/foo`: a DNS-1123 subdomain, a slash, a path.
pub(super) fn is_domain_prefixed_path(text: &str) -> bool {
    text.split_once('/').is_some_and(|(domain, path)| {
        is_dns_1123_subdomain(domain)
            && !path.is_empty()
            && path
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "/-._~%!$&'()*+,;=:".contains(c))
    })
}

/// `1 character`, `2 characters`.
pub(super) fn characters(n: usize) -> String {
    format!("{n} character{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_those_of_kubernetes() {
        for (text, label, subdomain) in [
            ("a", true, true),
            ("a-1", true, true),
            ("1a", false, true),
            ("a-", false, false),
            ("-a", false, false),
            ("A", false, false),
            ("a.b", false, true),
            ("a..b", false, false),
            ("a_b", false, false),
            ("", false, false),
            ("é", false, false),
        ] {
            assert_eq!(is_dns_1035(text), label, "{text}");
            assert_eq!(is_dns_1123_subdomain(text), subdomain, "{text}");
        }
        assert!(is_domain_prefixed_path("acme.io/foo"));
        for text in ["foo", "acme.io/", "/foo", "Acme.io/foo", "acme.io/a b"] {
            assert!(!is_domain_prefixed_path(text), "{text}");
        }
    }
}
