package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// lookRole refuses a role that could see past the policies: by a right of its own, by one of a role that it may become,
// by making itself a member of one, by owning the tables, or by reading the server's files.
func lookRole(ctx context.Context, c *pgx.Conn) (Finding, error) {
	f := Finding{Name: "role"}
	var might []string
	err := c.QueryRow(ctx, `SELECT current_user, coalesce((SELECT array_agg(r.rolname::text ORDER BY r.rolname) FROM pg_roles r
		WHERE (pg_has_role(current_user, r.oid, 'MEMBER') OR pg_has_role(session_user, r.oid, 'MEMBER'))
			AND (r.rolsuper OR r.rolbypassrls OR r.rolcreaterole
			OR r.rolname IN ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program')
			OR EXISTS (SELECT 1 FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace
				WHERE n.nspname IN ('public', 'recaller_wall') AND t.relkind IN ('r', 'p') AND t.relowner = r.oid)
			OR EXISTS (SELECT 1 FROM pg_namespace n LEFT JOIN pg_proc f ON f.pronamespace = n.oid
				WHERE n.nspname = 'recaller_wall' AND (n.nspowner = r.oid OR f.proowner = r.oid)))), '{}')`).Scan(&f.Found, &might)
	if len(might) > 0 {
		f.Problem = fmt.Sprintf("the database role %s can see past the policies (as %s): run the server as a role that is no superuser, has neither BYPASSRLS nor CREATEROLE, and does not own the tables",
			f.Found, strings.Join(might, ", "))
	}
	return f, err
}

// functions are those of the schema recaller_wall.
func functions() []string {
	return []string{"analyze", "arm", "armed", "claimed", "enter", "holds", "seal"}
}

// lookWall looks at what proves the claims of transactions: the functions, who may use them, and the secret.
func lookWall(ctx context.Context, c *pgx.Conn) (Finding, error) {
	f := Finding{Name: "wall"}
	var usable, loose, makes bool
	err := c.QueryRow(ctx, `SELECT has_schema_privilege(n.oid, 'USAGE') AND NOT EXISTS (SELECT 1 FROM pg_proc
			WHERE pronamespace = n.oid AND prosecdef AND NOT has_function_privilege(oid, 'EXECUTE')),
		has_table_privilege(t.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
			OR has_any_column_privilege(t.oid, 'SELECT, INSERT, UPDATE, REFERENCES'),
		has_schema_privilege(n.oid, 'CREATE')
		FROM pg_namespace n JOIN pg_class t ON t.relnamespace = n.oid AND t.relname = 'secret'
		WHERE n.nspname = 'recaller_wall'`).Scan(&usable, &loose, &makes)
	if errors.Is(err, pgx.ErrNoRows) {
		f.Problem = "the schema recaller_wall, by which transactions say for whom they are, is missing: restore it as the migrations have it"
		return f, nil
	}
	if err != nil {
		return f, err
	}
	foreign, err := foreignFunctions(ctx, c)
	switch {
	case err != nil:
		return f, err
	case len(foreign) > 0:
		f.Problem = "of the schema recaller_wall these functions are not what the migrations made: " + strings.Join(foreign, ", ") + ": restore them as the migrations have them"
	case !usable:
		f.Problem = "the role that the server runs as may not use the functions of the schema recaller_wall: run `recaller migrate`, which lets the role of RECALLER_DATABASE_URL use them"
	case loose:
		f.Problem = "the role that the server runs as can reach the secret of the wall, with which any tenant can be claimed: REVOKE ALL ON recaller_wall.secret from it and from PUBLIC, stop the servers, and run `recaller migrate --wall`, which has a new one made"
	case makes:
		f.Problem = "the role that the server runs as may make functions in the schema recaller_wall: REVOKE CREATE ON SCHEMA recaller_wall from it and from PUBLIC"
	}
	if f.Problem != "" {
		return f, nil
	}
	var print []byte
	if err := c.QueryRow(ctx, armedBy).Scan(&print); err != nil {
		return f, err
	}
	if f.Found = "no secret yet: the next start of the server sets it"; print != nil {
		f.Found = fmt.Sprintf("secret %x", print)
	}
	return f, nil
}

// foreignFunctions names the functions of the wall that are missing, other than the migrations made them, or more.
func foreignFunctions(ctx context.Context, c *pgx.Conn) (foreign []string, err error) {
	made, err := migrationTexts()
	if err != nil {
		return nil, err
	}
	rows, err := c.Query(ctx, `SELECT proname::text, prosrc, prosecdef, proconfig IS NOT NULL FROM pg_proc
		WHERE pronamespace = (SELECT oid FROM pg_namespace WHERE nspname = 'recaller_wall') ORDER BY proname`)
	if err != nil {
		return nil, err
	}
	missing := functions()
	var name, body string
	var definer, pinned bool
	_, err = pgx.ForEachRow(rows, []any{&name, &body, &definer, &pinned}, func() error {
		i := slices.Index(missing, name)
		if i < 0 || definer != (name != "seal") || pinned != slices.Contains([]string{"analyze", "arm", "armed", "holds"}, name) || !strings.Contains(made, "AS $$"+body+"$$;") {
			foreign = append(foreign, name)
			return nil
		}
		missing = slices.Delete(missing, i, i+1)
		return nil
	})
	return slices.Compact(slices.Sorted(slices.Values(append(foreign, missing...)))), err
}

