-- +goose Up
-- How far an active conversation has come, sealed with the counts that its row shows (ADR 38).

ALTER TABLE conversations ADD COLUMN head BYTEA;
