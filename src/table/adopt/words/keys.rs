//! What names say of keys, scopes and tables.

use super::answers::{answer, is_of_request, is_reference};
use super::moments::{is_length, moment};
use super::name::Name;
use super::work::{flag, is_attempt, is_claim_token, is_failure, is_owner, is_state, is_step};

pub(super) const KEY: &[&str] = &[
    "key",
    "keys",
    "schluessel",
    "clave",
    "cle",
    "clef",
    "chave",
    "chiave",
    "sleutel",
    "klucz",
    "nyckel",
    "noegle",
    "avain",
];

pub(super) const ID: &[&str] = &["id", "uuid", "guid", "key", "token", "ref", "reference", "number", "nr"];

pub(super) const NOT_A_KEY: &[&str] = &[
    "status",
    "state",
    "at",
    "on",
    "type",
    "count",
    "method",
    "path",
    "body",
    "params",
    "headers",
    "header",
    "response",
    "result",
    "ttl",
    "encryption",
    "public",
    "private",
    "secret",
    "foreign",
    "hits",
];

/// How surely a column's name says that it is an idempotency key; 0 is not at all.
pub(crate) fn key_score(column: &str) -> u32 {
    let name = Name::new(column);
    if name.has(NOT_A_KEY) || name.begins(&["expir", "created", "updated"]) {
        return 0;
    }
    if name.contains(&["idempot", "einmalschluessel"]) {
        return 100;
    }
    if name.begins(&["dedup", "nonce", "unikey"]) {
        return 80;
    }
    let hashed = name.has(&["hash", "digest", "sha256", "fingerprint", "checksum"]);
    if name.has(KEY) && !name.has(&["request", "api", "cache"]) {
        return 70;
    }
    if hashed {
        return 0;
    }
    if name.has(&["request", "anfrage", "requete", "solicitud", "req"]) && name.has(ID) {
        return if name.has(KEY) { 78 } else { 75 };
    }
    if name.begins(&["message", "event", "command", "operation", "correlation", "delivery", "webhook"])
        && name.has(ID)
    {
        return 60;
    }
    if name.has(&["token"]) {
        return 40;
    }
    if name.is(&["id", "uuid", "guid"]) { 10 } else { 0 }
}

/// Whether a table's name says without doubt that it is there for idempotency keys.
pub(crate) fn says_idempotent(table: &str) -> bool {
    Name::new(table).contains(&["idempot"])
}

/// Whether a table's name says that messages or events are kept there.
pub(crate) fn speaks_of_messages(table: &str) -> bool {
    Name::new(table).has(&[
        "message",
        "messages",
        "event",
        "events",
        "webhook",
        "webhooks",
        "inbox",
        "outbox",
        "deliveries",
        "envelopes",
    ])
}

/// Words of a table's name that say what it is for.
pub(crate) fn table_score(table: &str) -> (i32, Option<&'static str>) {
    let name = Name::new(table);
    if name.contains(&["idempot"]) {
        return (50, Some("its name says that it is one"));
    }
    if name.begins(&["dedup", "nonce", "replay"])
        || name.has(&[
            "seen",
            "processed",
            "handled",
            "consumed",
            "received",
            "inbox",
            "outbox",
            "once",
            "used",
        ])
    {
        return (20, Some("its name speaks of what was seen or done before"));
    }
    if speaks_of_messages(table) {
        return (15, Some("its name speaks of messages"));
    }
    if name.begins(&["request", "reservation"]) || name.contains(&["stored_response"]) {
        return (10, Some("its name speaks of requests"));
    }
    if name.begins(&[
        "session", "user", "auth", "api", "oauth", "password", "invit", "coupon", "cache", "migrat",
    ]) || name.has(&["setting", "settings", "feature", "translation", "translations", "config"])
    {
        return (-25, None);
    }
    (0, None)
}

/// Whether a column of this name belongs to a table of idempotency keys.
pub(crate) fn is_of_keys(column: &str) -> bool {
    key_score(column) > 0
        || answer(column, false).is_some()
        || answer(column, true).is_some()
        || is_state(column)
        || is_step(column)
        || is_of_request(column)
        || is_owner(column)
        || is_claim_token(column)
        || is_failure(column)
        || is_attempt(column)
        || is_length(column, false)
        || is_reference(column)
        || flag(column).is_some()
        || moment(column).is_some()
}

/// Whose request it is, or what it was made to.
pub(crate) fn is_scope(column: &str) -> bool {
    let name = Name::new(column);
    name.begins(&[
        "user",
        "tenant",
        "account",
        "customer",
        "client",
        "merchant",
        "org",
        "company",
        "workspace",
        "mandant",
        "kunde",
        "nutzer",
        "benutzer",
        "partner",
        "principal",
        "namespace",
        "realm",
        "usuario",
        "cliente",
        "inquilino",
        "utilisateur",
    ]) || name.has(&[
        "scope",
        "endpoint",
        "route",
        "method",
        "operation",
        "action",
        "procedure",
        "subject",
        "actor",
        "service",
        "app",
        "application",
        "consumer",
        "handler",
        "queue",
        "topic",
    ]) || (name.has(&["path", "url", "uri"]) && (name.is(&["path", "url", "uri"]) || name.begins(&["req"])))
}

/// Whether the name is of something's number.
pub(crate) fn ends_in_id(column: &str) -> bool {
    Name::new(column).ends(&["id", "uuid", "number", "nr", "no"])
}
