package app

import (
	"bytes"
	"cmp"
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/pgtest"
	"github.com/recallerhq/recaller/internal/recall"
	"github.com/recallerhq/recaller/internal/search"
	"github.com/recallerhq/recaller/internal/store/storetest"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/keyfile"
)

// sealedColumn is a column of sealed values of which one is damaged: a victim's, whom nothing else befalls. A victim
// is a caller of the tenant default, or a tenant.
type sealedColumn struct {
	name  string // table.column
	of    string // which of the victim's rows, as a condition
	id    string // what the row is called, as an expression
	told  string // the list that counts it; "%s" is the victim's id; "": none, for it is made anew
	house bool   // the victim is a tenant
	moved bool   // somebody was merged into the victim

	silent bool // nothing of the caller is told: what he had forgotten cannot be read
	closed bool // without its settings the tenant's calls are not served
	locked bool // the key is refused: nobody could say that it is what was made
}

const (
	theirConversations = "/v1/callers/%s/conversations"
	theirExport        = "/v1/callers/%s/export"
	theirDocuments     = "/v1/documents?include_archived=true&caller_id=%s"
)

// sealedColumns are all columns that hold sealed values: storetest holds the list of them against the schemas, and
// TestAFlippedBitCostsItsOwnRow holds this one against that.
func sealedColumns() []sealedColumn {
	return []sealedColumn{
		{name: "conversations.body", of: `status = 'active'`, id: `id`, told: theirConversations},
		{name: "conversations.body", of: `status = 'completed' AND thread_id = ''`, id: `id`, told: theirConversations},
		{name: "conversations.summary", of: `summary IS NOT NULL`, id: `id`, told: theirConversations},
		{name: "conversations.head", of: `head IS NOT NULL AND thread_id = ''`, id: `id`, told: theirConversations},
		{name: "callers.body", id: `id`, told: "/v1/callers"},
		{name: "callers.register", id: `id`, told: "/v1/callers/%s/memories", silent: true},
		{name: "identities.value", id: `caller_id || '.' || kind`, told: "/v1/callers"},
		{name: "turns.body", id: `id`, told: theirExport},
		{name: "memories.body", of: `source = 'extraction'`, id: `id || '.' || version`, told: "/v1/callers/%s/memories"},
		{name: "memories.body", of: `status = 'forgotten'`, id: `id || '.' || version`, told: theirExport, silent: true},
		{name: "checkpoints.body", id: `caller_id`, told: theirExport},
		{name: "acts.body", id: `conversation_id || '.' || number`, told: "/v1/callers/%s/agreements"},
		{name: "reminders.body", of: `body IS NOT NULL`, id: `id`, told: "/v1/reminders"},
		{name: "reminders.errand", of: `errand IS NOT NULL`, id: `id`, told: "/v1/reminders"},
		{name: "moves.body", id: `id`, told: theirExport, moved: true},
		{name: "documents.body", of: `origin = 'written'`, id: `id`, told: theirDocuments},
		{name: "documents.delivered", of: `delivered IS NOT NULL`, id: `id`, told: theirDocuments},
		{name: "threads.body", id: `id`, told: "/v1/threads?caller_id=%s"},
		{name: "turn_vectors.body", id: `conversation_id || '/' || first || '/' || model`},
		{name: "recall_segments.body", id: `name`},
		{name: "tenants.body", id: `id`, told: "/v1/tenants", house: true, closed: true},
		{name: "tenants.packs", id: `id || '.packs'`, house: true},
		{name: "api_keys.label", of: `scope = 'read'`, id: `id`, told: "/v1/keys", house: true, locked: true},
		{name: "personas.body", of: `version = 2`, id: `version`, told: "/v1/persona/versions", house: true},
		{name: "documents.body", of: `caller_id = ''`, id: `id`, told: "/v1/documents?business=true", house: true},
	}
}

