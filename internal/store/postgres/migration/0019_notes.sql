-- +goose Up
-- What a check of the wall costs (ADR 39). A note is sealed by one SHA-384 under a key of its own, where it was an HMAC of two
-- SHA-256: what SHA-384 leaves out of its state is what nobody can go on from, so key and text need no second hash around
-- them. Functions do the little that they do in few expressions, each of which is made ready anew in every transaction; texts
-- are cut as bytes, because characters are counted one by one.

ALTER TABLE recaller_wall.secret ADD COLUMN seal_pad BYTEA;
ALTER TABLE recaller_wall.secret ALTER COLUMN seal_pad SET STATISTICS 0;
-- An HMAC of the secret over what no claim says: those begin otherwise.
UPDATE recaller_wall.secret SET seal_pad = sha256(outer_pad || sha256(inner_pad || 'notes'::bytea));
ALTER TABLE recaller_wall.secret ALTER COLUMN seal_pad SET NOT NULL;

-- arm sets the secret where none is set, and tells whether the one that is set has this print.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION recaller_wall.arm(inner_pad BYTEA, outer_pad BYTEA, print BYTEA) RETURNS BOOLEAN
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF length(arm.inner_pad) IS DISTINCT FROM 64 OR length(arm.outer_pad) IS DISTINCT FROM 64 THEN
        RETURN FALSE;
    END IF;
    INSERT INTO recaller_wall.secret (inner_pad, outer_pad, seal_pad, print)
        SELECT arm.inner_pad, arm.outer_pad, sha256(arm.outer_pad || sha256(arm.inner_pad || 'notes'::bytea)), arm.print
        WHERE NOT EXISTS (SELECT 1 FROM recaller_wall.secret) ON CONFLICT DO NOTHING;
    RETURN (SELECT s.inner_pad = arm.inner_pad AND s.outer_pad = arm.outer_pad FROM recaller_wall.secret s);
END $$;
-- +goose StatementEnd

-- seal notes what a transaction may do, as enter does. Only functions of the owner may call it.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION recaller_wall.seal(door TEXT, tenant TEXT, caller TEXT) RETURNS VOID
LANGUAGE plpgsql AS $$
DECLARE
    k    pg_catalog.bytea;
    note pg_catalog.text := pg_catalog.concat(E'\n', door, E'\n', tenant, E'\n', caller);
BEGIN
    SELECT s.seal_pad INTO k FROM recaller_wall.secret s;
    note := pg_catalog.set_config('recaller.wall', pg_catalog.encode(pg_catalog.sha384(k
        OPERATOR(pg_catalog.||) pg_catalog.timestamptz_send(pg_catalog.transaction_timestamp())
        OPERATOR(pg_catalog.||) pg_catalog.int4send(pg_catalog.pg_backend_pid())
        OPERATOR(pg_catalog.||) pg_catalog.convert_to(note, 'UTF8')), 'base64') OPERATOR(pg_catalog.||) note, TRUE);
END $$;
-- +goose StatementEnd

-- enter takes a claim for this transaction: what the hash covers, and the hash. session is the process that the claim is
-- for, or empty where the server cannot know it, because a pooler stands between. The note that it makes is 64 characters of
-- a keyed hash, which also covers when the transaction began and in which process it runs, and then what was claimed, each
-- part behind a line break.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION recaller_wall.enter(session TEXT, door TEXT, tenant TEXT, caller TEXT, hash BYTEA) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    ki   pg_catalog.bytea;
    ko   pg_catalog.bytea;
    k    pg_catalog.bytea;
    note pg_catalog.text := pg_catalog.concat(E'\n', door, E'\n', tenant, E'\n', caller);
