-- +goose Up
-- Documents of callers, and of the tenant itself: these have no caller (V6).

CREATE TABLE documents (
    tenant_id       TEXT    NOT NULL,
    id              TEXT    NOT NULL,
    caller_id       TEXT    NOT NULL,
    conversation_id TEXT    NOT NULL,
    origin          TEXT    NOT NULL,
    pinned          BOOLEAN NOT NULL,
    archived_at     BIGINT,
    created_at      BIGINT  NOT NULL,
    updated_at      BIGINT  NOT NULL,
    version         BIGINT  NOT NULL,
    body            BLOB    NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX documents_caller ON documents (tenant_id, caller_id, created_at, id);
CREATE INDEX documents_created ON documents (tenant_id, created_at, id);
CREATE INDEX documents_pinned ON documents (tenant_id, caller_id, created_at, id) WHERE pinned;

-- A keyed hash of each tag, with the document's time, so that the newest ones come without sorting.
CREATE TABLE document_tags (
    tenant_id   TEXT   NOT NULL,
    token       BLOB   NOT NULL,
    created_at  BIGINT NOT NULL,
    document_id TEXT   NOT NULL,
    caller_id   TEXT   NOT NULL,
    PRIMARY KEY (tenant_id, token, created_at, document_id)
) WITHOUT ROWID;
CREATE INDEX document_tags_document ON document_tags (tenant_id, caller_id, document_id);

-- How often the tenant's own texts were changed.
ALTER TABLE tenants ADD COLUMN texts BIGINT NOT NULL DEFAULT 0;
