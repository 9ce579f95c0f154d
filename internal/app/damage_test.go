package app

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/pgtest"
	"github.com/recallerhq/recaller/internal/recall"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/keyfile"
)

// sealedColumns are all columns that hold sealed values (storetest holds the list of them against the schemas), each with
// a condition that picks the row to be damaged, and what is known by that row's damage.
func sealedColumns() []sealedColumn {
	return []sealedColumn{
		// First, because a start that can read it may end it.
		{table: "conversations", column: "body", where: `status = 'active'`},
		{table: "tenants", column: "body", where: `id = 'default'`, settings: true},
		{table: "tenants", column: "packs", where: `packs IS NOT NULL`},
		{table: "api_keys", column: "label", where: `id <> 'bootstrap'`, locksOut: true},
		{table: "callers", column: "body"},
		{table: "identities", column: "value"},
		{table: "conversations", column: "body", where: `status = 'completed'`},
		{table: "conversations", column: "summary", where: `summary IS NOT NULL`},
		{table: "turns", column: "body"},
		{table: "memories", column: "body"},
		{table: "checkpoints", column: "body"},
		{table: "acts", column: "body"},
		{table: "reminders", column: "body", where: `body IS NOT NULL`},
		{table: "turn_vectors", column: "body"},
		{table: "recall_segments", column: "body"},
		// Last, because a call whose head is damaged goes on, and stays named.
		{table: "conversations", column: "head", where: `head IS NOT NULL`},
	}
}

type sealedColumn struct {
	table, column, where string
	settings             bool // without them the tenant's calls are not served
	locksOut             bool // the key is refused: nobody could say that it is what was made. The bootstrap key is made anew
}

// Spec section 5, "one damaged row": one bit is flipped in each sealed column of each table in turn. Each time the server
// starts, every list answers and counts what is damaged, the others' words are all there, and the doctor names the row.
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

