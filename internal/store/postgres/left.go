package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/recallerhq/recaller/internal/store"
)

// leaves counts the rows that an index leads past to what a filter leaves, up to one more than most; so many, too, if no
// index does. Of several tags the rarest counts.
func leaves(ctx context.Context, tx store.Tx, q store.Matching, most int) (int, error) {
	if len(q.Tags) == 0 || q.Few {
		n, args := 0, []any{q.Tenant}
		reach, leads := q.Reach(&args)
		if !leads {
			return most + 1, nil
		}
		err := tx.QueryAll(ctx, plans(inAnyOrder), amount(q.Of.Table()+` c WHERE c.tenant_id = $1`+reach, most+1, &n, args...))
		return n, err
	}
	counts := make([]int, len(q.Tags))
	queries := []store.Query{plans(inAnyOrder)}
	for i, tag := range q.Tags {
		queries = append(queries, amount(`document_tags WHERE tenant_id = $1 AND token = $2`, most+1, &counts[i], q.Tenant, tag))
	}
	err := tx.QueryAll(ctx, queries...)
	return slices.Min(counts), err
}

// ofFew finds by frequent tokens where a filter leaves so few things that each is looked at. done is false if the newest of
// all are to be looked through first, because these have enough that it lets through.
func (t told) ofFew(ctx context.Context, tx store.Tx, q store.Matching) (found []store.Near, done bool, err error) {
	if t.of == store.Documents {
		found, err = t.left(ctx, tx, q)
		return found, true, err
	}
	// Of conversations the newest are ranked that have the tokens, so many. Where that many of all have enough that are let
	// through, it is not worth while to look how far back they reach.
	n, args := 0, []any{q.Tenant}
	from := fmt.Sprintf(`%[1]s c WHERE c.tenant_id = $1 AND c.id > coalesce(
		(SELECT id FROM %[1]s WHERE tenant_id = $1 ORDER BY id DESC OFFSET %[2]d LIMIT 1), '')`, q.Of.Table(), store.MaxRanked)
	if err := tx.QueryAll(ctx, plans(inAnyOrder), amount(from+q.Condition(&args), q.Limit, &n, args...)); err != nil || n == q.Limit {
		return nil, false, err
	}
	if found, err = t.left(ctx, tx, q); err != nil || len(found) < q.Limit {
		return found, true, err
	}
	oldest := ""
	err = tx.QueryAll(ctx, plans(asIndexed), words(""), store.Query{
		SQL: fmt.Sprintf(`SELECT coalesce(min(x.%[1]s), '') FROM (SELECT w.%[1]s FROM (SELECT %[1]s, tokens FROM %[2]s
			WHERE tenant_id = $1 ORDER BY %[1]s DESC LIMIT %[3]d) w WHERE w.tokens @@ $2::text::tsquery LIMIT %[4]d) x`,
			t.of.Key(), t.of.Words(), lately, store.MaxRanked),
		Args: []any{q.Tenant, strings.Join(t.tokens, "|")},
		Row:  func(scan func(...any) error) error { return scan(&oldest) },
	})
	return found, found[q.Limit-1].ID < oldest, err
}

// ofTelling finds by tokens that not many things have. It looks up whether those may be answered, or, if that is less,
// what the filter leaves.
func (t told) ofTelling(ctx context.Context, tx store.Tx, q store.Matching, near []store.Near) ([]store.Near, error) {
	n, err := leaves(ctx, tx, q, len(near)/4)
	if err != nil || n > len(near)/4 {
		return answerable(ctx, tx, q, near)
	}
	args, may := []any{q.Tenant}, map[string]bool{}
	err = tx.QueryAll(ctx, plans(inAnyOrder), store.Query{
		SQL:  `SELECT c.id FROM ` + q.Of.Table() + ` c WHERE c.tenant_id = $1` + q.Condition(&args),
		Args: args,
		Row: func(scan func(...any) error) error {
			var id string
			err := scan(&id)
			may[id] = true
			return err
		},
	})
	near = slices.DeleteFunc(near, func(n store.Near) bool { return !may[n.ID] })
	return near[:min(q.Limit, len(near))], err
}

// left returns the newest things that the filter leaves and that have any of the tokens; of documents first those that
// have all. It is for tokens that are all frequent. The words of each thing are looked up: Postgres, which does not know
// how frequent the tokens are, would else read all that have them.
func (t told) left(ctx context.Context, tx store.Tx, q store.Matching) (found []store.Near, err error) {
	return t.joined(ctx, tx, q, `CROSS JOIN LATERAL (%s AND w.`+q.Of.Key()+` = c.id OFFSET 0) s`)
}

// scanned is left for filters that leave many: all that have the tokens are read, once.
func (t told) scanned(ctx context.Context, tx store.Tx, q store.Matching) (found []store.Near, err error) {
	return t.joined(ctx, tx, q, `JOIN (%s) s ON s.id = c.id`)
}

func (t told) joined(ctx context.Context, tx store.Tx, q store.Matching, join string) (found []store.Near, err error) {
	args := []any{q.Tenant}
	condition, score, newest := q.Condition(&args), `1::float8`, `c.id DESC`
	if q.Of == store.Documents {
		args = append(args, strings.Join(t.tokens, "&"))
		score = fmt.Sprintf(`CASE WHEN w.tokens @@ $%d::text::tsquery THEN 1::float8 ELSE 0.5 END`, len(args))
		newest = `2 DESC, c.created_at DESC, ` + newest
	}
	said := fmt.Sprintf(`SELECT %s AS score, w.%s AS id FROM %s w WHERE w.tenant_id = $1`, score, q.Of.Key(), q.Of.Words())
	query := fmt.Sprintf(`SELECT c.id, s.score FROM %s c `+join+` WHERE c.tenant_id = $1%s ORDER BY %s LIMIT %d`,
		q.Of.Table(), said, condition, newest, q.Limit)
	err = tx.QueryAll(ctx, plans(inAnyOrder), words(strings.Join(t.tokens, "|")),
		store.Query{SQL: query, Args: args, Row: nearRow(&found)})
	return found, err
}
