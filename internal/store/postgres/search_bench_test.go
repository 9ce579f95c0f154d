package postgres_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgvector/pgvector-go"
	pgxvector "github.com/pgvector/pgvector-go/pgx"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/pgtest"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/postgres"
	"github.com/recallerhq/recaller/internal/store/postgres/postgrestest"
	"github.com/recallerhq/recaller/internal/store/storetest"
)

// crowd is a database of a tenant with many conversations or documents.
type crowd struct {
	testing.TB
	storetest.Population
	db pgtest.Database
	e  *postgres.Engine
}

// newCrowd copies a population in, as a superuser, and makes the indexes afterwards: row by row they take much longer.
func newCrowd(t testing.TB, people ...storetest.Population) *crowd {
	t.Helper()
	c := &crowd{TB: t, Population: people[0], db: postgrestest.Database(t)}
	ctx := t.Context()
	conn, err := pgx.Connect(ctx, c.db.Super)
	c.ok(err)
	defer conn.Close(context.Background())
	c.ok(pgxvector.RegisterTypes(ctx, conn))
	exec := func(sql string) {
		t.Helper()
		_, err := conn.Exec(ctx, sql)
		c.ok(err)
	}
	var again []string
	rows, err := conn.Query(ctx, `SELECT indexname, indexdef FROM pg_indexes WHERE indexdef LIKE '%USING hnsw%' OR indexdef LIKE '%USING gin%'`)
	c.ok(err)
	var name, def string
	_, err = pgx.ForEachRow(rows, []any{&name, &def}, func() error { again = append(again, name, def); return nil })
	c.ok(err)
	for i := 0; i < len(again); i += 2 {
		exec(`DROP INDEX ` + again[i])
	}
	exec(`CREATE TEMP TABLE said (tenant_id TEXT, id TEXT, caller_id TEXT, length BIGINT, tokens TEXT[], created_at BIGINT)`)
	for _, p := range people {
		c.copyIn(ctx, conn, &p)
	}
	columns := `tenant_id, id, caller_id, length, array_to_tsvector(tokens)`
	into := `tenant_id, ` + c.Thing().Key() + `, caller_id, length, tokens`
	if c.Thing() == store.Documents {
		columns, into = columns+`, created_at`, into+`, created_at`
	}
	exec(`INSERT INTO ` + c.Thing().Words() + ` (` + into + `) SELECT ` + columns + ` FROM said`)
	exec(`SET maintenance_work_mem = '1GB'; SET max_parallel_maintenance_workers = 2`)
	for i := 1; i < len(again); i += 2 {
		exec(again[i])
	}
	exec(`VACUUM ANALYZE`)
	c.e = open(t, c.db.App)
	return c
}

func (c *crowd) ok(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

func (c *crowd) copyIn(ctx context.Context, conn *pgx.Conn, p *storetest.Population) {
	c.Helper()
	put := func(table string, columns []string, n int, row func(i int) []any) {
		_, err := conn.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromSlice(n, func(i int) ([]any, error) { return row(i), nil }))
		c.ok(err)
	}
	callers := map[recaller.CallerID]bool{}
	var list []recaller.CallerID
	for i := range p.Size {
		if who := p.Caller(i); !callers[who] {
			callers[who] = true
			list = append(list, who)
		}
	}
	body := make([]byte, 500)
	put("callers", []string{"tenant_id", "id", "first_seen", "last_seen", "body"}, len(list), func(i int) []any {
		return []any{string(p.Tenant), string(list[i]), 0, 0, body[:100]}
	})
	if p.Thing() == store.Documents {
		put("documents", []string{
			"tenant_id", "id", "caller_id", "conversation_id", "origin", "pinned", "created_at", "updated_at", "version", "body",
		}, p.Size, func(i int) []any {
			at := p.At(i).UnixMicro()
			return []any{string(p.Tenant), p.ID(i), string(p.Caller(i)), "", "session", false, at, at, 1, make([]byte, 1500)}
		})
		put("document_tags", []string{"tenant_id", "token", "created_at", "document_id", "caller_id"}, p.Size, func(i int) []any {
			return []any{string(p.Tenant), []byte(p.Intent(i)), p.At(i).UnixMicro(), p.ID(i), string(p.Caller(i))}
		})
	} else {
		put("conversations", []string{
			"tenant_id", "id", "caller_id", "channel", "direction", "status", "reminder", "imported", "started_at", "last_activity_at", "intent", "sentiment", "outcome", "topics", "analysed_by", "body", "summary",
		}, p.Size, func(i int) []any {
			at := p.At(i).UnixMicro()
			return []any{string(p.Tenant), p.ID(i), string(p.Caller(i)), "voice", "inbound", "completed", false, false, at, at, p.Intent(i), "neutral", "resolved", "", "rules", body[:250], body}
		})
	}
	put(p.Thing().Embeddings(), []string{"tenant_id", p.Thing().Key(), "caller_id", "model", "part", "width", "made_at", "vector"}, p.Size, func(i int) []any {
		return []any{string(p.Tenant), p.ID(i), string(p.Caller(i)), p.Model, 0, p.Width, 0, pgvector.NewHalfVector(p.Vector(i))}
	})
	if p.Words == 0 {
		return
	}
	put("said", []string{"tenant_id", "id", "caller_id", "length", "tokens", "created_at"}, p.Size, func(i int) []any {
		tokens := []string{"any"}
		length := 0
		for token, n := range p.Tokens(i) {
			tokens, length = append(tokens, token), length+n
			if n >= 3 {
				tokens = append(tokens, token+"x")
			}
		}
		return []any{string(p.Tenant), p.ID(i), string(p.Caller(i)), length, tokens, p.At(i).UnixMicro()}
	})
}

