package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/sqlite"
	"github.com/recallerhq/recaller/internal/store/storetest"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/keyfile"
)

// data is a data folder with one tenant.
type data struct {
	*storetest.Data
	dir string
	key string
}

func newData(t testing.TB) *data {
	t.Helper()
	d := &data{dir: t.TempDir(), key: vault.NewKey()}
	d.Data = storetest.NewData(t, store.New(open(t, d.path(), sqlite.Options{}), openVault(t, filepath.Join(d.dir, "keys.db"), d.key)))
	return d
}

func (d *data) path() string { return filepath.Join(d.dir, "recaller.db") }

// cold opens the data anew, as with all keys and the database's pages to be read first.
func (d *data) cold(b *testing.B) func() *store.Store {
	b.Helper()
	keys, err := keyfile.Open(filepath.Join(d.dir, "keys.db"))
	d.OK(err)
	b.Cleanup(func() { d.OK(keys.Close()) })
	ring, err := vault.NewRing(d.key)
	d.OK(err)
	e := open(b, d.path(), sqlite.Options{})
	return func() *store.Store { return store.New(e, vault.New(ring, keys, vault.Options{})) }
}

func BenchmarkAppendTurns(b *testing.B) { storetest.BenchmarkAppendTurns(b, newData(b).Data) }

func BenchmarkStoreMemory(b *testing.B) {
	storetest.BenchmarkStoreMemory(b, func(b *testing.B) *storetest.Data { return newData(b).Data })
}

func BenchmarkExtraction(b *testing.B) { storetest.BenchmarkExtraction(b, newData(b).Data) }

func BenchmarkSnapshot(b *testing.B) {
	d := newData(b)
	storetest.BenchmarkSnapshot(b, d.Data, d.cold)
}

func BenchmarkCorpus10k(b *testing.B) { storetest.BenchmarkCorpus10k(b, newData(b).Data) }

func BenchmarkOpenConversation(b *testing.B) { storetest.BenchmarkOpenConversation(b, newData(b).Data) }

func BenchmarkOpen(b *testing.B) {
	d := newData(b)
	storetest.BenchmarkOpen(b, func() (*sqlite.Engine, error) { return sqlite.Open(b.Context(), d.path(), sqlite.Options{}) })
}
