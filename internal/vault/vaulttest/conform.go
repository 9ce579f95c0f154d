package vaulttest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

// Conform runs the conformance suite of key stores; open returns an empty store that the test's end closes.
func Conform(t *testing.T, open func(t *testing.T) vault.KeyStore) {
	t.Run("a key is put once", func(t *testing.T) { putOnce(t, open(t)) })
	t.Run("of many who put at once one wins", func(t *testing.T) { oneWinner(t, open(t)) })
	t.Run("a destroyed key stays destroyed", func(t *testing.T) { staysDestroyed(t, open(t)) })
	t.Run("keys of callers are found together", func(t *testing.T) { together(t, open(t)) })
	t.Run("keys are listed in pages", func(t *testing.T) { pages(t, open(t)) })
	t.Run("keys are replaced only if unchanged", func(t *testing.T) { replaceUnchanged(t, open(t)) })
	t.Run("values are put once and replaced if unchanged", func(t *testing.T) { values(t, open(t)) })
}

func key(tenant, caller, wrapped string) vault.StoredKey {
	return vault.StoredKey{
		Scope:       vault.Scope{Tenant: recaller.TenantID(tenant), Caller: recaller.CallerID(caller)},
		Fingerprint: "f" + wrapped, Wrapped: []byte(wrapped),
	}
}

func put(t *testing.T, s vault.KeyStore, k vault.StoredKey) vault.StoredKey {
	t.Helper()
	got, err := s.PutKey(t.Context(), k)
	if err != nil {
		t.Fatalf("put %v: %v", k.Scope, err)
	}
	return got
}

func wantKey(t *testing.T, s vault.KeyStore, want vault.StoredKey) {
	t.Helper()
	got, found, err := s.Key(t.Context(), want.Scope)
	if err != nil || !found {
		t.Fatalf("key %v: found %v, error %v", want.Scope, found, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("key %v (-want +got):\n%s", want.Scope, diff)
	}
}

func putOnce(t *testing.T, s vault.KeyStore) {
	first := key("t1", "c1", "one")
	if _, found, err := s.Key(t.Context(), first.Scope); found || err != nil {
		t.Errorf("empty store: found %v, error %v; want neither", found, err)
	}
	if diff := cmp.Diff(first, put(t, s, first)); diff != "" {
		t.Errorf("first put (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(first, put(t, s, key("t1", "c1", "two"))); diff != "" {
		t.Errorf("second put (-want +got):\n%s", diff)
	}
	for _, other := range []vault.StoredKey{key("t1", "", "own"), key("t2", "c1", "elsewhere"), key("t1", "C1", "case")} {
		put(t, s, other)
		wantKey(t, s, other)
	}
	wantKey(t, s, first)
}

func together(t *testing.T, s vault.KeyStore) {
	for _, k := range []vault.StoredKey{key("t1", "", "own"), key("t1", "c1", "one"), key("t1", "c2", "two"), key("t1", "c3", "three"), key("t2", "c1", "elsewhere")} {
		put(t, s, k)
	}
	if _, err := s.DestroyKey(t.Context(), vault.Scope{Tenant: "t1", Caller: "c2"}); err != nil {
		t.Fatal(err)
	}
	got, err := s.CallerKeys(t.Context(), "t1", []recaller.CallerID{"c1", "c2", "nobody"})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(got, func(a, b vault.StoredKey) int { return strings.Compare(string(a.Scope.Caller), string(b.Scope.Caller)) })
	gone := key("t1", "c2", "two")
	gone.Wrapped = nil
	if diff := cmp.Diff([]vault.StoredKey{key("t1", "c1", "one"), gone}, got); diff != "" {
		t.Errorf("of two callers and nobody (-want +got):\n%s", diff)
	}
	if got, err := s.CallerKeys(t.Context(), "t1", nil); len(got) > 0 || err != nil {
		t.Errorf("of no caller: got %d keys, %v", len(got), err)
	}
}

func oneWinner(t *testing.T, s vault.KeyStore) {
	const writers = 32
	got := make([]vault.StoredKey, writers)
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			k, err := s.PutKey(t.Context(), key("t1", "c1", fmt.Sprintf("k%03d", i)))
			if err != nil {
				t.Error(err)
			}
			got[i] = k
		})
	}
	wg.Wait()
	for i := range got {
		if diff := cmp.Diff(got[0], got[i]); diff != "" {
			t.Errorf("writer %d saw another key than writer 0 (-0 +%d):\n%s", i, i, diff)
		}
	}
	wantKey(t, s, got[0])
}

