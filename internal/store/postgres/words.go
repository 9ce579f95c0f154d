package postgres

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

// A stem that was said so often has another token, with this behind it: the index then tells it from one that was said once.
const (
	often       = 3
	oftenSuffix = "x"
)

// anyToken is a token that every row has. The policy that searches by words looks for it where there is no search.
const anyToken = "any"

// PutTokens implements store.Index.
func (e *Engine) PutTokens(ctx context.Context, tx store.Tx, t store.Tokens) error {
	tokens, length := []string{anyToken, week(t.Began.UnixMicro())}, 0
	for token, n := range t.Counts {
		length += n
		tokens = append(tokens, token)
		if n >= often {
			tokens = append(tokens, token+oftenSuffix)
		}
	}
	slices.Sort(tokens) // as the index has them
	_, err := tx.Exec(ctx, `INSERT INTO conversation_words (tenant_id, conversation_id, caller_id, length, tokens) VALUES ($1, $2, $3, $4, array_to_tsvector($5::text[]))
		ON CONFLICT (tenant_id, conversation_id) DO UPDATE SET caller_id = excluded.caller_id, length = excluded.length, tokens = excluded.tokens`,
		t.Tenant, t.Conversation, t.Caller, length, tokens)
	return err
}

// week is the token of the week that a conversation began in: the index then tells the latest ones.
func week(micros int64) string {
	return fmt.Sprint("week", micros/(7*24*time.Hour).Microseconds())
}

// The latest conversations of a tenant, which are ranked where all tokens are frequent: about so many, and of so many weeks.
const (
	lately      = 4000
	latelyWeeks = 100
)

// Matching implements store.Index. No condition of a query's own may use the index of tokens, for a policy keeps the tenants
// apart, and Postgres sees to that before it lets an operator like @@ look at a row. So the words of a search are a condition of
// a policy (migration 0003), which a setting of the transaction tells them.
func (e *Engine) Matching(ctx context.Context, read store.Door, q store.Matching) (found []recaller.Near, err error) {
	err = read(ctx, func(tx store.Tx) error {
		counts, total, err := count(ctx, tx, q)
		if err != nil {
			return err
		}
		tokens, all := store.Telling(q.Tokens, counts, total)
		weeks := ``
		if !all {
			if weeks, err = latest(ctx, tx, q.Tenant); err != nil {
				return err
			}
		}
		near, err := ranked(ctx, tx, q.Tenant, weighed(q.Tokens, counts, tokens), weeks)
		if err != nil {
			return err
		}
		if found, err = answerable(ctx, tx, q, near); err != nil || len(found) == q.Limit || all {
			return err
		}
		found, err = left(ctx, tx, q, tokens)
		return err
	})
	return found, err
}

// words makes a condition on the tokens that of the policy.
func words(condition string) store.Query {
	return store.Query{SQL: `SELECT set_config('recaller.words', $1, TRUE)`, Args: []any{condition}, Row: ignored}
}

// latest spells the condition on the tokens of the latest conversations, to follow another.
func latest(ctx context.Context, tx store.Tx, tenant recaller.TenantID) (string, error) {
	var first, last int64
	err := tx.QueryRow(ctx, fmt.Sprintf(`SELECT min(started_at), max(started_at) FROM
		(SELECT started_at FROM conversations WHERE tenant_id = $1 ORDER BY started_at DESC LIMIT %d) lately`, lately), []any{tenant}, &first, &last)
	weeks := []string{}
	for at := last; at >= first && len(weeks) < latelyWeeks; at -= (7 * 24 * time.Hour).Microseconds() {
		weeks = append(weeks, week(at))
	}
	return `&(` + strings.Join(append(weeks, week(first)), "|") + `)`, err
}

// count counts in how many conversations each token is, and how many there are, but for what is past store.MaxRanked.
func count(ctx context.Context, tx store.Tx, q store.Matching) (counts []int, total int, err error) {
	counts = make([]int, len(q.Tokens))
	one := func(table string, n *int) store.Query {
		return store.Query{
			SQL:  fmt.Sprintf(`SELECT count(*) FROM (SELECT 1 FROM %s WHERE tenant_id = $1 LIMIT %d) w`, table, store.MaxRanked+1),
			Args: []any{q.Tenant},
			Row:  func(scan func(...any) error) error { return scan(n) },
		}
	}
	queries := []store.Query{plans("on"), one(`conversations`, &total)}
	for i, token := range q.Tokens {
		queries = append(queries, words(token), one(`conversation_words`, &counts[i]))
	}
	return counts, total, tx.QueryAll(ctx, queries...)
}

