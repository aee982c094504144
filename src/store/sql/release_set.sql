-- What a row of our own table becomes when its retry is allowed; its expiry is counted afresh.
retry_allowed = true,
expires_at = {now} + {span}
