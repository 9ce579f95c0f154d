package postgres

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/pgvector/pgvector-go"

	"github.com/recallerhq/recaller/internal/store"
)

// PutVectors implements store.Index.
func (e *Engine) PutVectors(ctx context.Context, tx store.Tx, v store.Vectors) error {
	table, key := v.Of.Embeddings(), v.Of.Key()
	if _, err := tx.Exec(ctx, `DELETE FROM `+table+` WHERE tenant_id = $1 AND `+key+` = $2 AND model = $3 AND part >= $4`,
		v.Tenant, v.ID, v.Parts[0].Model, len(v.Parts)); err != nil {
		return err
	}
	for i, p := range v.Parts {
		_, err := tx.Exec(ctx, `INSERT INTO `+table+` (tenant_id, `+key+`, caller_id, model, part, width, made_at, vector)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
			ON CONFLICT (tenant_id, `+key+`, model, part) DO UPDATE
			SET caller_id = excluded.caller_id, width = excluded.width, made_at = excluded.made_at, vector = excluded.vector`,
			v.Tenant, v.ID, v.Caller, p.Model, i, len(p.Vector), v.At.UnixMicro(),
			pgvector.NewHalfVector(p.Vector))
		if err != nil {
			return err
		}
	}
	return nil
}

// few is up to how many vectors are compared one by one, in some 25 µs each where they are wide. The index has the
// vectors of all tenants, so among the many it comes upon few of one tenant's, or few that a filter leaves. The
// comparison is also exact.
const few = 2000

// indexedWidths are those that the migrations made indexes for.
func indexedWidths() []int { return []int{256, 384, 512, 648, 768, 1024, 1536, 3072} }

// Similar implements store.Index. If there are many vectors it asks the index, which goes on until it came upon enough
// that may be answered, or has come as far as it may. If that was not enough, or there are few vectors, it compares
// them one by one.
func (e *Engine) Similar(ctx context.Context, read store.Door, q store.Nearest) (found []store.Near, err error) {
	err = read(ctx, func(tx store.Tx) error {
		vectors, left, err := amounts(ctx, tx, q)
		if err != nil {
			return err
		}
		if min(vectors, left) > few && slices.Contains(indexedWidths(), len(q.Embedding.Vector)) {
			if found, err = indexed(ctx, tx, q); err != nil || len(found) == q.Limit {
				return err
			}
		}
		found, err = compared(ctx, tx, q, left > few && !q.Few)
		return err
	})
	return found, err
}

// amounts tells how many vectors a tenant has, and how many things the filter leaves, neither counted past few +
// 1.
func amounts(ctx context.Context, tx store.Tx, q store.Nearest) (vectors, left int, err error) {
	queries := []store.Query{
		plans(inAnyOrder),
		amount(q.Of.Embeddings()+` WHERE tenant_id = $1 AND model = $2 AND width = $3`, few+1, &vectors,
			q.Tenant, q.Embedding.Model, len(q.Embedding.Vector)),
	}
	if left = few + 1; q.Narrow {
		args := []any{q.Tenant}
		from := q.Of.Table() + ` c WHERE c.tenant_id = $1` + q.Condition(&args)
		queries = append(queries, amount(from, few+1, &left, args...))
	}
	return vectors, left, tx.QueryAll(ctx, queries...)
}

// amount counts rows into n, up to a limit.
func amount(from string, limit int, n *int, args ...any) store.Query {
	return store.Query{
		SQL:  fmt.Sprintf(`SELECT count(*) FROM (SELECT 1 FROM %s LIMIT %d) few`, from, limit),
		Args: args,
		Row:  func(scan func(...any) error) error { return scan(n) },
	}
}

// breadth is how many candidates the index holds, and reach is how many vectors it comes upon in all.
const (
	breadth = 200
	reach   = 5000
)

// order says whether rows are to come as an index has them, one after the other, or in any order.
type order string

const (
	asIndexed  order = "off" // neither sorted, nor gathered first
	inAnyOrder order = "on"
)

// plans makes Postgres plan the statements for this tenant, by indexes, and carry them out by itself: to call for helpers
// takes longer than to read what is read here. The plan that it would keep for any tenant may not suit.
func plans(o order) store.Query {
	return store.Query{SQL: fmt.Sprintf(`SELECT set_config('plan_cache_mode', 'force_custom_plan', TRUE), set_config('enable_seqscan', 'off', TRUE),
		set_config('max_parallel_workers_per_gather', '0', TRUE), set_config('enable_sort', '%[1]s', TRUE), set_config('enable_bitmapscan', '%[1]s', TRUE),
		set_config('hnsw.iterative_scan', 'strict_order', TRUE), set_config('hnsw.ef_search', '%[2]d', TRUE), set_config('hnsw.max_scan_tuples', '%[3]d', TRUE)`, o, breadth, reach), Row: ignored}
}

func ignored(func(...any) error) error { return nil }

