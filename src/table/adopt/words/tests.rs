use super::name::Name;
use super::*;
use crate::protocol::Status;

#[test]
fn names_fall_apart_into_words() {
    let words = |name: &str| Name::new(name).words;
    assert_eq!(words("responseStatus"), ["response", "status"]);
    assert_eq!(words("ExpirationUtc"), ["expiration", "utc"]);
    assert_eq!(words("läuft_ab_am"), ["laeuft", "ab", "am"]);
    assert_eq!(words("IDEMPOTENCY_KEY"), ["idempotency", "key"]);
    assert_eq!(words("\"; --"), [""; 0]);
}

#[test]
fn times_are_told_apart() {
    for (name, expected) in [
        ("expires_at", Some(Moment::Expires)),
        ("laeuft_ab_am", Some(Moment::Expires)),
        ("lease_expires_at", Some(Moment::Lease)),
        ("locked_until", Some(Moment::Lease)),
        ("lease_to", Some(Moment::Lease)),
        ("leased_at", Some(Moment::Locked)),
        ("lease_started_at", Some(Moment::Locked)),
        ("lease_renewed_at", Some(Moment::Alive)),
        ("claim_extended_at", Some(Moment::Alive)),
        ("leased_until", Some(Moment::Lease)),
        ("lockedAt", Some(Moment::Locked)),
        ("last_run_at", Some(Moment::Alive)),
        ("completed_at", Some(Moment::Finished)),
        ("updatedAt", Some(Moment::Updated)),
        ("erstellt_am", Some(Moment::Created)),
        ("addTime", Some(Moment::Created)),
        ("claimed_by", None),
        ("created_by", None),
        ("birthday", None),
    ] {
        assert_eq!(moment(name), expected, "{name}");
    }
    assert!(is_of_something_else("card_expires_at") && is_of_something_else("deadline_at"));
    assert!(is_of_something_else("retry_until") && !is_of_something_else("laeuft_ab_am"));
    assert!(!is_of_something_else("ExpirationUtc") && !is_of_something_else("expireTime"));
}

#[test]
fn values_mean_something_only_where_there_is_no_doubt() {
    for (value, expected) in [
        ("in_bearbeitung", Some(Status::InProgress)),
        ("IN_PROGRESS", Some(Status::InProgress)),
        ("InProgress", Some(Status::InProgress)),
        ("COMPLETED", Some(Status::Completed)),
        ("abgeschlossen", Some(Status::Completed)),
        ("fehlgeschlagen", Some(Status::Failed)),
        ("submitted", None),
        ("active", None),
        ("new", None),
        ("expired", None),
        ("", None),
    ] {
        assert_eq!(state_value(value), expected, "{value}");
    }
}

#[test]
fn the_status_of_an_answer_is_no_state() {
    assert_eq!(answer("response_status", true), Some(AnswerPart::Status));
    assert_eq!(answer("statusCode", true), Some(AnswerPart::Status));
    assert_eq!(answer("status", true), None);
    assert_eq!(answer("response_headers", false), Some(AnswerPart::Headers));
    assert_eq!(answer("request_body", false), None);
    assert_eq!(answer("result_type", false), None);
    assert!(is_state("state") && !is_state("status_code") && !is_state("response_status"));
}