func flippedBits(t *testing.T, dir, driver, url string, env ...string) {
	w := wreck{t: t, dir: dir, env: env}
	t.Run("before", func(t *testing.T) { w.fill(build(t, dir, Options{}, env...).start()) })
	db, err := sql.Open(driver, url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	w.db = db
	if named := w.examined(t); len(named) != 0 {
		t.Fatalf("before: the doctor finds %v", named)
	}
	for _, c := range sealedColumns() {
		if c.column == "head" {
			t.Run("a call is open", func(t *testing.T) {
				h := build(t, dir, Options{}, env...)
				h.say(h.ring("+14155550100").Conversation.ID, "Hello?")
			})
		}
		t.Run(c.table+"."+c.column+" "+c.where, func(t *testing.T) {
			back := w.flip(t, c)
			defer back()
			named := w.examined(t)
			if len(named) != 1 || named[0].Row.Table != c.table {
				t.Errorf("the doctor names %v, want one row of %s", named, c.table)
			}
			w.serves(t, c)
		})

	}
}

// One bit of a wrapped key is flipped: the server starts, the caller is marked and named, and the others are served.
func TestAFlippedBitOfAWrappedKeyCostsItsCaller(t *testing.T) { //nolint:tparallel // the first part ends before the bit is flipped
	t.Parallel()
	w := wreck{t: t, dir: t.TempDir()}
	t.Run("before", func(t *testing.T) { w.fill(build(t, w.dir, Options{}).start()) })
	db, err := sql.Open("sqlite", filepath.Join(w.dir, keysDir, keysFile)+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	var wrapped []byte
	ctx := t.Context()
	if err := db.QueryRowContext(ctx, `SELECT wrapped FROM keys WHERE caller = ?`, w.ana).Scan(&wrapped); err != nil {
		t.Fatal(err)
	}
	wrapped[len(wrapped)/2] ^= 1
	if _, err := db.ExecContext(ctx, `UPDATE keys SET wrapped = ? WHERE caller = ?`, wrapped, w.ana); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	log := &journal{}
	h := build(t, w.dir, Options{Log: slog.New(slog.NewTextHandler(log, nil))}).start()
	if h.app.quarantined(ctx); !strings.Contains(log.String(), w.ana) {
		t.Errorf("the log does not name her: %s", log)
	}
	list, err := h.Callers(ctx, client.Page{})
	if err != nil || len(list.Callers) != 2 {
		t.Fatalf("got %d callers, %v; want both", len(list.Callers), err)
	}
	for _, c := range list.Callers {
		if c.Unreadable != (c.ID == w.ana) {
			t.Errorf("%s is unreadable: %v", c.ID, c.Unreadable)
		}
	}
	res, err := h.app.recall.Recall(ctx, recaller.DefaultTenant, recaller.CallerID(w.ben), recall.Query{Text: "roof"})
	if err != nil || len(res.Hits) == 0 {
		t.Errorf("Ben's words: %d, %v", len(res.Hits), err)
	}
}

// wreck is an installation whose rows are damaged one after the other.
type wreck struct {
	t         *testing.T
	dir       string
	env       []string
	db        *sql.DB
	ana, ben  string // callers; what is damaged is Ana's
	talk      string // of Ana
	secondKey string
}

// fill leaves something of everything that is sealed.
func (w *wreck) fill(h *house) {
	ctx := h.t.Context()
	must := func(err error) {
		h.t.Helper()
		if err != nil {
			h.t.Fatal(err)
		}
	}
	must(second(h.PutPack(ctx, client.Pack{
		Name: "fences", Intents: []client.PackRule{{Label: "fence", Phrases: []string{"fence"}}},
	})))
	ben := h.ring("+14155550101")
	h.say(ben.Conversation.ID, "The roof at 9 Oak Road leaks.")
	h.hangUp(ben.Conversation.ID)
	h.writtenUp(ben.Conversation.ID)
	ana := h.ring("+14155550100")
	w.ana, w.ben, w.talk = ana.Caller.ID, ben.Caller.ID, ana.Conversation.ID
	h.say(w.talk, "The fence at 4 Elm Road needs a repair. Can you come on Monday at nine?")
	must(second(h.AddTurns(ctx, w.talk, client.TurnInput{Speaker: recaller.Assistant, Text: "Yes, Monday at nine it is. See you then."})))
	h.hangUp(w.talk)
	h.writtenUp(w.talk)
	kept, err := h.StoreMemory(ctx, w.ana, client.MemoryInput{Type: recaller.FollowUp, Key: "gate", Value: "Wants the gate painted."})
	must(err)
	must(second(h.SetReminder(ctx, kept.Memory.ID, client.ReminderInput{
		DueAt: h.clock.Now().AddDate(0, 1, 0), Text: "Ask about the gate.",
	})))
	must(second(h.PutCheckpoint(ctx, w.ana, client.CheckpointInput{Intent: "gate", Summary: "choosing a colour", StagingData: json.RawMessage(`{}`)})))
	name := "Anastasia"
	must(second(h.UpdateCaller(ctx, w.ana, client.CallerPatch{Name: &name})))
	id := recaller.ConversationID(w.talk)
	must(h.app.store.PutTurnVectors(ctx, recaller.DefaultTenant, recaller.CallerID(w.ana), []recaller.TurnVectors{{
		Conversation: id, Model: "m", Width: 2, Numbers: []int{0}, Data: []int8{1, 2},
	}}))
	must(h.app.store.PutSegment(ctx, recaller.DefaultTenant, recaller.CallerID(w.ana), "segment", []byte("words"), nil))
	open := h.ring("+14155550100")
	h.say(open.Conversation.ID, "And the hinge.")
	made, err := h.CreateKey(ctx, client.KeyInput{Scope: recaller.ScopeAdmin, Label: "second"})
	must(err)
	w.secondKey = made.APIKey
}

func second[T any](_ T, err error) error { return err }

// flip flips one bit of a sealed value, and returns what puts it back.
func (w *wreck) flip(t *testing.T, c sealedColumn) (back func()) {
	t.Helper()
	ctx := context.Background()
	where := c.where
	switch {
	case where == "":
		where = `caller_id = '` + w.ana + `'`
		if c.table == "callers" {
			where = `id = '` + w.ana + `'`
		}
	case c.table == "conversations":
		where += ` AND caller_id = '` + w.ana + `'`
	}
	var was []byte
	if err := w.db.QueryRowContext(ctx, `SELECT `+c.column+` FROM `+c.table+` WHERE `+where+` LIMIT 1`).Scan(&was); err != nil {
		t.Fatalf("%s.%s: %v", c.table, c.column, err)
	}
	set := func(from, to []byte) {
		if res, err := w.db.ExecContext(ctx, `UPDATE `+c.table+` SET `+c.column+` = $1 WHERE `+c.column+` = $2`, to, from); err != nil {
			t.Fatal(err)
		} else if n, _ := res.RowsAffected(); n != 1 {
			t.Fatalf("%d rows were changed", n)
		}
	}
	now := bytes.Clone(was)
	now[len(now)/2] ^= 4
	set(was, now)
	return func() {
		// What was written about the row meanwhile stands.
		_, _ = w.db.ExecContext(ctx, `UPDATE `+c.table+` SET `+c.column+` = $1 WHERE `+c.column+` = $2`, was, now)
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
	if err != nil || found.Callers != 2 || found.Rows < 15 {
		t.Errorf("examined %+v, %v; want two callers and all of their rows", found, err)
	}
	if err := keys.Close(); err != nil {
		t.Error(err)
	}
	return found.Damaged
}

// serves starts the server, and asks it for everything.
func (w *wreck) serves(t *testing.T, c sealedColumn) {
	t.Helper()
	h := build(t, w.dir, Options{}, w.env...)
	key := h.app.BootstrapKey()
	if c.locksOut {
		if got := status(h, w.secondKey, "/v1/callers", nil); got != http.StatusUnauthorized {
			t.Errorf("with the key whose row is damaged: got %d", got)
		}
	}
	damaged := 0
	for _, path := range []string{
		"/v1/callers", "/v1/conversations", "/v1/reminders", "/v1/keys", "/v1/tenants",
		"/v1/callers/" + w.ana + "/memories", "/v1/callers/" + w.ana + "/conversations", "/v1/callers/" + w.ana + "/export",
		"/v1/callers/" + w.ana + "/briefing", "/v1/callers/" + w.ana + "/agreements",
		"/v1/callers/" + w.ben + "/memories", "/v1/callers/" + w.ben + "/briefing", "/v1/callers/" + w.ben + "/export",
	} {
		var out struct {
			Damaged  int  `json:"damaged"`
			Degraded bool `json:"degraded"`
		}
		got, list := status(h, key, path, &out), !strings.Contains(path, w.ana) && !strings.Contains(path, w.ben)
		switch {
		case c.settings && !list: // a caller's things need the settings
			continue
		case got != http.StatusOK || out.Degraded:
			t.Errorf("%s: got %d, degraded %v", path, got, out.Degraded)
		case strings.Contains(path, w.ben) && out.Damaged > 0:
			t.Errorf("%s counts %d damaged rows; there are none of his", path, out.Damaged)
		}
		damaged += out.Damaged
	}
	// The packs are in no list, and the vectors and segments are made anew.
	if inLists := c.column != "packs" && c.table != "turn_vectors" && c.table != "recall_segments"; inLists && damaged == 0 {
		t.Error("nothing says that a row is damaged")
	}
	if c.settings {
		return
	}
	for caller, word := range map[string]string{w.ben: "roof", w.ana: "gate"} {
		res, err := h.app.recall.Recall(t.Context(), recaller.DefaultTenant, recaller.CallerID(caller), recall.Query{Text: word})
		if err != nil || len(res.Hits) == 0 {
			t.Errorf("recall of %s: %d hits, %v", word, len(res.Hits), err)
		}
	}
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
