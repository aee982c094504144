#!/usr/bin/env python3
"""Creates an order at most once per idempotency key, with nothing but PostgreSQL and idemctl's table.

    pip install 'psycopg[binary]==3.3.9'
    export DATABASE_URL=postgres://shop@localhost/shop
    idemctl migrate
    psql "$DATABASE_URL" -c 'CREATE TABLE orders (id bigserial PRIMARY KEY, request jsonb NOT NULL)'
    ./claim.py order-1042 '{"item": "book", "amount": 10}'

The program stands for a server: its arguments are the Idempotency-Key and the body of a POST to /orders, and it
prints the answer as HTTP would have it. The protocol is idemctl-protocol(7), which has the same statements.
"""

import argparse
import contextlib
import hashlib
import json
import os
import random
import socket
import sys
import time
import uuid
from dataclasses import dataclass

import psycopg
from psycopg import errors

# A claim or a completion that a crash of the server forgets is executed a second time.
DURABLE = """
SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'
"""

CLAIM_INSERT = """
INSERT INTO "idempotency_keys" (
    idempotency_key, scope, status, request_hash, claim_token, attempt, owner, retry_allowed,
    created_at, claimed_at, renewed_at, lease_expires_at, expires_at)
SELECT
    $1, $2, 'in_progress', $3, $4, 1, $5, $6,
    c.now, c.now, c.now, c.now + $7 * interval '1 microsecond', c.now + $8 * interval '1 microsecond'
FROM (SELECT clock_timestamp() AS now) AS c
WHERE true
ON CONFLICT (idempotency_key, scope) DO NOTHING
"""

CLAIM_READ = """
SELECT "idempotency_key", "scope", "status", "request_hash", "response_status", "response_headers", "response_bytes", "claim_token", "attempt", "owner", "retry_allowed", "failure", "created_at", "claimed_at", "renewed_at", "lease_expires_at", "finished_at", "expires_at", clock_timestamp(), "response_status", "response_headers", "response_body", "response_bytes"
FROM "idempotency_keys"
WHERE "idempotency_key" = $1 AND "scope" = $2
"""

CLAIM_TAKE_OVER = """
UPDATE "idempotency_keys" AS t
SET status = 'in_progress',
    request_hash = CASE WHEN $11 THEN $3 ELSE COALESCE(t.request_hash, $3) END,
    claim_token = $4,
    attempt = CASE WHEN $11 THEN 1 ELSE t.attempt + 1 END,
    owner = $5,
    retry_allowed = $6,
    failure = NULL,
    created_at = CASE WHEN $11 THEN c.now ELSE t.created_at END,
    claimed_at = c.now,
    renewed_at = c.now,
    lease_expires_at = c.now + $7 * interval '1 microsecond',
    finished_at = NULL,
    expires_at = c.now + $8 * interval '1 microsecond',
    response_status = NULL,
    response_headers = NULL,
    response_body = NULL,
    response_bytes = NULL
FROM (SELECT clock_timestamp() AS now) AS c
WHERE t.idempotency_key = $1
  AND t.scope = $2
  AND t.attempt = $9
  AND t.claimed_at = $10
  AND CASE
      WHEN $11 THEN t.status IN ('completed', 'failed') AND t.expires_at <= c.now
      ELSE t.status = 'failed'
          AND t.retry_allowed
          AND t.expires_at > c.now
          AND (t.request_hash IN ($3, $12) OR t.request_hash IS NULL OR $3 IS NULL)
      END
"""

CLAIM_RESTAMP = """
UPDATE "idempotency_keys" AS t
SET created_at = CASE WHEN t.attempt = 1 THEN c.now ELSE t.created_at END,
    claimed_at = c.now,
    renewed_at = c.now,
    lease_expires_at = c.now + $4 * interval '1 microsecond',
    expires_at = c.now + $5 * interval '1 microsecond'
FROM (SELECT clock_timestamp() AS now) AS c
WHERE t.idempotency_key = $1
  AND t.scope = $2
  AND t.claim_token = $3
  AND t.status = 'in_progress'
"""

COMPLETE = """
UPDATE "idempotency_keys" AS t
SET status = 'completed',
    lease_expires_at = NULL,
    finished_at = c.now,
    expires_at = CASE WHEN expires_at > timestamptz '100000-01-01 00:00:00+00' THEN t.expires_at ELSE c.now + CASE WHEN isfinite(expires_at) AND expires_at > timestamptz '2000-01-01 00:00:00+00' AND isfinite(claimed_at) AND claimed_at > timestamptz '2000-01-01 00:00:00+00' AND expires_at >= claimed_at + interval '1 second' THEN CAST(extract(epoch FROM expires_at - claimed_at) * 1000000 AS double precision) * interval '1 microsecond' ELSE interval '24 hours' END END,
    response_status = $4,
    response_headers = $5,
    response_body = $6,
    response_bytes = $7
FROM (SELECT clock_timestamp() AS now) AS c
WHERE t.idempotency_key = $1
  AND t.scope = $2
  AND t.claim_token = $3
  AND t.status = 'in_progress'
"""

