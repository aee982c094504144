//! What names mean: general words of the field, in some languages. No name of a table that somebody has.

mod answers;
mod keys;
mod moments;
mod name;
mod work;

pub(crate) use answers::{
    AnswerPart, answer, is_amount, is_body, is_description, is_document, is_of_answer, is_of_request,
    is_reference, is_request_hash, is_result_reference, is_trace,
};
pub(crate) use keys::{
    ends_in_id, is_of_keys, is_scope, key_score, says_idempotent, speaks_of_messages, table_score,
};
pub(crate) use moments::{
    Moment, is_length, is_of_something_else, is_timed, moment, same_but_unit, says_utc,
};
pub(crate) use work::{
    flag, is_attempt, is_claim_token, is_failure, is_of_work, is_owner, is_plain_state, is_state,
    is_state_of_something, is_status, is_step, state_value,
};

#[cfg(test)]
mod tests;
