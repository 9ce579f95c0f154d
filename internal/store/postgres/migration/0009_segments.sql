-- +goose Up
-- Segments of the indexes by which recall finds what callers of very many turns said, sealed as the turns are. They are a cache: what
-- is not there is made anew.

CREATE TABLE recall_segments (
    tenant_id TEXT COLLATE "C" NOT NULL,
    caller_id TEXT COLLATE "C" NOT NULL,
    name      TEXT COLLATE "C" NOT NULL,
    body      BYTEA NOT NULL,
    PRIMARY KEY (tenant_id, caller_id, name)
);
-- What is sealed cannot be compressed: it is not tried.
ALTER TABLE recall_segments ALTER COLUMN body SET STORAGE EXTERNAL;

ALTER TABLE recall_segments ENABLE ROW LEVEL SECURITY;
ALTER TABLE recall_segments FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON recall_segments USING (tenant_id = (SELECT nullif(current_setting('recaller.tenant', TRUE), '')));
