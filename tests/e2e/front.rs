//! What stands between the binary and the API server when a test wants trouble: a wire that can go
//! silent or be cut, and a front that reads each request and decides what becomes of it.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, mpsc};

use http_body_util::BodyExt as _;
use kube::client::Body;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _};

use crate::api;
use crate::cluster::cluster;

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
        let config = kube::config::Kubeconfig::read_from(&cluster().user).unwrap();
        let server = config.clusters[0].cluster.as_ref().unwrap().server.clone();
        let target = server.unwrap().trim_start_matches("https://").to_owned();
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
    /// Ends the thread when it goes.
    _alive: tokio::sync::oneshot::Sender<()>,
}

impl Front {
    pub(crate) fn new(rule: impl FnMut(&Asked) -> Fate + Send + 'static) -> Self {
        let rule: Arc<Mutex<Rule>> = Arc::new(Mutex::new(Box::new(rule)));
        let (ready, wait) = mpsc::channel();
        let (alive, over) = tokio::sync::oneshot::channel();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async {
                let client = api::client(&cluster().user).await;
                let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
                ready.send(listener.local_addr().unwrap().port()).unwrap();
                tokio::select! {
                    () = accept(listener, &client, &rule) => {}
                    // The sender goes without a word.
                    _ = over => {}
                }
            });
        });
        Self {
            port: wait.recv().unwrap(),
            _alive: alive,
        }
    }

    /// Value for `--server`.
    pub(crate) fn server(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

async fn accept(listener: tokio::net::TcpListener, client: &kube::Client, rule: &Arc<Mutex<Rule>>) {
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        stream.set_nodelay(true).unwrap();
        let (client, rule) = (client.clone(), Arc::clone(rule));
        // A client that goes away in mid-request is nothing to us.
        tokio::spawn(async move { serve(stream, &client, &rule).await.unwrap_or_default() });
    }
}

/// One request per connection: simple, and the client must do as it is told (`Connection: close`).
async fn serve(
    mut stream: tokio::net::TcpStream,
    client: &kube::Client,
    rule: &Mutex<Rule>,
) -> std::io::Result<()> {
    let (read, mut write) = stream.split();
    let mut reader = tokio::io::BufReader::new(read);
    let mut first = String::new();
    reader.read_line(&mut first).await?;
    let mut words = first.split(' ');
    let mut asked = Asked {
        method: words.next().unwrap_or_default().to_owned(),
        path: words.next().unwrap_or_default().to_owned(),
        token: None,
    };
    let mut request = http::Request::builder()
        .method(asked.method.as_str())
        .uri(asked.path.as_str());
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).await? == 0 {
            return Ok(());
        }
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        match name.to_ascii_lowercase().as_str() {
            "authorization" => asked.token = value.strip_prefix("Bearer ").map(str::to_owned),
            "content-length" => length = value.parse().unwrap_or(0),
            // Between the two of us, and between the client and the server, each has its own.
            "connection" | "host" | "accept-encoding" => {}
            _ => request = request.header(name, value),
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).await?;
    let fate = (rule.lock().unwrap())(&asked);
    let lose = match fate {
        Fate::Pass => false,
        Fate::LoseAnswer => true,
        Fate::Hold => {
            // Until the client gives up.
            let _ = reader.read(&mut [0]).await?;
            return Ok(());
        }
        Fate::Answer(code, headers, text) => {
            let answer = format!(
                "HTTP/1.1 {code} Test\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{headers}\
                 Connection: close\r\n\r\n{text}",
                text.len()
            );
            return write.write_all(answer.as_bytes()).await;
        }
    };
    let request = request.body(Body::from(body)).unwrap();
    let response = client.send(request).await.map_err(std::io::Error::other)?;
    let (head, mut body) = response.into_parts();
    if lose {
        let _ = body.collect().await;
        return Ok(());
    }
    let mut text = format!("HTTP/1.1 {} Passed\r\n", head.status.as_u16());
    for (name, value) in &head.headers {
        if !matches!(
            name.as_str(),
            "content-length" | "transfer-encoding" | "connection"
        ) {
            text.push_str(&format!("{name}: {}\r\n", value.to_str().unwrap()));
        }
    }
    text.push_str("Connection: close\r\n\r\n");
    write.write_all(text.as_bytes()).await?;
    loop {
        let mut byte = [0];
        tokio::select! {
            frame = body.frame() => match frame {
                Some(Ok(frame)) => {
                    let data = frame.into_data().unwrap_or_default();
                    write.write_all(&data).await?;
                }
                _ => return write.shutdown().await,
            },
            // A client that leaves ends its watch.
            _ = reader.read(&mut byte) => return Ok(()),
        }
    }
}
