-- +goose Up
-- What was agreed on about times (ADR 15): when and of what kind may be read, the words are sealed.

CREATE TABLE acts (
    tenant_id       TEXT    NOT NULL,
    conversation_id TEXT    NOT NULL,
    number          BIGINT  NOT NULL,
    caller_id       TEXT    NOT NULL,
    kind            TEXT    NOT NULL,
    at              BIGINT,
    day             BOOLEAN NOT NULL,
    said_at         BIGINT  NOT NULL,
    body            BLOB    NOT NULL,
    PRIMARY KEY (tenant_id, caller_id, conversation_id, number)
) WITHOUT ROWID;
CREATE INDEX acts_caller ON acts (tenant_id, caller_id, said_at, conversation_id, number);
