-- +goose Up
-- Vectors that a configured model made of turns, sealed as the turns are: a row for turns of one conversation that were embedded
-- together, first being the number of the first.

CREATE TABLE turn_vectors (
    tenant_id       TEXT   NOT NULL,
    caller_id       TEXT   NOT NULL,
    conversation_id TEXT   NOT NULL,
    first           BIGINT NOT NULL,
    model           TEXT   NOT NULL,
    body            BLOB   NOT NULL,
    PRIMARY KEY (tenant_id, caller_id, conversation_id, first)
) WITHOUT ROWID;
