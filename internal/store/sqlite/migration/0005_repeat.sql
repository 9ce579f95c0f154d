-- +goose Up
-- A memory may have several reminders, each with words of its own (sealed), and those that repeat have a rule: times and a zone, no words.

DROP INDEX reminders_pending;
ALTER TABLE reminders ADD COLUMN rule TEXT NOT NULL DEFAULT '';
ALTER TABLE reminders ADD COLUMN body BLOB;
CREATE INDEX reminders_memory ON reminders (tenant_id, memory_id, status, due_at);
