-- +goose Up
-- For whom a transaction is, it says by a claim: the door, the tenant, and a keyed hash over them (ADR 39). Who may only
-- send SQL cannot make one. What runs as the owner names types, functions and operators with their schema, or pins the
-- search_path, which costs more: a role's own types and operators must not be run by it.

CREATE SCHEMA recaller_wall;
-- The secret as HMAC-SHA256 uses it: filled up with zeros to 64 bytes, each exclusive-ored with its constant.
CREATE TABLE recaller_wall.secret (
    one       BOOLEAN NOT NULL DEFAULT TRUE PRIMARY KEY CHECK (one),
    inner_pad BYTEA NOT NULL,
    outer_pad BYTEA NOT NULL,
    print     BYTEA NOT NULL
);
-- What is learned about a column's values is kept as samples of them, in the catalogue: none of these.
ALTER TABLE recaller_wall.secret ALTER COLUMN inner_pad SET STATISTICS 0, ALTER COLUMN outer_pad SET STATISTICS 0;
REVOKE ALL ON recaller_wall.secret FROM PUBLIC;

-- arm sets the secret where none is set, and tells whether the one that is set has this print.
-- +goose StatementBegin
CREATE FUNCTION recaller_wall.arm(inner_pad BYTEA, outer_pad BYTEA, print BYTEA) RETURNS BOOLEAN
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF length(arm.inner_pad) IS DISTINCT FROM 64 OR length(arm.outer_pad) IS DISTINCT FROM 64 THEN
        RETURN FALSE;
    END IF;
    INSERT INTO recaller_wall.secret (inner_pad, outer_pad, print)
        SELECT arm.inner_pad, arm.outer_pad, arm.print
        WHERE NOT EXISTS (SELECT 1 FROM recaller_wall.secret) ON CONFLICT DO NOTHING;
    RETURN (SELECT s.inner_pad = arm.inner_pad AND s.outer_pad = arm.outer_pad FROM recaller_wall.secret s);
END $$;
-- +goose StatementEnd

-- armed tells which secret is set, by its print; NULL: none.
-- +goose StatementBegin
CREATE FUNCTION recaller_wall.armed() RETURNS BYTEA
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (SELECT s.print FROM recaller_wall.secret s);
END $$;
-- +goose StatementEnd

-- seal notes what a transaction may do, with a keyed hash that also covers when it began and in which process it runs: in
-- another transaction the note is worth nothing. Only functions of the owner may call it.
-- +goose StatementBegin
CREATE FUNCTION recaller_wall.seal(door TEXT, tenant TEXT, caller TEXT) RETURNS VOID
LANGUAGE plpgsql AS $$
DECLARE
    ki   pg_catalog.bytea;
    ko   pg_catalog.bytea;
    note pg_catalog.text := pg_catalog.concat(E'\n', door, E'\n', tenant, E'\n', caller);
BEGIN
    SELECT s.inner_pad, s.outer_pad INTO ki, ko FROM recaller_wall.secret s;
    PERFORM pg_catalog.set_config('recaller.wall', pg_catalog.encode(
        pg_catalog.sha256(ko OPERATOR(pg_catalog.||) pg_catalog.sha256(ki
            OPERATOR(pg_catalog.||) pg_catalog.timestamptz_send(pg_catalog.transaction_timestamp())
            OPERATOR(pg_catalog.||) pg_catalog.int4send(pg_catalog.pg_backend_pid())
            OPERATOR(pg_catalog.||) pg_catalog.convert_to(note, 'UTF8'))), 'hex') OPERATOR(pg_catalog.||) note, TRUE);
END $$;
-- +goose StatementEnd

-- enter takes a claim for this transaction: what the hash covers, and the hash. session is the process that the claim is
-- for, or empty where the server cannot know it, because a pooler stands between.
-- +goose StatementBegin
CREATE FUNCTION recaller_wall.enter(session TEXT, door TEXT, tenant TEXT, caller TEXT, hash BYTEA) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    ki pg_catalog.bytea;
    ko pg_catalog.bytea;
