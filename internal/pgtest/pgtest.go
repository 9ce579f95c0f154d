// Package pgtest gives tests Postgres databases of their own, on the server that tools/postgres starts or that
// RECALLER_TEST_POSTGRES_URL names. A test that needs one fails where there is none: it is never skipped. Tests that
// halt their server have one of their own (OwnServer), for which no URL and no container will do.
//
// It is for tests only.
package pgtest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// The roles of a test's databases, made once for each server. Neither may bypass row-level security.
const (
	ownerRole = "recaller_test_owner" // has the tables
	appRole   = "recaller_test_app"   // what the server runs as
	password  = "recaller-test"
)

// Database is a database of one test, which is dropped when the test ends. Its owner role may make tables; its app role
// may only do what it was granted.
type Database struct {
	Super string // URL as a superuser
	Owner string // URL as the role that migrates
	App   string // URL as the role that serves
}

// AppRole is the name of the role in Database.App.
func (Database) AppRole() string { return appRole }

var cluster = sync.OnceValues(func() (string, error) {
	if u := os.Getenv("RECALLER_TEST_POSTGRES_URL"); u != "" { //nolint:forbidigo // where tests find their server is no setting of the product
		return u, nil
	}
	return script("url")
})

// scriptPath is where tools/postgres/postgres is.
func scriptPath() (string, error) {
	_, here, _, ok := runtime.Caller(0)
	if !ok {
		return "", fmt.Errorf("where this file is cannot be told")
	}
	return filepath.Join(filepath.Dir(here), "..", "..", "tools", "postgres", "postgres"), nil
}

// script runs tools/postgres/postgres.
func script(args ...string) (string, error) {
	path, err := scriptPath()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	var problem strings.Builder
	cmd := exec.CommandContext(ctx, path, args...) //nolint:gosec // a script of ours
	cmd.Stderr = &problem
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, strings.TrimSpace(problem.String()))
	}
	return strings.TrimSpace(string(out)), nil
}

// Bare returns a new database with nothing in it, not even the extension vector, which a superuser makes.
func Bare(t testing.TB) Database {
	t.Helper()
	return create(t, "template1")
}

// Empty returns a new database with the extension vector and nothing else.
func Empty(t testing.TB) Database {
	t.Helper()
	db := Bare(t)
	extend(t, db.Super)
	return db
}

// extend makes the extension vector in a database.
func extend(t testing.TB, super string) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), super)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(context.Background()) }()
	exec1(t, c, `CREATE EXTENSION vector`)
}

// Prepared returns a new database that is a copy of one that prepare made: once for each server, whatever test binary
// comes first. version must change with whatever prepare does: the text of the migrations will do.
func Prepared(t testing.TB, version string, prepare func(context.Context, Database) error) Database {
	t.Helper()
	return create(t, template(t, version, prepare))
}

// Kept is Prepared for a database that outlives the test: whoever is done with it calls drop.
func Kept(t testing.TB, version string, prepare func(context.Context, Database) error) (db Database, drop func() error) {
	t.Helper()
	name := createNamed(t, template(t, version, prepare))
	on := server(t)
	return urls(t, name), func() error { return dropNamed(on, name) }
}

// Copy returns a database that holds what another does, as a backup that was restored. Nobody may be connected to that
// one.
func Copy(t testing.TB, db Database) Database {
	t.Helper()
	cfg, err := pgx.ParseConfig(db.Super)
	if err != nil {
		t.Fatal(err)
	}
	return create(t, cfg.Database)
}

// templates are those that this process has found or made, by what they are made with.
var templates sync.Map

// template returns the name of the database that copies are made of, making it if it is not there.
func template(t testing.TB, version string, prepare func(context.Context, Database) error) string {
	t.Helper()
	sum := sha256.Sum256([]byte(version))
	template := "recaller_template_" + hex.EncodeToString(sum[:8])
	if _, there := templates.Load(template); there {
		return template
	}
	super := superuser(t)
	defer func() { _ = super.Close(context.Background()) }()
	// The lock is held over all test binaries, and let go with the connection.
	exec1(t, super, `SELECT pg_advisory_lock(7235512)`)
	var there bool
	if err := super.QueryRow(t.Context(), `SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1)`, template).Scan(&there); err != nil {
		t.Fatal(err)
	}
	if !there {
		making := template + "_making"
		exec1(t, super, `DROP DATABASE IF EXISTS `+making+` WITH (FORCE)`)
		exec1(t, super, `CREATE DATABASE `+making+` OWNER `+ownerRole)
		extend(t, urls(t, making).Super)
		if err := prepare(t.Context(), urls(t, making)); err != nil {
			t.Fatalf("prepare a database: %v", err)
		}
		exec1(t, super, `ALTER DATABASE `+making+` RENAME TO `+template)
	}
	exec1(t, super, `SELECT pg_advisory_unlock(7235512)`)
	templates.Store(template, nil)
	return template
}

