-- SQLite has no enum types.
SELECT NULL, NULL, NULL WHERE false
