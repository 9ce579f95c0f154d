-- +goose Up
-- Vectors that a configured model made of turns, sealed as the turns are: a row for turns of one conversation that were embedded
-- together, first being the number of the first.

CREATE TABLE turn_vectors (
    tenant_id       TEXT COLLATE "C" NOT NULL,
    caller_id       TEXT COLLATE "C" NOT NULL,
    conversation_id TEXT COLLATE "C" NOT NULL,
    first           BIGINT NOT NULL,
    model           TEXT COLLATE "C" NOT NULL,
    body            BYTEA  NOT NULL,
    PRIMARY KEY (tenant_id, caller_id, conversation_id, first)
);
-- A vector cannot be compressed: it is not tried.
ALTER TABLE turn_vectors ALTER COLUMN body SET STORAGE EXTERNAL;

ALTER TABLE turn_vectors ENABLE ROW LEVEL SECURITY;
ALTER TABLE turn_vectors FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON turn_vectors USING (tenant_id = (SELECT nullif(current_setting('recaller.tenant', TRUE), '')));
