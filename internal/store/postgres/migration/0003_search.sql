-- +goose Up
-- What a tenant's conversations are found by: embeddings, which the database may see (spec 2.2), and blind tokens of the stems
-- that were said. Migrate has made the extension vector.

CREATE TABLE conversation_embeddings (
    tenant_id       TEXT COLLATE "C" NOT NULL,
    conversation_id TEXT COLLATE "C" NOT NULL,
    caller_id       TEXT COLLATE "C" NOT NULL,
    model           TEXT COLLATE "C" NOT NULL,
    width           BIGINT NOT NULL,
    made_at         BIGINT NOT NULL,
    vector          HALFVEC NOT NULL,
    PRIMARY KEY (tenant_id, conversation_id, model)
);
CREATE INDEX conversation_embeddings_caller ON conversation_embeddings (tenant_id, caller_id);
CREATE INDEX conversation_embeddings_model ON conversation_embeddings (tenant_id, model, width);
-- One index for each width that embedders have; those without rows cost nothing. Vectors of other widths are compared one by one,
-- and so are those of a tenant who has few.
-- +goose StatementBegin
DO $$
DECLARE w INT;
BEGIN
    FOREACH w IN ARRAY ARRAY[256, 384, 512, 768, 1024, 1536, 3072] LOOP
        EXECUTE format('CREATE INDEX conversation_embeddings_%s ON conversation_embeddings USING hnsw ((vector::halfvec(%s)) halfvec_cosine_ops) WHERE width = %s', w, w, w);
    END LOOP;
END $$;
-- +goose StatementEnd

-- tokens holds the token of each stem, of one that was said often another, with an x behind it, so that the index alone tells,
-- one of the week that the conversation began in, and the token any. length is how many stems were said.
CREATE TABLE conversation_words (
    tenant_id       TEXT COLLATE "C" NOT NULL,
    conversation_id TEXT COLLATE "C" NOT NULL,
    caller_id       TEXT COLLATE "C" NOT NULL,
    length          BIGINT   NOT NULL,
    tokens          TSVECTOR NOT NULL,
    PRIMARY KEY (tenant_id, conversation_id)
);
CREATE INDEX conversation_words_caller ON conversation_words (tenant_id, caller_id);
-- The tokens of a tenant match no other's. Without a list of what is yet to be indexed: each search would read it all.
CREATE INDEX conversation_words_tokens ON conversation_words USING gin (tokens) WITH (fastupdate = off);
-- Keyed hashes cannot be compressed: it is not tried.
ALTER TABLE conversation_words ALTER COLUMN tokens SET STORAGE EXTERNAL;

-- A search by labels.
CREATE INDEX conversations_labels ON conversations (tenant_id, intent, sentiment, outcome, channel, started_at);

-- Which tenant is called by a number: a keyed hash under a key of the installation.
CREATE TABLE tenant_numbers (
    token     BYTEA NOT NULL PRIMARY KEY,
    tenant_id TEXT COLLATE "C" NOT NULL
);
CREATE INDEX tenant_numbers_tenant ON tenant_numbers (tenant_id);
-- Changes of a tenant's settings are counted, so that none is lost; -1: its numbers are not in the table above yet. Its own
-- keyword packs are sealed apart from the body, which every briefing reads.
ALTER TABLE tenants ADD COLUMN version BIGINT NOT NULL DEFAULT -1;
ALTER TABLE tenants ADD COLUMN packs BYTEA;

-- +goose StatementBegin
DO $$
DECLARE t TEXT;
BEGIN
    FOREACH t IN ARRAY ARRAY['conversation_embeddings', 'conversation_words', 'tenant_numbers'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
        EXECUTE format('CREATE POLICY tenant ON %I USING (tenant_id = (SELECT nullif(current_setting(''recaller.tenant'', TRUE), '''')))', t);
    END LOOP;
END $$;
-- +goose StatementEnd
-- Under a policy no operator that is not known to keep secrets may look at a row before the policy did, so that a search could
-- not use the index of tokens. The words that it looks for are therefore a policy of their own, which narrows what is seen. Where
-- there are none it looks for the token that all rows have.
CREATE POLICY words ON conversation_words AS RESTRICTIVE USING (tokens @@ (SELECT coalesce(nullif(current_setting('recaller.words', TRUE), ''), 'any')::tsquery));
CREATE POLICY system ON tenant_numbers FOR SELECT USING ((SELECT current_setting('recaller.door', TRUE)) = 'system');