BEGIN
    SELECT s.inner_pad, s.outer_pad, s.seal_pad INTO ki, ko, k FROM recaller_wall.secret s;
    IF (session OPERATOR(pg_catalog.=) '' OR session OPERATOR(pg_catalog.=) pg_catalog.pg_backend_pid()::pg_catalog.text)
            AND hash OPERATOR(pg_catalog.=) pg_catalog.sha256(ko OPERATOR(pg_catalog.||) pg_catalog.sha256(ki
                OPERATOR(pg_catalog.||) pg_catalog.convert_to('claim ' OPERATOR(pg_catalog.||) session OPERATOR(pg_catalog.||) note, 'UTF8'))) THEN
        note := pg_catalog.set_config('recaller.wall', pg_catalog.encode(pg_catalog.sha384(k
            OPERATOR(pg_catalog.||) pg_catalog.timestamptz_send(pg_catalog.transaction_timestamp())
            OPERATOR(pg_catalog.||) pg_catalog.int4send(pg_catalog.pg_backend_pid())
            OPERATOR(pg_catalog.||) pg_catalog.convert_to(note, 'UTF8')), 'base64') OPERATOR(pg_catalog.||) note, TRUE);
        RETURN;
    END IF;
    RAISE EXCEPTION 'recaller: no such claim' USING ERRCODE = 'RC001';
END $$;
-- +goose StatementEnd

-- claimed is what the policies ask: the door, the tenant, or rows: the tenant and, behind a line break, the caller; nothing
-- behind it: all of them. Without a claim, or with a note that is not right, it is NULL.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION recaller_wall.claimed(part TEXT) RETURNS TEXT
LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED AS $$
DECLARE
    k     pg_catalog.bytea;
    noted pg_catalog.text := pg_catalog.current_setting('recaller.wall', TRUE);
BEGIN
    SELECT s.seal_pad INTO k FROM recaller_wall.secret s;
    IF pg_catalog.encode(pg_catalog.sha384(k
            OPERATOR(pg_catalog.||) pg_catalog.timestamptz_send(pg_catalog.transaction_timestamp())
            OPERATOR(pg_catalog.||) pg_catalog.int4send(pg_catalog.pg_backend_pid())
            OPERATOR(pg_catalog.||) pg_catalog.substr(pg_catalog.convert_to(noted, 'UTF8'), 65)), 'base64')
            OPERATOR(pg_catalog.=) pg_catalog.split_part(noted, E'\n', 1) THEN
        IF part OPERATOR(pg_catalog.=) 'rows' THEN
            RETURN CASE WHEN pg_catalog.split_part(noted, E'\n', 3) OPERATOR(pg_catalog.<>) ''
                THEN pg_catalog.split_part(noted, E'\n', 3) OPERATOR(pg_catalog.||) E'\n'
                    OPERATOR(pg_catalog.||) pg_catalog.split_part(noted, E'\n', 4) END;
        ELSIF part OPERATOR(pg_catalog.=) 'door' THEN
            RETURN pg_catalog.split_part(noted, E'\n', 2);
        END IF;
        RETURN CASE WHEN pg_catalog.split_part(noted, E'\n', 3) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.split_part(noted, E'\n', 3) END;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- holds tells, while no secret is set, whether there are tenants, and whether these are among them; else it is silent.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION recaller_wall.holds(ids TEXT[], OUT tenants BOOLEAN, OUT these BOOLEAN)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM recaller_wall.secret) THEN
        RETURN;
    END IF;
    -- A secret for this question alone: the policies bind the owner, too.
    INSERT INTO recaller_wall.secret (inner_pad, outer_pad, seal_pad, print)
        VALUES (uuid_send(gen_random_uuid()), uuid_send(gen_random_uuid()), uuid_send(gen_random_uuid()), '');
    PERFORM recaller_wall.seal('system', '', '');
    tenants := EXISTS (SELECT 1 FROM public.tenants);
    these := EXISTS (SELECT 1 FROM public.tenants t WHERE t.id = ANY (ids));
    PERFORM set_config('recaller.wall', '', TRUE);
    DELETE FROM recaller_wall.secret;
END $$;
-- +goose StatementEnd