// What the policies say, without the spaces, parentheses, casts and aliases that Postgres shows; %s is the caller's column.
const (
	ofTenant = `=selectrecaller_wall.claimed'tenant'`
	ofSystem = `selectrecaller_wall.claimed'door'='system'`
	ofRows   = `caseselectrecaller_wall.claimed'rows'whentenant_id||'<break>'thentruewhentenant_id||'<break>'||%sthentrueelsefalseend`
)

// lookPolicies finds what the role may touch in the schema without the policy `tenant` alone to keep its rows apart, by
// the caller too where they are a caller's. Policies add up, so another would open what this one closes. So would a view:
// it sees what its owner sees.
func lookPolicies(ctx context.Context, c *pgx.Conn) (Finding, error) {
	f := Finding{Name: "policies"}
	var tables int
	var open, hidden, loose []string
	err := c.QueryRow(ctx, `WITH things AS (
			SELECT t.oid, t.relname::text AS name, t.relkind, t.relrowsecurity AND t.relforcerowsecurity AS forced, pg_table_is_visible(t.oid) AS visible
			FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace
			WHERE n.nspname = 'public' AND t.relkind IN ('r', 'p', 'v', 'm', 'f') AND t.relname <> 'goose_db_version'
				AND (has_any_column_privilege(t.oid, 'SELECT, INSERT, UPDATE') OR has_table_privilege(t.oid, 'DELETE'))
				AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = t.oid AND d.deptype = 'e')
		), policies AS (
			SELECT p.polrelid, p.polname, p.polcmd, p.polpermissive AND p.polroles = '{0}' AND p.polwithcheck IS NULL AS plain,
				lower(regexp_replace(replace(pg_get_expr(p.polqual, p.polrelid), E'''\n''', '''<break>'''), '::text| AS "?\w+"?|[\s()]', '', 'g')) AS says
			FROM pg_policy p WHERE p.polpermissive
		), wanted AS (
			SELECT t.oid, coalesce(replace($3, '%s', a.attname), CASE WHEN t.name = 'tenants' THEN 'id' ELSE 'tenant_id' END || $1) AS says
			FROM things t LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND NOT a.attisdropped
				AND a.attname = CASE t.name WHEN 'callers' THEN 'id' WHEN 'receipts' THEN 'caller' ELSE 'caller_id' END
		), judged AS (
			SELECT t.*, forced AND relkind IN ('r', 'p')
				AND EXISTS (SELECT 1 FROM policies p JOIN wanted w ON w.oid = p.polrelid WHERE p.polrelid = t.oid
					AND p.polname = 'tenant' AND p.plain AND p.polcmd = '*' AND p.says = w.says)
				AND NOT EXISTS (SELECT 1 FROM policies p WHERE p.polrelid = t.oid AND p.polname <> 'tenant'
					AND NOT (p.polname = 'system' AND p.plain AND p.says = $2 AND t.name IN ('tenants', 'tenant_numbers', 'jobs') AND (p.polcmd = 'r' OR t.name = 'jobs'))) AS walled,
				has_table_privilege(t.oid, 'TRUNCATE, TRIGGER') OR has_any_column_privilege(t.oid, 'REFERENCES') AS loose
			FROM things t
		)
		SELECT count(*) FILTER (WHERE walled), coalesce(array_agg(name ORDER BY name) FILTER (WHERE NOT walled), '{}'),
			coalesce(array_agg(name ORDER BY name) FILTER (WHERE NOT visible), '{}'), coalesce(array_agg(name ORDER BY name) FILTER (WHERE loose), '{}')
		FROM judged`, ofTenant, ofSystem, ofRows).Scan(&tables, &open, &hidden, &loose)
	if err != nil {
		return f, err
	}
	f.Found = fmt.Sprintf("%d tables", tables)
	switch {
	case len(open) > 0:
		f.Problem = "row-level security is not forced by the policy `tenant`, and by it alone, on " + strings.Join(open, ", ") + ": restore it as the migrations have it"
	case len(hidden) > 0:
		f.Problem = "the role's search_path leaves out the schema public, or another schema comes before it, with its own " + strings.Join(hidden, ", ") + ": set search_path to public"
	case len(loose) > 0:
		f.Problem = "the role may TRUNCATE, or refer to, rows that it may not see: REVOKE TRUNCATE, TRIGGER, REFERENCES ON " + strings.Join(loose, ", ")
	case tables == 0:
		f.Problem = "the database has no tables that this role may use: run `recaller migrate`"
	}
	return f, nil
}
