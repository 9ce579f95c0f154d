-- +goose Up
-- A long conversation is found by several embeddings, one for each part of it.

ALTER TABLE conversation_embeddings ADD COLUMN part BIGINT NOT NULL DEFAULT 0;
DROP INDEX conversation_embeddings_key;
CREATE UNIQUE INDEX conversation_embeddings_key ON conversation_embeddings (tenant_id, conversation_id, model, part);
