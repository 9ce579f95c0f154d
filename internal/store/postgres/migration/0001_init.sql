-- +goose Up
-- Times are microseconds since 1970, UTC. Columns named body, summary, label and value are sealed; columns named token
-- are blind tokens. Everything else is an id, a time, a count or a label from a closed set (spec 2.2).

CREATE TABLE tenants (
    id         TEXT COLLATE "C"    NOT NULL PRIMARY KEY,
    created_at BIGINT  NOT NULL,
    body       BYTEA    NOT NULL
);

CREATE TABLE api_keys (
    tenant_id  TEXT COLLATE "C"    NOT NULL,
    id         TEXT COLLATE "C"    NOT NULL,
    hash       BYTEA    NOT NULL,
    scope      TEXT COLLATE "C"    NOT NULL,
    label      BYTEA    NOT NULL,
    created_at BIGINT  NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX api_keys_hash ON api_keys (tenant_id, hash);

CREATE TABLE callers (
    tenant_id     TEXT COLLATE "C"    NOT NULL,
    id            TEXT COLLATE "C"    NOT NULL,
    first_seen    BIGINT  NOT NULL,
    last_seen     BIGINT  NOT NULL,
    conversations BIGINT  NOT NULL DEFAULT 0,
    duration      BIGINT  NOT NULL DEFAULT 0,
    text_messages BIGINT  NOT NULL DEFAULT 0,
    version       BIGINT  NOT NULL DEFAULT 0,
    erasing       BOOLEAN NOT NULL DEFAULT FALSE,
    body          BYTEA    NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX callers_seen ON callers (tenant_id, last_seen, id);
CREATE INDEX callers_erasing ON callers (tenant_id, id) WHERE erasing; -- few: lists leave their rows out

CREATE TABLE identities (
    tenant_id TEXT COLLATE "C" NOT NULL,
    kind      TEXT COLLATE "C" NOT NULL,
    token     BYTEA NOT NULL,
    caller_id TEXT COLLATE "C" NOT NULL,
    value     BYTEA NOT NULL,
    PRIMARY KEY (tenant_id, kind, token)
);
CREATE INDEX identities_caller ON identities (tenant_id, caller_id, kind, token);

CREATE TABLE conversations (
    tenant_id        TEXT COLLATE "C"    NOT NULL,
    id               TEXT COLLATE "C"    NOT NULL,
    caller_id        TEXT COLLATE "C"    NOT NULL,
    external_token   BYTEA,
    channel          TEXT COLLATE "C"    NOT NULL,
    direction        TEXT COLLATE "C"    NOT NULL,
    status           TEXT COLLATE "C"    NOT NULL,
    reminder         BOOLEAN NOT NULL,
    imported         BOOLEAN NOT NULL,
    started_at       BIGINT  NOT NULL,
    ended_at         BIGINT,
    last_activity_at BIGINT  NOT NULL,
    duration         BIGINT  NOT NULL DEFAULT 0,
    turns            BIGINT  NOT NULL DEFAULT 0,
    user_turns       BIGINT  NOT NULL DEFAULT 0,
    intent           TEXT COLLATE "C",
    sentiment        TEXT COLLATE "C",
    topics           TEXT COLLATE "C",
    outcome          TEXT COLLATE "C",
    analysed_by      TEXT COLLATE "C",
    body             BYTEA    NOT NULL,
    summary          BYTEA,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX conversations_external ON conversations (tenant_id, external_token) WHERE external_token IS NOT NULL;
CREATE INDEX conversations_caller ON conversations (tenant_id, caller_id, started_at, id);
CREATE INDEX conversations_started ON conversations (tenant_id, started_at, id);
CREATE INDEX conversations_active ON conversations (tenant_id, started_at, id) WHERE status = 'active';

CREATE TABLE turns (
    tenant_id       TEXT COLLATE "C"    NOT NULL,
    caller_id       TEXT COLLATE "C"    NOT NULL,
    conversation_id TEXT COLLATE "C"    NOT NULL,
    number          BIGINT  NOT NULL,
    id              TEXT COLLATE "C"    NOT NULL,
    at              BIGINT  NOT NULL,
    speaker         TEXT COLLATE "C"    NOT NULL,
    body            BYTEA    NOT NULL,
    PRIMARY KEY (tenant_id, caller_id, conversation_id, number)
);

CREATE TABLE memories (
    tenant_id       TEXT COLLATE "C"    NOT NULL,
    id              TEXT COLLATE "C"    NOT NULL,
    version         BIGINT  NOT NULL,
    caller_id       TEXT COLLATE "C"    NOT NULL,
    type            TEXT COLLATE "C"    NOT NULL,
    key_token       BYTEA    NOT NULL,
    status          TEXT COLLATE "C"    NOT NULL,
    confidence      DOUBLE PRECISION NOT NULL,
    source          TEXT COLLATE "C"    NOT NULL,
    privacy_scope   TEXT COLLATE "C"    NOT NULL,
    due_at          BIGINT,
    due_day         BOOLEAN NOT NULL,
    conversation_id TEXT COLLATE "C"    NOT NULL,
    created_at      BIGINT  NOT NULL,
    confirmed_at    BIGINT  NOT NULL,
    closed_at       BIGINT,
    closed_reason   TEXT COLLATE "C"    NOT NULL DEFAULT '',
    body            BYTEA    NOT NULL,
    PRIMARY KEY (tenant_id, id, version)
);
CREATE UNIQUE INDEX memories_active ON memories (tenant_id, caller_id, key_token) WHERE status = 'active';
CREATE INDEX memories_caller ON memories (tenant_id, caller_id, confirmed_at, id, version);

CREATE TABLE checkpoints (
    tenant_id     TEXT COLLATE "C"   NOT NULL,
    caller_id     TEXT COLLATE "C"   NOT NULL,
    id            TEXT COLLATE "C"   NOT NULL,
    created_at    BIGINT NOT NULL,
    last_activity BIGINT NOT NULL,
    body          BYTEA   NOT NULL,
    PRIMARY KEY (tenant_id, caller_id)
);

CREATE TABLE steps (
    tenant_id       TEXT COLLATE "C"   NOT NULL,
    conversation_id TEXT COLLATE "C"   NOT NULL,
    step            TEXT COLLATE "C"   NOT NULL,
    caller_id       TEXT COLLATE "C"   NOT NULL,
    state           TEXT COLLATE "C"   NOT NULL,
    done_by         TEXT COLLATE "C"   NOT NULL DEFAULT '',
    attempts        BIGINT NOT NULL DEFAULT 0,
    reason          TEXT COLLATE "C"   NOT NULL DEFAULT '',
    finished_at     BIGINT,
    PRIMARY KEY (tenant_id, conversation_id, step)
);
CREATE INDEX steps_caller ON steps (tenant_id, caller_id);

CREATE TABLE jobs (
    tenant_id    TEXT COLLATE "C"   NOT NULL,
    kind         TEXT COLLATE "C"   NOT NULL,
    subject      TEXT COLLATE "C"   NOT NULL,
    id           TEXT COLLATE "C"   NOT NULL,
    caller_id    TEXT COLLATE "C"   NOT NULL,
    run_at       BIGINT NOT NULL,
    attempts     BIGINT NOT NULL DEFAULT 0,
    leased_until BIGINT NOT NULL DEFAULT 0,
    last_error   TEXT COLLATE "C"   NOT NULL DEFAULT '',
    PRIMARY KEY (tenant_id, kind, subject)
);
CREATE INDEX jobs_due ON jobs (run_at) WHERE leased_until = 0;
CREATE INDEX jobs_leased ON jobs (leased_until) WHERE leased_until > 0;
CREATE INDEX jobs_caller ON jobs (tenant_id, caller_id);

CREATE TABLE onces (
    tenant_id  TEXT COLLATE "C"   NOT NULL,
    token      BYTEA   NOT NULL,
    request    BYTEA   NOT NULL,
    caller_id  TEXT COLLATE "C"   NOT NULL,
    result     TEXT COLLATE "C"   NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, token)
);
CREATE INDEX onces_age ON onces (tenant_id, created_at);
CREATE INDEX onces_caller ON onces (tenant_id, caller_id);

CREATE TABLE receipts (
    tenant_id TEXT COLLATE "C"   NOT NULL,
    caller    TEXT COLLATE "C"   NOT NULL,
    id        TEXT COLLATE "C"   NOT NULL,
    erased_at BIGINT NOT NULL,
    receipt   TEXT COLLATE "C"   NOT NULL,
    PRIMARY KEY (tenant_id, caller)
);

-- The wall in the database: no row of another tenant than the one that the transaction is for can be read, written, or made,
-- not even by the tables' owner. A transaction that is for no tenant sees nothing.
-- +goose StatementBegin
DO $$
DECLARE t TEXT;
BEGIN
    FOREACH t IN ARRAY ARRAY['api_keys', 'callers', 'identities', 'conversations', 'turns', 'memories', 'checkpoints', 'steps', 'jobs', 'onces', 'receipts'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
        EXECUTE format('CREATE POLICY tenant ON %I USING (tenant_id = (SELECT nullif(current_setting(''recaller.tenant'', TRUE), '''')))', t);
    END LOOP;
END $$;
-- +goose StatementEnd
ALTER TABLE tenants ENABLE ROW LEVEL SECURITY;
ALTER TABLE tenants FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON tenants USING (id = (SELECT nullif(current_setting('recaller.tenant', TRUE), '')));
-- Work is listed across tenants through a door of its own: which tenants there are, and their jobs, which hold no content.
CREATE POLICY system ON tenants FOR SELECT USING ((SELECT current_setting('recaller.door', TRUE)) = 'system');
CREATE POLICY system ON jobs USING ((SELECT current_setting('recaller.door', TRUE)) = 'system');
