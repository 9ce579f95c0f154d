package storetest

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

// Population is a tenant with many conversations, or documents, as benchmarks of search need one: ended, labelled, and
// indexed by vectors in clusters and by words of which few are frequent and most are rare. The same seed makes the same.
type Population struct {
	Of     store.Thing // empty: conversations
	Tenant recaller.TenantID
	Model  string
	Width  int
	Size   int
	Seed   uint64
	Words  int // how many are said in each, which it is indexed by; 0: none

	centres [][]float32
}

// vocabulary is how many words there are.
const vocabulary = 20_000

// begin is when the first conversation or document of a population was made; each comes a minute after the one before.
var begin = time.Date(2025, 1, 1, 9, 0, 0, 0, time.UTC)

func (p *Population) rng(i int) *rand.Rand {
	return rand.New(rand.NewPCG(p.Seed, uint64(i)+1))
}

// Thing is what it consists of.
func (p *Population) Thing() store.Thing { return cmp.Or(p.Of, store.Conversations) }

// ID is the id of the i-th.
func (p *Population) ID(i int) string { return fmt.Sprintf("%s-0000-7000-8000-%012d", p.Tenant, i) }

// Caller is the caller of the i-th: he has ten.
func (p *Population) Caller(i int) recaller.CallerID {
	return recaller.CallerID(fmt.Sprintf("%s-caller-%08d", p.Tenant, i%max(1, p.Size/10)))
}

// Intent is the intent of the i-th conversation, or the tag of the i-th document: "intent-0" of half of them, "intent-1" of a quarter, and so on.
func (p *Population) Intent(i int) string {
	n := 0
	for ; n < 12 && i&1 == 1; i >>= 1 {
		n++
	}
	return fmt.Sprint("intent-", n)
}

// At is when the i-th was made.
func (p *Population) At(i int) time.Time { return begin.Add(time.Duration(i) * time.Minute) }

// Filters are filters that leave more and less of a population, by how much they leave.
func Filters(p *Population) map[string]store.Among {
	conversations := func(f recaller.SearchFilter) store.Among { return store.AmongConversations(f) }
	if p.Thing() == store.Conversations {
		return map[string]store.Among{
			"all": conversations(recaller.SearchFilter{}), "half": conversations(recaller.SearchFilter{Intent: "intent-0"}),
			"one in 128":         conversations(recaller.SearchFilter{Intent: "intent-6"}),
			"one in 4096":        conversations(recaller.SearchFilter{Intent: "intent-11"}),
			"a caller":           conversations(recaller.SearchFilter{Caller: p.Caller(7)}),
			"the last hundredth": conversations(recaller.SearchFilter{After: p.At(p.Size - p.Size/100)}),
		}
	}
	documents := func(f recaller.DocumentFilter, tags ...string) store.Among {
		var tokens [][]byte
		for _, t := range tags {
			tokens = append(tokens, []byte(t))
		}
		return store.AmongDocuments(f, tokens)
	}
	all := recaller.DocumentFilter{Archived: true}
	return map[string]store.Among{
		"all": documents(all), "half": documents(all, "intent-0"), "one in 128": documents(all, "intent-6"),
		"one in 4096":        documents(all, "intent-11"),
		"a caller":           documents(recaller.DocumentFilter{Caller: p.Caller(7), Archived: true}),
		"the last hundredth": documents(recaller.DocumentFilter{Aged: p.At(p.Size - p.Size/100)}),
	}
}

