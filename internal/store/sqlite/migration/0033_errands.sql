-- +goose Up
-- A reminder that came due may have its caller rung or texted: an errand. What is sealed of it holds numbers; beside it stand labels, times and counts, no words.

ALTER TABLE reminders ADD COLUMN means TEXT NOT NULL DEFAULT '';
ALTER TABLE reminders ADD COLUMN errand BLOB;
ALTER TABLE reminders ADD COLUMN errand_state TEXT NOT NULL DEFAULT '';
ALTER TABLE reminders ADD COLUMN rung_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE reminders ADD COLUMN rings BIGINT NOT NULL DEFAULT 0;
ALTER TABLE reminders ADD COLUMN reached_in TEXT NOT NULL DEFAULT '';
CREATE INDEX reminders_busy ON reminders (tenant_id, errand_state) WHERE status = 'pending' AND errand_state <> '';
CREATE INDEX reminders_rung ON reminders (tenant_id, caller_id, rung_at) WHERE rung_at > 0;
CREATE INDEX reminders_reached ON reminders (tenant_id, caller_id, due_at) WHERE reached_in <> '';
ALTER TABLE dispatches ADD COLUMN reminder_id TEXT NOT NULL DEFAULT '';
