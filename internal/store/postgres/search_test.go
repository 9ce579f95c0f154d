package postgres_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/storetest"
)

// planned is a transaction that has the last of some statements explained, as it is carried out.
type planned struct {
	store.Tx
	plan *[]string
}

func (p planned) QueryAll(ctx context.Context, queries ...store.Query) error {
	if err := p.Tx.QueryAll(ctx, queries...); err != nil {
		return err
	}
	last := queries[len(queries)-1]
	*p.plan = nil
	return p.Tx.QueryAll(ctx, store.Query{SQL: `EXPLAIN ` + last.SQL, Args: last.Args, Row: func(scan func(...any) error) error {
		var line string
		err := scan(&line)
		*p.plan = append(*p.plan, line)
		return err
	}})
}

// indexes are the indexes that the last statement of a search is carried out with, and whether it reads whole tables.
func (c *crowd) indexes(search func(store.Door) error) string {
	c.Helper()
	var plan []string
	c.ok(search(func(ctx context.Context, fn func(store.Tx) error) error {
		return c.read(ctx, func(tx store.Tx) error { return fn(planned{tx, &plan}) })
	}))
	var used []string
	for _, m := range regexp.MustCompile(`(?:using|Index Scan on) (\w+)|(Seq Scan on \w+)`).FindAllStringSubmatch(strings.Join(plan, "\n"), -1) {
		used = append(used, m[1]+m[2])
	}
	slices.Sort(used)
	return fmt.Sprint(slices.Compact(used))
}

// crowds are a tenant with many conversations and one with few among them.
func crowds(t *testing.T) (many, few *crowd) {
	t.Helper()
	a := storetest.Population{Tenant: "many", Model: "m", Width: 256, Size: 6000, Seed: 1, Words: 150}
	b := storetest.Population{Tenant: "few", Model: "m", Width: 256, Size: 60, Seed: 1, Words: 150}
	many = newCrowd(t, a, b)
	few = &crowd{TB: t, Population: b, db: many.db, e: many.e}
	return many, few
}

// TestSearchUsesTheIndexes has searches carried out by the role that serves, under the policies.
func TestSearchUsesTheIndexes(t *testing.T) {
	t.Parallel()
	many, few := crowds(t)
	similar := func(c *crowd, f recaller.SearchFilter) func(store.Door) error {
		return func(read store.Door) error {
			_, err := c.e.Similar(t.Context(), read, store.Nearest{Tenant: c.Tenant, Embedding: recaller.Embedding{Model: "m", Vector: c.Vector(0)}, Filter: f, Limit: 10})
			return err
		}
	}
	for what, c := range map[string]struct {
		search func(store.Door) error
		want   string
	}{
		"a tenant with many":              {similar(many, recaller.SearchFilter{}), "[callers_erasing conversation_embeddings_256 conversations_pkey]"},
		"a filter that lets many through": {similar(many, recaller.SearchFilter{Intent: "intent-0"}), "[callers_erasing conversation_embeddings_256 conversations_pkey]"},
		"a filter that lets few through":  {similar(many, recaller.SearchFilter{Intent: "intent-5"}), "[callers_erasing conversation_embeddings_pkey conversations_labels]"},
		"a day":                           {similar(many, recaller.SearchFilter{After: many.At(5900)}), "[callers_erasing conversation_embeddings_pkey conversations_started]"},
		"a caller":                        {similar(many, recaller.SearchFilter{Caller: many.Caller(3)}), "[callers_erasing conversation_embeddings_pkey conversations_caller]"},
		"given conversations": {func(read store.Door) error {
			_, err := many.e.Similarities(t.Context(), read, store.Compared{Tenant: many.Tenant, Embedding: recaller.Embedding{Model: "m", Vector: many.Vector(0)}, IDs: []recaller.ConversationID{many.ID(1), many.ID(2)}})
			return err
		}, "[conversation_embeddings_pkey]"},
		"a tenant with few": {similar(few, recaller.SearchFilter{}), "[callers_erasing conversation_embeddings_pkey conversations_pkey]"},
	} {
		if got := many.indexes(c.search); got != c.want {
			t.Errorf("%s: got %s, want %s", what, got, c.want)
		}
	}
	hits := many.indexes(func(read store.Door) error {
		return read(t.Context(), func(tx store.Tx) error {
			return tx.QueryAll(t.Context(), store.Query{SQL: `SELECT set_config('recaller.words', 'w000005000', TRUE)`, Row: func(func(...any) error) error { return nil }},
				store.Query{SQL: `SELECT conversation_id FROM conversation_words WHERE tenant_id = $1`, Args: []any{"many"}, Row: func(func(...any) error) error { return nil }})
		})
	})
	if hits != "[conversation_words_tokens]" {
		t.Errorf("words: got %s, want the index of tokens", hits)
	}
}

