-- +goose Up
-- Versions of a tenant's persona (L7). What was the personality before is the first; it is stored when a second one is.

CREATE TABLE personas (
    tenant_id  TEXT COLLATE "C" NOT NULL,
    version    BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    body       BYTEA  NOT NULL,
    PRIMARY KEY (tenant_id, version)
);
ALTER TABLE personas ENABLE ROW LEVEL SECURITY;
ALTER TABLE personas FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON personas USING (tenant_id = (SELECT recaller_wall.claimed('tenant')));
