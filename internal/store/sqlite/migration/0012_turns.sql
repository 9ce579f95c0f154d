-- +goose Up
-- While many jobs are due, tenants take turns (ADR 40).

CREATE INDEX jobs_turn ON jobs (tenant_id, run_at) WHERE leased_until = 0;