// FewOf are filters of all sorts that leave few of a population of documents, or nothing.
func FewOf(p *Population) (list []store.Among) {
	for _, f := range []recaller.DocumentFilter{
		{Caller: p.Caller(7)},
		{House: true},
		{Origin: recaller.DocumentPin},
		{Pinned: true},
		{Aged: p.At(p.Size - 9)},
		{Origin: recaller.DocumentSession, Aged: p.At(p.Size - 9)},
		{Origin: recaller.DocumentPin, Aged: p.At(p.Size - 9)},
		{Caller: p.Caller(7), Pinned: true, Aged: p.At(9)},
	} {
		archived := f
		archived.Archived = true
		list = append(list, store.AmongDocuments(f, nil), store.AmongDocuments(archived, nil), store.AmongDocuments(f, [][]byte{[]byte("intent-11"), []byte("none")}))
	}
	for _, archived := range []bool{true, false} {
		list = append(list, store.AmongDocuments(recaller.DocumentFilter{Archived: archived}, [][]byte{[]byte("intent-11")}))
	}
	return list
}

// Queries are words to search a population by.
func Queries() map[string][]string {
	out := map[string][]string{}
	for name, ranks := range map[string][]int{
		"rare": {5000, 9000, 12000}, "middling": {300, 700, 1500}, "mixed": {0, 3, 40, 900, 7000}, "frequent": {0, 1, 2, 3}, "one frequent": {0}, "rather frequent": {60, 80, 100},
		"sixteen": {0, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 12000, 15000},
	} {
		for _, r := range ranks {
			out[name] = append(out[name], word(r))
		}
	}
	return out
}

// Vector is the embedding of the i-th; beyond Size they are queries.
func (p *Population) Vector(i int) []float32 {
	const clusters = 500
	if p.centres == nil {
		for c := range clusters {
			p.centres = append(p.centres, gauss(p.rng(-1-c), p.Width, nil, 0))
		}
	}
	rng := p.rng(i)
	return gauss(rng, p.Width, p.centres[rng.IntN(clusters)], 1.2)
}

// gauss is a random direction, about a centre where there is one.
func gauss(rng *rand.Rand, width int, centre []float32, spread float64) []float32 {
	v := make([]float32, width)
	var square float64
	for i := range v {
		x := rng.NormFloat64()
		if centre != nil {
			x = float64(centre[i])*math.Sqrt(float64(width)) + spread*x
		}
		v[i], square = float32(x), square+x*x
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(square))
	}
	return v
}

// Tokens are the words of the i-th. The word of rank r is said in about one in r/40 of them.
func (p *Population) Tokens(i int) map[string]int {
	z := rand.NewZipf(p.rng(i), 1.07, 20, vocabulary-1)
	said := map[string]int{}
	for range p.Words {
		said[word(int(z.Uint64()))]++
	}
	return said
}

// word is the word of a rank, from 0 for the most frequent.
func word(rank int) string { return fmt.Sprintf("w%09d", rank) }

