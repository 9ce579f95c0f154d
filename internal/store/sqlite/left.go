package sqlite

import (
	"context"
	"database/sql"
	"math"
	"slices"
	"strconv"

	"github.com/recallerhq/recaller/internal/store"
)

// fewer is up to how many things that a filter leaves are looked at one by one where the newest were not enough. It takes
// as long as to read the index of words of a hundred thousand from end to end.
const fewer = 4 * store.MaxRanked

// rare reports whether an index leads to what a filter leaves past so many rows at most. Of several tags it has the rarest
// lead.
func (a asked) rare(ctx context.Context, tx store.Tx, most int) (asked, bool, error) {
	if len(a.Tags) > 0 && !a.Few {
		var err error
		a.Among, err = sharpened(ctx, tx, a.tenant, a.Among, most)
		return a, a.Few, err
	}
	args, n := []any{a.tenant}, 0
	reach, leads := a.Reach(&args)
	if !leads {
		return a, false, nil
	}
	err := tx.QueryRow(ctx, `SELECT count(*) FROM (SELECT 1 FROM `+a.spelled(&args, reach)+` LIMIT `+strconv.Itoa(most+1)+`)`, args, &n)
	return a, n <= most, err
}

// leaf is a thing that a filter leaves.
type leaf struct {
	entry
	id     string
	times  []int // how often each token is said
	length int   // how many are said in all
}

// left looks at what the filter leaves, and gives what has any of the tokens. known is false if it leaves more than most,
// or what was indexed before tokens were packed.
func (t told) left(ctx context.Context, tx store.Tx, a asked, most int) (list []leaf, known bool, err error) {
	hashes := make([]uint64, len(t.tokens))
	for i, token := range t.tokens {
		hashes[i] = hashed(token)
	}
	args, at := []any{a.tenant}, `0`
	if t.of == store.Documents {
		at = `w.created_at`
	}
	n, raw := 0, sql.RawBytes{}
	known = true
	err = tx.QueryAll(ctx, store.Query{
		SQL: `SELECT c.id, w.id, ` + at + `, p.tokens FROM ` + a.left(&args) + `
			CROSS JOIN ` + t.of.Words() + ` w ON w.tenant_id = $1 AND w.` + t.of.Key() + ` = c.id
			LEFT JOIN ` + packedOf(t.of) + ` p ON p.id = w.id LIMIT ` + strconv.Itoa(most+1),
		Args: args,
		Row: func(scan func(...any) error) error {
			var l leaf
			if err := scan(&l.id, &l.key, &l.at, &raw); err != nil {
				return err
			}
			n++
			known = known && raw != nil
			if l.says(packed(raw), hashes) {
				list = append(list, l)
			}
			return nil
		},
	})
	return list, known && n <= most, err
}

// says notes how often tokens are said, by their hashes, and whether any is.
func (l *leaf) says(p packed, hashes []uint64) (any bool) {
	l.times = make([]int, len(hashes))
	for i, h := range hashes {
		l.times[i] = p.times(h)
		any = any || l.times[i] > 0
	}
	l.length = p.length()
	return any
}

// ids are the ids of what a filter leaves, by the keys of their words.
func (t told) ids(ctx context.Context, tx store.Tx, a asked) (map[int64]string, error) {
	args, ids := []any{a.tenant}, map[int64]string{}
	err := tx.QueryAll(ctx, store.Query{
		SQL: `SELECT w.id, c.id FROM ` + a.left(&args) + `
			CROSS JOIN ` + t.of.Words() + ` w ON w.tenant_id = $1 AND w.` + t.of.Key() + ` = c.id`,
		Args: args,
		Row: func(scan func(...any) error) error {
			var key int64
			var id string
			err := scan(&key, &id)
			ids[key] = id
			return err
		},
	})
	return ids, err
}

