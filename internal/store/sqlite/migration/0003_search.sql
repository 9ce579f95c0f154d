-- +goose Up
-- What a tenant's conversations are found by: embeddings, which the database may see (spec 2.2), and blind tokens of the stems
-- that were said.

-- seq rises with each row that is written, so that a reader that holds the vectors in memory reads what is new.
CREATE TABLE conversation_embeddings (
    seq             INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id       TEXT   NOT NULL,
    conversation_id TEXT   NOT NULL,
    caller_id       TEXT   NOT NULL,
    model           TEXT   NOT NULL,
    width           BIGINT NOT NULL,
    made_at         BIGINT NOT NULL,
    vector          BLOB   NOT NULL
);
CREATE UNIQUE INDEX conversation_embeddings_key ON conversation_embeddings (tenant_id, conversation_id, model);
CREATE INDEX conversation_embeddings_new ON conversation_embeddings (tenant_id, model, width, seq);
CREATE INDEX conversation_embeddings_caller ON conversation_embeddings (tenant_id, caller_id);

CREATE TABLE conversation_words (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id       TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    caller_id       TEXT NOT NULL
);
CREATE UNIQUE INDEX conversation_words_key ON conversation_words (tenant_id, conversation_id);
CREATE INDEX conversation_words_caller ON conversation_words (tenant_id, caller_id);

-- The tokens of a tenant match no other's. Only the index is kept, not the list of a conversation's tokens: places and all,
-- for without them bm25 counts nothing in a table that has no content.
CREATE VIRTUAL TABLE conversation_tokens USING fts5(tokens, content = '', contentless_delete = 1, tokenize = 'ascii');
-- +goose StatementBegin
CREATE TRIGGER conversation_words_gone AFTER DELETE ON conversation_words BEGIN
    DELETE FROM conversation_tokens WHERE rowid = old.id;
END;
-- +goose StatementEnd

-- A search by labels reads nothing but this. It is for searches alone, which name both it and its condition: SQLite, which does
-- not know how many rows there are, would take it for much else.
CREATE INDEX conversations_labels ON conversations (tenant_id, intent, sentiment, outcome, channel, started_at, status, caller_id, id) WHERE status <> 'active';

-- Which tenant is called by a number: a keyed hash under a key of the installation.
CREATE TABLE tenant_numbers (
    token     BLOB NOT NULL PRIMARY KEY,
    tenant_id TEXT NOT NULL
);
CREATE INDEX tenant_numbers_tenant ON tenant_numbers (tenant_id);
-- Changes of a tenant's settings are counted, so that none is lost; -1: its numbers are not in the table above yet. Its own
-- keyword packs are sealed apart from the body, which every briefing reads.
ALTER TABLE tenants ADD COLUMN version BIGINT NOT NULL DEFAULT -1;
ALTER TABLE tenants ADD COLUMN packs BLOB;
