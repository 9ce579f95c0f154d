package sqlite

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

// maxSaid is how often a stem counts in one thing: more says no more to the ranking.
const maxSaid = 8

// PutTokens implements store.Index.
func (e *Engine) PutTokens(ctx context.Context, tx store.Tx, t store.Tokens) error {
	table, key := t.Of.Words(), t.Of.Key()
	// A trigger takes the tokens of a row that goes.
	if _, err := tx.Exec(ctx, `DELETE FROM `+table+` WHERE tenant_id = $1 AND `+key+` = $2`, t.Tenant, t.ID); err != nil {
		return err
	}
	if len(t.Counts) == 0 {
		return nil
	}
	columns, values, args := `tenant_id, `+key+`, caller_id`, `$1, $2, $3`, []any{t.Tenant, t.ID, t.Caller}
	if t.Of == store.Documents {
		columns, values, args = columns+`, created_at`, values+`, $4`, append(args, t.CreatedAt.UnixMicro())
	}
	var id int64
	err := tx.QueryRow(ctx, `INSERT INTO `+table+` (`+columns+`) VALUES (`+values+`) RETURNING id`, args, &id)
	if err != nil {
		return err
	}
	var said []string
	for token, n := range t.Counts {
		for range min(n, maxSaid) {
			said = append(said, token)
		}
	}
	if _, err := tx.Exec(ctx, `INSERT INTO `+tokensOf(t.Of)+` (rowid, tokens) VALUES ($1, $2)`,
		id, strings.Join(said, " ")); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO `+packedOf(t.Of)+` (id, tokens) VALUES ($1, $2)`, id, []byte(pack(t.Counts)))
	return err
}

// Matching implements store.Index. Of the things that have one of the telling tokens those are ranked that were written
// last.
func (e *Engine) Matching(ctx context.Context, read store.Door, q store.Matching) (found []store.Near, err error) {
	err = read(ctx, func(tx store.Tx) error {
		t, err := e.telling(ctx, tx, q)
		if err != nil || len(t.tokens) == 0 {
			return err
		}
		found, err = t.found(ctx, tx, asked{q.Among, q.Tenant, q.Limit})
		return err
	})
	return found, err
}

// found finds what the tokens match best.
func (t told) found(ctx context.Context, tx store.Tx, a asked) ([]store.Near, error) {
	if t.all && !t.plain {
		return t.ofTelling(ctx, tx, a)
	}
	a, rare, err := a.rare(ctx, tx, store.MaxRanked)
	if err != nil {
		return nil, err
	}
	if rare {
		list, known, err := t.left(ctx, tx, a, store.MaxRanked)
		if err != nil {
			return nil, err
		}
		if known {
			return t.ofFew(ctx, tx, list, a.limit)
		}
	}
	near, err := t.ranked(ctx, tx, ``, []any{a.tenant})
	if err != nil {
		return nil, err
	}
	found, _, err := a.answerable(ctx, tx, t.of.Words(), near)
	if err != nil || len(found) == a.limit || t.all {
		return found, err
	}
	// What the filter leaves is not among the newest, so it is few: all of it is ranked.
	if a, rare, err = a.rare(ctx, tx, fewer); err != nil {
		return nil, err
	}
	if rare {
		list, known, err := t.left(ctx, tx, a, fewer)
		if err != nil {
			return nil, err
		}
		if known {
			return t.best(ctx, tx, list, a.limit)
		}
	}
	return t.scanned(ctx, tx, a)
}

// ofTelling finds by tokens that not many have. It looks up whether those may be answered, or, if that is less, what the
// filter leaves.
func (t told) ofTelling(ctx context.Context, tx store.Tx, a asked) ([]store.Near, error) {
	near, err := t.ranked(ctx, tx, ``, []any{a.tenant})
	if err != nil {
		return nil, err
	}
	a, rare, err := a.rare(ctx, tx, len(near)/2)
	if err != nil {
		return nil, err
	}
	if !rare {
		found, _, err := a.answerable(ctx, tx, t.of.Words(), near)
		return found, err
	}
	ids, err := t.ids(ctx, tx, a)
	var found []store.Near
	for _, n := range near {
		if id, ok := ids[n.key]; ok && len(found) < a.limit {
			found = append(found, store.Near{ID: id, Score: n.score})
		}
	}
	return found, err
}

// scanned ranks what the filter leaves by the index of words, from end to end: with the plus SQLite reads it once, and
// without would look for each thing on its own.
func (t told) scanned(ctx context.Context, tx store.Tx, a asked) ([]store.Near, error) {
	args := []any{a.tenant}
	near, err := t.ranked(ctx, tx, ` AND +x.rowid IN (SELECT w.id FROM `+a.left(&args)+`
		CROSS JOIN `+t.of.Words()+` w ON w.tenant_id = $1 AND w.`+t.of.Key()+` = c.id)`, args)
	if err != nil {
		return nil, err
	}
	found, _, err := a.answerable(ctx, tx, t.of.Words(), near)
	return found, err
}

// told are the tokens that count in a ranking.
type told struct {
	e      *Engine
	of     store.Thing
	tenant recaller.TenantID
	tokens []string
	all    bool // every thing that has one of them can be ranked
	plain  bool // they tell nothing of a document
}

// telling chooses the tokens that count.
func (e *Engine) telling(ctx context.Context, tx store.Tx, q store.Matching) (t told, err error) {
	limit := ` LIMIT ` + strconv.Itoa(store.MaxRanked+1) + `)`
	counts := make([]int, len(q.Tokens))
	total := 0
	queries := []store.Query{{
		SQL:  `SELECT count(*) FROM (SELECT 1 FROM ` + q.Of.Words() + ` WHERE tenant_id = $1` + limit,
		Args: []any{q.Tenant},
		Row:  func(scan func(...any) error) error { return scan(&total) },
	}}
	for i, token := range q.Tokens {
		queries = append(queries, store.Query{
			SQL:  `SELECT count(*) FROM (SELECT 1 FROM ` + tokensOf(q.Of) + ` WHERE tokens MATCH $1` + limit,
			Args: []any{token},
			Row:  func(scan func(...any) error) error { return scan(&counts[i]) },
		})
	}
	if err := tx.QueryAll(ctx, queries...); err != nil {
		return t, err
	}
	t.e, t.of, t.tenant = e, q.Of, q.Tenant
	t.tokens, t.all = store.Telling(q.Tokens, counts, total)
	t.plain = t.of == store.Documents && (!t.all || store.Commonplace(counts, total))
	return t, nil
}

// ranked ranks the things that have any of the tokens, of many those that were written last, by the ids of their words.
// The tenant is the first argument.
func (t told) ranked(ctx context.Context, tx store.Tx, condition string, args []any) ([]scored[int64], error) {
	if !t.plain {
		return t.matching(ctx, tx, t.either(), t.weight(), condition, args)
	}
	every := strings.Join(t.tokens, " AND ")
	near, err := t.matching(ctx, tx, every, `1.0`, condition, args)
	if err != nil || len(t.tokens) == 1 || len(near) == store.MaxRanked {
		return near, err
	}
	others, err := t.matching(ctx, tx, `(`+t.either()+`) NOT (`+every+`)`, `0.5`, condition, args)
	return append(near, others...), err
}

func (t told) either() string { return strings.Join(t.tokens, " OR ") }

// weight is what ranks the things that say something.
func (t told) weight() string { return `-bm25(` + tokensOf(t.of) + `)` }

// matching are the things that match, in FTS5's spelling, by score; of equal ones the newest come first.
func (t told) matching(
	ctx context.Context, tx store.Tx, match, score, condition string, args []any,
) ([]scored[int64], error) {
	at := `0`
	if t.of == store.Documents {
		at = `(SELECT w.created_at FROM document_words w WHERE w.id = x.rowid)`
	}
	args = append(slices.Clip(args), match)
	var list []entry
	err := tx.QueryAll(ctx, store.Query{
		SQL: `SELECT x.rowid, ` + score + `, ` + at + ` FROM ` + tokensOf(t.of) + ` x WHERE x.tokens MATCH $` +
			strconv.Itoa(len(args)) + condition + ` ORDER BY x.rowid DESC LIMIT ` + strconv.Itoa(store.MaxRanked),
		Args: args,
		Row: func(scan func(...any) error) error {
			var e entry
			err := scan(&e.key, &e.score, &e.at)
			list = append(list, e)
			return err
		},
	})
	slices.SortFunc(list, entry.before)
	near := make([]scored[int64], len(list))
	for i, e := range list {
		near[i] = e.scored
	}
	return near, err
}

// entry is a thing that was ranked.
type entry struct {
	scored[int64]
	at int64 // when a document was made
}

// before compares two by their places: the better first, of equal ones the newer.
func (e entry) before(other entry) int {
	return cmp.Or(cmp.Compare(other.score, e.score), cmp.Compare(other.at, e.at), cmp.Compare(other.key, e.key))
}
