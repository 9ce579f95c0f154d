-- +goose Up
-- Tenants are listed page by page, the oldest first.

CREATE INDEX tenants_age ON tenants (created_at, id);
