//! `$(NAME)` in commands, arguments and values, as Kubernetes expands it: a name that isn't known stays as it is, and
//! `$$` is a dollar sign that begins nothing.

use std::collections::BTreeMap;

/// The text with every known name replaced.
pub(super) fn expand(text: &str, known: &BTreeMap<String, String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('$') {
            out.push('$');
            rest = after;
        } else if let Some(end) = rest.strip_prefix('(').and_then(|r| r.find(')')) {
            let name = &rest[1..=end];
            match known.get(name) {
                Some(value) => out.push_str(value),
                None => {
                    out.push_str("$(");
                    out.push_str(name);
                    out.push(')');
                }
            }
            rest = &rest[end + 2..];
        } else {
            out.push('$');
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cases of Kubernetes' own description of the syntax.
    #[test]
    fn as_kubernetes_does() {
        let known: BTreeMap<String, String> = [("A", "1"), ("B", "two words"), ("E", "")]
            .map(|(k, v)| (k.to_owned(), v.to_owned()))
            .into();
        for (text, expected) in [
            ("plain", "plain"),
            ("$(A)", "1"),
            ("x$(A)$(B)y", "x1two wordsy"),
            ("<$(E)>", "<>"),
            ("$(NOT)", "$(NOT)"),
            ("$$(A)", "$(A)"),
            ("$$$(A)", "$1"),
            ("$A ${A} $", "$A ${A} $"),
            ("$(A", "$(A"),
            ("$()", "$()"),
            ("100$", "100$"),
        ] {
            assert_eq!(expand(text, &known), expected, "{text}");
        }
    }
}
