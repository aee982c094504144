-- From when until when the leases of rows in progress run, as they are written.
SELECT {renewed_read}, {lease_read}
FROM {sample}
WHERE {in_progress} AND {lease} IS NOT NULL
LIMIT 5000