// victim is whom the damage befalls.
type victim struct {
	id     string // of the caller, or of the tenant
	key    string // of the tenant; "": the bootstrap key
	caller string // who has words, in the tenant
	reader string // a key that only reads
	row    Damaged
}

// Spec section 5, "one damaged row": one bit is flipped in each sealed column of each table, each time of another
// caller or tenant. The server starts, every list answers and counts what is damaged, all other words are there, and
// the doctor names each row and no other.
func TestAFlippedBitCostsItsOwnRow(t *testing.T) {
	t.Parallel()
	const key = "MEMORY_ENCRYPTION_KEY=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		flippedBits(t, dir, "sqlite", filepath.Join(dir, databaseFile)+"?_pragma=busy_timeout(5000)", key)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		db := pgtest.Empty(t)
		env := []string{"RECALLER_DATABASE_URL=" + db.App, "RECALLER_OWNER_DATABASE_URL=" + db.Owner, key}
		if err := Migrate(t.Context(), settings(t, t.TempDir(), env...)); err != nil {
			t.Fatal(err)
		}
		flippedBits(t, t.TempDir(), "pgx", db.Super, env...)
	})
}

func TestEverySealedColumnIsDamaged(t *testing.T) {
	t.Parallel()
	here := map[string]bool{}
	for _, c := range sealedColumns() {
		here[c.name] = true
	}
	for _, column := range storetest.SealedColumns() {
		if !here[column] {
			t.Errorf("%s is sealed: say in sealedColumns what a flipped bit of it costs", column)
		}
		delete(here, column)
	}
	for column := range here {
		t.Errorf("%s is not in the schemas", column)
	}
}

func flippedBits(t *testing.T, dir, driver, url string, env ...string) {
	// Nobody is there to whom documents could be delivered.
	w := &wreck{t: t, dir: dir, env: append(env, "REMEM_API_URL=http://127.0.0.1:1", "REMEM_API_KEY=k")}
	columns := sealedColumns()
	t.Run("before", func(t *testing.T) { w.fill(build(t, dir, Options{}, w.env...).start(), columns) })
	db, err := sql.Open(driver, url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	w.db = db
	if named := w.examined(t); len(named) != 0 {
		t.Fatalf("before: the doctor finds %v", named)
	}
	var want []Damaged
	for i, c := range columns {
		w.flip(t, c, &w.victims[i])
		want = append(want, w.victims[i].row)
	}
	byName := func(a, b Damaged) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) }
	named := w.examined(t)
	slices.SortFunc(named, byName)
	slices.SortFunc(want, byName)
	if !slices.Equal(named, want) {
		t.Errorf("the doctor names\n%v, want\n%v", named, want)
	}
	h := build(t, dir, Options{}, w.env...)
	all := w.lists(t, h, h.app.BootstrapKey(), recaller.DefaultTenant)
	tell := func(name string, c sealedColumn, v victim) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			counted := all
			if c.house {
				counted = w.lists(t, h, v.key, v.row.Tenant)
			}
			w.serves(t, h, c, v, counted)
		})
	}
	for i, c := range columns {
		tell(c.name+" "+c.of, c, w.victims[i])
	}
	tell("who has no damage", sealedColumn{}, victim{caller: w.ben})
}

