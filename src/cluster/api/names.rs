//! Which names, label keys and label values are allowed, and what is said of one that isn't.

const LABEL: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
/// A label of DNS.
pub const LABEL_MAX: usize = 63;
/// A name of DNS.
pub const SUBDOMAIN_MAX: usize = 253;

fn too_long(max: usize) -> String {
    format!("must be no more than {max} characters")
}

/// The same of labels and their keys, which are counted in other words.
fn too_many_bytes(max: usize) -> String {
    format!("must be no more than {max} bytes")
}

/// It begins and ends with one of some bytes, and consists of them and of some others. Bytes, as every label of
/// every object comes by here.
fn is_made_of(text: &[u8], ends: impl Fn(u8) -> bool, between: impl Fn(u8) -> bool) -> bool {
    let at_ends = |b: Option<&u8>| b.is_some_and(|b| ends(*b));
    at_ends(text.first()) && at_ends(text.last()) && text.iter().all(|b| ends(*b) || between(*b))
}

fn is_label_bytes(name: &[u8]) -> bool {
    is_made_of(
        name,
        |b| b.is_ascii_lowercase() || b.is_ascii_digit(),
        |b| b == b'-',
    )
}

fn is_label(name: &str) -> bool {
    is_label_bytes(name.as_bytes())
}

/// A label of RFC 1123.
#[must_use]
pub fn dns_label(name: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if name.len() > LABEL_MAX {
        wrong.push(too_long(LABEL_MAX));
    }
    if !is_label(name) {
        wrong.push(if is_subdomain(name) {
            "must not contain dots".to_owned()
        } else {
            format!(
                "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '{LABEL}')"
            )
        });
    }
    wrong
}

/// A label of RFC 1035: it starts with a letter.
#[must_use]
pub fn dns_1035_label(name: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if name.len() > LABEL_MAX {
        wrong.push(too_long(LABEL_MAX));
    }
    if !is_label(name) || !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        wrong.push(
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
                .to_owned(),
        );
    }
    wrong
}

fn is_subdomain(name: &str) -> bool {
    name.as_bytes().split(|b| *b == b'.').all(is_label_bytes)
}

/// A subdomain of RFC 1123: what most objects are named with.
#[must_use]
pub fn dns_subdomain(name: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if name.len() > SUBDOMAIN_MAX {
        wrong.push(too_long(SUBDOMAIN_MAX));
    }
    if !is_subdomain(name) {
        wrong.push(format!(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '{SUBDOMAIN}')"
        ));
    }
    wrong
}

fn is_word(text: &str) -> bool {
    is_made_of(
        text.as_bytes(),
        |b| b.is_ascii_alphanumeric(),
        |b| matches!(b, b'-' | b'_' | b'.'),
    )
}

/// A key of labels, annotations, finalizers: `prefix/name` or `name`.
#[must_use]
pub fn qualified_name(key: &str) -> Vec<String> {
    const NAME: &str = "name part";
    let mut wrong = Vec::new();
    let name = match key.split_once('/') {
        None => key,
        Some((prefix, name)) if !name.contains('/') => {
            if prefix.is_empty() {
                wrong.push("prefix part must be non-empty".to_owned());
            } else {
                wrong.extend(
                    dns_subdomain(prefix)
                        .iter()
                        .map(|why| format!("prefix part {why}")),
                );
            }
            name
        }
        _ => {
            return vec![format!(
                "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )];
        }
    };
    if name.is_empty() {
        wrong.push(format!("{NAME} must be non-empty"));
    } else if name.len() > LABEL_MAX {
        wrong.push(format!("{NAME} {}", too_many_bytes(LABEL_MAX)));
    }
    if !is_word(name) {
        wrong.push(format!(
            "{NAME} must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
        ));
    }
    wrong
}

/// The value of a label.
#[must_use]
pub fn label_value(value: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if value.len() > LABEL_MAX {
        wrong.push(too_many_bytes(LABEL_MAX));
    }
    if !value.is_empty() && !is_word(value) {
        wrong.push(
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
                .to_owned(),
        );
    }
    wrong
}
