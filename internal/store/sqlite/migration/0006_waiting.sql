-- +goose Up
-- What waits for a caller is read with every briefing: without what was delivered before, however much that is.

CREATE INDEX reminders_waiting ON reminders (tenant_id, caller_id, due_at, id) WHERE status = 'pending';