// One bit of a wrapped key is flipped: the server starts, the caller is marked and named, and the others are served.
func TestAFlippedBitOfAWrappedKeyCostsItsCaller(t *testing.T) { //nolint:tparallel // the first part ends before the bit is flipped
	t.Parallel()
	w := &wreck{t: t, dir: t.TempDir()}
	t.Run("before", func(t *testing.T) { w.fill(build(t, w.dir, Options{}).start(), make([]sealedColumn, 1)) })
	db, err := sql.Open("sqlite", filepath.Join(w.dir, keysDir, keysFile)+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	ana := w.victims[0].id
	var wrapped []byte
	ctx := t.Context()
	if err := db.QueryRowContext(ctx, `SELECT wrapped FROM keys WHERE caller = ?`, ana).Scan(&wrapped); err != nil {
		t.Fatal(err)
	}
	wrapped[len(wrapped)/2] ^= 1
	if _, err := db.ExecContext(ctx, `UPDATE keys SET wrapped = ? WHERE caller = ?`, wrapped, ana); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	log := &journal{}
	h := build(t, w.dir, Options{Log: slog.New(slog.NewTextHandler(log, nil))}).start()
	if h.app.quarantined(ctx); !strings.Contains(log.String(), ana) {
		t.Errorf("the log does not name her: %s", log)
	}
	list, err := h.Callers(ctx, client.Page{})
	if err != nil || len(list.Callers) != 2 {
		t.Fatalf("got %d callers, %v; want both", len(list.Callers), err)
	}
	for _, c := range list.Callers {
		if c.Unreadable != (c.ID == ana) {
			t.Errorf("%s is unreadable: %v", c.ID, c.Unreadable)
		}
	}
	res, err := h.app.recall.Recall(ctx, recaller.DefaultTenant, recaller.CallerID(w.ben), recall.Query{Text: "gate"})
	if err != nil || len(res.Hits) == 0 {
		t.Errorf("Ben's words: %d, %v", len(res.Hits), err)
	}
}

// wreck is an installation whose rows are damaged.
type wreck struct {
	t       *testing.T
	dir     string
	env     []string
	db      *sql.DB
	ben     string   // a caller whom nothing befalls
	victims []victim // by column
	merged  int      // callers who are other callers now
}

// flip flips one bit of a sealed value of a victim's, and notes which row that is.
func (w *wreck) flip(t *testing.T, c sealedColumn, v *victim) {
	t.Helper()
	table, column, _ := strings.Cut(c.name, ".")
	where := map[bool]string{false: `caller_id`, true: `tenant_id`}[c.house]
	if table == "callers" || table == "tenants" {
		where = `id`
	}
	where += ` = '` + v.id + `'`
	if c.of != "" {
		where += ` AND ` + c.of
	}
	var was []byte
	v.row = Damaged{Tenant: recaller.DefaultTenant, Row: recaller.DamagedRow{Table: table}}
	if c.house {
		v.row.Tenant = recaller.TenantID(v.id)
	}
	err := w.db.QueryRowContext(t.Context(), `SELECT `+column+`, `+c.id+` FROM `+table+` WHERE `+where+` LIMIT 1`).
		Scan(&was, &v.row.Row.ID)
	if err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	now := bytes.Clone(was)
	now[len(now)/2] ^= 4
	res, err := w.db.ExecContext(t.Context(), `UPDATE `+table+` SET `+column+` = $1 WHERE `+column+` = $2`, now, was)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		t.Fatalf("%s: %d rows were changed, %v", c.name, n, err)
	}
}

// examined asks what the doctor finds.
func (w *wreck) examined(t *testing.T) []Damaged {
	t.Helper()
	cfg := settings(t, w.dir, w.env...)
	ring, err := vault.NewRing(cfg.EncryptionKey.Reveal())
	if err != nil {
		t.Fatal(err)
	}
	var keys interface {
		vault.KeyStore
		Close() error
	}
	if cfg.Databases.Postgres() {
		keys, err = OpenKeys(t.Context(), cfg)
	} else {
		keys, err = keyfile.Open(pathIn(cfg, keysDir, keysFile))
	}
	if err != nil {
		t.Fatal(err)
	}
	found, err := Examine(t.Context(), cfg, ring, keys)
	if callers := len(w.victims) + 1 + w.merged; err != nil || found.Callers != callers || found.Rows < 10*callers {
		t.Errorf("examined %+v, %v; want %d callers and all of their rows", found.Examined, err, callers)
	}
	if err := keys.Close(); err != nil {
		t.Error(err)
	}
	return found.Damaged
}

