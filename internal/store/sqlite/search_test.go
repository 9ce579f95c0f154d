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

// populated is a database of a tenant with many conversations or documents, and of another with few.
func populated(t *testing.T, of store.Thing, size, words int) *crowd {
	t.Helper()
	c := &crowd{TB: t, Population: storetest.Population{Of: of, Tenant: "t", Model: "m", Width: 32, Size: size, Seed: 1, Words: words}}
	c.path = filepath.Join(t.TempDir(), "recaller.db")
	c.e = open(t, c.path, sqlite.Options{})
	c.Fill(t.Context(), t, c.e)
	other := storetest.Population{Of: of, Tenant: "other", Model: "m", Width: 32, Size: 50, Seed: 1, Words: words}
	other.Fill(t.Context(), t, c.e)
	return c
}

// TestSearchFindsTheNearest holds what is found against an exact search over floats, from memory and from the disk.
func TestSearchFindsTheNearest(t *testing.T) {
	t.Parallel()
	for _, thing := range store.Things() {
		c := populated(t, thing, 2000, 0)
		exact := c.Exact()
		for what, opts := range map[string]sqlite.Options{"from memory": {}, "from the disk": {VectorBytes: 10_000}} {
			c.e = open(t, c.path, opts)
			for name, among := range storetest.Filters(&c.Population) {
				may := c.Lets(name)
				for i := range 3 {
					got, want := storetest.IDs(c.similar(i, among)), exact.Nearest(i, 50, may)
					if len(got) != len(want) || storetest.Missed(got, want) > 3 { // the last may change places with the next ones
						t.Errorf("%ss %s, %s: got %d, want %d, of which %d are missing", thing, what, name, len(got), len(want), storetest.Missed(got, want))
					}
				}
			}
		}
	}
}

// TestWordsOfMany ranks by words where there are more than are ranked.
func TestWordsOfMany(t *testing.T) {
	t.Parallel()
	for _, thing := range store.Things() {
		c := populated(t, thing, store.MaxRanked+100, 60)
		c.WordsOfMany(t, func(m store.Matching) []store.Near {
			found, err := c.e.Matching(t.Context(), c.read, m)
			c.ok(err)
			return found
		})
		if thing == store.Documents {
			c.usesTheIndexes(t)
		}
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
	got := conversations(found)
	slices.Sort(got)
	if diff := cmp.Diff(left, got); diff != "" {
		t.Errorf("what is left (-want +got):\n%s", diff)
	}
}

func conversations(found []recaller.Near) (ids []recaller.ConversationID) {
	for _, n := range found {
		ids = append(ids, n.Conversation)
	}
	return ids
}

// TestErasedTokensAreGone looks for the tokens below the doors.
func TestErasedTokensAreGone(t *testing.T) {
	t.Parallel()
	for _, thing := range store.Things() {
		c := populated(t, thing, 300, 100)
		rare := storetest.Queries()["middling"]
		count := func() (n int) {
			c.ok(c.read(context.Background(), func(tx store.Tx) error {
				return tx.QueryRow(context.Background(), `SELECT count(*) FROM `+string(thing)+`_tokens WHERE tokens MATCH $1`, []any{strings.Join(rare, " OR ")}, &n)
			}))
			return n
		}
		before := count()
		c.ok(c.e.Write(t.Context(), "t", "", func(tx store.Tx) error {
			_, err := tx.Exec(t.Context(), `DELETE FROM `+thing.Words()+` WHERE tenant_id = 't'`)
			return err
		}))
		if after := count(); before == 0 || after >= before/4 { // the other tenant's are still there
			t.Errorf("%d %ss have the tokens, after %d had them", after, thing, before)
		}
	}
}
