//! Looks into a running container, for probes and for hooks: a program beside it, an HTTP request, a connection.

use std::net::Ipv4Addr;
use std::time::Duration;

use k8s_openapi::api::core::v1::{
    Container, ExecAction, HTTPGetAction, LifecycleHandler, Probe, TCPSocketAction,
};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

use super::inside::protocol::Program;
use super::link::Link;

/// Bytes of an answer's head that are read: a status line is short, and a server may send anything.
const MOST_HEAD: u64 = 4096;

/// Which of the three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Startup,
    Readiness,
    Liveness,
}

impl Kind {
    /// As events name it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Startup => "Startup",
            Self::Readiness => "Readiness",
            Self::Liveness => "Liveness",
        }
    }
}

/// Numbers of a probe, with Kubernetes' defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    pub(super) delay: Duration,
    pub(super) period: Duration,
    pub(super) timeout: Duration,
    pub(super) successes: i32,
    pub(super) failures: i32,
}

impl Numbers {
    pub(super) fn of(probe: &Probe) -> Self {
        let seconds = |given: Option<i32>, default: u64| {
            let given = given.and_then(|s| u64::try_from(s).ok()).filter(|s| *s > 0);
            Duration::from_secs(given.unwrap_or(default))
        };
        let count = |given: Option<i32>, default| given.filter(|n| *n > 0).unwrap_or(default);
        Self {
            delay: seconds(probe.initial_delay_seconds, 0),
            period: seconds(probe.period_seconds, 10),
            timeout: seconds(probe.timeout_seconds, 1),
            successes: count(probe.success_threshold, 1),
            failures: count(probe.failure_threshold, 3),
        }
    }
}

/// Results of a probe in a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Row {
    good: i32,
    bad: i32,
}

impl Row {
    /// Counts a result: what the probe says now, once it has said it often enough.
    pub(super) fn add(&mut self, good: bool, numbers: &Numbers) -> Option<bool> {
        if good {
            self.bad = 0;
            self.good = self.good.saturating_add(1);
            (self.good >= numbers.successes).then_some(true)
        } else {
            self.good = 0;
            self.bad = self.bad.saturating_add(1);
            (self.bad >= numbers.failures).then_some(false)
        }
    }
}

/// What to do.
#[derive(Clone, Debug)]
pub(super) enum Look {
    Exec(ExecAction),
    Http(HTTPGetAction),
    Tcp(TCPSocketAction),
    Sleep(Duration),
    /// Something that only a cluster has.
    Unknown,
}

impl From<&Probe> for Look {
    fn from(probe: &Probe) -> Self {
        match (&probe.exec, &probe.http_get, &probe.tcp_socket) {
            (Some(exec), ..) => Self::Exec(exec.clone()),
            (_, Some(http), _) => Self::Http(http.clone()),
            (.., Some(tcp)) => Self::Tcp(tcp.clone()),
            _ => Self::Unknown,
        }
    }
}

impl From<&LifecycleHandler> for Look {
    fn from(hook: &LifecycleHandler) -> Self {
        if let Some(exec) = &hook.exec {
            Self::Exec(exec.clone())
        } else if let Some(http) = &hook.http_get {
            Self::Http(http.clone())
        } else if let Some(tcp) = &hook.tcp_socket {
            Self::Tcp(tcp.clone())
        } else if let Some(sleep) = &hook.sleep {
            Self::Sleep(Duration::from_secs(
                u64::try_from(sleep.seconds).unwrap_or_default(),
            ))
        } else {
            Self::Unknown
        }
    }
}

/// A container that can be looked into.
#[derive(Clone)]
pub(super) struct Target {
    pub(super) link: Link,
    /// Run of the container.
    pub(super) id: u64,
    pub(super) program: Program,
    pub(super) address: Ipv4Addr,
    pub(super) container: Container,
}

impl Target {
    /// Looks once; `exec` is the number for a program that is run.
    ///
    /// # Errors
    /// What went wrong, as the kubelet tells it.
    pub(super) async fn look(
        &self,
        look: &Look,
        timeout: Duration,
        exec: u64,
    ) -> Result<(), String> {
        match look {
            Look::Exec(action) => self.exec(action, timeout, exec).await,
            Look::Http(action) => self.in_time(timeout, self.http(action)).await,
            Look::Tcp(action) => self.in_time(timeout, self.tcp(action)).await,
            Look::Sleep(wait) => {
                tokio::time::sleep((*wait).min(timeout)).await;
                Ok(())
            }
            Look::Unknown => {
                Err("this kind of handler is not supported by this kubelet".to_owned())
            }
        }
    }

    async fn in_time(
        &self,
        timeout: Duration,
        look: impl Future<Output = Result<(), String>>,
    ) -> Result<(), String> {
        tokio::time::timeout(timeout, look)
            .await
            .unwrap_or_else(|_| Err("context deadline exceeded".to_owned()))
    }

