package postgres

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

// The oldest versions that serve.
const (
	oldestServer = 15
	oldestVector = "0.8.0" // the first with iterative scans
)

// Finding is one thing that Inspect looked at.
type Finding struct {
	Name    string // "server", "durability", "extension vector", "schema", "role", "wall", "policies"
	Found   string // what is there
	Problem string // why the server cannot run on it, and what to do; empty: it can
}

// Inspect looks at everything that the server relies on in a database, as the role that the server runs as: the
// versions of server, extension and schema; that acknowledged writes are on disk; that the role cannot see past the
// policies; and that every table has its policy and no other. It fails only if the database cannot be asked.
func Inspect(ctx context.Context, url string) ([]Finding, error) {
	cfg, err := poolConfig(url, Options{})
	if err != nil {
		return nil, err
	}
	return inspect(ctx, cfg.ConnConfig)
}

// Ready fails with the first problem of a database, if the server cannot run on it.
func Ready(ctx context.Context, url string) error {
	cfg, err := poolConfig(url, Options{})
	if err != nil {
		return err
	}
	return sound(ctx, cfg.ConnConfig)
}

// sound fails with the first problem of a database.
func sound(ctx context.Context, cfg *pgx.ConnConfig) error {
	findings, err := inspect(ctx, cfg)
	if err != nil {
		return err
	}
	for _, f := range findings {
		if f.Problem != "" {
			return recaller.Errorf(recaller.Unavailable, "%s", f.Problem)
		}
	}
	return nil
}

// asking bounds the questions of inspect, which all take milliseconds.
const asking = 30 * time.Second

func inspect(ctx context.Context, cfg *pgx.ConnConfig) (list []Finding, err error) {
	ctx, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	c, err := pgx.ConnectConfig(ctx, cfg.Copy())
	if err != nil {
		return nil, mapped(err)
	}
	defer func() { _ = c.Close(context.WithoutCancel(ctx)) }()
	for _, look := range []func(context.Context, *pgx.Conn) (Finding, error){
		lookServer, lookDurability, lookSchema, lookVector, lookRole, lookWall, lookPolicies,
	} {
		f, err := look(ctx, c)
		if err != nil {
			return nil, mapped(err)
		}
		list = append(list, f)
	}
	return list, nil
}

func lookServer(ctx context.Context, c *pgx.Conn) (f Finding, err error) {
	var number int
	err = c.QueryRow(ctx, `SELECT current_setting('server_version_num')::int, current_setting('server_version')`).Scan(&number, &f.Found)
	f.Name, f.Problem = "server", tooOld(number, f.Found)
	return f, err
}

func tooOld(number int, name string) string {
	if number >= oldestServer*10000 {
		return ""
	}
	return fmt.Sprintf("the database server is Postgres %s; %d or newer is needed", name, oldestServer)
}

// lookDurability refuses a database that acknowledges what is not on disk (design decision 4). With fsync off it only
// says so: that is how tests run.
func lookDurability(ctx context.Context, c *pgx.Conn) (Finding, error) {
	f := Finding{Name: "durability"}
	var commit string
	var fsync bool
	err := c.QueryRow(ctx, `SELECT current_setting('synchronous_commit'), current_setting('fsync')::bool`).Scan(&commit, &fsync)
	f.Found = "synchronous_commit " + commit
	if !fsync {
		f.Found += ", fsync off: a power cut may damage the database"
	}
	if commit == "off" {
		f.Problem = "the database acknowledges commits that a crash may lose (synchronous_commit is off): set it to on, for the role or the database"
	}
	return f, err
}

func lookVector(ctx context.Context, c *pgx.Conn) (f Finding, err error) {
	f.Name = "extension vector"
	var usable bool
	err = c.QueryRow(ctx, `SELECT coalesce((SELECT extversion FROM pg_extension WHERE extname = 'vector'), 'none'),
		to_regtype('vector') IS NOT NULL`).Scan(&f.Found, &usable)
	switch {
	case f.Found == "none":
		f.Problem = "the database has no extension vector (pgvector " + oldestVector + " or newer): run `recaller migrate`"
	case older(f.Found, oldestVector):
		f.Problem = "the extension vector is of version " + f.Found + "; " + oldestVector + " or newer is needed: install a newer pgvector and run ALTER EXTENSION vector UPDATE"
	case !usable:
		f.Problem = "the extension vector is in a schema that the role's search_path leaves out: add it there (ALTER ROLE … SET search_path)"
	}
	return f, err
}

// older compares versions number by number.
func older(a, b string) bool {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(x), len(y)) {
		m, _ := strconv.Atoi(x[i]) // what is no number counts as 0
		n, _ := strconv.Atoi(y[i])
		if m != n {
			return m < n
		}
	}
	return len(x) < len(y)
}

func lookSchema(ctx context.Context, c *pgx.Conn) (Finding, error) {
	f := Finding{Name: "schema"}
	knows, err := store.Newest(migrations)
	if err != nil {
		return f, err
	}
	var readable *bool
	var keys bool
	err = c.QueryRow(ctx, `SELECT has_table_privilege(to_regclass('public.goose_db_version'), 'SELECT'), `+keysAlone).
		Scan(&readable, &keys)
	switch {
	case err != nil:
		return f, err
	case keys:
		f.Found, f.Problem = "keys", keysHere+": RECALLER_DATABASE_URL and RECALLER_KEYS_DATABASE_URL are exchanged"
		return f, nil
	case readable == nil:
		f.Found, f.Problem = "none", "the database has no tables yet: run `recaller migrate`, which makes them"
		return f, nil
	case !*readable:
		f.Found = "not for this role"
		f.Problem = "the role that the server runs as may not use the tables: run `recaller migrate`, which lets the role of RECALLER_DATABASE_URL use them"
		return f, nil
	}
	var has int64
	err = c.QueryRow(ctx, `SELECT coalesce(max(version_id), 0) FROM public.goose_db_version WHERE is_applied`).
		Scan(&has)
	f.Found = strconv.FormatInt(has, 10)
	switch {
	case has < knows:
		f.Problem = fmt.Sprintf("the database has schema %d; this program needs %d: run `recaller migrate`", has, knows)
	case has > knows:
		f.Problem = fmt.Sprintf("the database has schema %d, made by a newer Recaller; this one knows %d", has, knows)
	}
	return f, err
}
