//! What names and values say of the state of work, and of who is at it.

use super::answers::ANSWER;
use super::name::Name;
use crate::protocol::Status;

/// Who works on it.
pub(crate) fn is_owner(column: &str) -> bool {
    let name = Name::new(column);
    name.has(&["owner", "worker", "holder", "bearbeiter"])
        || (name.has(&["by", "von", "par"]) && name.begins(&["lock", "claim", "reserv", "lease", "gesperrt"]))
}

/// A token that fences the claim.
pub(crate) fn is_claim_token(column: &str) -> bool {
    let name = Name::new(column);
    name.is(&["token"])
        || (name.has(&["token"]) && name.begins(&["claim", "lock", "lease", "reserv", "fenc", "owner"]))
}

/// Why it failed.
pub(crate) fn is_failure(column: &str) -> bool {
    let name = Name::new(column);
    name.begins(&["fail", "error", "fehler", "exception", "erreur"]) && !name.has(&["count", "at"])
}

/// How many tries there were.
pub(crate) fn is_attempt(column: &str) -> bool {
    Name::new(column).has(&["attempt", "attempts", "tries", "retries", "versuch", "versuche"])
}

/// The name of a state's column.
pub(crate) fn is_state(column: &str) -> bool {
    let name = Name::new(column);
    name.has(&[
        "status", "state", "zustand", "etat", "statut", "estado", "stato", "stan", "stav", "tila", "tilstand",
    ]) && !name.has(&["code", "http", "at", "reason", "message", "text"])
        && !name.begins(ANSWER)
}

/// A state that its name calls status, as an answer's is.
pub(crate) fn is_status(column: &str) -> bool {
    Name::new(column).has(&["status", "statut"])
}

/// A state's name with no word that makes it something else's.
pub(crate) fn is_plain_state(column: &str) -> bool {
    const PLAIN: &[&str] = &[
        "status",
        "state",
        "zustand",
        "etat",
        "statut",
        "estado",
        "stato",
        "stan",
        "stav",
        "tila",
        "tilstand",
        "idempotency",
        "key",
        "request",
        "processing",
        "process",
        "job",
        "work",
        "record",
        "row",
        "message",
        "event",
        "operation",
        "current",
        "execution",
        "lifecycle",
        "name",
        "command",
        "id",
    ];
    is_state(column) && Name::new(column).others(PLAIN, &[]) == 0
}

/// A state's name whose last word is another one: "status_page" is a page.
pub(crate) fn is_state_of_something(column: &str) -> bool {
    is_state(column)
        && !is_plain_state(column)
        && Name::new(column).begins(&["status", "state"])
        && !Name::new(column).ends(&["status", "state"])
}

/// The name of a column that says how far the work came.
pub(crate) fn is_step(column: &str) -> bool {
    let name = Name::new(column);
    name.begins(&["recover", "checkpoint"])
        || name.has(&["step", "stage", "phase", "schritt", "etape", "paso"])
}

/// What true means in a flag, where its whole name leaves no doubt: `being_processed` and `not_done` say the
/// contrary of their last words.
pub(crate) fn flag(column: &str) -> Option<Status> {
    let mut words = Name::new(column).words;
    if words.len() > 1 && matches!(words[0].as_str(), "is" | "was" | "has" | "ist" | "wurde") {
        words.remove(0);
    }
    match words.join("_").as_str() {
        "complete" | "completed" | "done" | "finish" | "finished" | "filled" | "processed" | "succeeded"
        | "success" | "settled" | "fertig" | "erledigt" | "abgeschlossen" => Some(Status::Completed),
        "pending" | "processing" | "running" | "in_progress" | "in_flight" | "in_bearbeitung" | "locked"
        | "gesperrt" => Some(Status::InProgress),
        _ => None,
    }
}

/// What a state's value means, where its name leaves no doubt.
pub(crate) fn state_value(value: &str) -> Option<Status> {
    let name = Name::new(value);
    let joined = name.words.concat();
    const IN_PROGRESS: &[&str] = &[
        "pending",
        "processing",
        "inprogress",
        "inprocess",
        "started",
        "running",
        "locked",
        "inflight",
        "working",
        "executing",
        "claimed",
        "acquired",
        "reserved",
        "inbearbeitung",
        "laufend",
        "laeuft",
        "gestartet",
        "encours",
        "encurso",
        "enproceso",
        "procesando",
        "pendiente",
        "incorso",
        "emandamento",
        "pendente",
        "processando",
        "wtoku",
        "bezig",
        "inbehandeling",
        "paagaende",
    ];
    const COMPLETED: &[&str] = &[
        "completed",
        "complete",
        "done",
        "finished",
        "succeeded",
        "success",
        "successful",
        "processed",
        "abgeschlossen",
        "erledigt",
        "fertig",
        "completado",
        "completada",
        "terminado",
        "terminada",
        "termine",
        "terminee",
        "completato",
        "completata",
        "concluido",
        "concluida",
        "voltooid",
        "zakonczone",
    ];
    const FAILED: &[&str] = &[
        "failed",
        "failure",
        "error",
        "errored",
        "fehlgeschlagen",
        "gescheitert",
        "fehler",
        "echoue",
        "echec",
        "fallido",
        "fallida",
        "fallito",
        "fallita",
        "falhou",
        "falhado",
        "mislukt",
    ];
    for (known, status) in
        [(IN_PROGRESS, Status::InProgress), (COMPLETED, Status::Completed), (FAILED, Status::Failed)]
    {
        if known.contains(&joined.as_str()) {
            return Some(status);
        }
    }
    None
}

/// Words of holding, working and going on: a column with one of them may say that the work is unfinished,
/// whatever else its name says.
pub(crate) fn is_of_work(column: &str) -> bool {
    let name = Name::new(column);
    name.has(&[
        "by", "state", "status", "step", "stage", "phase", "version", "attempt", "attempts", "retry",
        "retries", "run", "runner", "node", "host", "machine", "instance", "session", "process", "pid",
        "thread", "executor", "agent", "progress", "level", "flag",
    ]) || name.begins(&[
        "lock",
        "lease",
        "claim",
        "hold",
        "owner",
        "worker",
        "reserv",
        "acquir",
        "heartbeat",
        "pending",
        "process",
        "running",
        "busy",
        "work",
    ])
}