// TestSearchFindsTheNearest holds what is found against an exact search.
func TestSearchFindsTheNearest(t *testing.T) {
	t.Parallel()
	many, few := crowds(t)
	everything := func(int) bool { return true }
	lost := 0
	for i := range 10 {
		if diff := cmp.Diff(few.Nearest(i, 50, everything), storetest.IDs(few.similar(i, recaller.SearchFilter{}))); diff != "" {
			t.Errorf("a tenant with few among many (-want +got):\n%s", diff)
		}
		lost += storetest.Missed(storetest.IDs(many.similar(i, recaller.SearchFilter{})), many.Nearest(i, 10, everything))
		lost += storetest.Missed(storetest.IDs(many.similar(i, recaller.SearchFilter{Intent: "intent-0"})), many.Nearest(i, 10, func(j int) bool { return many.Intent(j) == "intent-0" }))
		for _, intent := range []string{"intent-5", "intent-11"} {
			want := many.Nearest(i, 50, func(j int) bool { return many.Intent(j) == intent })
			if got := storetest.IDs(many.similar(i, recaller.SearchFilter{Intent: intent})); len(got) != len(want) || storetest.Missed(got, want[:len(want)/2]) > 0 {
				t.Errorf("%s: got %d, %d of the nearer half missing; want %d", intent, len(got), storetest.Missed(got, want[:len(want)/2]), len(want))
			}
		}
	}
	if lost > 10 { // of 200
		t.Errorf("%d of the 200 nearest were not found", lost)
	}
}

// TestWordsOfMany ranks by words where there are more conversations than are ranked.
func TestWordsOfMany(t *testing.T) {
	t.Parallel()
	many, few := crowds(t)
	match := func(c *crowd, f recaller.SearchFilter, limit int, tokens ...string) []recaller.ConversationID {
		t.Helper()
		found, err := c.e.Matching(t.Context(), c.read, store.Matching{Tenant: c.Tenant, Tokens: tokens, Filter: f, Limit: limit})
		c.ok(err)
		return storetest.IDs(found)
	}
	have := func(c *crowd, i int, words ...string) bool {
		said := c.Tokens(i)
		return slices.ContainsFunc(words, func(w string) bool { return said[w] > 0 })
	}
	queries := storetest.Queries()
	for name, words := range queries {
		for _, c := range []*crowd{many, few} {
			for _, id := range match(c, recaller.SearchFilter{}, 20, words...) {
				if !strings.HasPrefix(string(id), string(c.Tenant)) {
					t.Errorf("%s: tenant %s found %s", name, c.Tenant, id)
				}
			}
		}
	}
	rare := queries["rare"]
	var want []recaller.ConversationID
	for i := range many.Size {
		if have(many, i, rare...) {
			want = append(want, many.ID(i))
		}
	}
	got := match(many, recaller.SearchFilter{}, 1000, rare...)
	if len(got) != len(want) || storetest.Missed(got, want) > 0 {
		t.Errorf("rare words: found %d, want all %d that have them", len(got), len(want))
	}
	frequent := queries["frequent"]
	if got := match(many, recaller.SearchFilter{}, 50, frequent...); len(got) != 50 {
		t.Errorf("frequent words: found %d, want 50", len(got))
	}
	f := recaller.SearchFilter{Before: many.At(30)} // the oldest
	want = nil
	for i := range 30 {
		if have(many, i, frequent...) {
			want = append(want, many.ID(i))
		}
	}
	if got := match(many, f, 50, frequent...); len(got) != len(want) || storetest.Missed(got, want) > 0 {
		t.Errorf("frequent words, of the oldest: found %d, want %d", len(got), len(want))
	}
}
