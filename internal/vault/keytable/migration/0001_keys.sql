-- +goose Up
-- The key store (package keytable). Nothing that this schema holds belongs into a backup of the data.

-- In parts, because what Postgres leaves of former rows in a table's pages goes only when the table is written anew: a part is
-- small enough for that whenever a key of it is destroyed. No index holds a wrapped key, and no check quotes one in an error.
CREATE TABLE recaller_keys.keys (
    tenant      TEXT COLLATE "C" NOT NULL,
    caller      TEXT COLLATE "C" NOT NULL, -- '' for the tenant's own key
    fingerprint TEXT COLLATE "C" NOT NULL,
    destroyed   BOOLEAN NOT NULL DEFAULT FALSE,
    wrapped     BYTEA NOT NULL,            -- empty once destroyed
    PRIMARY KEY (tenant, caller)
) PARTITION BY HASH (tenant, caller);
-- Plain: in the row itself. So the parts get no tables beside them that large values would go to.
ALTER TABLE recaller_keys.keys
    ALTER COLUMN tenant SET STORAGE PLAIN,
    ALTER COLUMN caller SET STORAGE PLAIN,
    ALTER COLUMN fingerprint SET STORAGE PLAIN,
    ALTER COLUMN wrapped SET STORAGE PLAIN;

-- Small secrets of the installation: the signing key, the check values of key-encryption keys.
CREATE TABLE recaller_keys.named (
    name  TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    value BYTEA NOT NULL
);

ALTER TABLE recaller_keys.named ALTER COLUMN name SET STORAGE PLAIN, ALTER COLUMN value SET STORAGE PLAIN;

-- Tables in which former versions of rows may be left, and the transaction that left them. A mark is made in the same commit
-- and goes when the table was written anew.
CREATE TABLE recaller_keys.traces (
    part TEXT COLLATE "C" NOT NULL, -- the table's name
    xid  XID8 NOT NULL
);

-- A transaction for a tenant sees and writes the tenant's keys. Lists and rotations, which are of all tenants, have a door of
-- their own, through which no key can be added. The parts themselves are nobody's to ask.
ALTER TABLE recaller_keys.keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE recaller_keys.keys FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON recaller_keys.keys USING (tenant = (SELECT nullif(current_setting('recaller.tenant', TRUE), '')));
CREATE POLICY system ON recaller_keys.keys FOR SELECT USING ((SELECT current_setting('recaller.door', TRUE)) = 'system');
CREATE POLICY rotation ON recaller_keys.keys FOR UPDATE USING ((SELECT current_setting('recaller.door', TRUE)) = 'system');
ALTER TABLE recaller_keys.named ENABLE ROW LEVEL SECURITY;
ALTER TABLE recaller_keys.named FORCE ROW LEVEL SECURITY;
CREATE POLICY system ON recaller_keys.named USING ((SELECT current_setting('recaller.door', TRUE)) = 'system');

-- +goose StatementBegin
DO $$
DECLARE part TEXT;
BEGIN
    FOR i IN 0..63 LOOP
        part := 'keys_' || to_char(i, 'FM00');
        EXECUTE format('CREATE TABLE recaller_keys.%I PARTITION OF recaller_keys.keys FOR VALUES WITH (MODULUS 64, REMAINDER %s)', part, i);
        EXECUTE format('ALTER TABLE recaller_keys.%I ENABLE ROW LEVEL SECURITY', part);
        EXECUTE format('ALTER TABLE recaller_keys.%I FORCE ROW LEVEL SECURITY', part);
        EXECUTE format('CREATE POLICY system ON recaller_keys.%I FOR SELECT USING ((SELECT current_setting(''recaller.door'', TRUE)) = ''system'')', part);
    END LOOP;
END $$;
-- +goose StatementEnd

-- What is learned about a column's values is kept as samples of them, in the catalogue of the database: none of these.
ALTER TABLE recaller_keys.keys ALTER COLUMN wrapped SET STATISTICS 0;
ALTER TABLE recaller_keys.named ALTER COLUMN value SET STATISTICS 0;

-- rewrite copies the live rows of a marked table into a new file, so that the old one goes with all that was ever in it. It runs
-- as the owner, because before Postgres 17 nobody else may do that, and since then by a right that allows more. It reports whether
-- no former version of a row is left; where a transaction that might still see one is open, one is. It does not wait for the
-- table (55P03 where somebody reads it): others would wait behind it.
-- +goose StatementBegin
CREATE FUNCTION recaller_keys.rewrite(part TEXT) RETURNS BOOLEAN
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    rel     REGCLASS;
    indexed BIGINT;
    live    BIGINT;
BEGIN
    SELECT c.oid INTO rel FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = 'recaller_keys' AND c.relkind = 'r' AND c.relname = rewrite.part AND (c.relispartition OR c.relname = 'named');
    IF rel IS NULL THEN
        RAISE EXCEPTION 'no such part';
    END IF;
    IF EXISTS (SELECT 1 FROM recaller_keys.traces t WHERE t.part = rewrite.part
            AND t.xid >= pg_snapshot_xmin(pg_current_snapshot()) AND t.xid < pg_snapshot_xmax(pg_current_snapshot())) THEN
        RETURN FALSE; -- in vain: somebody who began earlier still writes
    END IF;
    EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE NOWAIT', rel);
    IF NOT EXISTS (SELECT 1 FROM recaller_keys.traces t WHERE t.part = rewrite.part) THEN
        RETURN TRUE; -- another was first
    END IF;
    EXECUTE format('CLUSTER %s USING %I', rel, rewrite.part || '_pkey');
    -- It keeps dead rows that somebody may still see, and counts them in the index that it makes (-1 for none); nobody else was
    -- here since.
    PERFORM set_config('recaller.door', 'system', TRUE);
    SELECT greatest(c.reltuples, 0) INTO indexed FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid WHERE i.indrelid = rel;
    EXECUTE format('SELECT count(*) FROM %s', rel) INTO live;
    IF indexed <> live THEN
        RETURN FALSE;
    END IF;
    DELETE FROM recaller_keys.traces t WHERE t.part = rewrite.part;
    RETURN TRUE;
END $$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION recaller_keys.rewrite(TEXT) FROM PUBLIC;
