-- +goose Up
-- What went from one caller to another, so that it can go back. The body is sealed by the key of whose it is now.

CREATE TABLE moves (
    tenant_id TEXT COLLATE "C" NOT NULL,
    id        TEXT COLLATE "C" NOT NULL,
    caller_id TEXT COLLATE "C" NOT NULL, -- to whom it went
    from_id   TEXT COLLATE "C" NOT NULL,
    kind      TEXT COLLATE "C" NOT NULL,
    at        BIGINT NOT NULL,
    until     BIGINT NOT NULL,
    body      BYTEA  NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX moves_caller ON moves (tenant_id, caller_id, at, id);
CREATE INDEX moves_from ON moves (tenant_id, from_id, at, id);
CREATE INDEX moves_until ON moves (tenant_id, until, id);

ALTER TABLE callers ADD COLUMN merged_into TEXT COLLATE "C" NOT NULL DEFAULT '';
CREATE INDEX callers_merged ON callers (tenant_id, merged_into, id) WHERE merged_into <> '';

-- The people who use one number.
CREATE INDEX identities_token ON identities (tenant_id, token, kind);

ALTER TABLE moves ENABLE ROW LEVEL SECURITY;
ALTER TABLE moves FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON moves USING (CASE (SELECT recaller_wall.claimed('rows'))
    WHEN tenant_id || E'\n' THEN TRUE WHEN tenant_id || E'\n' || caller_id THEN TRUE ELSE FALSE END);
