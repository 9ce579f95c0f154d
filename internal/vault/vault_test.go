package vault_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/keyfile"
	"github.com/recallerhq/recaller/internal/vault/vaulttest"
)

var (
	keyA = strings.Repeat("0a1b2c3d", 8)
	keyB = strings.Repeat("f0e1d2c3", 8)

	ana    = vault.Scope{Tenant: "t1", Caller: "ana"}
	tenant = vault.Scope{Tenant: "t1"}
	place  = vault.Place{Table: "turn.text", Record: "turn-1"}
	words  = []byte("My dog is called Biscuit.")
)

func ring(t testing.TB, current string, previous ...string) *vault.Ring {
	t.Helper()
	r, err := vault.NewRing(current, previous...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func seal(t testing.TB, v *vault.Vault, s vault.Scope, p vault.Place, plain []byte) []byte {
	t.Helper()
	sealed, err := v.Seal(t.Context(), s, p, plain)
	if err != nil {
		t.Fatalf("seal: %v", err)
	}
	return sealed
}

func wantOpen(t testing.TB, v *vault.Vault, s vault.Scope, p vault.Place, sealed, want []byte) {
	t.Helper()
	got, err := v.Open(t.Context(), s, p, sealed)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("open %v %v: got %q, %v; want %q", s, p, got, err, want)
	}
}

func TestWhatIsSealedOpens(t *testing.T) {
	v := vaulttest.New(t)
	for _, scope := range []vault.Scope{ana, tenant} {
		for _, plain := range [][]byte{words, {}, bytes.Repeat([]byte{0}, 1<<16)} {
			sealed := seal(t, v, scope, place, plain)
			if len(plain) > 0 && bytes.Contains(sealed, plain) {
				t.Error("the plaintext is in the sealed value")
			}
			wantOpen(t, v, scope, place, sealed, plain)
			if again := seal(t, v, scope, place, plain); bytes.Equal(again, sealed) {
				t.Error("the same words sealed twice give the same bytes")
			}
		}
	}
}

func TestAppendingKeepsWhatIsThere(t *testing.T) {
	v := vaulttest.New(t)
	for _, scope := range []vault.Scope{ana, tenant} {
		s, err := v.Sealer(t.Context(), scope)
		if err != nil {
			t.Fatal(err)
		}
		sealed, err := s.AppendSeal([]byte("before"), place, words)
		if err != nil || !bytes.HasPrefix(sealed, []byte("before")) || len(sealed) != len("before")+len(words)+s.Overhead() {
			t.Fatalf("append seal: %d bytes, %v", len(sealed), err)
		}
		plain, err := s.AppendOpen([]byte("said: "), place, sealed[len("before"):])
		if want := "said: " + string(words); err != nil || string(plain) != want {
			t.Errorf("append open: got %q, %v; want %q", plain, err, want)
		}
	}
}

func TestMovedValuesDoNotOpen(t *testing.T) {
	v := vaulttest.New(t)
	for _, from := range []vault.Scope{ana, tenant} {
		sealed := seal(t, v, from, place, words)
		for name, to := range map[string]struct {
			scope vault.Scope
			place vault.Place
		}{
			"another record":        {from, vault.Place{Table: place.Table, Record: "turn-2"}},
			"another table":         {from, vault.Place{Table: "memory.value", Record: place.Record}},
			"the boundary shifted":  {from, vault.Place{Table: place.Table + "t", Record: "urn-1"}},
			"table and record swap": {from, vault.Place{Table: place.Record, Record: place.Table}},
			"another caller":        {vault.Scope{Tenant: from.Tenant, Caller: "bob"}, place},
			"another tenant":        {vault.Scope{Tenant: "t2", Caller: from.Caller}, place},
			"caller as tenant":      {vault.Scope{Tenant: "t1ana"}, place},
		} {
			seal(t, v, to.scope, to.place, []byte("so that a key is there"))
			if got, err := v.Open(t.Context(), to.scope, to.place, sealed); !errors.Is(err, recaller.Internal) || got != nil {
				t.Errorf("%v to %s: got %q, %v; want internal", from, name, got, err)
			}
		}
		wantOpen(t, v, from, place, sealed, words)
	}
}

func TestEveryBitCounts(t *testing.T) {
	v := vaulttest.New(t)
	for _, scope := range []vault.Scope{ana, tenant} {
		sealed := seal(t, v, scope, place, words)
		for i := range len(sealed) * 8 {
			bad := bytes.Clone(sealed)
			bad[i/8] ^= 1 << (i % 8)
			if _, err := v.Open(t.Context(), scope, place, bad); !errors.Is(err, recaller.Internal) {
				t.Errorf("%v, bit %d flipped: got %v, want internal", scope, i, err)
			}
		}
		for n := range sealed {
			if _, err := v.Open(t.Context(), scope, place, sealed[:n]); !errors.Is(err, recaller.Internal) {
				t.Errorf("%v, cut to %d bytes: got %v, want internal", scope, n, err)
			}
		}
	}
}

func TestOpeningMakesNoKey(t *testing.T) {
	store := vaulttest.NewMemory()
	v := vault.New(ring(t, keyA), store, vault.Options{})
	if _, err := v.Opener(t.Context(), ana); !errors.Is(err, recaller.NotFound) {
		t.Errorf("opener: got %v, want not found", err)
	}
	if n, _ := store.CountKeys(t.Context()); n != 0 {
		t.Errorf("%d keys were made, want none", n)
	}
	if _, err := v.Seal(t.Context(), vault.Scope{}, place, words); !errors.Is(err, recaller.Internal) {
		t.Errorf("without a tenant: got %v, want internal", err)
	}
	if _, err := (vault.Sealer{}).Seal(place, words); !errors.Is(err, recaller.Internal) {
		t.Errorf("zero sealer: got %v, want internal", err)
	}
}

func TestWrongKeyIsNamedAndAddsNothing(t *testing.T) {
	store := vaulttest.NewMemory()
	first := vault.New(ring(t, keyA), store, vault.Options{})
	if err := first.Check(t.Context()); err != nil {
		t.Fatalf("check of an empty store: %v", err)
	}
	if values, err := store.Values(t.Context()); len(values) != 0 || err != nil {
		t.Errorf("after the check of an empty store: got %d values, %v; want none", len(values), err)
	}
	sealed := seal(t, first, ana, place, words)

	wrong := ring(t, keyB)
	v := vault.New(wrong, store, vault.Options{})
	want := fmt.Sprintf("the data was sealed with key %s; MEMORY_ENCRYPTION_KEY is key %s: set the right key", ring(t, keyA).Current(), wrong.Current())
	_, openErr := v.Open(t.Context(), ana, place, sealed)
	_, sealErr := v.Seal(t.Context(), vault.Scope{Tenant: "t1", Caller: "new"}, place, words)
	_, signErr := v.Signer(t.Context())
	for what, err := range map[string]error{"check": v.Check(t.Context()), "open": openErr, "seal": sealErr, "sign": signErr} {
		if !errors.Is(err, recaller.Unavailable) || err.Error() != want {
			t.Errorf("%s: got %v, want %q", what, err, want)
		}
	}
	if n, _ := store.CountKeys(t.Context()); n != 1 {
		t.Errorf("%d keys, want 1: a server with the wrong key must add none", n)
	}
	if err := vault.New(ring(t, keyA), store, vault.Options{}).Check(t.Context()); err != nil {
		t.Errorf("the right key afterwards: %v", err)
	}
}

func TestRingTellsWhatIsWrongButNotTheKey(t *testing.T) {
	for name, test := range map[string]struct {
		current  string
		previous []string
		field    string
	}{
		"too short":          {keyA[:62], nil, "MEMORY_ENCRYPTION_KEY"},
		"too long":           {keyA + "00", nil, "MEMORY_ENCRYPTION_KEY"},
		"not hexadecimal":    {strings.Repeat("secretpw", 8), nil, "MEMORY_ENCRYPTION_KEY"},
		"empty":              {"", nil, "MEMORY_ENCRYPTION_KEY"},
		"one byte repeated":  {strings.Repeat("ab", 32), nil, "MEMORY_ENCRYPTION_KEY"},
		"a previous is none": {keyA, []string{keyB, "bad"}, "MEMORY_ENCRYPTION_KEY_PREVIOUS"},
	} {
		_, err := vault.NewRing(test.current, test.previous...)
		var e *recaller.Error
		if !errors.As(err, &e) || e.Kind != recaller.Invalid || e.Field != test.field {
			t.Errorf("%s: got %v, want invalid %s", name, err, test.field)
			continue
		}
		if test.current != "" && strings.Contains(err.Error(), test.current) {
			t.Errorf("%s: the error tells the key", name)
		}
	}
	r := ring(t, keyA, keyB, keyB)
	for _, text := range []string{fmt.Sprint(r), fmt.Sprintf("%+v", r), fmt.Sprintf("%#v", r)} {
		if want := "ring(" + ring(t, keyA).Current() + " " + ring(t, keyB).Current() + ")"; text != want {
			t.Errorf("printed: got %q, want %q", text, want)
		}
	}
}

func TestBlindTokens(t *testing.T) {
	store := vaulttest.NewMemory()
	v := vault.New(ring(t, keyA), store, vault.Options{})
	blind := func(v *vault.Vault, tenant recaller.TenantID, purpose, value string) string {
		t.Helper()
		b, err := v.Blind(t.Context(), tenant, purpose, value)
		if err != nil || len(b) != vault.BlindSize {
			t.Fatalf("blind: %d bytes, %v", len(b), err)
		}
		return string(b)
	}
	if _, err := v.Blind(t.Context(), "t1", "phone", "+15550001111"); !errors.Is(err, vault.ErrNoKey) {
		t.Errorf("without a key: got %v, want that there is none", err)
	}
	for _, tenant := range []recaller.TenantID{"t1", "t2"} { // only a Sealer makes one
		if _, err := v.Sealer(t.Context(), vault.Scope{Tenant: tenant}); err != nil {
			t.Fatal(err)
		}
	}
	token := blind(v, "t1", "phone", "+15550001111")
	for name, other := range map[string]string{
		"another tenant":  blind(v, "t2", "phone", "+15550001111"),
		"another purpose": blind(v, "t1", "external_id", "+15550001111"),
		"another value":   blind(v, "t1", "phone", "+15550001112"),
		"shifted":         blind(v, "t1", "phone+", "15550001111"),
	} {
		if other == token {
			t.Errorf("%s has the same token", name)
		}
	}
	// The token is the same in another process, and after a rotation: it depends on the tenant's key only.
	rotated := vault.New(ring(t, keyB, keyA), store, vault.Options{})
	if err := rotated.Rotate(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if blind(vault.New(ring(t, keyB), store, vault.Options{}), "t1", "phone", "+15550001111") != token {
		t.Error("the token changed with the rotation")
	}
}

type slowStore struct {
	vault.KeyStore
	afterKey func()
	reads    atomic.Int64
}

func (s *slowStore) Key(ctx context.Context, scope vault.Scope) (vault.StoredKey, bool, error) {
	s.reads.Add(1)
	k, found, err := s.KeyStore.Key(ctx, scope)
	if s.afterKey != nil {
		s.afterKey()
	}
	return k, found, err
}

func (s *slowStore) CallerKeys(ctx context.Context, tenant recaller.TenantID, callers []recaller.CallerID) ([]vault.StoredKey, error) {
	s.reads.Add(1)
	list, err := s.KeyStore.CallerKeys(ctx, tenant, callers)
	if s.afterKey != nil {
		s.afterKey()
	}
	return list, err
}

func TestKeysOfManyCallersAreReadAtOnce(t *testing.T) {
	store := &slowStore{KeyStore: vaulttest.NewMemory()}
	writing := vault.New(ring(t, keyA), store, vault.Options{})
	sealed := map[recaller.CallerID][]byte{}
	for _, c := range []recaller.CallerID{"a", "b", "gone", "going"} {
		sealed[c] = seal(t, writing, vault.Scope{Tenant: "t1", Caller: c}, place, words)
	}
	if _, err := writing.Destroy(t.Context(), vault.Scope{Tenant: "t1", Caller: "gone"}); err != nil {
		t.Fatal(err)
	}
	v := vault.New(ring(t, keyA), store, vault.Options{})
	store.reads.Store(0)
	store.afterKey = func() { // one is destroyed after its key was read
		store.afterKey = nil
		if _, err := v.Destroy(t.Context(), vault.Scope{Tenant: "t1", Caller: "going"}); err != nil {
			t.Error(err)
		}
	}
	asked := []recaller.CallerID{"a", "a", "b", "gone", "going", "nobody"}
	openers, err := v.Openers(t.Context(), "t1", asked)
	if err != nil {
		t.Fatal(err)
	}
	for c := range sealed {
		o, there := openers[c]
		if want := c == "a" || c == "b"; there != want {
			t.Errorf("caller %s: got an opener %v, want %v", c, there, want)
		} else if got, err := o.Open(place, sealed[c]); there && (err != nil || string(got) != string(words)) {
			t.Errorf("caller %s: got %q, %v", c, got, err)
		}
	}
	if len(openers) != 2 || store.reads.Load() > 3 { // in one read, and what the destruction may have made look up anew
		t.Errorf("got %d openers in %d reads, want 2 in at most 3", len(openers), store.reads.Load())
	}
	store.reads.Store(0)
	if _, err := v.Openers(t.Context(), "t1", []recaller.CallerID{"a", "b"}); err != nil || store.reads.Load() > 1 {
		t.Errorf("the second time: %d reads, %v", store.reads.Load(), err)
	}
}

func TestKeysAreCachedWithinBounds(t *testing.T) {
	store := &slowStore{KeyStore: vaulttest.NewMemory()}
	v := vault.New(ring(t, keyA), store, vault.Options{CacheSize: 64})
	for range 3 {
		seal(t, v, ana, place, words)
	}
	if got := store.reads.Load(); got != 1 {
		t.Errorf("%d reads of the key store for three seals, want 1", got)
	}
	for i := range 1000 {
		seal(t, v, vault.Scope{Tenant: "t1", Caller: recaller.CallerID(fmt.Sprint(i))}, place, words)
	}
	if got := v.Cached(); got > 64 {
		t.Errorf("%d keys in memory, want at most 64", got)
	}
}

func TestReceiptsAreSigned(t *testing.T) {
	store := vaulttest.NewMemory()
	signer, err := vault.New(ring(t, keyA), store, vault.Options{}).Signer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	message := []byte(`{"receipt":1}`)
	signature := signer.Sign(message)
	rotating := vault.New(ring(t, keyB, keyA), store, vault.Options{})
	if err := rotating.Rotate(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	later, err := vault.New(ring(t, keyB), store, vault.Options{}).Signer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if later.ID() != signer.ID() || !ed25519.Verify(later.Public(), message, signature) {
		t.Error("a signature does not verify with the key of the next start")
	}
	if ed25519.Verify(later.Public(), []byte(`{"receipt":2}`), signature) {
		t.Error("a wrong message verifies")
	}
	if text := fmt.Sprintf("%v %+v %#v", signer, signer, signer); strings.Count(text, signer.ID()) != 3 || len(text) > 90 {
		t.Errorf("printing a signer shows %q", text)
	}
}

func TestOnARealKeyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.db")
	store, err := keyfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	v := vault.New(ring(t, keyA), store, vault.Options{})
	if err := v.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	sealed := seal(t, v, ana, place, words)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if store, err = keyfile.Open(path); err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	v = vault.New(ring(t, keyA), store, vault.Options{})
	wantOpen(t, v, ana, place, sealed, words)
	if _, err := v.Destroy(t.Context(), ana); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Open(t.Context(), ana, place, sealed); !errors.Is(err, recaller.NotFound) {
		t.Errorf("after the destruction: got %v, want not found", err)
	}
}

func FuzzOpen(f *testing.F) {
	v := vaulttest.New(f)
	var handles []vault.Sealer
	for _, scope := range []vault.Scope{ana, tenant} {
		s, err := v.Sealer(f.Context(), scope)
		if err != nil {
			f.Fatal(err)
		}
		sealed, err := s.Seal(place, words)
		if err != nil {
			f.Fatal(err)
		}
		handles = append(handles, s)
		f.Add(sealed, "turn.text", "turn-2")
		f.Add(sealed[:20], "turn.text", "turn-1")
	}
	f.Fuzz(func(t *testing.T, sealed []byte, table, record string) {
		for _, s := range handles {
			if plain, err := s.Open(vault.Place{Table: table, Record: record}, sealed); err == nil && table != place.Table {
				t.Errorf("forged: %q opened to %q", sealed, plain)
			}
		}
	})
}
