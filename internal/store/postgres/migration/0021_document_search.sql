-- +goose Up
-- What a tenant's documents are found by, as conversations are (0003, 0010).

CREATE TABLE document_embeddings (
    tenant_id   TEXT COLLATE "C" NOT NULL,
    document_id TEXT COLLATE "C" NOT NULL,
    caller_id   TEXT COLLATE "C" NOT NULL,
    model       TEXT COLLATE "C" NOT NULL,
    part        BIGINT  NOT NULL,
    width       BIGINT  NOT NULL,
    made_at     BIGINT  NOT NULL,
    vector      HALFVEC NOT NULL,
    PRIMARY KEY (tenant_id, document_id, model, part)
);
CREATE INDEX document_embeddings_caller ON document_embeddings (tenant_id, caller_id);
CREATE INDEX document_embeddings_model ON document_embeddings (tenant_id, model, width);
-- +goose StatementBegin
DO $$
DECLARE w INT;
BEGIN
    FOREACH w IN ARRAY ARRAY[256, 384, 512, 648, 768, 1024, 1536, 3072] LOOP
        EXECUTE format('CREATE INDEX document_embeddings_%s ON document_embeddings USING hnsw ((vector::halfvec(%s)) halfvec_cosine_ops) WHERE width = %s', w, w, w);
    END LOOP;
END $$;
-- +goose StatementEnd

-- created_at is the document's: ids do not tell which is newer, for that of a conversation has the conversation's.
CREATE TABLE document_words (
    tenant_id   TEXT COLLATE "C" NOT NULL,
    document_id TEXT COLLATE "C" NOT NULL,
    caller_id   TEXT COLLATE "C" NOT NULL,
    created_at  BIGINT   NOT NULL,
    length      BIGINT   NOT NULL,
    tokens      TSVECTOR NOT NULL,
    PRIMARY KEY (tenant_id, document_id)
);
CREATE INDEX document_words_caller ON document_words (tenant_id, caller_id);
CREATE INDEX document_words_created ON document_words (tenant_id, created_at, document_id);
CREATE INDEX document_words_tokens ON document_words USING gin (tokens) WITH (fastupdate = off);
ALTER TABLE document_words ALTER COLUMN tokens SET STORAGE EXTERNAL;

-- A search by origin, or among what is told.
CREATE INDEX documents_found ON documents (tenant_id, origin, created_at);

-- +goose StatementBegin
DO $$
DECLARE t TEXT;
BEGIN
    FOREACH t IN ARRAY ARRAY['document_embeddings', 'document_words'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
        EXECUTE format('CREATE POLICY tenant ON %I USING (CASE (SELECT recaller_wall.claimed(''rows''))
            WHEN tenant_id || E''\n'' THEN TRUE WHEN tenant_id || E''\n'' || caller_id THEN TRUE ELSE FALSE END)', t);
    END LOOP;
END $$;
-- +goose StatementEnd
-- As on conversation_words: what is looked for is a policy, so that the index of tokens is used.
CREATE POLICY words ON document_words AS RESTRICTIVE USING (tokens @@ (SELECT coalesce(nullif(current_setting('recaller.words', TRUE), ''), 'any')::tsquery));