// indexed asks the index. It asks for more where several parts are of the same things.
func indexed(ctx context.Context, tx store.Tx, q store.Nearest) ([]store.Near, error) {
	for n := q.Limit + q.Limit/4; ; n *= 4 {
		parts, err := along(ctx, tx, q, n)
		if err != nil {
			return nil, err
		}
		if found := distinct(parts); len(found) >= q.Limit || len(parts) < n {
			return found[:min(len(found), q.Limit)], nil
		}
	}
}

// distinct returns the nearest part of each thing, in the order of parts.
func distinct(parts []store.Near) []store.Near {
	known := make(map[string]bool, len(parts))
	return slices.DeleteFunc(parts, func(n store.Near) bool {
		again := known[n.ID]
		known[n.ID] = true
		return again
	})
}

// along follows the index to so many parts. The subquery has Postgres look up the things of one vector after another, as
// the index gives them.
func along(ctx context.Context, tx store.Tx, q store.Nearest, limit int) (parts []store.Near, err error) {
	args := []any{q.Tenant, q.Embedding.Model, pgvector.NewHalfVector(q.Embedding.Vector)}
	query := fmt.Sprintf(`SELECT e.%[1]s, 1 - (e.vector::halfvec(%[2]d) <=> $3::halfvec(%[2]d))
		FROM %[3]s e
		WHERE e.tenant_id = $1 AND e.model = $2 AND e.width = %[2]d AND (SELECT TRUE FROM %[4]s c
		WHERE c.tenant_id = $1 AND c.id = e.%[1]s%[5]s)
		ORDER BY e.vector::halfvec(%[2]d) <=> $3::halfvec(%[2]d)
		LIMIT %[6]d`, q.Of.Key(), len(q.Embedding.Vector), q.Of.Embeddings(), q.Of.Table(), q.Condition(&args), limit)
	err = tx.QueryAll(ctx, plans(asIndexed), store.Query{SQL: query, Args: args, Row: nearRow(&parts)})
	return parts, err
}

// compared compares vectors one by one: all of the tenant's, or those of the things that the filter leaves.
func compared(ctx context.Context, tx store.Tx, q store.Nearest, all bool) (found []store.Near, err error) {
	args := []any{q.Tenant, q.Embedding.Model, pgvector.NewHalfVector(q.Embedding.Vector), len(q.Embedding.Vector)}
	condition := q.Condition(&args)
	table, key, things := q.Of.Embeddings(), q.Of.Key(), q.Of.Table()
	// Each thing is asked for the nearest vector of its own, which is found by its key. A plain join would read all
	// vectors.
	query := `SELECT c.id, e.cosine FROM ` + things + ` c CROSS JOIN LATERAL (SELECT 1 - min(vector <=> $3) AS cosine
		FROM ` + table + `
			WHERE tenant_id = $1 AND ` + key + ` = c.id AND model = $2 AND width = $4) e
		WHERE c.tenant_id = $1 AND e.cosine IS NOT NULL` + condition + ` ORDER BY e.cosine DESC, c.id DESC`
	if all {
		query = `SELECT e.` + key + `, 1 - min(e.vector <=> $3) AS cosine FROM ` + table + ` e
			WHERE e.tenant_id = $1 AND e.model = $2 AND e.width = $4 AND (SELECT TRUE FROM ` + things + ` c
			WHERE c.tenant_id = $1 AND c.id = e.` + key + condition + `)
			GROUP BY e.` + key + ` ORDER BY cosine DESC, e.` + key + ` DESC`
	}
	err = tx.QueryAll(ctx, plans(inAnyOrder), store.Query{
		SQL: query + ` LIMIT ` + strconv.Itoa(q.Limit), Args: args, Row: nearRow(&found),
	})
	return found, err
}

// nearRow appends what was found to a list.
func nearRow(list *[]store.Near) func(func(...any) error) error {
	return func(scan func(...any) error) error {
		var n store.Near
		err := scan(&n.ID, &n.Score)
		*list = append(*list, n)
		return err
	}
}

// Similarities implements store.Index.
func (e *Engine) Similarities(
	ctx context.Context, read store.Door, q store.Compared,
) (map[string]float64, error) {
	var found []store.Near
	err := read(ctx, func(tx store.Tx) error {
		return tx.QueryAll(ctx, store.Query{
			SQL: `SELECT ` + q.Of.Key() + `, 1 - min(vector <=> $4) FROM ` + q.Of.Embeddings() + `
				WHERE tenant_id = $1 AND model = $2 AND ` + q.Of.Key() + ` = ANY($3::text[]) AND width = $5
				GROUP BY ` + q.Of.Key(),
			Args: []any{q.Tenant, q.Embedding.Model, q.IDs, pgvector.NewHalfVector(q.Embedding.Vector), len(q.Embedding.Vector)},
			Row:  nearRow(&found),
		})
	})
	out := make(map[string]float64, len(found))
	for _, n := range found {
		out[n.ID] = n.Score
	}
	return out, err
}
