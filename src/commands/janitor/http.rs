//! `/metrics`, `/livez`, `/readyz` and `/status`.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Json, Response};
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::metrics::Metrics;
use crate::janitor::Status;

#[derive(Clone)]
struct Served {
    status: watch::Receiver<Status>,
    metrics: Arc<Metrics>,
}

/// Answers until `stop`.
pub(super) async fn serve(
    listener: TcpListener,
    status: watch::Receiver<Status>,
    metrics: Arc<Metrics>,
    stop: CancellationToken,
) {
    let app = Router::new()
        // Whoever hears this is answered by the very thread that the loop turns on.
        .route("/livez", get(|| async { "ok\n" }))
        .route("/readyz", get(readyz))
        .route(
            "/status",
            get(|State(served): State<Served>| async move { Json(served.status.borrow().clone()) }),
        )
        .route("/metrics", get(metrics_text))
        .with_state(Served { status, metrics });
    let ended = axum::serve(listener, app).with_graceful_shutdown(stop.cancelled_owned()).await;
    if let Err(error) = ended {
        tracing::error!(%error, "no longer listening");
    }
}

/// Ready is a janitor whose database is connected and has what the configuration names, whether it leads
/// or not.
async fn readyz(State(served): State<Served>) -> Response {
    let database = served.status.borrow().database.clone();
    if database.up {
        return "ok\n".into_response();
    }
    let why = database.error.unwrap_or_default();
    (StatusCode::SERVICE_UNAVAILABLE, format!("{why}\n")).into_response()
}

async fn metrics_text(State(served): State<Served>) -> Response {
    let text = served.metrics.render(&served.status.borrow());
    match text {
        Ok(text) => ([(header::CONTENT_TYPE, prometheus::TEXT_FORMAT)], text).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")).into_response(),
    }
}
