-- +goose Up
-- Events that a tenant's webhook is to be told of, and has not taken yet. They hold no words.

CREATE TABLE dispatches (
    tenant_id       TEXT   NOT NULL,
    id              TEXT   NOT NULL,
    caller_id       TEXT   NOT NULL,
    type            TEXT   NOT NULL,
    conversation_id TEXT   NOT NULL,
    memory_id       TEXT   NOT NULL,
    memory_version  BIGINT NOT NULL,
    sequence        BIGINT NOT NULL,
    at              BIGINT NOT NULL,
    status          TEXT   NOT NULL,
    attempts        BIGINT NOT NULL DEFAULT 0,
    reason          TEXT   NOT NULL DEFAULT '',
    closed_at       BIGINT,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX dispatches_at ON dispatches (tenant_id, at, id);
CREATE INDEX dispatches_caller ON dispatches (tenant_id, caller_id);
CREATE INDEX dispatches_dead ON dispatches (tenant_id, at, id) WHERE status = 'dead';
CREATE INDEX dispatches_closed ON dispatches (tenant_id, closed_at, id) WHERE status = 'dead';
