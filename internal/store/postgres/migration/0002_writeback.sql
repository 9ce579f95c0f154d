-- +goose Up
-- Calls of tools and reminders hold ids, times, counts and labels from closed sets; the words are the memories'.

CREATE TABLE tool_calls (
    tenant_id       TEXT COLLATE "C"   NOT NULL,
    conversation_id TEXT COLLATE "C"   NOT NULL,
    id              TEXT COLLATE "C"   NOT NULL,
    caller_id       TEXT COLLATE "C"   NOT NULL,
    tool            TEXT COLLATE "C"   NOT NULL,
    result          TEXT COLLATE "C"   NOT NULL,
    memory_id       TEXT COLLATE "C"   NOT NULL,
    version         BIGINT NOT NULL,
    at              BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, conversation_id, id)
);
CREATE INDEX tool_calls_caller ON tool_calls (tenant_id, caller_id);

CREATE TABLE reminders (
    tenant_id       TEXT COLLATE "C"   NOT NULL,
    id              TEXT COLLATE "C"   NOT NULL,
    caller_id       TEXT COLLATE "C"   NOT NULL,
    memory_id       TEXT COLLATE "C"   NOT NULL,
    conversation_id TEXT COLLATE "C"   NOT NULL,
    due_at          BIGINT NOT NULL,
    status          TEXT COLLATE "C"   NOT NULL,
    attempts        BIGINT NOT NULL DEFAULT 0,
    reason          TEXT COLLATE "C"   NOT NULL DEFAULT '',
    created_at      BIGINT NOT NULL,
    closed_at       BIGINT,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX reminders_pending ON reminders (tenant_id, memory_id) WHERE status = 'pending';
CREATE INDEX reminders_due ON reminders (tenant_id, due_at, id);
CREATE INDEX reminders_status ON reminders (tenant_id, status, due_at, id); -- the dead among many that were delivered
CREATE INDEX reminders_caller ON reminders (tenant_id, caller_id, due_at, id);

-- What was forgotten in a conversation is looked for when its words are read (W9).
CREATE INDEX memories_forgotten ON memories (tenant_id, caller_id, conversation_id) WHERE status = 'forgotten';

-- Of wrap-ups from before, nothing was counted.
ALTER TABLE steps ADD COLUMN prompt       TEXT COLLATE "C"   NOT NULL DEFAULT '';
ALTER TABLE steps ADD COLUMN found        BIGINT NOT NULL DEFAULT 0;
ALTER TABLE steps ADD COLUMN dropped      BIGINT NOT NULL DEFAULT 0;
ALTER TABLE steps ADD COLUMN stored       BIGINT NOT NULL DEFAULT 0;
ALTER TABLE steps ADD COLUMN model_calls  BIGINT NOT NULL DEFAULT 0;
ALTER TABLE steps ADD COLUMN tokens_in    BIGINT NOT NULL DEFAULT 0;
ALTER TABLE steps ADD COLUMN tokens_out   BIGINT NOT NULL DEFAULT 0;
ALTER TABLE steps ADD COLUMN model_micros BIGINT NOT NULL DEFAULT 0;

-- +goose StatementBegin
DO $$
DECLARE t TEXT;
BEGIN
    FOREACH t IN ARRAY ARRAY['tool_calls', 'reminders'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
        EXECUTE format('CREATE POLICY tenant ON %I USING (tenant_id = (SELECT nullif(current_setting(''recaller.tenant'', TRUE), '''')))', t);
    END LOOP;
END $$;
-- +goose StatementEnd
