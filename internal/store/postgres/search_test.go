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

// crowds are a tenant with many conversations, or documents, and one with few among them.
func crowds(t *testing.T, of store.Thing) (many, few *crowd) {
	t.Helper()
	a := storetest.Population{Of: of, Tenant: "many", Model: "m", Width: 256, Size: 6000, Seed: 1, Words: 150}
	b := storetest.Population{Of: of, Tenant: "few", Model: "m", Width: 256, Size: 60, Seed: 1, Words: 150}
	many = newCrowd(t, a, b)
	few = &crowd{TB: t, Population: b, db: many.db, e: many.e}
	return many, few
}

// TestSearchAmongMany has searches carried out by the role that serves, under the policies.
func TestSearchAmongMany(t *testing.T) {
	t.Parallel()
	for _, thing := range store.Things() {
		t.Run(string(thing), func(t *testing.T) {
			t.Parallel()
			many, few := crowds(t, thing)
			t.Run("uses the indexes", func(t *testing.T) { usesTheIndexes(t, many, few) })
			t.Run("finds the nearest", func(t *testing.T) { findsTheNearest(t, many, few) })
			t.Run("ranks by words", func(t *testing.T) { ranksByWords(t, many, few) })
		})
	}
}

func usesTheIndexes(t *testing.T, many, few *crowd) {
	t.Helper()
	want := conversationPlans(many)
	if many.Thing() == store.Documents {
		want = documentPlans(many)
	}
	for what, c := range want {
		if got := many.indexes(many.nearest(c.among)); got != c.want {
			t.Errorf("%s: got %s, want %s", what, got, c.want)
		}
	}
	table := many.Thing().Embeddings()
	if got, want := few.indexes(few.nearest(storetest.Filters(&few.Population)["all"])), fmt.Sprintf("[callers_erasing %s_pkey %s_pkey]", table, many.Thing().Table()); got != want {
		t.Errorf("a tenant with few: got %s, want %s", got, want)
	}
	if got, want := many.indexes(func(read store.Door) error {
		_, err := many.e.Similarities(t.Context(), read, store.Compared{Of: many.Thing(), Tenant: many.Tenant, Embedding: recaller.Embedding{Model: "m", Vector: many.Vector(0)}, IDs: []string{many.ID(1), many.ID(2)}})
		return err
	}), "["+table+"_pkey]"; got != want {
		t.Errorf("given ones: got %s, want %s", got, want)
	}
	many.usesTokens()
	if many.Thing() != store.Documents {
		return
	}
	if got, want := many.indexes(func(read store.Door) error {
		_, err := many.e.Matching(t.Context(), read, store.Matching{Among: storetest.Filters(&many.Population)["a caller"], Tenant: many.Tenant, Tokens: storetest.Queries()["frequent"], Limit: 10})
		return err
	}), "[callers_erasing document_words_pkey documents_caller]"; got != want {
		t.Errorf("a caller, by frequent words: got %s, want %s", got, want)
	}
}

// planning is a filter and the indexes that its search is to use.
type planning struct {
	among store.Among
	want  string
}

func conversationPlans(many *crowd) map[string]planning {
	among := store.AmongConversations
	return map[string]planning{
		"all":                             {among(recaller.SearchFilter{}), "[callers_erasing conversation_embeddings_256 conversations_pkey]"},
		"a filter that lets many through": {among(recaller.SearchFilter{Intent: "intent-0"}), "[callers_erasing conversation_embeddings_256 conversations_pkey]"},
		"a filter that lets few through":  {among(recaller.SearchFilter{Intent: "intent-5"}), "[callers_erasing conversation_embeddings_pkey conversations_labels]"},
		"a day":                           {among(recaller.SearchFilter{After: many.At(5900)}), "[callers_erasing conversation_embeddings_pkey conversations_started]"},
		"a caller":                        {among(recaller.SearchFilter{Caller: many.Caller(3)}), "[callers_erasing conversation_embeddings_pkey conversations_caller]"},
	}
}

