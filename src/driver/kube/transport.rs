//! The HTTP client under a connection: the client library's parts, put together here because of one
//! switch that the library leaves off: small packets go out at once (`TCP_NODELAY`).
//!
//! Without it the first request on each new connection is held back until the server acknowledges the
//! end of the handshake, which it puts off for 40 ms: more than everything else before the first answer,
//! and paid once for each of the 32 connections of a start.

use ::kube::client::{Body, ClientBuilder, ConfigExt as _};
use ::kube::{Client, Config};
use hyper_timeout::TimeoutConnector;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tower::{BoxError, ServiceBuilder};
use tower_http::decompression::DecompressionLayer;

/// A client for that configuration. Makes no connection yet.
///
/// # Errors
///
/// Certificates, keys or credentials that can't be used.
pub fn client(config: Config) -> Result<Client, ::kube::Error> {
    if config.proxy_url.is_some() {
        // The library knows all kinds of proxies; to one of them those 40 ms are the least.
        return Client::try_from(config);
    }
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    let mut connector = TimeoutConnector::new(config.rustls_https_connector_with_connector(tcp)?);
    connector.set_connect_timeout(config.connect_timeout);
    connector.set_read_timeout(config.read_timeout);
    connector.set_write_timeout(config.write_timeout);
    let http = hyper_util::client::legacy::Client::builder(TokioExecutor::new())
        .build::<_, Body>(connector);
    let service = ServiceBuilder::new()
        .layer(config.base_uri_layer())
        .layer(DecompressionLayer::new().gzip(!config.disable_compression))
        .option_layer(config.auth_layer()?)
        .layer(config.extra_headers_layer()?)
        .map_err(BoxError::from)
        .service(http);
    Ok(ClientBuilder::new(service, config.default_namespace).build())
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;

    use http::Request;

    use super::*;

    /// What a server gets of a `GET /version` with that configuration, in lower case.
    async fn got(configure: impl FnOnce(&mut Config)) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                stream.read_exact(&mut byte).unwrap();
                head.extend(byte);
            }
            let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
            stream.write_all(answer).unwrap();
            String::from_utf8(head).unwrap().to_lowercase()
        });
        let mut config = Config::new(format!("http://{address}/prefix").parse().unwrap());
        configure(&mut config);
        let request = Request::get("/version").body(Vec::new()).unwrap();
        let answer = client(config).unwrap().request_text(request).await;
        assert_eq!(answer.unwrap(), "{}");
        server.join().unwrap()
    }

    #[tokio::test]
    async fn requests_are_as_the_configuration_says() {
        let head = got(|config| {
            config.auth_info.token = Some("s3cret".to_owned().into());
            config.auth_info.impersonate = Some("ada".to_owned());
        })
        .await;
        assert!(
            head.starts_with("get /prefix/version http/1.1\r\n"),
            "{head}"
        );
        for header in [
            "authorization: bearer s3cret",
            "impersonate-user: ada",
            "accept-encoding: gzip",
        ] {
            assert!(head.contains(&format!("\r\n{header}\r\n")), "{head}");
        }
        let plain = got(|config| config.disable_compression = true).await;
        assert!(!plain.contains("accept-encoding"), "{plain}");
    }
}
