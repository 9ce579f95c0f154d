-- +goose Up
-- The wall between the callers of a tenant (ADR 39): a transaction whose claim names a caller has his rows alone. One that
-- names none is for all of the tenant's.

-- claimed, with one part more: rows is the tenant and, behind a line break, the caller; nothing behind it: all of them.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION recaller_wall.claimed(part TEXT) RETURNS TEXT
LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED AS $$
DECLARE
    ki    pg_catalog.bytea;
    ko    pg_catalog.bytea;
    noted pg_catalog.text := pg_catalog.current_setting('recaller.wall', TRUE);
BEGIN
    SELECT s.inner_pad, s.outer_pad INTO ki, ko FROM recaller_wall.secret s;
    RETURN CASE WHEN pg_catalog.encode(pg_catalog.sha256(ko OPERATOR(pg_catalog.||) pg_catalog.sha256(ki
            OPERATOR(pg_catalog.||) pg_catalog.timestamptz_send(pg_catalog.transaction_timestamp())
            OPERATOR(pg_catalog.||) pg_catalog.int4send(pg_catalog.pg_backend_pid())
            OPERATOR(pg_catalog.||) pg_catalog.convert_to(pg_catalog.substr(noted, 65), 'UTF8'))), 'hex')
            OPERATOR(pg_catalog.=) pg_catalog.left(noted, 64)
        THEN CASE
            WHEN part OPERATOR(pg_catalog.=) 'door' THEN pg_catalog.split_part(noted, E'\n', 2)
            WHEN pg_catalog.split_part(noted, E'\n', 3) OPERATOR(pg_catalog.=) '' THEN NULL
            WHEN part OPERATOR(pg_catalog.=) 'rows'
                THEN pg_catalog.concat(pg_catalog.split_part(noted, E'\n', 3), E'\n', pg_catalog.split_part(noted, E'\n', 4))
            ELSE pg_catalog.split_part(noted, E'\n', 3) END
        END;
END $$;
-- +goose StatementEnd

-- enter, in one statement: it is run with every transaction.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION recaller_wall.enter(session TEXT, door TEXT, tenant TEXT, caller TEXT, hash BYTEA) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    note pg_catalog.text := pg_catalog.concat(E'\n', door, E'\n', tenant, E'\n', caller);
BEGIN
    PERFORM pg_catalog.set_config('recaller.wall', pg_catalog.encode(pg_catalog.sha256(s.outer_pad OPERATOR(pg_catalog.||) pg_catalog.sha256(s.inner_pad
            OPERATOR(pg_catalog.||) pg_catalog.timestamptz_send(pg_catalog.transaction_timestamp())
            OPERATOR(pg_catalog.||) pg_catalog.int4send(pg_catalog.pg_backend_pid())
            OPERATOR(pg_catalog.||) pg_catalog.convert_to(note, 'UTF8'))), 'hex') OPERATOR(pg_catalog.||) note, TRUE)
        FROM recaller_wall.secret s
        WHERE (session OPERATOR(pg_catalog.=) '' OR session OPERATOR(pg_catalog.=) pg_catalog.pg_backend_pid()::pg_catalog.text)
            AND hash OPERATOR(pg_catalog.=) pg_catalog.sha256(s.outer_pad OPERATOR(pg_catalog.||) pg_catalog.sha256(s.inner_pad
                OPERATOR(pg_catalog.||) pg_catalog.convert_to(pg_catalog.concat('claim ', session, note), 'UTF8')));
    IF NOT FOUND THEN
        RAISE EXCEPTION 'recaller: no such claim' USING ERRCODE = 'RC001';
    END IF;
END $$;
-- +goose StatementEnd

-- A CASE asks once what it compares with: tenant and caller in one, because each time that claimed is asked costs, and
-- because a statement could change the note between two.
-- +goose StatementBegin
DO $$
DECLARE t RECORD;
BEGIN
    FOR t IN SELECT c.relname, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND NOT a.attisdropped
            WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
                AND a.attname = CASE c.relname WHEN 'callers' THEN 'id' WHEN 'receipts' THEN 'caller' ELSE 'caller_id' END LOOP
        EXECUTE format('ALTER POLICY tenant ON public.%I USING (CASE (SELECT recaller_wall.claimed(''rows''))
            WHEN tenant_id || E''\n'' THEN TRUE WHEN tenant_id || E''\n'' || %I THEN TRUE ELSE FALSE END)', t.relname, t.attname);
    END LOOP;
END $$;
-- +goose StatementEnd
