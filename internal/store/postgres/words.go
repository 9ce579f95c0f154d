package postgres

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/recallerhq/recaller"
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
	_, err := tx.Exec(ctx, `INSERT INTO conversation_words (tenant_id, conversation_id, caller_id, length, tokens)
		VALUES ($1, $2, $3, $4, array_to_tsvector($5::text[]))
		ON CONFLICT (tenant_id, conversation_id) DO UPDATE
		SET caller_id = excluded.caller_id, length = excluded.length, tokens = excluded.tokens`,
		t.Tenant, t.Conversation, t.Caller, length, tokens)
	return err
}

// lately is how many of the newest conversations are looked through where all tokens are frequent.
const lately = 8000

// Matching implements store.Index. A query's own condition cannot use the index of tokens: a policy keeps the tenants
// apart, and Postgres applies it before it lets an operator like @@ look at a row. So the words of a search are part of
// a policy (migration 0003), and a setting of the transaction tells it which.
func (e *Engine) Matching(ctx context.Context, read store.Door, q store.Matching) (found []recaller.Near, err error) {
	err = read(ctx, func(tx store.Tx) error {
		tokens, counts, all, err := e.telling(ctx, tx, q)
		if err != nil || len(tokens) == 0 {
			return err
		}
		hits, err := having(ctx, tx, q.Tenant, tokens, all)
		if err != nil {
			return err
		}
		if found, err = answerable(ctx, tx, q, ranked(hits, weighed(hits, counts))); err != nil || len(found) == q.Limit || all {
			return err
		}
		found, err = left(ctx, tx, q, tokens)
		return err
	})
	return found, err
}

// words sets the condition on the tokens that the policy applies.
func words(condition string) store.Query {
	return store.Query{SQL: `SELECT set_config('recaller.words', $1, TRUE)`, Args: []any{condition}, Row: ignored}
}

// telling chooses the tokens that count. all says that every conversation that has one of them is ranked. Otherwise
// counts says in how many conversations each is. For a tenant with no more conversations than are ranked all tokens
// count.
func (e *Engine) telling(
	ctx context.Context, tx store.Tx, q store.Matching,
) (tokens []string, counts []int, all bool, err error) {
	total, everything := store.MaxRanked+1, counted{tenant: q.Tenant}
	if !e.frequent.is(everything) {
		err := tx.QueryAll(ctx, plans(inAnyOrder),
			amount(`conversations WHERE tenant_id = $1`, store.MaxRanked+1, &total, q.Tenant))
		if err != nil || total <= store.MaxRanked {
			return q.Tokens, nil, true, err
		}
		e.frequent.learn(everything)
	}
	if counts, err = e.count(ctx, tx, q); err != nil {
		return nil, nil, false, err
	}
	if tokens, all = store.Telling(q.Tokens, counts, total); all {
		return tokens, nil, true, nil
	}
	in := make([]int, len(tokens))
	for i, token := range tokens {
		in[i] = counts[slices.Index(q.Tokens, token)]
	}
	return tokens, in, false, nil
}

// count tells in how many conversations each token is, not counted past store.MaxRanked + 1.
func (e *Engine) count(ctx context.Context, tx store.Tx, q store.Matching) ([]int, error) {
	counts := make([]int, len(q.Tokens))
	queries := []store.Query{plans(inAnyOrder), sampled(sample)}
	var fresh []int
	for i, token := range q.Tokens {
		if e.frequent.is(counted{q.Tenant, token}) {
			counts[i] = store.MaxRanked + 1
			continue
		}
		fresh = append(fresh, i)
		queries = append(queries, words(token),
			amount(`conversation_words WHERE tenant_id = $1`, store.MaxRanked+1, &counts[i], q.Tenant))
	}
	if len(fresh) == 0 {
		return counts, nil
	}
	err := tx.QueryAll(ctx, append(queries, sampled(0))...)
	for _, i := range fresh {
		if err == nil && counts[i] > store.MaxRanked {
			e.frequent.learn(counted{q.Tenant, q.Tokens[i]})
		}
	}
	return counts, err
}

// sample is about how many rows the index gives of a token that has more. They are enough to see that there are more
// than are ranked, however wrong Postgres's guess of their number is. To read all rows of a token that is in every
// conversation would take many times as long.
const sample = 10_000

// sampled has the index of tokens give about so many rows; 0: all.
func sampled(rows int) store.Query {
	return store.Query{SQL: `SELECT set_config('gin_fuzzy_search_limit', $1, TRUE)`, Args: []any{strconv.Itoa(rows)}, Row: ignored}
}

// hit is a conversation that has some of the tokens.
type hit struct {
	id     recaller.ConversationID
	length float64
	said   []bool // of each token whether it is said, and whether it is said often
}

// times is how often a token is said: once, or often.
func (h hit) times(token int) float64 {
	switch {
	case h.said[2*token+1]:
		return often + 1
	case h.said[2*token]:
		return 1
	}
	return 0
}

