package keytable

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// oldestServer is the oldest version that serves.
const oldestServer = 15

// Finding is one thing that Inspect looked at.
type Finding struct {
	Name    string // "server", "commits", "schema", "role", "policies", "log", "traces"
	Found   string // what is there
	Problem string // what is wrong, and what to do; empty: nothing
}

type look func(context.Context, *pgx.Conn) (Finding, error)

// looks are at what a server cannot run without.
func looks() []look {
	return []look{lookServer, lookCommits, lookSchema, lookRole, lookPolicies}
}

// Inspect looks at everything that the key store relies on in a database, as the role that the server runs as, and at
// what is left of destroyed keys. It fails only where the database cannot be asked.
func Inspect(ctx context.Context, url string) ([]Finding, error) {
	cfg, err := poolConfig(url)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c, err := pgx.ConnectConfig(ctx, cfg.ConnConfig)
	if err != nil {
		return nil, failure(err, "the key store is away")
	}
	defer func() { _ = c.Close(context.WithoutCancel(ctx)) }()
	return inspect(ctx, c, append(looks(), lookLog, lookTraces))
}

func inspect(ctx context.Context, c *pgx.Conn, looks []look) (list []Finding, err error) {
	for _, look := range looks {
		f, err := look(ctx, c)
		if err != nil {
			return nil, failure(err, cannotRead)
		}
		list = append(list, f)
		if f.Name == "schema" && f.Problem != "" {
			return list, nil // there is nothing more to look at
		}
	}
	return list, nil
}

func lookServer(ctx context.Context, c *pgx.Conn) (f Finding, err error) {
	var number int
	err = c.QueryRow(ctx, `SELECT current_setting('server_version_num')::int, current_setting('server_version')`).Scan(&number, &f.Found)
	f.Name = "server"
	if number < oldestServer*10000 {
		f.Problem = fmt.Sprintf("the key store's server is Postgres %s; %d or newer is needed", f.Found, oldestServer)
	}
	return f, err
}

// lookCommits refuses a server that answers before a write is durable: a key that is lost takes all it sealed with it.
func lookCommits(ctx context.Context, c *pgx.Conn) (f Finding, err error) {
	f.Name = "commits"
	err = c.QueryRow(ctx, `SELECT 'synchronous_commit ' || current_setting('synchronous_commit')`).Scan(&f.Found)
	if strings.HasSuffix(f.Found, " off") {
		f.Problem = "the key store's server confirms writes before they are durable: set synchronous_commit = on for this role"
	}
	return f, err
}

