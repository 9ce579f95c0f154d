-- +goose Up
-- Documents of callers, and of the tenant itself: these have no caller (V6).

CREATE TABLE documents (
    tenant_id       TEXT COLLATE "C" NOT NULL,
    id              TEXT COLLATE "C" NOT NULL,
    caller_id       TEXT COLLATE "C" NOT NULL,
    conversation_id TEXT COLLATE "C" NOT NULL,
    origin          TEXT COLLATE "C" NOT NULL,
    pinned          BOOLEAN NOT NULL,
    archived_at     BIGINT,
    created_at      BIGINT  NOT NULL,
    updated_at      BIGINT  NOT NULL,
    version         BIGINT  NOT NULL,
    body            BYTEA   NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX documents_caller ON documents (tenant_id, caller_id, created_at, id);
CREATE INDEX documents_created ON documents (tenant_id, created_at, id);
CREATE INDEX documents_pinned ON documents (tenant_id, caller_id, created_at, id) WHERE pinned;

-- A keyed hash of each tag, with the document's time, so that the newest ones come without sorting.
CREATE TABLE document_tags (
    tenant_id   TEXT COLLATE "C" NOT NULL,
    token       BYTEA  NOT NULL,
    created_at  BIGINT NOT NULL,
    document_id TEXT COLLATE "C" NOT NULL,
    caller_id   TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, token, created_at, document_id)
);
CREATE INDEX document_tags_document ON document_tags (tenant_id, caller_id, document_id);

-- How often the tenant's own texts were changed.
ALTER TABLE tenants ADD COLUMN texts BIGINT NOT NULL DEFAULT 0;

-- +goose StatementBegin
DO $$
DECLARE t TEXT;
BEGIN
    FOREACH t IN ARRAY ARRAY['documents', 'document_tags'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
        EXECUTE format('CREATE POLICY tenant ON %I USING (CASE (SELECT recaller_wall.claimed(''rows''))
            WHEN tenant_id || E''\n'' THEN TRUE WHEN tenant_id || E''\n'' || caller_id THEN TRUE ELSE FALSE END)', t);
    END LOOP;
END $$;
-- +goose StatementEnd
