//! What stands between the binary and the API server when a test wants trouble: a wire that can go
//! silent or be cut, and a front that reads each request and decides what becomes of it.

use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex};

use crate::support::{admin, kubectl};

/// State of a [`Wire`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// Bytes pass.
    Open,
    /// Nothing passes, nothing is refused: as with a cable pulled out.
    Silent,
    /// Every connection is closed at once.
    Cut,
}

struct WireState {
    line: Mutex<Line>,
    changed: Condvar,
    open: Mutex<Vec<TcpStream>>,
}

/// A TCP connection to the API server, TLS and all, that can go bad.
pub(crate) struct Wire {
    port: u16,
    state: Arc<WireState>,
}

impl Wire {
    pub(crate) fn new() -> Self {
        let server = admin(&[
            "config",
            "view",
            "-o",
            "jsonpath={.clusters[0].cluster.server}",
        ]);
        let target = server.trim().trim_start_matches("https://").to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(WireState {
            line: Mutex::new(Line::Open),
            changed: Condvar::new(),
            open: Mutex::default(),
        });
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (shared, target) = (Arc::clone(&shared), target.clone());
                std::thread::spawn(move || connect(&shared, client, &target));
            }
        });
        Self { port, state }
    }

    /// Value for `--server`.
    pub(crate) fn server(&self) -> String {
        format!("https://127.0.0.1:{}", self.port)
    }

    pub(crate) fn set(&self, line: Line) {
        *self.state.line.lock().unwrap() = line;
        self.state.changed.notify_all();
        if line == Line::Cut {
            for stream in self.state.open.lock().unwrap().drain(..) {
                let _ = stream.shutdown(Shutdown::Both);
            }
        }
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.set(Line::Cut);
    }
}

impl WireState {
    /// Waits while the line is silent; false: it is cut.
    fn passes(&self) -> bool {
        let mut line = self.line.lock().unwrap();
        while *line == Line::Silent {
            line = self.changed.wait(line).unwrap();
        }
        *line == Line::Open
    }
}

fn connect(state: &Arc<WireState>, client: TcpStream, target: &str) {
    if !state.passes() {
        return;
    }
    let Ok(server) = TcpStream::connect(target) else {
        return;
    };
    let copy = |s: &TcpStream| s.try_clone().unwrap();
    state
        .open
        .lock()
        .unwrap()
        .extend([copy(&client), copy(&server)]);
    let (from, to, shared) = (copy(&client), copy(&server), Arc::clone(state));
    std::thread::spawn(move || pump(&shared, from, to));
    pump(state, server, client);
}

fn pump(state: &WireState, mut from: TcpStream, mut to: TcpStream) {
    let mut buffer = [0; 16 * 1024];
    loop {
        let got = match from.read(&mut buffer) {
            Ok(0) | Err(_) => break,
            Ok(n) => n,
        };
        if !state.passes() || to.write_all(&buffer[..got]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
    let _ = from.shutdown(Shutdown::Both);
}

/// A request that arrived at a [`Front`].
pub(crate) struct Asked {
    pub(crate) method: String,
    /// With its query.
    pub(crate) path: String,
    /// Bearer token, if there is one.
    pub(crate) token: Option<String>,
}

impl Asked {
    /// A call that changes something (no dry run, no question about rights).
    pub(crate) fn changes(&self) -> bool {
        self.method != "GET"
            && !self.path.contains("dryRun=")
            && !self.path.contains("authorization")
    }

    /// `POST jobs`: method and resource.
    pub(crate) fn is(&self, method: &str, resource: &str) -> bool {
        let path = self.path.split('?').next().unwrap_or_default();
        self.changes() && self.method == method && path.split('/').any(|part| part == resource)
    }
}

/// What becomes of a request.
pub(crate) enum Fate {
    /// It is passed on.
    Pass,
    /// It is answered by us: code, extra header lines (each with `\r\n`), body.
    Answer(u16, &'static str, &'static str),
    /// It never gets anywhere.
    Hold,
    /// It is carried out, but the answer is lost.
    LoseAnswer,
}

type Rule = Box<dyn FnMut(&Asked) -> Fate + Send>;

/// Plain HTTP to the API server as `jobset-user`, request by request.
pub(crate) struct Front {
    port: u16,
    proxy: Child,
}

impl Front {
    pub(crate) fn new(rule: impl FnMut(&Asked) -> Fate + Send + 'static) -> Self {
        let mut proxy = Command::new(kubectl())
            .args(["proxy", "--port=0"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // `Starting to serve on 127.0.0.1:40001`
        let mut line = String::new();
        let mut out = BufReader::new(proxy.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        let target = line.rsplit(' ').next().unwrap().trim().to_owned();
        assert!(target.contains(':'), "kubectl proxy says {line}");
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let rule: Arc<Mutex<Rule>> = Arc::new(Mutex::new(Box::new(rule)));
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (rule, target) = (Arc::clone(&rule), target.clone());
                // A client that goes away in mid-request is nothing to us.
                std::thread::spawn(move || serve(client, &target, &rule).unwrap_or_default());
            }
        });
        Self { port, proxy }
    }

    /// Value for `--server`.
    pub(crate) fn server(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        let _ = self.proxy.kill();
        let _ = self.proxy.wait();
    }
}

/// One request per connection: simple, and the client must do as it is told (`Connection: close`).
fn serve(mut client: TcpStream, target: &str, rule: &Mutex<Rule>) -> std::io::Result<()> {
    let mut reader = BufReader::new(client.try_clone()?);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut words = first.split(' ');
    let mut asked = Asked {
        method: words.next().unwrap_or_default().to_owned(),
        path: words.next().unwrap_or_default().to_owned(),
        token: None,
    };
    let mut head = first.clone();
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        match name.to_ascii_lowercase().as_str() {
            "authorization" => {
                asked.token = value.strip_prefix("Bearer ").map(str::to_owned);
                continue;
            }
            "content-length" => length = value.parse().unwrap_or(0),
            "connection" => continue,
            _ => {}
        }
        head.push_str(&line);
    }
    head.push_str("Connection: close\r\n\r\n");
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let fate = (rule.lock().unwrap())(&asked);
    let lose = match fate {
        Fate::Pass => false,
        Fate::LoseAnswer => true,
        Fate::Hold => {
            // Until the client gives up.
            let _ = reader.read(&mut [0])?;
            return Ok(());
        }
        Fate::Answer(code, headers, text) => {
            return write!(
                client,
                "HTTP/1.1 {code} Test\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{headers}\
                 Connection: close\r\n\r\n{text}",
                text.len()
            );
        }
    };
    let mut server = TcpStream::connect(target)?;
    server.write_all(head.as_bytes())?;
    server.write_all(&body)?;
    if lose {
        let _ = std::io::copy(&mut server, &mut std::io::sink())?;
        return client.shutdown(Shutdown::Both);
    }
    let watcher = server.try_clone()?;
    std::thread::spawn(move || {
        // A client that leaves ends its watch.
        let _ = reader.read(&mut [0]);
        let _ = watcher.shutdown(Shutdown::Both);
    });
    let _ = std::io::copy(&mut server, &mut client)?;
    client.shutdown(Shutdown::Both)
}
