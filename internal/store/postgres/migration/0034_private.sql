-- +goose Up
-- The memories that are private now are read with each briefing (B1).

CREATE INDEX memories_private ON memories (tenant_id, caller_id, id) WHERE status = 'active' AND privacy_scope = 'private';
