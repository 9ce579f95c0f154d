-- +goose Up
-- Threads: chats that never end (L1). What is said in one is in conversations that name it.

CREATE TABLE threads (
    tenant_id      TEXT   NOT NULL,
    id             TEXT   NOT NULL,
    caller_id      TEXT   NOT NULL,
    external_token BLOB,
    channel        TEXT   NOT NULL,
    created_at     BIGINT NOT NULL,
    version        BIGINT NOT NULL,
    body           BLOB   NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX threads_external ON threads (tenant_id, external_token) WHERE external_token IS NOT NULL;
CREATE INDEX threads_caller ON threads (tenant_id, caller_id, created_at, id);
CREATE INDEX threads_created ON threads (tenant_id, created_at, id);

ALTER TABLE conversations ADD COLUMN thread_id TEXT NOT NULL DEFAULT '';
CREATE INDEX conversations_thread ON conversations (tenant_id, thread_id, started_at, id) WHERE thread_id <> '';
