-- What this role begins with, whatever its sessions set: whether a transaction without a word of its own may
-- write, its time limits in milliseconds, and whether a commit waits for the disk.
SELECT
    (SELECT reset_val = 'on' FROM pg_settings WHERE name = 'default_transaction_read_only'),
    (SELECT CAST(reset_val AS bigint) FROM pg_settings WHERE name = 'statement_timeout'),
    (SELECT CAST(reset_val AS bigint) FROM pg_settings WHERE name = 'lock_timeout'),
    (SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit'),
    (SELECT source FROM pg_settings WHERE name = 'synchronous_commit')
