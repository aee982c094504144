-- What a row of our own table becomes when its claim is taken away: failed, the token erased so
-- that a late worker can't settle it, blocked if it was claimed so or the policy says so.
status = 'failed',
claim_token = NULL,
retry_allowed = (retry_allowed AND {policy}),
failure = {reason},
lease_expires_at = NULL,
finished_at = {now},
expires_at = CASE WHEN {endless} THEN expires_at ELSE {now} + {span} END