// Fill writes the population, below the doors.
func (p *Population) Fill(ctx context.Context, t testing.TB, e store.Engine) {
	t.Helper()
	const batch = 500
	known := map[recaller.CallerID]bool{}
	for from := 0; from < p.Size; from += batch {
		err := e.Write(ctx, p.Tenant, "", func(tx store.Tx) error {
			for i := from; i < min(from+batch, p.Size); i++ {
				if err := p.write(ctx, e, tx, i, known); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func (p *Population) write(ctx context.Context, e store.Engine, tx store.Tx, i int, known map[recaller.CallerID]bool) error {
	caller, at := p.Caller(i), p.At(i)
	if !known[caller] {
		known[caller] = true
		if _, err := tx.Exec(ctx, `INSERT INTO callers (tenant_id, id, first_seen, last_seen, body) VALUES ($1, $2, 0, 0, $3)`, p.Tenant, caller, make([]byte, 100)); err != nil {
			return err
		}
	}
	if err := p.writeThing(ctx, tx, i, at.UnixMicro()); err != nil {
		return err
	}
	v := store.Vectors{Of: p.Thing(), Tenant: p.Tenant, ID: p.ID(i), Caller: caller, Parts: []recaller.Embedding{{Model: p.Model, Vector: p.Vector(i)}}, At: at}
	if err := e.PutVectors(ctx, tx, v); err != nil || p.Words == 0 {
		return err
	}
	return e.PutTokens(ctx, tx, store.Tokens{Of: p.Thing(), Tenant: p.Tenant, ID: p.ID(i), Caller: caller, CreatedAt: at, Counts: p.Tokens(i)})
}

func (p *Population) writeThing(ctx context.Context, tx store.Tx, i int, at int64) error {
	if p.Thing() == store.Conversations {
		_, err := tx.Exec(ctx, `INSERT INTO conversations (tenant_id, id, caller_id, channel, direction, status, reminder, imported, started_at, ended_at, last_activity_at, intent, sentiment, outcome, topics, analysed_by, body, summary)
			VALUES ($1, $2, $3, 'voice', 'inbound', 'completed', FALSE, FALSE, $4, $4, $4, $5, 'neutral', 'resolved', '', 'rules', $6, $7)`,
			p.Tenant, p.ID(i), p.Caller(i), at, p.Intent(i), make([]byte, 250), make([]byte, 500))
		return err
	}
	_, err := tx.Exec(ctx, `INSERT INTO documents (tenant_id, id, caller_id, conversation_id, origin, pinned, created_at, updated_at, version, body)
		VALUES ($1, $2, $3, '', 'session', FALSE, $4, $4, 1, $5)`, p.Tenant, p.ID(i), p.Caller(i), at, make([]byte, 1500))
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO document_tags (tenant_id, token, created_at, document_id, caller_id) VALUES ($1, $2, $3, $4, $5)`,
		p.Tenant, []byte(p.Intent(i)), at, p.ID(i), p.Caller(i))
	return err
}

// Exact is an exact search of a population, which has its vectors at hand.
type Exact struct {
	p       *Population
	vectors [][]float32
}

// Exact makes an exact search. It holds all vectors.
func (p *Population) Exact() *Exact {
	e := &Exact{p: p, vectors: make([][]float32, p.Size)}
	for i := range e.vectors {
		e.vectors[i] = p.Vector(i)
	}
	return e
}

// Nearest are those nearest to the vector of a query, of those that may be found.
func (e *Exact) Nearest(query, limit int, may func(i int) bool) []string {
	q := e.p.Vector(e.p.Size + query)
	type scored struct {
		i     int
		score float64
	}
	var all []scored
	for i, vector := range e.vectors {
		if may(i) {
			all = append(all, scored{i, dot(vector, q)})
		}
	}
	slices.SortFunc(all, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var ids []string
	for _, s := range all[:min(limit, len(all))] {
		ids = append(ids, e.p.ID(s.i))
	}
	return ids
}

func dot(a, b []float32) (sum float64) {
	for k, x := range a {
		sum += float64(x) * float64(b[k])
	}
	return sum
}

// Lets is what each of the Filters lets through, of the i-th.
func (p *Population) Lets(filter string) func(i int) bool {
	switch filter {
	case "half":
		return func(i int) bool { return p.Intent(i) == "intent-0" }
	case "one in 128":
		return func(i int) bool { return p.Intent(i) == "intent-6" }
	case "one in 4096":
		return func(i int) bool { return p.Intent(i) == "intent-11" }
	case "a caller":
		return func(i int) bool { return p.Caller(i) == p.Caller(7) }
	case "the last hundredth":
		return func(i int) bool { return i >= p.Size-p.Size/100 }
	}
	return func(int) bool { return true }
}

// wordy is a population with which of it say each word.
type wordy struct {
	*Population
	ids    []string
	saying map[string][]int
}

func (p *Population) wordy() *wordy {
	w := &wordy{Population: p, saying: map[string][]int{}}
	for i := range p.Size {
		w.ids = append(w.ids, p.ID(i))
		for word := range p.Tokens(i) {
			w.saying[word] = append(w.saying[word], i)
		}
	}
	return w
}

// having are those that a filter lets through and that have any of some words: first those that have all, each newest
// first.
func (p *wordy) having(words []string, may []bool) []string {
	said := make([]int, p.Size)
	for _, w := range words {
		for _, i := range p.saying[w] {
			said[i]++
		}
	}
	var all, some []string
	for i := p.Size - 1; i >= 0; i-- {
		switch {
		case said[i] == 0 || !may[i]:
		case said[i] == len(words):
			all = append(all, p.ids[i])
		default:
			some = append(some, p.ids[i])
		}
	}
	return append(all, some...)
}

// counts tells in how many each of some words is.
func (p *wordy) counts(words []string) []int {
	counts := make([]int, len(words))
	for i, w := range words {
		counts[i] = len(p.saying[w])
	}
	return counts
}

// letting is what each filter lets through.
func (p *Population) letting() map[string][]bool {
	all := map[string][]bool{}
	for filter := range Filters(p) {
		may := p.Lets(filter)
		for i := range p.Size {
			all[filter] = append(all[filter], may(i))
		}
	}
	return all
}

// WordsOfMany ranks a population by words, of which there are more than are ranked, and holds what is found under every
// filter against what there is.
func (p *Population) WordsOfMany(t *testing.T, match func(store.Matching) []store.Near) {
	t.Helper()
	w, may := p.wordy(), p.letting()
	for name, words := range Queries() {
		limits := []int{1000}
		if name == "frequent" || name == "one frequent" {
			limits = append(limits, 20)
		}
		for filter, among := range Filters(p) {
			for _, limit := range limits {
				found := match(store.Matching{Among: among, Tenant: p.Tenant, Tokens: words, Limit: limit})
				w.right(t, fmt.Sprintf("%ss, %s words, %s, of %d", p.Thing(), name, filter, limit), found, words, may[filter], limit)
			}
		}
	}
}

// right wants what was found to have the words and to be let through, and to be all of it where the words are not too
// frequent to be ranked, or where little is let through. Documents with frequent words come in their order, too.
func (p *wordy) right(t *testing.T, what string, found []store.Near, words []string, may []bool, limit int) {
	t.Helper()
	want := p.having(words, may)
	there := make(map[string]bool, len(want))
	for _, id := range want {
		there[id] = true
	}
	for i, n := range found {
		if n.Score <= 0 || i > 0 && n.Score > found[i-1].Score || !there[n.ID] {
			t.Errorf("%s: %+v is found at place %d, and should not be", what, n, i)
		}
		delete(there, n.ID)
	}
	counts, all := p.counts(words), 0
	for _, n := range counts {
		all += n
	}
	frequent := slices.Min(counts) > store.MaxRanked/4
	want = want[:min(limit, len(want))]
	switch got := IDs(found); {
	case !frequent && all > store.MaxRanked: // only the telling ones count
	case len(got) != len(want):
		t.Errorf("%s: got %d, want %d", what, len(got), len(want))
	case frequent && p.Thing() == store.Documents && !slices.Equal(got, want):
		t.Errorf("%s: got others than the %d that have all words, or any, newest first", what, len(want))
	}
}

// IDs are the ids of what was found.
func IDs(found []store.Near) (out []string) {
	for _, n := range found {
		out = append(out, n.ID)
	}
	return out
}

// Missed is how many of those that were wanted were not found.
func Missed(got, want []string) (n int) {
	for _, id := range want {
		if !slices.Contains(got, id) {
			n++
		}
	}
	return n
}

// Recall is the share of the nearest that searches find, of so many nearest, over so many queries.
func (p *Population) Recall(nearest, queries int, search func(query int) []store.Near) float64 {
	exact, missed := p.Exact(), 0
	for i := range queries {
		want := exact.Nearest(i, nearest, func(int) bool { return true })
		missed += Missed(IDs(search(i)), want)
	}
	return 1 - float64(missed)/float64(nearest*queries)
}
