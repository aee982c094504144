CREATE TABLE idempotency_key (
    idempotency_key UUID NOT NULL,
    mandant_id      BIGINT NOT NULL,
    status          TEXT NOT NULL CHECK (status IN ('in_bearbeitung', 'abgeschlossen', 'fehlgeschlagen')),
    request_hash    TEXT NOT NULL,
    response_status INT,
    response_body   JSONB,
    erstellt_am     TIMESTAMPTZ NOT NULL DEFAULT now(),
    laeuft_ab_am    TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (idempotency_key, mandant_id));
CREATE INDEX idx_idempotency_expiry ON idempotency_key (laeuft_ab_am);