// ofFew ranks what a rare filter leaves by frequent tokens, as if it were looked for among all: the newest that have one,
// if these are enough.
func (t told) ofFew(ctx context.Context, tx store.Tx, list []leaf, limit int) ([]store.Near, error) {
	if t.plain {
		return t.best(ctx, tx, list, limit)
	}
	near, err := t.matching(ctx, tx, t.either(), `0.0`, ``, []any{t.tenant})
	if err != nil {
		return nil, err
	}
	newest := make(map[int64]bool, len(near))
	for _, n := range near {
		newest[n.key] = true
	}
	among := make([]leaf, 0, len(list))
	for _, l := range list {
		if newest[l.key] {
			among = append(among, l)
		}
	}
	if len(among) >= limit {
		list = among
	}
	return t.best(ctx, tx, list, limit)
}

// The constants of BM25, as FTS5 has them.
const (
	saturation = 1.2  // k1
	lengths    = 0.75 // b
)

// best ranks things of which no more is known than what of the tokens they say.
func (t told) best(ctx context.Context, tx store.Tx, list []leaf, limit int) ([]store.Near, error) {
	if t.plain {
		for i := range list {
			list[i].score = 1
			if slices.Contains(list[i].times, 0) {
				list[i].score = 0.5
			}
		}
		return first(list, limit), nil
	}
	weights, mean, err := t.weights(ctx, tx)
	if err != nil {
		return nil, err
	}
	for i, l := range list {
		for k, n := range l.times {
			n := float64(n) // reckoned in the order in which FTS5 does, so that what is as good there is as good here
			list[i].score += weights[k] * ((n * (saturation + 1)) / (n + saturation*(1-lengths+lengths*float64(l.length)/mean)))
		}
	}
	return first(list, limit), nil
}

// first gives the best, best first.
func first(list []leaf, limit int) []store.Near {
	slices.SortFunc(list, func(a, b leaf) int { return a.before(b.entry) })
	near := make([]store.Near, min(limit, len(list)))
	for i := range near {
		near[i] = store.Near{ID: list[i].id, Score: list[i].score}
	}
	return near
}

// weights are how much each token counts, as bm25 of FTS5 has it, and the mean length of all that are indexed. In how many
// things the tokens are is remembered: to count them is to read the index from end to end.
func (t told) weights(ctx context.Context, tx store.Tx) (weights []float64, mean float64, err error) {
	var averages []byte // of FTS5: how many rows there are, and tokens in them
	queries := []store.Query{{
		SQL: `SELECT block FROM ` + tokensOf(t.of) + `_data WHERE id = 1`,
		Row: func(scan func(...any) error) error { return scan(&averages) },
	}}
	counts := make([]int, len(t.tokens))
	var fresh []int
	for i, token := range t.tokens {
		n, known := t.e.counts.Count(store.Counted{Of: t.of, Tenant: t.tenant, Token: token})
		if known {
			counts[i] = n
			continue
		}
		fresh = append(fresh, i)
		queries = append(queries, store.Query{
			SQL:  `SELECT count(*) FROM ` + tokensOf(t.of) + ` WHERE tokens MATCH $1`,
			Args: []any{token},
			Row:  func(scan func(...any) error) error { return scan(&counts[i]) },
		})
	}
	if err := tx.QueryAll(ctx, queries...); err != nil {
		return nil, 0, err
	}
	for _, i := range fresh {
		t.e.counts.Learn(store.Counted{Of: t.of, Tenant: t.tenant, Token: t.tokens[i]}, counts[i])
	}
	rows, rest := number(averages)
	said, _ := number(rest)
	for _, n := range counts {
		n := float64(n)
		idf := math.Log((rows - n + 0.5) / (n + 0.5))
		if !(idf > 0) {
			idf = 1e-6
		}
		weights = append(weights, idf)
	}
	return weights, max(said, 1) / max(rows, 1), nil
}

// number reads a number as SQLite packs them, seven bits a byte, and gives what is behind it.
func number(b []byte) (n float64, rest []byte) {
	var x uint64
	for i, c := range b {
		x = x<<7 | uint64(c&0x7f)
		if c < 0x80 {
			return float64(x), b[i+1:]
		}
	}
	return float64(x), nil
}
