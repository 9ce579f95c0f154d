-- +goose Up
-- What a tenant's documents are found by, as conversations are (0003, 0010).

CREATE TABLE document_embeddings (
    seq         INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id   TEXT   NOT NULL,
    document_id TEXT   NOT NULL,
    caller_id   TEXT   NOT NULL,
    model       TEXT   NOT NULL,
    part        BIGINT NOT NULL,
    width       BIGINT NOT NULL,
    made_at     BIGINT NOT NULL,
    vector      BLOB   NOT NULL
);
CREATE UNIQUE INDEX document_embeddings_key ON document_embeddings (tenant_id, document_id, model, part);
CREATE INDEX document_embeddings_new ON document_embeddings (tenant_id, model, width, seq);
CREATE INDEX document_embeddings_caller ON document_embeddings (tenant_id, caller_id);

-- created_at is the document's: ids do not tell which is newer, for that of a conversation has the conversation's.
CREATE TABLE document_words (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id   TEXT   NOT NULL,
    document_id TEXT   NOT NULL,
    caller_id   TEXT   NOT NULL,
    created_at  BIGINT NOT NULL
);
CREATE UNIQUE INDEX document_words_key ON document_words (tenant_id, document_id);
CREATE INDEX document_words_caller ON document_words (tenant_id, caller_id);

CREATE VIRTUAL TABLE document_tokens USING fts5(tokens, content = '', contentless_delete = 1, tokenize = 'ascii');
-- +goose StatementBegin
CREATE TRIGGER document_words_gone AFTER DELETE ON document_words BEGIN
    DELETE FROM document_tokens WHERE rowid = old.id;
END;
-- +goose StatementEnd

-- A search by origin, or among what is told. It is for searches alone, which name both it and its condition, which is true
-- of all: SQLite, which does not know how many rows there are, would take it for much else.
CREATE INDEX documents_found ON documents (tenant_id, origin, created_at, archived_at, version, caller_id, id) WHERE version > 0;