func lookSchema(ctx context.Context, c *pgx.Conn) (Finding, error) {
	f := Finding{Name: "schema"}
	knows, err := newest()
	if err != nil {
		return f, err
	}
	// to_regclass would fail, not answer null, where the role may not look into the schema.
	var readable bool
	err = c.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace
		WHERE n.nspname = 'recaller_keys' AND t.relname = 'goose_db_version'
			AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(t.oid, 'SELECT'))`).Scan(&readable)
	if err != nil {
		return f, err
	}
	if !readable {
		f.Found, f.Problem = "none", "the key store has no schema recaller_keys that this role may use: if there are keys already, restore them from their backup, or set RECALLER_KEYS_DATABASE_URL to the database that has them, else run `recaller migrate`"
		return f, nil
	}
	var has int64
	err = c.QueryRow(ctx, `SELECT coalesce(max(version_id), 0) FROM recaller_keys.goose_db_version WHERE is_applied`).Scan(&has)
	f.Found = strconv.FormatInt(has, 10)
	switch {
	case has < knows:
		f.Problem = fmt.Sprintf("the key store has schema %d; this program needs %d: run `recaller migrate`", has, knows)
	case has > knows:
		f.Problem = fmt.Sprintf("the key store has schema %d, made by a newer Recaller; this one knows %d", has, knows)
	}
	return f, err
}

// lookRole refuses a role that could see past the policies: by a right of its own, by one of a role that it may become,
// or by owning the tables.
func lookRole(ctx context.Context, c *pgx.Conn) (Finding, error) {
	f := Finding{Name: "role"}
	var might []string
	err := c.QueryRow(ctx, `SELECT current_user, coalesce((SELECT array_agg(r.rolname::text ORDER BY r.rolname) FROM pg_roles r
		WHERE pg_has_role(current_user, r.oid, 'MEMBER') AND (r.rolsuper OR r.rolbypassrls
			OR EXISTS (SELECT 1 FROM pg_namespace n WHERE n.nspname = 'recaller_keys' AND n.nspowner = r.oid)
			OR EXISTS (SELECT 1 FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace
				WHERE n.nspname = 'recaller_keys' AND t.relkind IN ('r', 'p') AND t.relowner = r.oid))), '{}')`).Scan(&f.Found, &might)
	if len(might) > 0 {
		f.Problem = fmt.Sprintf("the key store's role %s can see past the policies (as %s): run the server as a role that is no superuser, has no BYPASSRLS, and does not own the tables",
			f.Found, strings.Join(might, ", "))
	}
	return f, err
}

// lookPolicies finds the tables whose rows a policy does not keep apart, and parts that could be asked beside their
// table.
func lookPolicies(ctx context.Context, c *pgx.Conn) (Finding, error) {
	f := Finding{Name: "policies"}
	var tables int
	var open []string
	err := c.QueryRow(ctx, `SELECT count(*), coalesce(array_agg(t.relname::text ORDER BY t.relname) FILTER (WHERE
			NOT (t.relrowsecurity AND t.relforcerowsecurity)
			OR (t.relispartition AND has_table_privilege(t.oid, 'SELECT, INSERT, UPDATE, DELETE'))
			OR has_table_privilege(t.oid, 'TRUNCATE')
			OR (t.relname = 'keys' AND has_table_privilege(t.oid, 'DELETE'))
			OR (t.relname = 'keys' AND NOT EXISTS (SELECT 1 FROM pg_policy p WHERE p.polrelid = t.oid AND p.polname = 'tenant' AND p.polcmd = '*'
				AND pg_get_expr(p.polqual, p.polrelid) LIKE '%current_setting(''recaller.tenant''::text, true)%'))), '{}')
		FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace
		WHERE n.nspname = 'recaller_keys' AND t.relkind IN ('r', 'p') AND t.relname NOT IN ('goose_db_version', 'traces')`).Scan(&tables, &open)
	if err != nil {
		return f, err
	}
	f.Found = fmt.Sprintf("%d tables", tables)
	if len(open) > 0 {
		f.Problem = "row-level security is not forced, or more than it needs is granted to this role, on " + strings.Join(open, ", ") +
			" in the schema recaller_keys: let the owner force it again and revoke the grant"
	}
	return f, nil
}

// lookLog tells where else than in tables wrapped keys are for a while. None of it is wrong; whoever backs up should
// know.
func lookLog(ctx context.Context, c *pgx.Conn) (f Finding, err error) {
	f.Name = "log"
	err = c.QueryRow(ctx, `SELECT string_agg(name || ' ' || setting, ', ' ORDER BY name) FROM pg_settings
		WHERE name IN ('wal_level', 'archive_mode', 'wal_recycle', 'checkpoint_timeout')`).Scan(&f.Found)
	return f, err
}

// lookTraces finds destroyed or replaced keys of which a copy may be left in a table's file.
func lookTraces(ctx context.Context, c *pgx.Conn) (Finding, error) {
	f := Finding{Name: "traces", Found: "none"}
	var marks, parts int
	err := c.QueryRow(ctx, `SELECT count(*), count(DISTINCT part) FROM recaller_keys.traces`).Scan(&marks, &parts)
	if marks > 0 {
		f.Found = fmt.Sprintf("%d, in %d tables", marks, parts)
		f.Problem = "former or destroyed keys are left in the key store's files: a running server removes them as soon as transactions that are older have ended (see pg_stat_activity.backend_xmin, pg_prepared_xacts, pg_replication_slots)"
	}
	return f, err
}