FAIL = """
UPDATE "idempotency_keys" AS t
SET status = 'failed',
    retry_allowed = $9,
    failure = $8,
    lease_expires_at = NULL,
    finished_at = c.now,
    expires_at = CASE WHEN expires_at > timestamptz '100000-01-01 00:00:00+00' THEN t.expires_at ELSE c.now + CASE WHEN isfinite(expires_at) AND expires_at > timestamptz '2000-01-01 00:00:00+00' AND isfinite(claimed_at) AND claimed_at > timestamptz '2000-01-01 00:00:00+00' AND expires_at >= claimed_at + interval '1 second' THEN CAST(extract(epoch FROM expires_at - claimed_at) * 1000000 AS double precision) * interval '1 microsecond' ELSE interval '24 hours' END END,
    response_status = $4,
    response_headers = $5,
    response_body = $6,
    response_bytes = $7
FROM (SELECT clock_timestamp() AS now) AS c
WHERE t.idempotency_key = $1
  AND t.scope = $2
  AND t.claim_token = $3
  AND t.status = 'in_progress'
"""

SECOND = 1_000_000  # spans are whole microseconds
LEASE = 60 * SECOND
TTL = 24 * 3600 * SECOND
BODY_LIMIT = 1024 * 1024


class StaleClaim(Exception):
    """The claim is no longer ours; nothing was changed."""


@dataclass
class Answer:
    status: int | None
    headers: list[tuple[str, str]]
    body: bytes | None  # None: too large to be kept


@dataclass
class Claimed:
    attempt: int


@dataclass
class Replay:
    answer: Answer


@dataclass
class InProgress:
    pass


@dataclass
class FailedFinal:
    reason: str | None
    answer: Answer


@dataclass
class Mismatch:
    pass


