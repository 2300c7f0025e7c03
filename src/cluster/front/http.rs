//! The world over HTTPS on loopback: what kubectl and our own binary speak to. Every request needs a
//! token. TLS because clients keep their tokens to themselves on a plain connection.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use http::{Request, Response};
use http_body_util::{BodyExt as _, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use crate::cluster::api::Status;
use crate::cluster::front::certificate::Certificate;
use crate::cluster::front::handle::{handle, refuse};
use crate::cluster::front::kubeconfig::kubeconfig;
use crate::cluster::front::objects::BODY_LIMIT;
use crate::cluster::front::reply::ReplyBody;
use crate::cluster::front::shared::Shared;
use crate::cluster::front::users::Users;
use crate::driver::clock;
use crate::error::{Error, Result};

/// A server that listens, and doesn't answer yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    acceptor: Acceptor,
    certificate: Vec<u8>,
    connections: Connections,
}

/// Connections that are open.
#[derive(Clone, Debug, Default)]
pub struct Connections(Arc<()>);

impl Connections {
    /// Whether there is any: each holds a clone, beside the server's and the asker's.
    #[must_use]
    pub fn any(&self) -> bool {
        Arc::strong_count(&self.0) > 2
    }
}

#[derive(Clone)]
struct Acceptor(TlsAcceptor);

impl std::fmt::Debug for Acceptor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Acceptor")
    }
}

impl Server {
    /// Listens on 127.0.0.1; on any free port for 0.
    ///
    /// # Errors
    /// The port is taken; there are no random numbers.
    pub async fn bind(port: u16) -> Result<Self> {
        let at = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let listener = TcpListener::bind(at)
            .await
            .map_err(|e| Error::other(format!("can't listen on {at}")).caused_by(e))?;
        let address = listener
            .local_addr()
            .map_err(|e| Error::other("the server has no address").caused_by(e))?;
        let made = Certificate::new(clock::now())
            .map_err(|_| Error::other("the system gives no random numbers for a key"))?;
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.key));
        let certificate = CertificateDer::from(made.certificate.clone());
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .and_then(|b| {
                b.with_no_client_auth()
                    .with_single_cert(vec![certificate], key)
            })
            .map_err(|e| Error::other("the server's certificate can't be used").caused_by(e))?;
        Ok(Self {
            listener,
            address,
            acceptor: Acceptor(TlsAcceptor::from(Arc::new(config))),
            certificate: made.certificate,
            connections: Connections::default(),
        })
    }

    /// A look at the connections, to be had once.
    #[must_use]
    pub fn connections(&self) -> Connections {
        self.connections.clone()
    }

    /// `https://127.0.0.1:40001`
    #[must_use]
    pub fn url(&self) -> String {
        format!("https://{}", self.address)
    }

    /// A kubeconfig for a user with that token.
    #[must_use]
    pub fn kubeconfig(&self, user: &str, token: &str, namespace: &str) -> String {
        kubeconfig(&self.url(), &self.certificate, user, token, namespace)
    }

    /// Answers for as long as it is polled.
    pub async fn serve(self, shared: Shared, users: Users) {
        let users = Arc::new(users);
        loop {
            // A connection that fails before it is there is its client's trouble; when the system has
            // no more of them, waiting lets others end.
            let Ok((stream, _)) = self.listener.accept().await else {
                clock::sleep(ACCEPT_AGAIN).await;
                continue;
            };
            let connection = connection(
                stream,
                self.acceptor.clone(),
                shared.clone(),
                Arc::clone(&users),
            );
            let open = self.connections.clone();
            tokio::spawn(async move {
                connection.await;
                drop(open);
            });
        }
    }
}

const ACCEPT_AGAIN: k8s_openapi::jiff::SignedDuration =
    k8s_openapi::jiff::SignedDuration::from_millis(50);

async fn connection(stream: TcpStream, acceptor: Acceptor, shared: Shared, users: Arc<Users>) {
    // Answers are small and wanted at once; without it they are merely later.
    let _late = stream.set_nodelay(true);
    let Ok(stream) = acceptor.0.accept(stream).await else {
        return;
    };
    let service = service_fn(move |request| {
        let (shared, users) = (shared.clone(), Arc::clone(&users));
        async move { Ok::<_, std::convert::Infallible>(answer(request, &shared, &users).await) }
    });
    // Clients that go away in mid-answer are no news.
    let _gone = http1::Builder::new()
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

async fn answer(request: Request<Incoming>, shared: &Shared, users: &Users) -> Response<ReplyBody> {
    let user = match users.who(request.headers()) {
        Ok(user) => user,
        Err(status) => return refuse(shared, &status),
    };
    let (head, body) = request.into_parts();
    match Limited::new(body, BODY_LIMIT).collect().await {
        Ok(body) => {
            let request = Request::from_parts(head, body.to_bytes());
            handle(shared, &user, &request)
        }
        Err(e) => {
            let status = Status::new(
                413,
                "RequestEntityTooLarge",
                format!("the body can't be read: {e}"),
            );
            refuse(shared, &status)
        }
    }
}
