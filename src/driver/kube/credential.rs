//! Credential plugins (`users[].user.exec` of a kubeconfig): run once per login, and again when what
//! they gave runs out.
//!
//! Own code because the client library runs a plugin three times for one client, which takes seconds
//! and may open three browser windows, and shows no `installHint`.

use std::io::IsTerminal as _;
use std::process::{Command, Stdio};

use ::kube::Config;
use ::kube::config::{ExecConfig, ExecInteractiveMode};
use base64::Engine as _;
use k8s_openapi::jiff::Timestamp;
use serde::Deserialize;
use serde_json::json;

/// What a plugin says.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Said {
    status: Option<Status>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Status {
    expiration_timestamp: Option<Timestamp>,
    token: Option<String>,
    client_certificate_data: Option<String>,
    client_key_data: Option<String>,
}

/// Runs the plugin of the configuration, if it has one, and puts what it gives in its place. Gives when
/// that runs out. Blocks.
///
/// # Errors
///
/// A sentence: the plugin isn't there, fails, or says nothing of use.
pub(crate) fn log_in(config: &mut Config) -> Result<Option<Timestamp>, String> {
    let Some(exec) = config.auth_info.exec.take() else {
        return Ok(None);
    };
    let command = exec
        .command
        .as_deref()
        .ok_or("the kubeconfig names no credential plugin")?;
    let output = run(&exec, command)?;
    // Some plugins write YAML, as kubectl takes that too.
    let said: Said = serde_saphyr::from_slice(&output)
        .map_err(|_| format!("{command} did not print a credential"))?;
    let status = said
        .status
        .ok_or_else(|| format!("{command} gave no credential"))?;
    let auth = &mut config.auth_info;
    let mut given = false;
    if let Some(token) = status.token {
        auth.token = Some(token.into());
        auth.token_file = None;
        given = true;
    }
    if let (Some(certificate), Some(key)) = (status.client_certificate_data, status.client_key_data)
    {
        let encode = |text: String| base64::engine::general_purpose::STANDARD.encode(text);
        auth.client_certificate_data = Some(encode(certificate));
        auth.client_certificate = None;
        auth.client_key_data = Some(encode(key).into());
        auth.client_key = None;
        given = true;
    }
    if given {
        Ok(status.expiration_timestamp)
    } else {
        Err(format!(
            "{command} gave neither a token nor a certificate with its key"
        ))
    }
}

fn run(exec: &ExecConfig, command: &str) -> Result<Vec<u8>, String> {
    let terminal = std::io::stdin().is_terminal();
    let interactive = match exec.interactive_mode {
        Some(ExecInteractiveMode::Never) => false,
        Some(ExecInteractiveMode::Always) if !terminal => {
            return Err(format!("{command} needs a terminal to log in"));
        }
        _ => terminal,
    };
    let info = json!({
        "kind": "ExecCredential",
        "apiVersion": exec.api_version,
        "spec": {"interactive": interactive, "cluster": exec.cluster},
    });
    let mut process = Command::new(command);
    process
        .args(exec.args.iter().flatten())
        .envs(
            exec.env
                .iter()
                .flatten()
                .filter_map(|e| Some((e.get("name")?, e.get("value")?))),
        )
        .env("KUBERNETES_EXEC_INFO", info.to_string())
        .stdout(Stdio::piped())
        // What it asks and complains of is for the person at the terminal.
        .stderr(if interactive {
            Stdio::inherit()
        } else {
            Stdio::piped()
        })
        .stdin(if interactive {
            Stdio::inherit()
        } else {
            Stdio::null()
        });
    let output = process
        .spawn()
        .and_then(std::process::Child::wait_with_output)
        .map_err(|error| match &exec.install_hint {
            Some(hint) if error.kind() == std::io::ErrorKind::NotFound => {
                format!("{command} is not installed: {}", hint.trim())
            }
            _ => format!("{command} can't be run: {error}"),
        })?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.trim().lines().next_back().unwrap_or_default();
    let how = output.status;
    Err(if last.is_empty() {
        format!("{command} failed ({how})")
    } else {
        format!("{command} failed ({how}): {last}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(exec: serde_json::Value) -> Config {
        let mut config = Config::new("https://127.0.0.1:1".parse().unwrap());
        config.auth_info.exec = Some(serde_json::from_value(exec).unwrap());
        config
    }

    fn shell(script: &str) -> Config {
        config(json!({
            "apiVersion": "client.authentication.k8s.io/v1",
            "command": "sh",
            "args": ["-c", script],
            "env": [{"name": "EXTRA", "value": "e"}],
            "interactiveMode": "Never",
        }))
    }

    #[test]
    fn a_token_takes_the_place_of_the_plugin() {
        let mut config = shell(
            r#"echo '{"kind":"ExecCredential","status":{"token":"t'$EXTRA'",
                     "expirationTimestamp":"2026-12-01T10:00:00Z"}}'"#,
        );
        let until = log_in(&mut config).unwrap();
        assert_eq!(until, Some("2026-12-01T10:00:00Z".parse().unwrap()));
        assert!(config.auth_info.exec.is_none());
        let auth = serde_json::to_value(&config.auth_info).unwrap();
        assert_eq!(auth["token"], "te");
        assert_eq!(log_in(&mut config), Ok(None));
    }

    #[test]
    fn a_certificate_too() {
        let mut config =
            shell(r#"echo '{"status":{"clientCertificateData":"CERT","clientKeyData":"KEY"}}'"#);
        assert_eq!(log_in(&mut config), Ok(None));
        let auth = serde_json::to_value(&config.auth_info).unwrap();
        assert_eq!(auth["client-certificate-data"], "Q0VSVA==");
        assert_eq!(auth["client-key-data"], "S0VZ");
    }

    #[test]
    fn the_plugin_is_told_what_kubectl_tells() {
        let mut config = shell(
            r#"case "$KUBERNETES_EXEC_INFO" in
               *'"interactive":false'*) echo '{"status":{"token":"told"}}';; *) exit 3;; esac"#,
        );
        assert_eq!(log_in(&mut config), Ok(None));
    }

    #[test]
    fn what_goes_wrong_is_said() {
        let mut missing = config(json!({
            "command": "no-such-plugin-anywhere", "installHint": "get it from example.com\n",
        }));
        assert_eq!(
            log_in(&mut missing).unwrap_err(),
            "no-such-plugin-anywhere is not installed: get it from example.com"
        );
        let error = log_in(&mut shell("echo no session >&2; exit 3")).unwrap_err();
        assert!(
            error.starts_with("sh failed (") && error.ends_with("no session"),
            "{error}"
        );
        assert_eq!(
            log_in(&mut shell("echo '{\"status\":{}}'")).unwrap_err(),
            "sh gave neither a token nor a certificate with its key"
        );
    }
}
