package vault_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/keyfile"
	"github.com/recallerhq/recaller/internal/vault/vaulttest"
)

var sentence = []byte("My daughter visits on Sundays, and we usually go to the farmers' market near the old station together.")

func BenchmarkVault(b *testing.B) {
	for name, scope := range map[string]vault.Scope{"caller": ana, "tenant": tenant} {
		v := vaulttest.New(b)
		s, err := v.Sealer(b.Context(), scope)
		if err != nil {
			b.Fatal(err)
		}
		sealed, err := s.Seal(place, sentence)
		if err != nil {
			b.Fatal(err)
		}
		buf := make([]byte, 0, 256)
		run := func(what string, do func() error) {
			b.Run(name+"/"+what, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := do(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		run("Vault.Seal", func() error { _, err := v.Seal(b.Context(), scope, place, sentence); return err })
		run("Vault.Open", func() error { _, err := v.Open(b.Context(), scope, place, sealed); return err })
		run("Sealer.Seal", func() error { _, err := s.Seal(place, sentence); return err })
		run("Sealer.Open", func() error { _, err := s.Open(place, sealed); return err })
		run("Sealer.AppendSeal", func() error { _, err := s.AppendSeal(buf, place, sentence); return err })
		run("Sealer.AppendOpen", func() error { _, err := s.AppendOpen(buf, place, sealed); return err })
	}
}

func BenchmarkBlind(b *testing.B) {
	v := vaulttest.New(b)
	if _, err := v.Sealer(b.Context(), vault.Scope{Tenant: "t1"}); err != nil {
		b.Fatal(err)
	}
	blinder, err := v.Blinder(b.Context(), "t1")
	if err != nil {
		b.Fatal(err)
	}
	buf := make([]byte, 0, vault.BlindSize)
	b.ReportAllocs()
	for b.Loop() {
		blinder.AppendBlind(buf, "phone", "+15550001111")
	}
}

// A caller whose key is not in memory: one read of the key file and one unwrapping.
func BenchmarkColdOpen(b *testing.B) {
	store, err := keyfile.Open(filepath.Join(b.TempDir(), "keys.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	ring := ring(b, keyA)
	sealed := seal(b, vault.New(ring, store, vault.Options{}), ana, place, sentence)
	b.ReportAllocs()
	for b.Loop() {
		v := vault.New(ring, store, vault.Options{})
		if _, err := v.Open(b.Context(), ana, place, sealed); err != nil {
			b.Fatal(err)
		}
	}
}

// How much memory a full cache of 10,000 keys takes.
func BenchmarkCacheMemory(b *testing.B) {
	const keys = 10_000
	var before, after runtime.MemStats
	store := vaulttest.NewMemory()
	filled := vault.New(ring(b, keyA), store, vault.Options{})
	for i := range keys {
		seal(b, filled, vault.Scope{Tenant: "t1", Caller: recaller.CallerID(fmt.Sprint(i))}, place, sentence)
	}
	v := vault.New(ring(b, keyA), store, vault.Options{})
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range keys {
		if _, err := v.Opener(b.Context(), vault.Scope{Tenant: "t1", Caller: recaller.CallerID(fmt.Sprint(i))}); err != nil {
			b.Fatal(err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/keys, "B/key")
	runtime.KeepAlive(v)
	runtime.KeepAlive(filled)
}
