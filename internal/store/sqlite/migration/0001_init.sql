-- +goose Up
-- Times are microseconds since 1970, UTC. Columns named body, summary, label and value are sealed; columns named token
-- are blind tokens. Everything else is an id, a time, a count or a label from a closed set (spec 2.2).

CREATE TABLE tenants (
    id         TEXT    NOT NULL PRIMARY KEY,
    created_at BIGINT  NOT NULL,
    body       BLOB    NOT NULL
);

CREATE TABLE api_keys (
    tenant_id  TEXT    NOT NULL,
    id         TEXT    NOT NULL,
    hash       BLOB    NOT NULL,
    scope      TEXT    NOT NULL,
    label      BLOB    NOT NULL,
    created_at BIGINT  NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX api_keys_hash ON api_keys (tenant_id, hash);

CREATE TABLE callers (
    tenant_id     TEXT    NOT NULL,
    id            TEXT    NOT NULL,
    first_seen    BIGINT  NOT NULL,
    last_seen     BIGINT  NOT NULL,
    conversations BIGINT  NOT NULL DEFAULT 0,
    duration      BIGINT  NOT NULL DEFAULT 0,
    text_messages BIGINT  NOT NULL DEFAULT 0,
    version       BIGINT  NOT NULL DEFAULT 0,
    erasing       BOOLEAN NOT NULL DEFAULT FALSE,
    body          BLOB    NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX callers_seen ON callers (tenant_id, last_seen, id);

CREATE TABLE identities (
    tenant_id TEXT NOT NULL,
    kind      TEXT NOT NULL,
    token     BLOB NOT NULL,
    caller_id TEXT NOT NULL,
    value     BLOB NOT NULL,
    PRIMARY KEY (tenant_id, kind, token)
);
CREATE INDEX identities_caller ON identities (tenant_id, caller_id, kind, token);

CREATE TABLE conversations (
    tenant_id        TEXT    NOT NULL,
    id               TEXT    NOT NULL,
    caller_id        TEXT    NOT NULL,
    external_token   BLOB,
    channel          TEXT    NOT NULL,
    direction        TEXT    NOT NULL,
    status           TEXT    NOT NULL,
    reminder         BOOLEAN NOT NULL,
    imported         BOOLEAN NOT NULL,
    started_at       BIGINT  NOT NULL,
    ended_at         BIGINT,
    last_activity_at BIGINT  NOT NULL,
    duration         BIGINT  NOT NULL DEFAULT 0,
    turns            BIGINT  NOT NULL DEFAULT 0,
    user_turns       BIGINT  NOT NULL DEFAULT 0,
    intent           TEXT,
    sentiment        TEXT,
    topics           TEXT,
    outcome          TEXT,
    analysed_by      TEXT,
    body             BLOB    NOT NULL,
    summary          BLOB,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX conversations_external ON conversations (tenant_id, external_token) WHERE external_token IS NOT NULL;
CREATE INDEX conversations_caller ON conversations (tenant_id, caller_id, started_at, id);
CREATE INDEX conversations_started ON conversations (tenant_id, started_at, id);
CREATE INDEX conversations_active ON conversations (tenant_id, started_at, id) WHERE status = 'active';

CREATE TABLE turns (
    tenant_id       TEXT    NOT NULL,
    caller_id       TEXT    NOT NULL,
    conversation_id TEXT    NOT NULL,
    number          BIGINT  NOT NULL,
    id              TEXT    NOT NULL,
    at              BIGINT  NOT NULL,
    speaker         TEXT    NOT NULL,
    body            BLOB    NOT NULL,
    PRIMARY KEY (tenant_id, caller_id, conversation_id, number)
) WITHOUT ROWID; -- a caller's words lie together: an index of them is built while somebody waits

CREATE TABLE memories (
    tenant_id       TEXT    NOT NULL,
    id              TEXT    NOT NULL,
    version         BIGINT  NOT NULL,
    caller_id       TEXT    NOT NULL,
    type            TEXT    NOT NULL,
    key_token       BLOB    NOT NULL,
    status          TEXT    NOT NULL,
    confidence      DOUBLE PRECISION NOT NULL,
    source          TEXT    NOT NULL,
    privacy_scope   TEXT    NOT NULL,
    due_at          BIGINT,
    due_day         BOOLEAN NOT NULL,
    conversation_id TEXT    NOT NULL,
    created_at      BIGINT  NOT NULL,
    confirmed_at    BIGINT  NOT NULL,
    closed_at       BIGINT,
    closed_reason   TEXT    NOT NULL DEFAULT '',
    body            BLOB    NOT NULL,
    PRIMARY KEY (tenant_id, id, version)
);
CREATE UNIQUE INDEX memories_active ON memories (tenant_id, caller_id, key_token) WHERE status = 'active';
CREATE INDEX memories_caller ON memories (tenant_id, caller_id, confirmed_at, id, version);

CREATE TABLE checkpoints (
    tenant_id     TEXT   NOT NULL,
    caller_id     TEXT   NOT NULL,
    id            TEXT   NOT NULL,
    created_at    BIGINT NOT NULL,
    last_activity BIGINT NOT NULL,
    body          BLOB   NOT NULL,
    PRIMARY KEY (tenant_id, caller_id)
);

CREATE TABLE steps (
    tenant_id       TEXT   NOT NULL,
    conversation_id TEXT   NOT NULL,
    step            TEXT   NOT NULL,
    caller_id       TEXT   NOT NULL,
    state           TEXT   NOT NULL,
    done_by         TEXT   NOT NULL DEFAULT '',
    attempts        BIGINT NOT NULL DEFAULT 0,
    reason          TEXT   NOT NULL DEFAULT '',
    finished_at     BIGINT,
    PRIMARY KEY (tenant_id, conversation_id, step)
);
CREATE INDEX steps_caller ON steps (tenant_id, caller_id);

CREATE TABLE jobs (
    tenant_id    TEXT   NOT NULL,
    kind         TEXT   NOT NULL,
    subject      TEXT   NOT NULL,
    id           TEXT   NOT NULL,
    caller_id    TEXT   NOT NULL,
    run_at       BIGINT NOT NULL,
    attempts     BIGINT NOT NULL DEFAULT 0,
    leased_until BIGINT NOT NULL DEFAULT 0,
    last_error   TEXT   NOT NULL DEFAULT '',
    PRIMARY KEY (tenant_id, kind, subject)
);
CREATE INDEX jobs_due ON jobs (run_at) WHERE leased_until = 0;
CREATE INDEX jobs_leased ON jobs (leased_until) WHERE leased_until > 0;
CREATE INDEX jobs_caller ON jobs (tenant_id, caller_id);

CREATE TABLE onces (
    tenant_id  TEXT   NOT NULL,
    token      BLOB   NOT NULL,
    request    BLOB   NOT NULL,
    caller_id  TEXT   NOT NULL,
    result     TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, token)
);
CREATE INDEX onces_age ON onces (tenant_id, created_at);
CREATE INDEX onces_caller ON onces (tenant_id, caller_id);

CREATE TABLE receipts (
    tenant_id TEXT   NOT NULL,
    caller    TEXT   NOT NULL,
    id        TEXT   NOT NULL,
    erased_at BIGINT NOT NULL,
    receipt   TEXT   NOT NULL,
    PRIMARY KEY (tenant_id, caller)
);
