package sqlite_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/sqlite"
	"github.com/recallerhq/recaller/internal/store/storetest"
)

// populated is a database of a tenant with many conversations, and of another with few.
func populated(t *testing.T, size, words int, opts sqlite.Options) *crowd {
	t.Helper()
	c := &crowd{TB: t, Population: storetest.Population{Tenant: "t", Model: "m", Width: 32, Size: size, Seed: 1, Words: words}}
	c.e = open(t, filepath.Join(t.TempDir(), "recaller.db"), opts)
	c.Fill(t.Context(), t, c.e)
	other := storetest.Population{Tenant: "other", Model: "m", Width: 32, Size: 50, Seed: 1, Words: words}
	other.Fill(t.Context(), t, c.e)
	return c
}

// TestSearchFindsTheNearest holds what is found against an exact search over floats, from memory and from the disk.
func TestSearchFindsTheNearest(t *testing.T) {
	t.Parallel()
	for what, opts := range map[string]sqlite.Options{"from memory": {}, "from the disk": {VectorBytes: 10_000}} {
		c := populated(t, 2000, 0, opts)
		for name, may := range map[string]func(int) bool{
			"all": func(int) bool { return true }, "half": func(j int) bool { return c.Intent(j) == "intent-0" }, "one in 128": func(j int) bool { return c.Intent(j) == "intent-6" },
			"one in 4096": func(j int) bool { return c.Intent(j) == "intent-11" }, "a caller": func(j int) bool { return c.Caller(j) == c.Caller(7) },
			"the last hundredth": func(j int) bool { return j >= c.Size-c.Size/100 },
		} {
			f := storetest.Filters(&c.Population)[name]
			for i := range 3 {
				got, want := storetest.IDs(c.similar(i, f)), c.Nearest(i, 50, may)
				if len(got) != len(want) || storetest.Missed(got, want) > 3 { // the last may change places with the next ones
					t.Errorf("%s, %s: got %d, want %d, of which %d are missing", what, name, len(got), len(want), storetest.Missed(got, want))
				}
			}
		}
	}
}

// TestWordsOfMany ranks by words where there are more conversations than are ranked.
func TestWordsOfMany(t *testing.T) {
	t.Parallel()
	c := populated(t, store.MaxRanked+100, 60, sqlite.Options{})
	have := func(words []string, may func(int) bool) (out []recaller.ConversationID) {
		for i := range c.Size {
			said := c.Tokens(i)
			if may(i) && slices.ContainsFunc(words, func(w string) bool { return said[w] > 0 }) {
				out = append(out, c.ID(i))
			}
		}
		return out
	}
	match := func(f recaller.SearchFilter, limit int, words []string) []recaller.Near {
		t.Helper()
		found, err := c.e.Matching(t.Context(), c.read, store.Matching{Tenant: "t", Tokens: words, Filter: f, Limit: limit})
		c.ok(err)
		for _, n := range found {
			if n.Score <= 0 || !strings.HasPrefix(string(n.Conversation), "t-") {
				t.Errorf("found %+v", n)
			}
		}
		return found
	}
	queries := storetest.Queries()
	for _, name := range []string{"rare", "middling"} {
		want := have(queries[name], func(int) bool { return true })
		if got := match(recaller.SearchFilter{}, 1000, queries[name]); len(got) != len(want) || storetest.Missed(storetest.IDs(got), want) > 0 {
			t.Errorf("%s words: found %d, want all %d that have them", name, len(got), len(want))
		}
	}
	frequent := queries["frequent"]
	if got := match(recaller.SearchFilter{}, 50, frequent); len(got) != 50 {
		t.Errorf("frequent words: found %d, want 50", len(got))
	}
	oldest := recaller.SearchFilter{Before: c.At(30)}
	want := have(frequent, func(i int) bool { return i < 30 })
	if got := match(oldest, 50, frequent); len(got) != len(want) || storetest.Missed(storetest.IDs(got), want) > 0 {
		t.Errorf("frequent words, of the oldest: found %d, want %d", len(got), len(want))
	}
}

