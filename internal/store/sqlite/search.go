package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

// tokensOf is the full-text index of things.
func tokensOf(t store.Thing) string { return string(t) + "_tokens" }

// packedOf is the table of the tokens of things, packed.
func packedOf(t store.Thing) string { return tokensOf(t) + "_packed" }

// PutVectors implements store.Index.
func (e *Engine) PutVectors(ctx context.Context, tx store.Tx, v store.Vectors) error {
	table, key := v.Of.Embeddings(), v.Of.Key()
	// What is replaced is deleted and gets a higher seq, so that whoever holds the old vector reads the new one.
	if _, err := tx.Exec(ctx, `DELETE FROM `+table+` WHERE tenant_id = $1 AND `+key+` = $2 AND model = $3`,
		v.Tenant, v.ID, v.Parts[0].Model); err != nil {
		return err
	}
	for i, p := range v.Parts {
		_, err := tx.Exec(ctx, `INSERT INTO `+table+` (tenant_id, `+key+`, caller_id, model, part, width, made_at, vector)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
			v.Tenant, v.ID, v.Caller, p.Model, i, len(p.Vector), v.At.UnixMicro(), encode(p.Vector))
		if err != nil {
			return err
		}
	}
	return nil
}

// How many of the nearest are looked up to find those that may be answered.
const (
	spare     = 64   // without a filter, past twice those that are asked for: some are erased meanwhile
	candidate = 1024 // with one. Where they are not enough, what the filter leaves is compared, and nothing else
)

// Similar implements store.Index. It compares all of the tenant's vectors in memory. Of the nearest it answers those
// that the database still has and the filter lets through.
func (e *Engine) Similar(ctx context.Context, read store.Door, q store.Nearest) ([]store.Near, error) {
	by := newQuery(q.Embedding.Vector)
	if len(q.Tags) > 0 {
		err := read(ctx, func(tx store.Tx) (err error) {
			q.Among, err = sharpened(ctx, tx, q.Tenant, q.Among, few)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if q.Few {
		return e.compared(ctx, read, q, by)
	}
	n := 2*q.Limit + spare
	if q.Narrow {
		n = max(n, candidate)
	}
	for ; ; n *= 8 {
		near, all, m, err := e.nearest(ctx, read, q, by, n)
		if err != nil {
			return nil, err
		}
		var found []store.Near
		var gone []int64
		err = read(ctx, func(tx store.Tx) error {
			found, gone, err = asked{q.Among, q.Tenant, q.Limit}.answerable(ctx, tx, q.Of.Embeddings(), near)
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(gone) > 0 {
			m.drop(gone)
		}
		switch {
		case len(found) == q.Limit, all && len(gone) == 0:
			return found, nil
		case len(gone) == 0 && q.Narrow:
			return e.compared(ctx, read, q, by)
		}
	}
}

// few is up to how many documents have a tag that leaves few. It takes as long to compare them as to look up whether those
// that are nearest among all have the tag.
const few = 1000

// sharpened has the rarest tag of a filter lead to what it leaves, and says whether that is few: so many at most.
func sharpened(
	ctx context.Context, tx store.Tx, tenant recaller.TenantID, a store.Among, few int,
) (store.Among, error) {
	if a.Few {
		return a, nil
	}
	counts := make([]int, len(a.Tags))
	queries := make([]store.Query, len(a.Tags))
	for i, tag := range a.Tags {
		queries[i] = store.Query{
			SQL: `SELECT count(*) FROM (SELECT 1 FROM document_tags WHERE tenant_id = $1 AND token = $2
				LIMIT ` + strconv.Itoa(few+1) + `)`,
			Args: []any{tenant, tag},
			Row:  func(scan func(...any) error) error { return scan(&counts[i]) },
		}
	}
	err := tx.QueryAll(ctx, queries...)
	rarest := slices.Min(counts)
	a = a.Led(slices.Index(counts, rarest))
	a.Few = rarest <= few
	return a, err
}

// nearest gives the vectors that are nearest, by seq. all tells that there are no others.
func (e *Engine) nearest(
	ctx context.Context, read store.Door, q store.Nearest, by query, limit int,
) (near []scored[int64], all bool, m *matrix, err error) {
	m = e.matrices.of(kindOfVector{q.Of, q.Tenant, q.Embedding.Model, len(q.Embedding.Vector)})
	fits, err := m.catchUp(ctx, read, e.matrices.limit)
	if err != nil {
		return nil, false, m, err
	}
	if fits {
		e.matrices.weigh(m)
		near, all, err = m.nearest(ctx, by, limit)
		return near, all, m, err
	}
	top, rows := best[int64]{limit: limit}, 0
	err = read(ctx, func(tx store.Tx) error {
		return compare(ctx, tx, by, store.Query{
			SQL:  `SELECT vector, seq FROM ` + q.Of.Embeddings() + ` WHERE tenant_id = $1 AND model = $2 AND width = $3`,
			Args: []any{q.Tenant, q.Embedding.Model, len(q.Embedding.Vector)},
		}, func(seq int64, cosine float64) { rows++; top.add(seq, cosine) })
	})
	near = top.sorted()
	return near, len(near) == rows, m, err
}

// asked is what a search may answer, and how much.
type asked struct {
	store.Among
	tenant recaller.TenantID
	limit  int
}

// answerable looks up which of near, best first, are of things that may be answered, until there are enough. Their keys
// are rowids of the table of; gone are those that it has no more.
func (a asked) answerable(
	ctx context.Context, tx store.Tx, of string, near []scored[int64],
) (found []store.Near, gone []int64, err error) {
	step := a.limit + a.limit/8 // but for those that are being erased all may be answered
	if a.Narrow {
		step = 2 * a.limit
	}
	known := map[string]bool{}
	for len(near) > 0 && len(found) < a.limit {
		part := near[:min(step, len(near))]
		near, step = near[len(part):], 4*step
		there, err := a.lookUp(ctx, tx, of, part)
		if err != nil {
			return nil, nil, err
		}
		for _, n := range part {
			id, ok := there[n.key]
			switch {
			case !ok:
				gone = append(gone, n.key)
			case id != "" && !known[id] && len(found) < a.limit: // of a thing's parts the nearest comes first
				known[id] = true
				found = append(found, store.Near{ID: id, Score: n.score})
			}
		}
	}
	return found, gone, nil
}

// lookUp gives the things of keys; empty for one that may not be answered.
func (a asked) lookUp(
	ctx context.Context, tx store.Tx, of string, part []scored[int64],
) (map[int64]string, error) {
	keys := make([]int64, len(part))
	for i, n := range part {
		keys[i] = n.key
	}
	list, err := json.Marshal(keys)
	if err != nil {
		return nil, err
	}
	args := []any{a.tenant, string(list)}
	there := make(map[int64]string, len(part))
	err = tx.QueryAll(ctx, store.Query{
		SQL: `SELECT x.rowid, coalesce((SELECT c.id FROM ` + a.Of.Table() + ` c WHERE c.tenant_id = $1
			AND c.id = x.` + a.Of.Key() + a.Condition(&args) + `), '')
			FROM json_each($2) j CROSS JOIN ` + of + ` x ON x.rowid = j.value AND x.tenant_id = $1`,
		Args: args,
		Row: func(scan func(...any) error) error {
			var key int64
			var id string
			err := scan(&key, &id)
			there[key] = id
			return err
		},
	})
	return there, err
}

// left spells a table c of the things that the filter leaves, to be joined with more.
func (a asked) left(args *[]any) string { return a.spelled(args, a.Condition(args)) }

// spelled spells a table c of the things that a condition leaves.
func (a asked) spelled(args *[]any, condition string) string {
	by := ""
	if a.By != "" {
		by = ` INDEXED BY ` + a.By
	}
	return `(SELECT c.id FROM ` + a.Of.Table() + ` c` + by + ` WHERE c.tenant_id = $1` + condition +
		a.Leading(args) + `) c`
}

// compared compares the vectors of all things that the filter leaves, as the database gives them.
func (e *Engine) compared(ctx context.Context, read store.Door, q store.Nearest, by query) ([]store.Near, error) {
	args := []any{q.Tenant, q.Embedding.Model, len(q.Embedding.Vector)}
	table := q.Of.Embeddings()
	sqlText := `SELECT e.vector, c.id FROM ` + asked{q.Among, q.Tenant, q.Limit}.left(&args) + `
		CROSS JOIN ` + table + ` e INDEXED BY ` + table + `_key ON e.tenant_id = $1
		AND e.` + q.Of.Key() + ` = c.id AND e.model = $2 AND e.width = $3`
	nearest := map[string]float64{}
	err := read(ctx, func(tx store.Tx) error {
		return compare(ctx, tx, by, store.Query{SQL: sqlText, Args: args}, keep(nearest))
	})
	top := best[string]{limit: q.Limit}
	for id, cosine := range nearest {
		top.add(id, cosine)
	}
	sorted := top.sorted()
	found := make([]store.Near, len(sorted))
	for i, s := range sorted {
		found[i] = store.Near{ID: s.key, Score: s.score}
	}
	return found, err
}

// compare runs a query for vectors and keys, and compares them.
func compare[K any](ctx context.Context, tx store.Tx, by query, q store.Query, found func(K, float64)) error {
	var raw sql.RawBytes
	space := make([]uint64, len(by.words))
	q.Row = func(scan func(...any) error) error {
		var key K
		if err := scan(&raw, &key); err != nil {
			return err
		}
		r, ok := decode(raw, space)
		if !ok {
			return unreadable()
		}
		found(key, float64(by.cosine(r)))
		return nil
	}
	return tx.QueryAll(ctx, q)
}

// keep collects the nearest part of each thing.
func keep(nearest map[string]float64) func(string, float64) {
	return func(id string, cosine float64) {
		if before, known := nearest[id]; !known || cosine > before {
			nearest[id] = cosine
		}
	}
}

func unreadable() error { return recaller.Errorf(recaller.Internal, "an embedding cannot be read") }

// Similarities implements store.Index.
func (e *Engine) Similarities(
	ctx context.Context, read store.Door, q store.Compared,
) (map[string]float64, error) {
	ids, err := json.Marshal(q.IDs)
	if err != nil {
		return nil, err
	}
	out := make(map[string]float64, len(q.IDs))
	table, key := q.Of.Embeddings(), q.Of.Key()
	err = read(ctx, func(tx store.Tx) error {
		return compare(ctx, tx, newQuery(q.Embedding.Vector), store.Query{
			SQL: `SELECT e.vector, e.` + key + ` FROM json_each($4) j
				CROSS JOIN ` + table + ` e INDEXED BY ` + table + `_key
				ON e.tenant_id = $1 AND e.model = $2 AND e.width = $3 AND e.` + key + ` = j.value`,
			Args: []any{q.Tenant, q.Embedding.Model, len(q.Embedding.Vector), string(ids)},
		}, keep(out))
	})
	return out, err
}