func documentPlans(many *crowd) map[string]planning {
	filters := storetest.Filters(&many.Population)
	among := func(f recaller.DocumentFilter) store.Among {
		f.Archived = true
		return store.AmongDocuments(f, nil)
	}
	return map[string]planning{
		"all":                {filters["all"], "[callers_erasing document_embeddings_256 documents_pkey]"},
		"a tag of many":      {filters["half"], "[callers_erasing document_embeddings_256 document_tags_pkey documents_pkey]"},
		"a tag of few":       {filters["one in 128"], "[callers_erasing document_embeddings_pkey document_tags_pkey documents_pkey]"},
		"what is not so old": {filters["the last hundredth"], "[callers_erasing document_embeddings_pkey documents_created documents_found]"},
		"a caller":           {filters["a caller"], "[callers_erasing document_embeddings_pkey documents_caller]"},
		"the tenant's own":   {among(recaller.DocumentFilter{House: true}), "[callers_erasing document_embeddings_pkey documents_caller]"},
		"pinned":             {among(recaller.DocumentFilter{Pinned: true}), "[callers_erasing document_embeddings_pkey documents_pinned]"},
		"an origin of few":   {among(recaller.DocumentFilter{Origin: recaller.DocumentPin}), "[callers_erasing document_embeddings_pkey documents_found]"},
	}
}

// nearest searches for ten.
func (c *crowd) nearest(among store.Among) func(store.Door) error {
	return func(read store.Door) error {
		_, err := c.e.Similar(c.Context(), read, store.Nearest{Among: among, Tenant: c.Tenant, Embedding: recaller.Embedding{Model: "m", Vector: c.Vector(0)}, Limit: 10})
		return err
	}
}

// usesTokens wants a rare word to be found by the index of tokens.
func (c *crowd) usesTokens() {
	c.Helper()
	words, key := c.Thing().Words(), c.Thing().Key()
	hits := c.indexes(func(read store.Door) error {
		return read(c.Context(), func(tx store.Tx) error {
			return tx.QueryAll(c.Context(), store.Query{SQL: `SELECT set_config('recaller.words', 'w000005000', TRUE)`, Row: func(func(...any) error) error { return nil }},
				store.Query{SQL: `SELECT ` + key + ` FROM ` + words + ` WHERE tenant_id = $1`, Args: []any{"many"}, Row: func(func(...any) error) error { return nil }})
		})
	})
	if want := "[" + words + "_tokens]"; hits != want {
		c.Errorf("words: got %s, want %s", hits, want)
	}
}

// findsTheNearest holds what is found against an exact search.
func findsTheNearest(t *testing.T, many, few *crowd) {
	t.Helper()
	filters := storetest.Filters(&many.Population)
	everything := func(int) bool { return true }
	exact, exactFew, lost := many.Exact(), few.Exact(), 0
	for i := range 10 {
		if diff := cmp.Diff(exactFew.Nearest(i, 50, everything), storetest.IDs(few.similar(i, storetest.Filters(&few.Population)["all"]))); diff != "" {
			t.Errorf("a tenant with few among many (-want +got):\n%s", diff)
		}
		lost += storetest.Missed(storetest.IDs(many.similar(i, filters["all"])), exact.Nearest(i, 10, everything))
		lost += storetest.Missed(storetest.IDs(many.similar(i, filters["half"])), exact.Nearest(i, 10, func(j int) bool { return many.Intent(j) == "intent-0" }))
		for name, intent := range map[string]string{"one in 128": "intent-6", "one in 4096": "intent-11"} {
			want := exact.Nearest(i, 50, func(j int) bool { return many.Intent(j) == intent })
			if got := storetest.IDs(many.similar(i, filters[name])); len(got) != len(want) || storetest.Missed(got, want[:len(want)/2]) > 0 {
				t.Errorf("%s: got %d, %d of the nearer half missing; want %d", intent, len(got), storetest.Missed(got, want[:len(want)/2]), len(want))
			}
		}
	}
	if lost > 10 { // of 200
		t.Errorf("%d of the 200 nearest were not found", lost)
	}
}

// ranksByWords ranks where there are more than are ranked.
func ranksByWords(t *testing.T, many, few *crowd) {
	t.Helper()
	match := func(c *crowd) func(m store.Matching) []store.Near {
		return func(m store.Matching) []store.Near {
			found, err := c.e.Matching(t.Context(), c.read, m)
			c.ok(err)
			return found
		}
	}
	many.WordsOfMany(t, match(many))
	for name, words := range storetest.Queries() {
		for _, n := range match(few)(store.Matching{Among: storetest.Filters(&few.Population)["all"], Tenant: few.Tenant, Tokens: words, Limit: 20}) {
			if !strings.HasPrefix(n.ID, "few-") {
				t.Errorf("%s: tenant few found %s", name, n.ID)
			}
		}
	}
}
