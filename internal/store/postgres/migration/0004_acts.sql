-- +goose Up
-- What was agreed on about times (ADR 15): when and of what kind may be read, the words are sealed.

CREATE TABLE acts (
    tenant_id       TEXT COLLATE "C" NOT NULL,
    conversation_id TEXT COLLATE "C" NOT NULL,
    number          BIGINT  NOT NULL,
    caller_id       TEXT COLLATE "C" NOT NULL,
    kind            TEXT COLLATE "C" NOT NULL,
    at              BIGINT,
    day             BOOLEAN NOT NULL,
    said_at         BIGINT  NOT NULL,
    body            BYTEA   NOT NULL,
    PRIMARY KEY (tenant_id, caller_id, conversation_id, number)
);
CREATE INDEX acts_caller ON acts (tenant_id, caller_id, said_at, conversation_id, number);

ALTER TABLE acts ENABLE ROW LEVEL SECURITY;
ALTER TABLE acts FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON acts USING (tenant_id = (SELECT nullif(current_setting('recaller.tenant', TRUE), '')));
