-- +goose Up
-- Segments of the indexes by which recall finds what callers of very many turns said, sealed as the turns are. They are a cache: what
-- is not there is made anew.

CREATE TABLE recall_segments (
    tenant_id TEXT NOT NULL,
    caller_id TEXT NOT NULL,
    name      TEXT NOT NULL,
    body      BLOB NOT NULL,
    PRIMARY KEY (tenant_id, caller_id, name)
);