// create makes a database from a template, to be dropped when the test ends.
func create(t testing.TB, template string) Database {
	t.Helper()
	name, on := createNamed(t, template), server(t)
	t.Cleanup(func() {
		if err := dropNamed(on, name); err != nil {
			t.Errorf("drop the database: %v", err)
		}
	})
	return urls(t, name)
}

// createNamed copies the template's files: that costs the server a third of what it does to log each page of them.
func createNamed(t testing.TB, template string) string {
	t.Helper()
	name := "recaller_test_" + strings.ToLower(rand.Text()[:16])
	super := superuser(t)
	defer func() { _ = super.Close(context.Background()) }()
	exec1(t, super, `CREATE DATABASE `+name+` OWNER `+ownerRole+` TEMPLATE `+template+` STRATEGY FILE_COPY`)
	return name
}

func dropNamed(server, name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	_, err = c.Exec(ctx, `DROP DATABASE IF EXISTS `+name+` WITH (FORCE)`)
	return errors.Join(err, c.Close(ctx))
}

func server(t testing.TB) string {
	t.Helper()
	u, err := cluster()
	if err != nil {
		t.Fatalf("these tests need a Postgres with pgvector: %v", err)
	}
	return u
}

// roles says whether this process has found or made the roles.
var roles atomic.Bool

// superuser connects to the server and makes the roles. The caller closes the connection: a server has so many, and
// tests are many.
func superuser(t testing.TB) *pgx.Conn {
	t.Helper()
	c, err := pgx.Connect(t.Context(), server(t))
	if err != nil {
		t.Fatalf("connect to the tests' Postgres: %v", err)
	}
	if roles.Load() {
		return c
	}
	for _, role := range []string{ownerRole, appRole} {
		exec1(t, c, `DO $$ BEGIN
			CREATE ROLE `+role+` LOGIN PASSWORD '`+password+`' NOSUPERUSER NOBYPASSRLS;
		EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`)
	}
	roles.Store(true)
	return c
}

func exec1(t testing.TB, c *pgx.Conn, sql string) {
	t.Helper()
	if _, err := c.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func urls(t testing.TB, name string) Database {
	t.Helper()
	return urlsOn(t, server(t), name)
}

// urlsOn names a database on the server of a URL.
func urlsOn(t testing.TB, server, name string) Database {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal("the server's URL is no URL")
	}
	as := func(user *url.Userinfo) string {
		v := *u
		v.User, v.Path = user, "/"+name
		return v.String()
	}
	return Database{Super: as(u.User), Owner: as(url.UserPassword(ownerRole, password)), App: as(url.UserPassword(appRole, password))}
}

// Server is a Postgres of one test's own, whose data survive a crash.
type Server struct {
	t   testing.TB
	dir string
	URL string // as a superuser
}

// OwnServer starts a server that the test may stop, from binaries on this machine: one that RECALLER_TEST_POSTGRES_URL
// names, or one in a container, is not the test's to stop. It ends with the test.
func OwnServer(t testing.TB) *Server {
	t.Helper()
	dir, err := os.MkdirTemp("", "recaller-pg-") // not t.TempDir: the server's user must get there
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // for the server's user
		t.Fatal(err)
	}
	s := &Server{t: t, dir: filepath.Join(dir, "pg")}
	t.Cleanup(func() {
		_, _ = script("halt", s.dir) // it may be halted already
		if err := os.RemoveAll(dir); err != nil {
			t.Errorf("remove the server's folder: %v", err)
		}
	})
	s.Start()
	return s
}

// Start starts the server again, with the data it had.
func (s *Server) Start() {
	s.t.Helper()
	var err error
	if s.URL, err = script("start", s.dir); err != nil {
		s.t.Fatalf("start a Postgres of the test's own: %v", err)
	}
}

// Halt stops the server as a crash would.
func (s *Server) Halt() {
	s.t.Helper()
	if _, err := script("halt", s.dir); err != nil {
		s.t.Fatalf("halt Postgres: %v", err)
	}
}

// Database makes a database on the server, as Empty does. Once.
func (s *Server) Database() Database {
	s.t.Helper()
	c, err := pgx.Connect(s.t.Context(), s.URL)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = c.Close(context.Background()) }()
	for _, role := range []string{ownerRole, appRole} {
		exec1(s.t, c, `CREATE ROLE `+role+` LOGIN PASSWORD '`+password+`' NOSUPERUSER NOBYPASSRLS`)
	}
	exec1(s.t, c, `CREATE DATABASE recaller OWNER `+ownerRole)
	db := urlsOn(s.t, s.URL, "recaller")
	extend(s.t, db.Super)
	return db
}