// term is a token that counts, with how much.
type term struct {
	token string
	idf   float64
}

func weighed(tokens []string, counts []int, telling []string) []term {
	var out []term
	for i, token := range tokens {
		if slices.Contains(telling, token) {
			// Of how many is not counted: whatever is in twenty thousand conversations or more says little.
			out = append(out, term{token, math.Log(1 + 10*store.MaxRanked/(float64(counts[i])+0.5))})
		}
	}
	return out
}

// hit is a conversation that has some of the tokens.
type hit struct {
	id     recaller.ConversationID
	length float64
	said   map[string]int // once, or often
}

// ranked ranks the conversations that have any of the terms by BM25 (k1 1.2, b 0.75, the mean length being theirs). scope is a
// further condition on their tokens.
func ranked(ctx context.Context, tx store.Tx, tenant recaller.TenantID, terms []term, scope string) ([]recaller.Near, error) {
	hits := map[recaller.ConversationID]*hit{}
	var queries []store.Query
	for _, t := range terms {
		for suffix, n := range map[string]int{"": 1, oftenSuffix: often + 1} {
			queries = append(queries, words(t.token+suffix+scope), store.Query{
				SQL:  `SELECT conversation_id, length FROM conversation_words WHERE tenant_id = $1`,
				Args: []any{tenant},
				Row: func(scan func(...any) error) error {
					h := hit{said: map[string]int{}}
					if err := scan(&h.id, &h.length); err != nil {
						return err
					}
					if hits[h.id] == nil {
						hits[h.id] = &h
					}
					hits[h.id].said[t.token] = max(hits[h.id].said[t.token], n)
					return nil
				},
			})
		}
	}
	if err := tx.QueryAll(ctx, queries...); err != nil {
		return nil, err
	}
	var sum float64
	for _, h := range hits {
		sum += h.length
	}
	out := make([]recaller.Near, 0, len(hits))
	for id, h := range hits {
		k, score := 1.2*(0.25+0.75*h.length*float64(len(hits))/max(sum, 1)), 0.0
		for _, t := range terms {
			n := float64(h.said[t.token])
			score += t.idf * n * 2.2 / (n + k)
		}
		out = append(out, recaller.Near{Conversation: id, Score: score})
	}
	slices.SortFunc(out, func(a, b recaller.Near) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Conversation, a.Conversation))
	})
	return out, nil
}

// answerable looks up which conversations, best first, may be answered, until there are enough.
func answerable(ctx context.Context, tx store.Tx, q store.Matching, near []recaller.Near) (found []recaller.Near, err error) {
	step := 2 * q.Limit
	for len(near) > 0 && len(found) < q.Limit {
		part := near[:min(step, len(near))]
		near, step = near[len(part):], 4*step
		ids := make([]string, len(part))
		for i, n := range part {
			ids[i] = string(n.Conversation)
		}
		args, may := []any{q.Tenant, ids}, map[recaller.ConversationID]bool{}
		err := tx.QueryAll(ctx, store.Query{
			SQL:  `SELECT c.id FROM conversations c WHERE c.tenant_id = $1 AND c.id = ANY($2::text[]) AND ` + store.Findable(q.Filter, &args),
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

// left gives the newest conversations that the filter leaves, of those that have any of the tokens, which all are frequent.
func left(ctx context.Context, tx store.Tx, q store.Matching, tokens []string) (found []recaller.Near, err error) {
	args := []any{q.Tenant}
	query := fmt.Sprintf(`SELECT c.id, 1::float8 FROM conversations c JOIN conversation_words w ON w.tenant_id = $1 AND w.conversation_id = c.id
		WHERE c.tenant_id = $1 AND %s ORDER BY c.id DESC LIMIT %d`, store.Findable(q.Filter, &args), q.Limit)
	err = tx.QueryAll(ctx, words(strings.Join(tokens, "|")), store.Query{SQL: query, Args: args, Row: nearRow(&found)})
	return found, err
}
