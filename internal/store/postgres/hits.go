package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

// hit is a thing that has some of the tokens.
type hit struct {
	id     string
	length float64
	at     int64  // when a document was made
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

// having reads the things that have any of the tokens. If all are to be ranked it reads every one, by the index of
// tokens. Else it reads the newest, as many as are ranked: it looks at one after the other and soon has enough, because
// the tokens are in many. The index would give all first.
func (t told) having(ctx context.Context, tx store.Tx, q store.Matching) ([]hit, error) {
	either := strings.Join(t.tokens, "|")
	switch {
	case t.all:
		return t.indexed(ctx, tx, q.Tenant, either)
	case t.of == store.Documents:
		return t.whole(ctx, tx, q)
	}
	return t.newest(ctx, tx, q.Tenant, either, store.MaxRanked)
}

// How many documents are read for each that is asked for where a filter leaves some out, and how many more in any case:
// some are erased meanwhile. If they are not enough, what the filter leaves is looked through.
const (
	sieved = 4
	spare  = 64
)

// whole reads the newest documents that have all of the tokens, which soon are enough; else those that have any, too.
// Where the newest give fewer that have all than are wanted, these are in few, and the index of tokens gives the others.
func (t told) whole(ctx context.Context, tx store.Tx, q store.Matching) ([]hit, error) {
	enough := q.Limit + spare
	if q.Narrow {
		enough = sieved*q.Limit + spare
	}
	enough = min(enough, store.MaxRanked)
	if t.scarce() {
		return t.indexed(ctx, tx, q.Tenant, strings.Join(t.tokens, "|"))
	}
	every := strings.Join(t.tokens, "&")
	hits, err := t.newest(ctx, tx, q.Tenant, every, enough)
	if err != nil || len(t.tokens) == 1 || len(hits) == enough {
		return hits, err
	}
	var older []hit
	if len(hits) < q.Limit {
		if older, err = t.indexed(ctx, tx, q.Tenant, every); err != nil {
			return nil, err
		}
	}
	some, err := t.newest(ctx, tx, q.Tenant, strings.Join(t.tokens, "|"), enough)
	known := make(map[string]bool, len(hits)+len(older)+len(some))
	return slices.DeleteFunc(slices.Concat(hits, older, some), func(h hit) bool {
		again := known[h.id]
		known[h.id] = true
		return again
	}), err
}

// scarce reports whether so few things have any of the tokens that it is less to read all of them than to look through the
// newest.
func (t told) scarce() bool {
	n := 0
	for _, count := range t.counts {
		n += count
		if count > store.MaxRanked { // it was not counted any further
			return false
		}
	}
	return n <= lately/2
}

// indexed reads what matches a condition on the tokens.
func (t told) indexed(ctx context.Context, tx store.Tx, tenant recaller.TenantID, condition string) ([]hit, error) {
	args := []any{tenant}
	query := `SELECT ` + t.columns(&args) + ` FROM (SELECT ` + t.row() + ` FROM ` + t.of.Words() + `
		WHERE tenant_id = $1 OFFSET 0) w`
	return t.read(ctx, tx, plans(inAnyOrder), words(condition), store.Query{SQL: query, Args: args})
}

// row spells what is read of a row. A copy of the tokens is made, so that those which lie apart from their row, because
// they are long, are read once, and not for each token that is looked for.
func (t told) row() string {
	out := t.of.Key() + `, length, strip(tokens) AS tokens`
	if t.of == store.Documents {
		out += `, created_at`
	}
	return out
}

// newest reads the newest things that match a condition on the tokens, up to a limit.
func (t told) newest(
	ctx context.Context, tx store.Tx, tenant recaller.TenantID, condition string, limit int,
) ([]hit, error) {
	args := []any{tenant, condition}
	order := t.of.Key() + ` DESC`
	if t.of == store.Documents {
		order = `created_at DESC, ` + order
	}
	query := fmt.Sprintf(`SELECT %s FROM (SELECT %s FROM (SELECT * FROM %s WHERE tenant_id = $1 ORDER BY %s LIMIT %d) v
		WHERE v.tokens @@ $2::text::tsquery LIMIT %d) w`, t.columns(&args), t.row(), t.of.Words(), order, lately, limit)
	return t.read(ctx, tx, plans(asIndexed), words(""), store.Query{SQL: query, Args: args})
}

// columns spells what is read of row w.
func (t told) columns(args *[]any) string {
	out := `w.` + t.of.Key() + `, w.length, `
	if t.of == store.Documents {
		out += `w.created_at`
	} else {
		out += `0::bigint`
	}
	for _, token := range t.tokens {
		*args = append(*args, token, token+oftenSuffix)
		out += fmt.Sprintf(`, w.tokens @@ $%d::text::tsquery, w.tokens @@ $%d::text::tsquery`, len(*args)-1, len(*args))
	}
	return out
}

// read runs queries, of which the last gives hits.
func (t told) read(ctx context.Context, tx store.Tx, queries ...store.Query) (hits []hit, err error) {
	queries[len(queries)-1].Row = func(scan func(...any) error) error {
		h := hit{said: make([]bool, 2*len(t.tokens))}
		dest := []any{&h.id, &h.length, &h.at}
		for i := range h.said {
			dest = append(dest, &h.said[i])
		}
		err := scan(dest...)
		hits = append(hits, h)
		return err
	}
	return hits, tx.QueryAll(ctx, queries...)
}
