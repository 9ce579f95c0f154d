package keytable_test

import (
	"sync"
	"testing"

	"github.com/recallerhq/recaller/internal/pgtest"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/keytable"
)

// filled returns a store with 100,000 keys on a server that waits for the disk, as the tests' shared one does not.
func filled(b *testing.B) *keytable.Keys {
	b.Helper()
	db := ownDatabase(b, pgtest.OwnServer(b))
	exec(b, connect(b, db.Super), `INSERT INTO recaller_keys.keys SELECT 't1', 'caller-' || to_char(i, 'FM000000'), 'f', FALSE, sha512(i::text::bytea) FROM generate_series(0, 99999) i`)
	return open(b, db.App)
}

func BenchmarkKey(b *testing.B) {
	k := filled(b)
	i := 0
	for b.Loop() {
		if _, found, err := k.Key(b.Context(), caller(i*7919%100_000)); err != nil || !found {
			b.Fatal(found, err)
		}
		i++
	}
}

func BenchmarkPutKeyAlone(b *testing.B) {
	k := filled(b)
	key := vault.StoredKey{Fingerprint: "0123456789abcdef", Wrapped: wrapped(newRand(1))}
	i := 0
	for b.Loop() {
		key.Scope = caller(100_000 + i)
		if _, err := k.PutKey(b.Context(), key); err != nil {
			b.Fatal(err)
		}
		i++
	}
}

func BenchmarkPutKey64(b *testing.B) {
	k := filled(b)
	var wg sync.WaitGroup
	b.ResetTimer()
	for w := range 64 {
		wg.Go(func() {
			for i := w; i < b.N; i += 64 {
				key := vault.StoredKey{Scope: caller(100_000 + i), Fingerprint: "0123456789abcdef", Wrapped: make([]byte, 65)}
				if _, err := k.PutKey(b.Context(), key); err != nil {
					b.Error(err)
				}
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "keys/s")
}

func BenchmarkDestroyKey(b *testing.B) {
	k := filled(b)
	i := 0
	for b.Loop() {
		if _, err := k.DestroyKey(b.Context(), caller(i%100_000)); err != nil {
			b.Fatal(err)
		}
		i++
	}
}
