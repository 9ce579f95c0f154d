-- +goose Up
-- Versions of a tenant's persona (L7). What was the personality before is the first; it is stored when a second one is.

CREATE TABLE personas (
    tenant_id  TEXT   NOT NULL,
    version    BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    body       BLOB   NOT NULL,
    PRIMARY KEY (tenant_id, version)
);
