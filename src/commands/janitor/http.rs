//! `/metrics`, `/livez`, `/readyz` and `/status`.
//!
//! Whoever can connect may send half a request and wait. No such connection lives long, there are never many
//! of them, and a new one is always let in: the janitor's descriptors are for its database.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

use super::metrics::Metrics;
use crate::janitor::JanitorStatus;
use crate::output::{escape_json, visible};

/// A request has this long to arrive.
const REQUEST_PATIENCE: Duration = Duration::from_secs(5);
/// A connection has this long for a request and its answer.
const CONNECTION_PATIENCE: Duration = Duration::from_secs(10);
/// The most that is read of a request.
const REQUEST_LIMIT: usize = 16 * 1024;
/// The most connections, where the process may open enough files.
const MOST_CONNECTIONS: usize = 64;
/// At most this share of the files that the process may open are connections.
const SHARE_OF_FILES: u64 = 4;
/// When no connection can be taken, as for want of files, it is tried again after this long.
const REST: Duration = Duration::from_millis(100);

#[derive(Clone)]
struct Served {
    status: watch::Receiver<JanitorStatus>,
    metrics: Arc<Metrics>,
}

/// Answers for as long as the process lives: also while it ends, it says that it does.
pub(super) async fn serve(
    listener: TcpListener,
    status: watch::Receiver<JanitorStatus>,
    metrics: Arc<Metrics>,
) -> Infallible {
    let app = Router::new()
        // Whoever hears this is answered by the very thread that the loop turns on.
        .route("/livez", get(|| async { "ok\n" }))
        .route("/readyz", get(readyz))
        .route("/status", get(status_text))
        .route("/metrics", get(metrics_text))
        .with_state(Served { status, metrics });
    let most = most_connections();
    // The oldest first.
    let mut connections: VecDeque<AbortHandle> = VecDeque::new();
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::debug!(%error, "a connection could not be taken");
                sleep(REST).await;
                continue;
            }
        };
        connections.retain(|connection| !connection.is_finished());
        // Who has been silent for longest makes room for who has just come.
        while connections.len() >= most {
            connections.pop_front().inspect(AbortHandle::abort);
        }
        connections.push_back(tokio::spawn(answer(stream, app.clone())).abort_handle());
    }
}

/// One request and its answer.
async fn answer(stream: TcpStream, app: Router) {
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(REQUEST_PATIENCE)
        .max_buf_size(REQUEST_LIMIT)
        // A connection that rests is one that somebody else can't have.
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(app));
    match timeout(CONNECTION_PATIENCE, connection).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::debug!(%error, "a request could not be answered"),
        Err(_) => tracing::debug!("a request was not answered in time"),
    }
}

/// How many connections there may be.
fn most_connections() -> usize {
    let files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    let share = files.map_or(MOST_CONNECTIONS, |files| {
        usize::try_from(files / SHARE_OF_FILES).unwrap_or(MOST_CONNECTIONS)
    });
    share.clamp(1, MOST_CONNECTIONS)
}

/// Ready is a janitor whose database is connected and has what the configuration names, whether it leads
/// or not.
async fn readyz(State(served): State<Served>) -> Response {
    let database = served.status.borrow().database.clone();
    if database.up {
        return "ok\n".into_response();
    }
    let why = database.error.unwrap_or_default();
    (StatusCode::SERVICE_UNAVAILABLE, format!("{}\n", visible(&why))).into_response()
}

async fn status_text(State(served): State<Served>) -> Response {
    let json = serde_json::to_string(&*served.status.borrow());
    match json {
        Ok(json) => ([(header::CONTENT_TYPE, "application/json")], escape_json(&json)).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")).into_response(),
    }
}

async fn metrics_text(State(served): State<Served>) -> Response {
    let text = served.metrics.render(&served.status.borrow());
    match text {
        Ok(text) => ([(header::CONTENT_TYPE, prometheus::TEXT_FORMAT)], text).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")).into_response(),
    }
}