    async fn exec(&self, action: &ExecAction, timeout: Duration, id: u64) -> Result<(), String> {
        let program = Program {
            argv: action.command.clone().unwrap_or_default(),
            ..self.program.clone()
        };
        match self.link.exec(id, self.id, program, timeout).await {
            None => Err(format!("command timed out after {timeout:?}")),
            Some(result) if result.code == Some(0) => Ok(()),
            Some(result) => Err(result.output.trim_end().to_owned()),
        }
    }

    async fn tcp(&self, action: &TCPSocketAction) -> Result<(), String> {
        self.connect(action.host.as_deref(), &action.port)
            .await
            .map(drop)
    }

    async fn http(&self, action: &HTTPGetAction) -> Result<(), String> {
        if action.scheme.as_deref().is_some_and(|s| s != "HTTP") {
            return Err("HTTPS is not supported by this kubelet's probes".to_owned());
        }
        let path = action.path.as_deref().unwrap_or("/");
        let (stream, authority) = self.connect(action.host.as_deref(), &action.port).await?;
        let headers = action.http_headers.as_deref().unwrap_or_default();
        let host = headers
            .iter()
            .find(|h| h.name.eq_ignore_ascii_case("host"))
            .map_or(authority.as_str(), |h| h.value.as_str());
        let slash = if path.starts_with('/') { "" } else { "/" };
        let mut request = format!(
            "GET {slash}{path} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: kube-probe/1.37\r\nAccept: */*\r\nConnection: close\r\n"
        );
        for header in headers
            .iter()
            .filter(|h| !h.name.eq_ignore_ascii_case("host"))
        {
            request.push_str(&format!("{}: {}\r\n", header.name, header.value));
        }
        request.push_str("\r\n");
        let shown = |e: std::io::Error| format!("Get \"http://{authority}{slash}{path}\": {e}");
        let mut stream = BufReader::new(stream);
        stream.write_all(request.as_bytes()).await.map_err(shown)?;
        let mut line = String::new();
        stream
            .take(MOST_HEAD)
            .read_line(&mut line)
            .await
            .map_err(shown)?;
        match status_code(&line) {
            Some(200..400) => Ok(()),
            Some(code) => Err(format!("HTTP probe failed with statuscode: {code}")),
            None => Err(format!(
                "Get \"http://{authority}{slash}{path}\": malformed HTTP response"
            )),
        }
    }

    async fn connect(
        &self,
        host: Option<&str>,
        port: &IntOrString,
    ) -> Result<(TcpStream, String), String> {
        let port = port_number(&self.container, port)?;
        let own = self.address.to_string();
        let host = host.filter(|h| !h.is_empty()).unwrap_or(&own);
        let authority = format!("{host}:{port}");
        let stream = TcpStream::connect(&authority)
            .await
            .map_err(|e| format!("dial tcp {authority}: {e}"))?;
        Ok((stream, authority))
    }
}

/// A number, or the name of one of the container's ports.
fn port_number(container: &Container, port: &IntOrString) -> Result<u16, String> {
    let number = match port {
        IntOrString::Int(number) => Some(*number),
        IntOrString::String(name) => container
            .ports
            .iter()
            .flatten()
            .find(|p| p.name.as_ref() == Some(name))
            .map(|p| p.container_port)
            .or_else(|| name.parse().ok()),
    };
    number
        .and_then(|number| u16::try_from(number).ok())
        .filter(|number| *number > 0)
        .ok_or_else(|| format!("invalid port: {port:?}"))
}

/// Of `HTTP/1.1 200 OK`.
fn status_code(line: &str) -> Option<u16> {
    let mut words = line.split_whitespace();
    words.next().filter(|word| word.starts_with("HTTP/"))?;
    words.next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_those_of_kubernetes() {
        let numbers = Numbers::of(&Probe::default());
        assert_eq!(
            (numbers.period.as_secs(), numbers.timeout.as_secs()),
            (10, 1)
        );
        assert_eq!((numbers.successes, numbers.failures), (1, 3));
    }

    #[test]
    fn a_probe_speaks_when_it_has_said_it_often_enough() {
        let numbers = Numbers::of(&Probe {
            failure_threshold: Some(2),
            ..Probe::default()
        });
        let mut row = Row::default();
        let said: Vec<_> = [false, true, false, false, true]
            .map(|good| row.add(good, &numbers))
            .into();
        assert_eq!(said, [None, Some(true), None, Some(false), Some(true)]);
    }

    #[test]
    fn a_port_is_a_number_or_a_name() {
        let container: Container = serde_json::from_value(serde_json::json!(
            {"name": "c", "ports": [{"name": "web", "containerPort": 8080}]}
        ))
        .unwrap();
        let port = |text: &str| port_number(&container, &IntOrString::String(text.to_owned()));
        assert_eq!(port("web"), Ok(8080));
        assert_eq!(port("81"), Ok(81));
        assert!(port("none").is_err());
        assert_eq!(port_number(&container, &IntOrString::Int(90)), Ok(90));
    }

    #[test]
    fn the_status_line_is_read() {
        assert_eq!(
            status_code("HTTP/1.0 503 Service Unavailable\r\n"),
            Some(503)
        );
        assert_eq!(status_code("SSH-2.0-OpenSSH\r\n"), None);
    }
}
