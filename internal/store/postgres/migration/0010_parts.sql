-- +goose Up
-- A long conversation is found by several embeddings, one for each part of it.

ALTER TABLE conversation_embeddings ADD COLUMN part BIGINT NOT NULL DEFAULT 0;
ALTER TABLE conversation_embeddings DROP CONSTRAINT conversation_embeddings_pkey;
ALTER TABLE conversation_embeddings ADD PRIMARY KEY (tenant_id, conversation_id, model, part);
-- The width of what is built in.
CREATE INDEX conversation_embeddings_648 ON conversation_embeddings USING hnsw ((vector::halfvec(648)) halfvec_cosine_ops) WHERE width = 648;