// TestSearchWhileItChanges has searches beside writes and erasures: none finds what was erased before it began.
func TestSearchWhileItChanges(t *testing.T) {
	t.Parallel()
	d := newData(t)
	const callers, perCaller = 12, 4
	vector := func(i int) []recaller.Embedding {
		v := make([]float32, 16)
		v[0], v[1+i%15] = 1, float32(i%7)/10
		return []recaller.Embedding{{Model: "m", Vector: v}}
	}
	var convs []recaller.Conversation
	for i := range callers {
		for range perCaller {
			o := d.Call(fmt.Sprintf("+1555%07d", i))
			out, err := d.CloseConversation(d.Context(), "t", recaller.Closing{Conversation: o.Conversation.ID, Status: recaller.Completed, EndedAt: d.Now})
			d.OK(err)
			convs = append(convs, out.Conversation)
			d.OK(d.PutIndexing(d.Context(), "t", recaller.Indexing{Conversation: o.Conversation.ID, Caller: o.Caller.ID, Stems: map[string]int{"tea": 1}, Embeddings: vector(len(convs))}))
		}
	}
	var mu sync.Mutex
	erased := map[recaller.ConversationID]bool{}
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-done:
					return
				default:
				}
				mu.Lock()
				gone := make(map[recaller.ConversationID]bool, len(erased))
				for id := range erased {
					gone[id] = true
				}
				mu.Unlock()
				near, err := d.Similar(d.Context(), "t", vector(i)[0], recaller.SearchFilter{}, 10)
				d.OK(err)
				words, err := d.Matching(d.Context(), "t", []string{"tea"}, recaller.SearchFilter{}, 10)
				d.OK(err)
				for _, n := range append(near, words...) {
					if gone[n.Conversation] {
						t.Error("what was erased was found")
					}
				}
			}
		})
	}
	for i, c := range convs {
		d.OK(d.PutIndexing(d.Context(), "t", recaller.Indexing{Conversation: c.ID, Caller: c.Caller, Embeddings: vector(3 * i), At: d.Now.Add(time.Hour)}))
		if i%perCaller != perCaller-1 || i < callers {
			continue
		}
		_, err := d.EraseRows(d.Context(), "t", c.Caller)
		d.OK(err)
		mu.Lock()
		for _, c := range convs[i-perCaller+1 : i+1] {
			erased[c.ID] = true
		}
		mu.Unlock()
	}
	close(done)
	wg.Wait()
	var left []recaller.ConversationID
	for _, c := range convs {
		if !erased[c.ID] {
			left = append(left, c.ID)
		}
	}
	found, err := d.Similar(d.Context(), "t", vector(0)[0], recaller.SearchFilter{}, 100)
	d.OK(err)
	got := storetest.IDs(found)
	slices.Sort(got)
	if diff := cmp.Diff(left, got); diff != "" {
		t.Errorf("what is left (-want +got):\n%s", diff)
	}
}

// TestErasedTokensAreGone looks for the tokens below the doors.
func TestErasedTokensAreGone(t *testing.T) {
	t.Parallel()
	c := populated(t, 300, 100, sqlite.Options{})
	rare := storetest.Queries()["middling"]
	count := func() (n int) {
		c.ok(c.read(context.Background(), func(tx store.Tx) error {
			return tx.QueryRow(context.Background(), `SELECT count(*) FROM conversation_tokens WHERE tokens MATCH $1`, []any{strings.Join(rare, " OR ")}, &n)
		}))
		return n
	}
	before := count()
	c.ok(c.e.Write(t.Context(), "t", "", func(tx store.Tx) error {
		_, err := tx.Exec(t.Context(), `DELETE FROM conversation_words WHERE tenant_id = 't'`)
		return err
	}))
	if after := count(); before == 0 || after >= before/4 { // the other tenant's are still there
		t.Errorf("%d conversations have the tokens, after %d had them", after, before)
	}
}
