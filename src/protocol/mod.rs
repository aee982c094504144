//! The state machine and the claim protocol, as pure code.
//!
//! Nothing in here knows a database, reads a clock or awaits anything: every function takes the row
//! as it was read and the moment it was read at, and says what follows. The stores repeat the same
//! conditions in their statements' `WHERE`; the model test compares each of them with this module.
//!
//! ```
//! use idemctl::protocol::{Claim, ClaimOutcome, Decision, Key, Scope, Timestamp, decide};
//!
//! let claim = Claim::new(Key::new("order-1234")?, Scope::new("tenant-7")?);
//! // No row yet: whoever inserts it first may do the work.
//! match decide(None, &claim, Timestamp::from_micros(0)) {
//!     Decision::Acquire { attempt, .. } => assert_eq!(attempt, 1),
//!     Decision::Answer(outcome) => panic!("{outcome:?}"),
//! }
//! # Ok::<(), idemctl::protocol::InvalidInput>(())
//! ```

mod answer;
mod canonical_json;
mod claim;
mod fingerprint;
mod key;
mod machine;
pub mod rules;
mod time;

pub(crate) use answer::ascii_json;
pub use answer::{Answer, AnswerTooLarge, Body, DEFAULT_ANSWER_LIMIT, Header};
pub use canonical_json::InvalidJson;
pub use claim::{Claim, ClaimOutcome, Retry, Settlement};
pub use fingerprint::{Fingerprint, matches as fingerprint_matches, rule as fingerprint_rule};
pub use key::{InvalidInput, Key, MAX_NAME_BYTES, Scope, Token, derive_key};
pub use machine::{
    Decision, Record, Status, StuckRule, claimed, claimed_again, decide, failed_by_operator, is_purgeable,
    reaped, released, renewed, settled,
};
pub use rules::{Refusal, Standing, Verdict};
pub use time::{Lease, Span, Timestamp, Ttl};
