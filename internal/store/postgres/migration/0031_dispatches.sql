-- +goose Up
-- Events that a tenant's webhook is to be told of, and has not taken yet. They hold no words.

CREATE TABLE dispatches (
    tenant_id       TEXT COLLATE "C" NOT NULL,
    id              TEXT COLLATE "C" NOT NULL,
    caller_id       TEXT COLLATE "C" NOT NULL,
    type            TEXT COLLATE "C" NOT NULL,
    conversation_id TEXT COLLATE "C" NOT NULL,
    memory_id       TEXT COLLATE "C" NOT NULL,
    memory_version  BIGINT NOT NULL,
    sequence        BIGINT NOT NULL,
    at              BIGINT NOT NULL,
    status          TEXT COLLATE "C" NOT NULL,
    attempts        BIGINT NOT NULL DEFAULT 0,
    reason          TEXT COLLATE "C" NOT NULL DEFAULT '',
    closed_at       BIGINT,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX dispatches_at ON dispatches (tenant_id, at, id);
CREATE INDEX dispatches_caller ON dispatches (tenant_id, caller_id);
CREATE INDEX dispatches_dead ON dispatches (tenant_id, at, id) WHERE status = 'dead';
CREATE INDEX dispatches_closed ON dispatches (tenant_id, closed_at, id) WHERE status = 'dead';

ALTER TABLE dispatches ENABLE ROW LEVEL SECURITY;
ALTER TABLE dispatches FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON dispatches USING (CASE (SELECT recaller_wall.claimed('rows'))
    WHEN tenant_id || E'\n' THEN TRUE WHEN tenant_id || E'\n' || caller_id THEN TRUE ELSE FALSE END);
