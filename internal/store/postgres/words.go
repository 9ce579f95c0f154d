package postgres

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"

	"github.com/recallerhq/recaller/internal/store"
)

// A stem that was said so often has a second token, with oftenSuffix behind it. By that the index tells it from a stem
// that was said once.
const (
	often       = 3
	oftenSuffix = "x"
)

// anyToken is a token that every row has. The policy that searches by words looks for it where there is no search.
const anyToken = "any"

// PutTokens implements store.Index.
func (e *Engine) PutTokens(ctx context.Context, tx store.Tx, t store.Tokens) error {
	tokens, length := []string{anyToken}, 0
	for token, n := range t.Counts {
		length += n
		tokens = append(tokens, token)
		if n >= often {
			tokens = append(tokens, token+oftenSuffix)
		}
	}
	slices.Sort(tokens) // as the index has them
	key, columns, values, set := t.Of.Key(), `length, tokens`, `$4, array_to_tsvector($5::text[])`, ``
	args := []any{t.Tenant, t.ID, t.Caller, length, tokens}
	if t.Of == store.Documents {
		columns, values, set = columns+`, created_at`, values+`, $6`, `, created_at = excluded.created_at`
		args = append(args, t.CreatedAt.UnixMicro())
	}
	_, err := tx.Exec(ctx, `INSERT INTO `+t.Of.Words()+` (tenant_id, `+key+`, caller_id, `+columns+`)
		VALUES ($1, $2, $3, `+values+`)
		ON CONFLICT (tenant_id, `+key+`) DO UPDATE
		SET caller_id = excluded.caller_id, length = excluded.length, tokens = excluded.tokens`+set, args...)
	return err
}

// lately is how many of the newest things are looked through where all tokens are frequent.
const lately = 8000

// Matching implements store.Index. A query's own condition cannot use the index of tokens: a policy keeps the tenants
// apart, and Postgres applies it before it lets an operator like @@ look at a row. So the words of a search are part of
// a policy (migrations 0003 and 0021), and a setting of the transaction tells it which.
func (e *Engine) Matching(ctx context.Context, read store.Door, q store.Matching) (found []store.Near, err error) {
	err = read(ctx, func(tx store.Tx) error {
		t, err := e.telling(ctx, tx, q)
		if err != nil || len(t.tokens) == 0 {
			return err
		}
		found, err = e.matching(ctx, tx, q, t)
		return err
	})
	return found, err
}

func (e *Engine) matching(ctx context.Context, tx store.Tx, q store.Matching, t told) ([]store.Near, error) {
	if t.all {
		hits, err := t.having(ctx, tx, q)
		if err != nil {
			return nil, err
		}
		if len(hits) > store.MaxRanked { // they are more than when they were counted
			e.forget(q)
		}
		return t.ofTelling(ctx, tx, q, t.ranked(hits))
	}
	n, err := leaves(ctx, tx, q, few)
	if err != nil {
		return nil, err
	}
	rare := n <= few
	if rare || t.of == store.Documents && q.Few {
		if found, done, err := t.ofFew(ctx, tx, q); err != nil || done {
			return found, err
		}
	}
	hits, err := t.having(ctx, tx, q)
	if err != nil {
		return nil, err
	}
	found, err := answerable(ctx, tx, q, t.ranked(hits))
	switch {
	case err != nil, len(found) == q.Limit:
		return found, err
	case rare:
		return t.left(ctx, tx, q)
	}
	return t.scanned(ctx, tx, q)
}

// words sets the condition on the tokens that the policy applies.
func words(condition string) store.Query {
	return store.Query{SQL: `SELECT set_config('recaller.words', $1, TRUE)`, Args: []any{condition}, Row: ignored}
}

// told are the tokens that count in a ranking.
type told struct {
	of     store.Thing
	tokens []string
	all    bool  // every thing that has one of them is ranked
	counts []int // in how many each is; nil: it is to be counted in all that are ranked
	total  int   // how many there are; not known, and more than are ranked, where counts are not nil
}

// telling chooses the tokens that count. For a tenant with no more things than are ranked all tokens do.
func (e *Engine) telling(ctx context.Context, tx store.Tx, q store.Matching) (t told, err error) {
	t = told{of: q.Of, tokens: q.Tokens, all: true, total: store.MaxRanked + 1}
	everything := store.Counted{Of: q.Of, Tenant: q.Tenant}
	if _, many := e.counts.Count(everything); !many {
		err := tx.QueryAll(ctx, plans(inAnyOrder),
			amount(q.Of.Table()+` WHERE tenant_id = $1`, store.MaxRanked+1, &t.total, q.Tenant))
		if err != nil || t.total <= store.MaxRanked {
			return t, err
		}
		e.counts.Learn(everything, t.total)
	}
	counts, err := e.count(ctx, tx, q)
	if err != nil {
		return t, err
	}
	if t.tokens, t.all = store.Telling(q.Tokens, counts, t.total); t.all {
		return t, nil
	}
	for _, token := range t.tokens {
		t.counts = append(t.counts, counts[slices.Index(q.Tokens, token)])
	}
	return t, nil
}

