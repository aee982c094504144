//! What names say of requests, answers and what came with them.

use super::keys::{KEY, is_scope};
use super::name::Name;

/// Which part of an answer a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerPart {
    Status,
    Headers,
    Body,
}

pub(super) const REQUEST: &[&str] = &[
    "request",
    "req",
    "input",
    "params",
    "parameters",
    "anfrage",
    "fingerprint",
    "hash",
    "digest",
    "checksum",
    "signature",
    "args",
    "arguments",
    "definition",
    "serialized",
];

pub(super) const ANSWER: &[&str] = &[
    "response",
    "resp",
    "answer",
    "reply",
    "antwort",
    "reponse",
    "respuesta",
    "risposta",
    "resposta",
    "result",
    "ergebnis",
    "resultat",
    "resultado",
    "output",
    "outcome",
];

/// Which part of an answer it is; a number where `is_number`.
pub(crate) fn answer(column: &str, is_number: bool) -> Option<AnswerPart> {
    let name = Name::new(column);
    if name.has(&["hash", "digest", "checksum", "type", "length", "size", "id", "ref", "token", "at"]) {
        return None;
    }
    let of_answer = name.begins(ANSWER);
    let of_request = name.has(REQUEST) && !of_answer;
    if is_number {
        let is_code = name.has(&["code", "status", "statuscode"]);
        let says_so = of_answer || name.contains(&["status_code", "statuscode", "http"]);
        return (is_code && says_so && !of_request).then_some(AnswerPart::Status);
    }
    if of_request || name.has(&["code", "status"]) {
        return None;
    }
    if name.has(&["headers", "header"]) {
        return of_answer.then_some(AnswerPart::Headers);
    }
    (of_answer || name.is(&["body", "payload", "snapshot", "content"])).then_some(AnswerPart::Body)
}

/// The document of an answer, and not a word for how the work ended.
pub(crate) fn is_body(column: &str) -> bool {
    let name = Name::new(column);
    name.has(&["response", "responses", "answer", "reply"])
        || name.begins(&["antwort", "respuesta", "reponse", "risposta", "resposta"])
}

/// What the request was: never a sign of its outcome.
pub(crate) fn is_of_request(column: &str) -> bool {
    let name = Name::new(column);
    name.has(REQUEST) && !name.begins(ANSWER) || is_scope(column)
}

/// The fingerprint of the request.
pub(crate) fn is_request_hash(column: &str) -> bool {
    let name = Name::new(column);
    if name.begins(ANSWER) || name.has(KEY) {
        return false;
    }
    name.begins(&["fingerprint"])
        || (name.has(&["hash", "digest", "checksum", "sha256"])
            && name.has(&["request", "req", "payload", "body", "params", "input", "anfrage"]))
}

/// What goes with an answer, such as its type.
pub(crate) fn is_of_answer(column: &str) -> bool {
    let name = Name::new(column);
    name.begins(ANSWER) && !name.has(&["state", "at", "status", "code"])
}

/// A reference to something.
pub(crate) fn is_reference(column: &str) -> bool {
    let name = Name::new(column);
    name.ends(&["id", "uuid", "ref", "reference", "url"]) && !is_scope(column) && !name.is(&["id", "uuid"])
}

/// A reference that its name says to be to what the request made.
pub(crate) fn is_result_reference(column: &str) -> bool {
    is_reference(column)
        && Name::new(column)
            .has(&["resource", "result", "response", "created", "outcome", "entity", "target", "made"])
}

/// What a request is traced by: no state of its work.
pub(crate) fn is_trace(column: &str) -> bool {
    Name::new(column).has(&["trace", "traceparent", "span", "correlation", "causation", "conversation"])
}

/// What somebody is called, or what something is like: said once, when the row is made.
pub(crate) fn is_description(column: &str) -> bool {
    let name = Name::new(column);
    name.is(&[
        "name",
        "description",
        "title",
        "comment",
        "note",
        "notes",
        "email",
        "phone",
        "currency",
        "locale",
    ]) || name.has(&["description", "agent", "email"]) && !name.has(&["state", "status"])
        || name.contains(&[
            "user_agent",
            "ip_address",
            "remote_addr",
            "client_ip",
            "message_type",
            "event_type",
            "request_type",
            "resource_type",
            "entity_type",
            "target_type",
            "object_type",
            "aggregate_type",
            "content_type",
            "command_type",
            "event_name",
            "display_name",
            "full_name",
        ])
        || name.is(&["ip", "url", "uri", "topic", "subject"])
}

/// How much or how large.
pub(crate) fn is_amount(column: &str) -> bool {
    let name = Name::new(column);
    name.has(&["amount", "price", "total", "quantity", "size", "bytes", "length", "cost", "fee", "betrag"])
}

/// The words of a request's or a message's documents.
pub(crate) fn is_document(column: &str) -> bool {
    let name = Name::new(column);
    name.has(&[
        "metadata",
        "headers",
        "header",
        "tags",
        "labels",
        "attributes",
        "args",
        "arguments",
        "params",
        "parameters",
        "serialized",
        "definition",
        "input",
    ]) && !name.has(&["state", "status"])
}
