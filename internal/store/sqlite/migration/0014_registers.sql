-- +goose Up
-- The sealed list of a caller's memories (ADR 38).

ALTER TABLE callers ADD COLUMN register BLOB;