// having reads the conversations that have any of the tokens. With all it reads every one, by the index of tokens.
// Without, it reads the newest, as many as are ranked: it looks at one conversation after the other and soon has
// enough, because the tokens are in many. The index would give all first.
func having(
	ctx context.Context, tx store.Tx, tenant recaller.TenantID, tokens []string, all bool,
) (hits []hit, err error) {
	either := strings.Join(tokens, "|")
	args := []any{tenant}
	flags := ""
	for _, token := range tokens {
		for _, t := range []string{token, token + oftenSuffix} {
			args = append(args, t)
			flags += fmt.Sprintf(", w.tokens @@ $%d::text::tsquery", len(args))
		}
	}
	queries := []store.Query{plans(inAnyOrder), words(either)}
	query := `SELECT w.conversation_id, w.length` + flags + ` FROM conversation_words w WHERE w.tenant_id = $1`
	if !all {
		args = append(args, either)
		queries = []store.Query{plans(asIndexed), words("")}
		query = fmt.Sprintf(`SELECT w.conversation_id, w.length%s FROM (SELECT conversation_id, length, tokens
			FROM conversation_words
			WHERE tenant_id = $1 ORDER BY conversation_id DESC LIMIT %d) w WHERE w.tokens @@ $%d::text::tsquery
			LIMIT %d`, flags, lately, len(args), store.MaxRanked)
	}
	queries = append(queries, store.Query{SQL: query, Args: args, Row: func(scan func(...any) error) error {
		h := hit{said: make([]bool, 2*len(tokens))}
		dest := []any{&h.id, &h.length}
		for i := range h.said {
			dest = append(dest, &h.said[i])
		}
		err := scan(dest...)
		hits = append(hits, h)
		return err
	}})
	return hits, tx.QueryAll(ctx, queries...)
}

// weighed returns how much each token counts, by how many conversations have it. Without counts it counts them in hits,
// which then are all that have any.
func weighed(hits []hit, counts []int) []float64 {
	if len(hits) == 0 {
		return nil
	}
	out := make([]float64, len(hits[0].said)/2)
	for i := range out {
		n := 0
		if counts != nil {
			n = counts[i]
		} else {
			for _, h := range hits {
				if h.said[2*i] {
					n++
				}
			}
		}
		// How many conversations there are is not counted. Whatever is in twenty thousand or more says little.
		out[i] = math.Log(1 + 10*store.MaxRanked/(float64(n)+0.5))
	}
	return out
}

// ranked ranks conversations by BM25 (k1 1.2, b 0.75, the mean length being theirs).
func ranked(hits []hit, weights []float64) []recaller.Near {
	var sum float64
	for _, h := range hits {
		sum += h.length
	}
	out := make([]recaller.Near, 0, len(hits))
	for _, h := range hits {
		k, score := 1.2*(0.25+0.75*h.length*float64(len(hits))/max(sum, 1)), 0.0
		for t, weight := range weights {
			n := h.times(t)
			score += weight * n * 2.2 / (n + k)
		}
		out = append(out, recaller.Near{Conversation: h.id, Score: score})
	}
	slices.SortFunc(out, func(a, b recaller.Near) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Conversation, a.Conversation))
	})
	return out
}

// answerable looks up which conversations, best first, may be answered, until there are enough.
func answerable(
	ctx context.Context, tx store.Tx, q store.Matching, near []recaller.Near,
) (found []recaller.Near, err error) {
	step := q.Limit + q.Limit/8 // but for those that are being erased all may be answered
	if q.Filter != (recaller.SearchFilter{}) {
		step = 2 * q.Limit
	}
	for len(near) > 0 && len(found) < q.Limit {
		part := near[:min(step, len(near))]
		near, step = near[len(part):], 4*step
		ids := make([]string, len(part))
		for i, n := range part {
			ids[i] = string(n.Conversation)
		}
		args, may := []any{q.Tenant, ids}, map[recaller.ConversationID]bool{}
		err := tx.QueryAll(ctx, store.Query{
			SQL: `SELECT c.id FROM conversations c WHERE c.tenant_id = $1 AND c.id = ANY($2::text[])
				AND ` + store.Findable(q.Filter, &args),
			Args: args,
			Row: func(scan func(...any) error) error {
				var id recaller.ConversationID
				err := scan(&id)
				may[id] = true
				return err
			},
		})
		if err != nil {
			return nil, err
		}
		for _, n := range part {
			if may[n.Conversation] && len(found) < q.Limit {
				found = append(found, n)
			}
		}
	}
	return found, nil
}

// left returns the newest conversations that the filter leaves and that have any of the tokens. It is for tokens that
// are all frequent.
func left(ctx context.Context, tx store.Tx, q store.Matching, tokens []string) (found []recaller.Near, err error) {
	args := []any{q.Tenant}
	query := fmt.Sprintf(`SELECT c.id, 1::float8 FROM conversations c JOIN conversation_words w ON w.tenant_id = $1
		AND w.conversation_id = c.id
		WHERE c.tenant_id = $1 AND %s ORDER BY c.id DESC LIMIT %d`, store.Findable(q.Filter, &args), q.Limit)
	err = tx.QueryAll(ctx, plans(inAnyOrder), words(strings.Join(tokens, "|")),
		store.Query{SQL: query, Args: args, Row: nearRow(&found)})
	return found, err
}