BEGIN
    SELECT s.inner_pad, s.outer_pad INTO ki, ko FROM recaller_wall.secret s;
    IF hash OPERATOR(pg_catalog.=) pg_catalog.sha256(ko OPERATOR(pg_catalog.||) pg_catalog.sha256(ki OPERATOR(pg_catalog.||)
                pg_catalog.convert_to(pg_catalog.concat('claim ', session, E'\n', door, E'\n', tenant, E'\n', caller), 'UTF8')))
            AND (session OPERATOR(pg_catalog.=) '' OR session OPERATOR(pg_catalog.=) pg_catalog.pg_backend_pid()::pg_catalog.text) THEN
        PERFORM recaller_wall.seal(door, tenant, caller);
        RETURN;
    END IF;
    RAISE EXCEPTION 'recaller: no such claim' USING ERRCODE = 'RC001';
END $$;
-- +goose StatementEnd

-- claimed is what the policies ask: the door, the tenant or the caller that this transaction is for. Without a claim
-- there is no tenant, and the caller is one that nobody is. NULL as the caller: the claim is for all of the tenant's.
-- +goose StatementBegin
CREATE FUNCTION recaller_wall.claimed(part TEXT) RETURNS TEXT
LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED AS $$
DECLARE
    ki    pg_catalog.bytea;
    ko    pg_catalog.bytea;
    noted pg_catalog.text := pg_catalog.current_setting('recaller.wall', TRUE);
    said  pg_catalog.text;
BEGIN
    SELECT s.inner_pad, s.outer_pad INTO ki, ko FROM recaller_wall.secret s;
    IF pg_catalog.encode(pg_catalog.sha256(ko OPERATOR(pg_catalog.||) pg_catalog.sha256(ki
            OPERATOR(pg_catalog.||) pg_catalog.timestamptz_send(pg_catalog.transaction_timestamp())
            OPERATOR(pg_catalog.||) pg_catalog.int4send(pg_catalog.pg_backend_pid())
            OPERATOR(pg_catalog.||) pg_catalog.convert_to(pg_catalog.substr(noted, 65), 'UTF8'))), 'hex')
            OPERATOR(pg_catalog.=) pg_catalog.left(noted, 64) THEN
        said := pg_catalog.split_part(noted, E'\n', CASE WHEN part OPERATOR(pg_catalog.=) 'tenant' THEN 3
            WHEN part OPERATOR(pg_catalog.=) 'caller' THEN 4 ELSE 2 END);
        RETURN CASE WHEN said OPERATOR(pg_catalog.<>) '' THEN said END;
    END IF;
    RETURN CASE WHEN part OPERATOR(pg_catalog.=) 'caller' THEN E'\n' END;
END $$;
-- +goose StatementEnd

-- holds tells, while no secret is set, whether there are tenants, and whether these are among them; else it is silent.
-- +goose StatementBegin
CREATE FUNCTION recaller_wall.holds(ids TEXT[], OUT tenants BOOLEAN, OUT these BOOLEAN)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM recaller_wall.secret) THEN
        RETURN;
    END IF;
    -- A secret for this question alone: the policies bind the owner, too.
    INSERT INTO recaller_wall.secret (inner_pad, outer_pad, print)
        VALUES (uuid_send(gen_random_uuid()), uuid_send(gen_random_uuid()), '');
    PERFORM recaller_wall.seal('system', '', '');
    tenants := EXISTS (SELECT 1 FROM public.tenants);
    these := EXISTS (SELECT 1 FROM public.tenants t WHERE t.id = ANY (ids));
    PERFORM set_config('recaller.wall', '', TRUE);
    DELETE FROM recaller_wall.secret;
END $$;
-- +goose StatementEnd
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA recaller_wall FROM PUBLIC;

-- In a sub-select, so that each is asked once for a statement and not for each row.
-- +goose StatementBegin
DO $$
DECLARE t TEXT;
BEGIN
    FOR t IN SELECT c.relname FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid
            WHERE p.polname = 'tenant' AND c.relnamespace = 'public'::regnamespace AND c.relname <> 'tenants' LOOP
        EXECUTE format('ALTER POLICY tenant ON public.%I USING (tenant_id = (SELECT recaller_wall.claimed(''tenant'')))', t);
    END LOOP;
END $$;
-- +goose StatementEnd
ALTER POLICY tenant ON tenants USING (id = (SELECT recaller_wall.claimed('tenant')));
ALTER POLICY system ON tenants USING ((SELECT recaller_wall.claimed('door')) = 'system');
ALTER POLICY system ON tenant_numbers USING ((SELECT recaller_wall.claimed('door')) = 'system');
ALTER POLICY system ON jobs USING ((SELECT recaller_wall.claimed('door')) = 'system');
