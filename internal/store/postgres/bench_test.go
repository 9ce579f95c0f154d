package postgres_test

import (
	"context"
	"errors"
	"testing"

	"github.com/recallerhq/recaller/internal/pgtest"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/postgres"
	"github.com/recallerhq/recaller/internal/store/postgres/postgrestest"
	"github.com/recallerhq/recaller/internal/store/storetest"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/keytable"
)

// served is data on a server of its own whose commits are on disk, and with the keys in their own schema of it, as
// where people are served.
type served struct {
	*storetest.Data
	db   pgtest.Database
	ring *vault.Ring
}

func newServed(b *testing.B) *served {
	b.Helper()
	s := &served{db: pgtest.OwnServer(b).Database()}
	ctx := context.Background()
	ring, err := vault.NewRing(vault.NewKey())
	if err := errors.Join(err, postgres.Migrate(ctx, s.db.Owner, s.db.AppRole()), keytable.Migrate(ctx, s.db.Owner, s.db.AppRole())); err != nil {
		b.Fatal(err)
	}
	s.ring = ring
	s.Data = storetest.NewData(b, s.cold(b)())
	return s
}

// cold opens the database anew, on connections that know no statement yet, for stores that have all keys to read first.
func (s *served) cold(b *testing.B) func() *store.Store {
	b.Helper()
	keys, err := keytable.Open(context.Background(), s.db.App)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := keys.Close(); err != nil {
			b.Error(err)
		}
	})
	e := openAs(b, s.db.App, postgres.Options{})
	return func() *store.Store { return store.New(e, vault.New(s.ring, keys, vault.Options{})) }
}

func BenchmarkAppendTurns(b *testing.B) { storetest.BenchmarkAppendTurns(b, newServed(b).Data) }

func BenchmarkStoreMemory(b *testing.B) {
	storetest.BenchmarkStoreMemory(b, func(b *testing.B) *storetest.Data { return newServed(b).Data })
}

func BenchmarkExtraction(b *testing.B) { storetest.BenchmarkExtraction(b, newServed(b).Data) }

func BenchmarkSnapshot(b *testing.B) {
	s := newServed(b)
	storetest.BenchmarkSnapshot(b, s.Data, s.cold)
}

func BenchmarkCorpus10k(b *testing.B) { storetest.BenchmarkCorpus10k(b, newServed(b).Data) }

func BenchmarkOpenConversation(b *testing.B) {
	storetest.BenchmarkOpenConversation(b, newServed(b).Data)
}

func BenchmarkOpen(b *testing.B) {
	s := newServed(b)
	storetest.BenchmarkOpen(b, func() (*postgres.Engine, error) {
		return postgres.Open(b.Context(), s.db.App, postgrestest.Secrets(), postgres.Options{})
	})
}