// count tells in how many things each token is, not counted past store.MaxRanked + 1. Large counts are remembered.
func (e *Engine) count(ctx context.Context, tx store.Tx, q store.Matching) ([]int, error) {
	counts := make([]int, len(q.Tokens))
	queries := []store.Query{plans(inAnyOrder), sampled(sample)}
	var fresh []int
	for i, token := range q.Tokens {
		if n, known := e.counts.Count(store.Counted{Of: q.Of, Tenant: q.Tenant, Token: token}); known {
			counts[i] = n
			continue
		}
		fresh = append(fresh, i)
		queries = append(queries, words(token),
			amount(q.Of.Words()+` WHERE tenant_id = $1`, store.MaxRanked+1, &counts[i], q.Tenant))
	}
	if len(fresh) == 0 {
		return counts, nil
	}
	err := tx.QueryAll(ctx, append(queries, sampled(0))...)
	for _, i := range fresh {
		if err == nil && counts[i] > worthKnowing {
			e.counts.Learn(store.Counted{Of: q.Of, Tenant: q.Tenant, Token: q.Tokens[i]}, counts[i])
		}
	}
	return counts, err
}

// worthKnowing is how many things have a token that is remembered. To count fewer takes hardly any time.
const worthKnowing = 100

// forget has the tokens of a search counted anew.
func (e *Engine) forget(q store.Matching) {
	for _, token := range q.Tokens {
		e.counts.Forget(store.Counted{Of: q.Of, Tenant: q.Tenant, Token: token})
	}
}

// sample is about how many rows the index gives of a token that has more. They are enough to see that there are more
// than are ranked, however wrong Postgres's guess of their number is. To read all rows of a token that everything has
// would take many times as long.
const sample = 10_000

// sampled has the index of tokens give about so many rows; 0: all.
func sampled(rows int) store.Query {
	return store.Query{SQL: `SELECT set_config('gin_fuzzy_search_limit', $1, TRUE)`, Args: []any{strconv.Itoa(rows)}, Row: ignored}
}

// ranked ranks things, best first; of equal ones the newest come first.
func (t told) ranked(hits []hit) []store.Near {
	counts := t.counts
	if counts == nil {
		counts = make([]int, len(t.tokens))
		for i := range counts {
			for _, h := range hits {
				if h.said[2*i] {
					counts[i]++
				}
			}
		}
	}
	score := byWeight(hits, counts)
	if t.of == store.Documents && (!t.all || store.Commonplace(counts, t.total)) {
		score = hit.whole
	}
	type entry struct {
		store.Near
		at int64
	}
	list := make([]entry, len(hits))
	for i, h := range hits {
		list[i] = entry{store.Near{ID: h.id, Score: score(h)}, h.at}
	}
	slices.SortFunc(list, func(a, b entry) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.at, a.at), cmp.Compare(b.ID, a.ID))
	})
	out := make([]store.Near, len(list))
	for i, e := range list {
		out[i] = e.Near
	}
	return out
}

// byWeight scores by BM25 (k1 1.2, b 0.75, the mean length being that of hits). counts says in how many things each
// token is.
func byWeight(hits []hit, counts []int) func(hit) float64 {
	weights := make([]float64, len(counts))
	for i, n := range counts {
		// How many things there are is not counted. Whatever is in twenty thousand or more says little.
		weights[i] = math.Log(1 + 10*store.MaxRanked/(float64(n)+0.5))
	}
	var sum float64
	for _, h := range hits {
		sum += h.length
	}
	return func(h hit) float64 {
		k, score := 1.2*(0.25+0.75*h.length*float64(len(hits))/max(sum, 1)), 0.0
		for t, weight := range weights {
			n := h.times(t)
			score += weight * n * 2.2 / (n + k)
		}
		return score
	}
}

// whole scores whether all tokens are said.
func (h hit) whole() float64 {
	for i := 0; i < len(h.said); i += 2 {
		if !h.said[i] {
			return 0.5
		}
	}
	return 1
}

// answerable looks up which things, best first, may be answered, until there are enough.
func answerable(
	ctx context.Context, tx store.Tx, q store.Matching, near []store.Near,
) (found []store.Near, err error) {
	step := q.Limit + q.Limit/8 // but for those that are being erased all may be answered
	if q.Narrow {
		step = 2 * q.Limit
	}
	for len(near) > 0 && len(found) < q.Limit {
		part := near[:min(step, len(near))]
		near, step = near[len(part):], 4*step
		ids := make([]string, len(part))
		for i, n := range part {
			ids[i] = n.ID
		}
		args, may := []any{q.Tenant, ids}, map[string]bool{}
		err := tx.QueryAll(ctx, store.Query{
			SQL: `SELECT c.id FROM ` + q.Of.Table() + ` c WHERE c.tenant_id = $1 AND c.id = ANY($2::text[])` +
				q.Condition(&args),
			Args: args,
			Row: func(scan func(...any) error) error {
				var id string
				err := scan(&id)
				may[id] = true
				return err
			},
		})
		if err != nil {
			return nil, err
		}
		for _, n := range part {
			if may[n.ID] && len(found) < q.Limit {
				found = append(found, n)
			}
		}
	}
	return found, nil
}
