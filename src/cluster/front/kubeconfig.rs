//! The file by which kubectl finds the server.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// A kubeconfig with one context.
pub(super) fn kubeconfig(
    server: &str,
    certificate: &[u8],
    user: &str,
    token: &str,
    namespace: &str,
) -> String {
    let authority = STANDARD.encode(pem(certificate));
    format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: pocket\n\
         clusters:\n- name: pocket\n  cluster:\n    server: {server}\n    certificate-authority-data: {authority}\n\
         contexts:\n- name: pocket\n  context: {{cluster: pocket, user: {user}, namespace: {namespace}}}\n\
         users:\n- name: {user}\n  user: {{token: {token}}}\n"
    )
}

fn pem(der: &[u8]) -> String {
    const LINE: usize = 64;
    let text = STANDARD.encode(der);
    let mut out = String::from("-----BEGIN CERTIFICATE-----\n");
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.len().min(LINE));
        out.push_str(line);
        out.push('\n');
        rest = after;
    }
    out.push_str("-----END CERTIFICATE-----\n");
    out
}