func (c *crowd) read(ctx context.Context, fn func(store.Tx) error) error {
	return c.e.Read(ctx, c.Tenant, "", fn)
}

func (c *crowd) similar(i int, among store.Among) []store.Near {
	c.Helper()
	e := recaller.Embedding{Model: c.Model, Vector: c.Vector(c.Size + i)}
	found, err := c.e.Similar(c.Context(), c.read, store.Nearest{Among: among, Tenant: c.Tenant, Embedding: e, Limit: 50})
	c.ok(err)
	return found
}

// BenchmarkSimilar searches 100,000 conversations, and as many documents, by vectors.
func BenchmarkSimilar(b *testing.B) {
	for _, thing := range store.Things() {
		for _, width := range []int{256, 1536} {
			b.Run(fmt.Sprint(thing, "/", width), func(b *testing.B) {
				c := newCrowd(b, storetest.Population{Of: thing, Tenant: "t", Model: "m", Width: width, Size: 100_000, Seed: 1})
				b.Run("recall", c.benchmarkRecall)
				for name, among := range storetest.Filters(&c.Population) {
					b.Run(name, func(b *testing.B) {
						c.similar(0, among)
						measure(b, func(i int) int { return len(c.similar(i, among)) })
					})
				}
			})
		}
	}
}

// measure tells how long searches take, and how many they find.
func measure(b *testing.B, search func(i int) int) {
	b.Helper()
	var took []time.Duration
	n := 0
	for i := range b.N {
		began := time.Now()
		n = search(i)
		took = append(took, time.Since(began))
	}
	b.ReportMetric(float64(n), "found")
	storetest.Quantiles(b, took, 0.5, 0.99)
}

func (c *crowd) benchmarkRecall(b *testing.B) {
	all := storetest.Filters(&c.Population)["all"]
	b.ReportMetric(c.Recall(10, 50, func(i int) []store.Near { return c.similar(i, all)[:10] }), "recall@10")
}

// BenchmarkMatching searches the same by words.
func BenchmarkMatching(b *testing.B) {
	for _, thing := range store.Things() {
		b.Run(string(thing), func(b *testing.B) {
			c := newCrowd(b, storetest.Population{Of: thing, Tenant: "t", Model: "m", Width: 8, Size: 100_000, Seed: 1, Words: 150})
			for name, tokens := range storetest.Queries() {
				for which, among := range storetest.Filters(&c.Population) {
					b.Run(name+"/"+which, func(b *testing.B) {
						measure(b, func(int) int {
							found, err := c.e.Matching(b.Context(), c.read, store.Matching{Among: among, Tenant: "t", Tokens: tokens, Limit: 50})
							c.ok(err)
							return len(found)
						})
					})
				}
			}
		})
	}
}
