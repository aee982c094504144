-- What a row of our own table becomes when its retry is allowed; its expiry is counted afresh, unless
-- it never ends.
retry_allowed = true,
expires_at = CASE WHEN {endless} THEN expires_at ELSE {now} + {span} END
