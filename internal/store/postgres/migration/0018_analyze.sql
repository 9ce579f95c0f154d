-- +goose Up
-- After an import the planner's statistics are of before, until autovacuum comes. Only the owner may bring them up to date
-- (before Postgres 17, where the right MAINTAIN would allow more), so the server's role asks this function: for one table,
-- in a transaction of its own. A table that somebody else analyses meanwhile is left to him.
-- +goose StatementBegin
CREATE FUNCTION recaller_wall.analyze(of_table TEXT) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relname = of_table
            AND c.relrowsecurity) THEN
        RAISE EXCEPTION 'no such table';
    END IF;
    EXECUTE format('ANALYZE (SKIP_LOCKED) public.%I', of_table);
END $$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION recaller_wall.analyze FROM PUBLIC;