// lists asks for all lists of a tenant, which answer whatever is damaged, and searches his conversations. It returns
// what each list counts.
func (w *wreck) lists(t *testing.T, h *house, key string, tenant recaller.TenantID) map[string]int {
	t.Helper()
	counted := map[string]int{}
	for path, by := range map[string]string{
		"/v1/callers": key, "/v1/conversations": key, "/v1/reminders": key, "/v1/keys": key, "/v1/documents": key,
		"/v1/documents?business=true": key, "/v1/threads": key,
		"/v1/tenants": h.app.BootstrapKey(), // which no other key may read
	} {
		var out counts
		if got := status(h, by, path, &out); got != http.StatusOK {
			t.Errorf("%s: got %d", path, got)
		}
		counted[path] = out.Damaged
	}
	found, err := h.app.search.Search(t.Context(), tenant, search.Query{Text: "fence"})
	if err != nil && !recaller.IsDamaged(err) || err == nil && len(found.Found) == 0 { // the search may need the settings
		t.Errorf("search: %d conversations, %v", len(found.Found), err)
	}
	return counted
}

// serves asks the server for everything of a victim. counted is what the lists of the tenant count.
func (w *wreck) serves(t *testing.T, h *house, c sealedColumn, v victim, counted map[string]int) {
	key := cmp.Or(v.key, h.app.BootstrapKey())
	if c.locked {
		if got := status(h, v.reader, "/v1/callers", nil); got != http.StatusUnauthorized {
			t.Errorf("with the key whose row is damaged: got %d", got)
		}
	}
	if !c.closed {
		counted = maps.Clone(counted)
		for _, path := range []string{
			theirConversations, theirExport, theirDocuments, "/v1/callers/%s/memories", "/v1/callers/%s/agreements",
			"/v1/callers/%s/briefing", "/v1/threads?caller_id=%s", "/v1/persona/versions",
		} {
			asked, out := strings.Replace(path, "%s", v.caller, 1), counts{}
			got := status(h, key, asked, &out)
			switch {
			case c.silent && (got == http.StatusServiceUnavailable || out.Degraded): // nothing of his is told
			case got != http.StatusOK || out.Degraded:
				t.Errorf("%s: got %d, %+v", asked, got, out)
			case c.told == "" && out.Damaged > 0:
				t.Errorf("%s counts %d damaged rows; there are none", asked, out.Damaged)
			}
			counted[path] = out.Damaged
		}
	}
	if c.told != "" && counted[c.told] == 0 {
		t.Errorf("%s does not say that a row is damaged: %v", c.told, counted)
	}
	if c.closed {
		return
	}
	tenant := cmp.Or(v.row.Tenant, recaller.DefaultTenant)
	res, err := h.app.recall.Recall(t.Context(), tenant, recaller.CallerID(v.caller), recall.Query{Text: "gate"})
	switch {
	case c.silent && (recaller.KindOf(err) != recaller.Unavailable || len(res.Hits) > 0):
		t.Errorf("recall of whom nothing may be told: %d hits, %v", len(res.Hits), err)
	case !c.silent && (err != nil || len(res.Hits) == 0):
		t.Errorf("recall: %d hits, %v", len(res.Hits), err)
	}
}

// counts is what an answer says of damage.
type counts struct {
	Damaged  int  `json:"damaged"`
	Degraded bool `json:"degraded"`
}

// status asks the API, and reads a JSON answer into out.
func status(h *house, key, path string, out any) int {
	h.t.Helper()
	req := httptest.NewRequest(http.MethodGet, path, nil)
	req.Header.Set("Authorization", "Bearer "+key)
	rec := httptest.NewRecorder()
	h.app.Handler().ServeHTTP(rec, req)
	if out != nil && rec.Code == http.StatusOK {
		if err := json.Unmarshal(rec.Body.Bytes(), out); err != nil {
			h.t.Fatal(err)
		}
	}
	return rec.Code
}