def fingerprint(method, path, query, body):
    """By the rule sha256: a head, and the body's bytes as they are."""
    head = json.dumps([method, path, query], separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
    return "sha256:" + hashlib.sha256(head + body).hexdigest()


def check(what, text, least):
    """The table checks the length alone."""
    if not least <= len(text.encode()) <= 255 or any(ord(c) < 0x20 or 0x7F <= ord(c) <= 0x9F for c in text):
        raise ValueError(f"not a {what}: {text!r}")


class Keys:
    """The table of keys. A server takes its connections from a pool instead of opening them."""

    def __init__(self, url):
        self.url = url

    def connect(self):
        # RawCursor takes the statements' own $1, $2, ...
        connection = psycopg.connect(
            self.url,
            cursor_factory=psycopg.RawCursor,
            options="-c lock_timeout=1000 -c statement_timeout=30000",
        )
        connection.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
        return connection

    def transaction(self, work):
        """Runs work(connection) in a transaction of its own.

        A conflict is tried again, and a broken connection too: the token makes the repetition harmless.
        """
        for round in range(8):
            try:
                with self.connect() as connection:  # commits at its end, rolls back on an error
                    connection.execute(DURABLE)
                    return work(connection)
            except (errors.SerializationFailure, errors.DeadlockDetected, errors.LockNotAvailable,
                    psycopg.OperationalError):
                if round == 7:
                    raise
                time.sleep(random.uniform(0, 0.02 * 2**round))

    def claim(self, key, scope, request_hash, token, retry_if_lost=True):
        check("key", key, 1)
        check("scope", scope, 0)
        owner = f"{socket.gethostname()}:{os.getpid()}"
        binds = [key, scope, request_hash, token, owner, retry_if_lost, LEASE, TTL]
        return self.transaction(lambda connection: self.claim_on(connection, binds))

    def claim_on(self, connection, binds):
        key, scope, request_hash, token = binds[:4]
        for _ in range(32):
            asked = time.monotonic()
            if connection.execute(CLAIM_INSERT, binds).rowcount == 1:
                if self.is_fresh(connection, binds, asked):
                    return Claimed(1)
                continue
            row = connection.execute(CLAIM_READ, [key, scope]).fetchone()
            if row is None:
                continue  # deleted in between
            status, stored_hash, stored_token, attempt = row[2], row[3], row[7], row[8]
            retry_allowed, failure, claimed_at, expires_at, now = row[10], row[11], row[13], row[17], row[18]
            as_absent = False
            if status in ("completed", "failed") and expires_at <= now:
                as_absent = True
            elif status == "in_progress" and stored_token == token:
                # Our own claim, asked again: its first answer may have been lost for longer than the lease.
                if self.starts_anew(connection, binds):
                    return Claimed(attempt)
                continue  # taken away in between
            elif status == "in_progress" and expires_at <= now:
                return InProgress()
            elif stored_hash is not None and stored_hash != request_hash:
                return Mismatch()
            elif status == "in_progress":
                return InProgress()
            elif status == "completed":
                return Replay(answer_of(row))
            elif not retry_allowed:
                return FailedFinal(failure, answer_of(row))
            asked = time.monotonic()
            # $12 is NULL: nobody uses the other rule on this table.
            taken = connection.execute(CLAIM_TAKE_OVER, binds + [attempt, claimed_at, as_absent, None])
            if taken.rowcount == 1 and self.is_fresh(connection, binds, asked):
                return Claimed(1 if as_absent else attempt + 1)
        raise RuntimeError("the row changed 32 times while it was being claimed")

    def is_fresh(self, connection, binds, asked):
        if time.monotonic() - asked > 0.1:  # it waited: the lease starts now
            return self.starts_anew(connection, binds)
        return True

    def starts_anew(self, connection, binds):
        key, scope, _, token, _, _, lease, ttl = binds
        return connection.execute(CLAIM_RESTAMP, [key, scope, token, lease, ttl]).rowcount == 1

    def complete_on(self, connection, key, scope, token, answer):
        """On the connection of the work: one commit for both, or none.

        No row changed means that the work of this transaction must not stay, even when we have completed the key
        before: then this is a repetition, and the first one has done the work.
        """
        binds = [key, scope, token] + columns_of(answer)
        if connection.execute(COMPLETE, binds).rowcount == 0:
            raise StaleClaim(key)

    def fail(self, key, scope, token, reason, retry):
        def work(connection):
            binds = [key, scope, token, None, None, None, None, reason.replace("\0", "\ufffd"), retry]
            if connection.execute(FAIL, binds).rowcount == 0:
                row = connection.execute(CLAIM_READ, [key, scope]).fetchone()
                if row is None or row[7] != token or row[2] != "failed":
                    raise StaleClaim(key)

        self.transaction(work)

    def completed_by(self, key, scope, token):
        """The answer, if this very claim has completed the key."""
        row = self.transaction(lambda connection: connection.execute(CLAIM_READ, [key, scope]).fetchone())
        if row is not None and row[7] == token and row[2] == "completed":
            return answer_of(row)
        return None


def answer_of(row):
    status, headers, body, size = row[19:23]
    if status is None and headers is None and body is None and size is None:
        return Answer(None, [], None)
    return Answer(status, [tuple(pair) for pair in json.loads(headers or "[]")], body)


def columns_of(answer):
    body = answer.body
    headers = json.dumps(answer.headers) if answer.headers else None
    return [answer.status, headers, body if len(body) <= BODY_LIMIT else None, len(body)]


def create_order(keys, key, scope, body, seconds):
    """POST /orders. Returns the answer, and whether it is a replay."""
    token = uuid.uuid4()
    outcome = keys.claim(key, scope, fingerprint("POST", "/orders", "", body), token)
    match outcome:
        case Replay(answer):
            return answer, True
        case FailedFinal(_, answer) if answer.status is not None:
            return answer, True
        case FailedFinal(reason, _):
            return problem(409, f"this request failed for good: {reason}"), False
        case InProgress():
            return problem(409, "this request is still running", [("Retry-After", "1")]), False
        case Mismatch():
            return problem(422, "this key was used for another request"), False
    # Work that takes longer than the lease runs the statement `renew` beside it, every third of the lease.
    try:
        def work(connection):
            time.sleep(seconds)
            order = connection.execute(
                "INSERT INTO orders (request) VALUES ($1) RETURNING id", [body.decode()]
            ).fetchone()[0]
            answer = Answer(201, [("Location", f"/orders/{order}")], json.dumps({"order": order}).encode())
            keys.complete_on(connection, key, scope, token, answer)
            return answer

        return keys.transaction(work), False
    except StaleClaim:
        # Rolled back. The commit of an earlier try took effect and its answer was lost on the way, or somebody took
        # the claim away.
        answer = keys.completed_by(key, scope, token)
        return answer or problem(409, "this request was taken over", [("Retry-After", "1")]), False
    except Exception as error:
        # Nothing was done; the next retry may do it.
        with contextlib.suppress(StaleClaim, psycopg.Error):
            keys.fail(key, scope, token, str(error), retry=True)
        raise


def problem(status, title, headers=()):
    body = json.dumps({"title": title, "status": status}).encode()
    return Answer(status, [("Content-Type", "application/problem+json"), *headers], body)


def main():
    parser = argparse.ArgumentParser(description="POST /orders, at most once per key")
    parser.add_argument("key", help="the Idempotency-Key")
    parser.add_argument("body", help="the request's body, JSON")
    parser.add_argument("--scope", default="", help="on whose behalf")
    parser.add_argument("--seconds", type=float, default=0, help="how long the work takes")
    arguments = parser.parse_args()
    keys = Keys(os.environ["DATABASE_URL"])
    answer, replayed = create_order(
        keys, arguments.key, arguments.scope, arguments.body.encode(), arguments.seconds
    )
    print(f"HTTP {answer.status}")
    for name, value in answer.headers:
        print(f"{name}: {value}")
    if replayed:
        print("Idempotent-Replayed: true")
    print()
    sys.stdout.flush()
    sys.stdout.buffer.write(answer.body or b"")
    print()


if __name__ == "__main__":
    main()