func staysDestroyed(t *testing.T, s vault.KeyStore) {
	k := put(t, s, key("t1", "c1", "one"))
	neighbour := put(t, s, key("t1", "c2", "two"))
	tombstone := vault.StoredKey{Scope: k.Scope, Fingerprint: k.Fingerprint}
	for range 2 {
		got, err := s.DestroyKey(t.Context(), k.Scope)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tombstone, got); diff != "" {
			t.Errorf("tombstone (-want +got):\n%s", diff)
		}
	}
	if got := put(t, s, key("t1", "c1", "anew")); !got.Destroyed() {
		t.Error("a put after the destruction brought a key back")
	}
	if n, err := s.ReplaceKeys(t.Context(), []vault.Rewrap{{Scope: k.Scope, Old: []byte("one"), New: []byte("new")}}); n != 0 || err != nil {
		t.Errorf("replace a destroyed key: %d, %v; want 0, nil", n, err)
	}
	wantKey(t, s, tombstone)
	wantKey(t, s, neighbour)

	never := vault.Scope{Tenant: "t1", Caller: "never had one"}
	if _, err := s.DestroyKey(t.Context(), never); err != nil {
		t.Fatal(err)
	}
	wantKey(t, s, vault.StoredKey{Scope: never})
	if n, err := s.CountKeys(t.Context()); n != 1 || err != nil {
		t.Errorf("count: %d, %v; want 1, nil", n, err)
	}
}

func pages(t *testing.T, s vault.KeyStore) {
	var want []vault.StoredKey
	for tenant := range 3 {
		for caller := range 5 {
			name := fmt.Sprint(caller)
			if caller == 0 {
				name = ""
			}
			want = append(want, put(t, s, key(fmt.Sprint("t", tenant), name, fmt.Sprint("w", tenant, caller))))
		}
	}
	gone := put(t, s, key("t1", "11", "gone"))
	if _, err := s.DestroyKey(t.Context(), gone.Scope); err != nil {
		t.Fatal(err)
	}
	var got []vault.StoredKey
	var after vault.Scope
	for {
		page, err := s.Keys(t.Context(), after, 4)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, page...)
		if len(page) < 4 {
			break
		}
		after = page[3].Scope
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
}

func replaceUnchanged(t *testing.T, s vault.KeyStore) {
	a, b := put(t, s, key("t1", "a", "a-1")), put(t, s, key("t1", "b", "b-1"))
	n, err := s.ReplaceKeys(t.Context(), []vault.Rewrap{
		{Scope: a.Scope, Old: []byte("a-1"), New: []byte("a-2")},
		{Scope: b.Scope, Old: []byte("b-0"), New: []byte("b-2")},
		{Scope: vault.Scope{Tenant: "t1", Caller: "none"}, Old: []byte("x-1"), New: []byte("x-2")},
	})
	if n != 1 || err != nil {
		t.Errorf("replace: %d, %v; want 1, nil", n, err)
	}
	a.Wrapped = []byte("a-2")
	wantKey(t, s, a)
	wantKey(t, s, b)
}

func values(t *testing.T, s vault.KeyStore) {
	ctx := t.Context()
	for _, v := range []string{"one", "two"} {
		if got, err := s.PutValue(ctx, "name", []byte(v)); string(got) != "one" || err != nil {
			t.Errorf("put %s: got %q, %v; want the first", v, got, err)
		}
	}
	steps := []struct {
		old, value []byte
		want       bool
	}{
		{[]byte("other"), []byte("x"), false},
		{[]byte("one"), []byte("two"), true},
		{[]byte("one"), nil, false},
		{[]byte("two"), nil, true},
		{[]byte("two"), []byte("x"), false},
	}
	for _, step := range steps {
		if got, err := s.ReplaceValue(ctx, "name", step.old, step.value); got != step.want || err != nil {
			t.Errorf("replace %q by %q: %v, %v; want %v", step.old, step.value, got, err, step.want)
		}
	}
	if _, err := s.PutValue(ctx, "other", bytes.Repeat([]byte{7}, 100)); err != nil {
		t.Fatal(err)
	}
	got, err := s.Values(ctx)
	if diff := cmp.Diff(map[string][]byte{"other": bytes.Repeat([]byte{7}, 100)}, got); diff != "" || err != nil {
		t.Errorf("values, error %v (-want +got):\n%s", err, diff)
	}
}
