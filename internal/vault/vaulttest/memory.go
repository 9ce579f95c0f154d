// Package vaulttest helps tests that need a vault: a key store in memory, and the conformance suite that every key
// store passes. It is not for production: keys in memory are gone with the process.
package vaulttest

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

// New returns a vault with a key of its own over a key store in memory.
func New(t testing.TB) *vault.Vault {
	t.Helper()
	ring, err := vault.NewRing(vault.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	return vault.New(ring, NewMemory(), vault.Options{})
}

// Memory is a vault.KeyStore in memory.
type Memory struct {
	mu     sync.Mutex // guards all below
	keys   map[vault.Scope]vault.StoredKey
	values map[string][]byte
}

// NewMemory returns an empty store.
func NewMemory() *Memory {
	return &Memory{keys: map[vault.Scope]vault.StoredKey{}, values: map[string][]byte{}}
}

// Without returns a copy of the store that never had some of the keys: a backup from before they were made.
func (m *Memory) Without(scopes ...vault.Scope) *Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := &Memory{keys: maps.Clone(m.keys), values: maps.Clone(m.values)}
	for _, s := range scopes {
		delete(out.keys, s)
	}
	return out
}

// Damage flips a bit of a wrapped key.
func (m *Memory) Damage(scope vault.Scope) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := m.keys[scope]
	k.Wrapped = slices.Clone(k.Wrapped)
	k.Wrapped[len(k.Wrapped)-1] ^= 1
	m.keys[scope] = k
}

// Key implements vault.KeyStore.
func (m *Memory) Key(_ context.Context, scope vault.Scope) (vault.StoredKey, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k, ok := m.keys[scope]
	return k, ok, nil
}

// CallerKeys implements vault.KeyStore.
func (m *Memory) CallerKeys(_ context.Context, tenant recaller.TenantID, callers []recaller.CallerID) (list []vault.StoredKey, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range callers {
		if k, ok := m.keys[vault.Scope{Tenant: tenant, Caller: c}]; ok {
			list = append(list, k)
		}
	}
	return list, nil
}

// PutKey implements vault.KeyStore.
func (m *Memory) PutKey(_ context.Context, key vault.StoredKey) (vault.StoredKey, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if k, ok := m.keys[key.Scope]; ok {
		return k, nil
	}
	m.keys[key.Scope] = key
	return key, nil
}

// DestroyKey implements vault.KeyStore.
func (m *Memory) DestroyKey(_ context.Context, scope vault.Scope) (vault.StoredKey, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := vault.StoredKey{Scope: scope, Fingerprint: m.keys[scope].Fingerprint}
	m.keys[scope] = k
	return k, nil
}

// Keys implements vault.KeyStore.
func (m *Memory) Keys(_ context.Context, after vault.Scope, limit int) ([]vault.StoredKey, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []vault.StoredKey
	for _, k := range m.keys {
		if !k.Destroyed() && compare(k.Scope, after) > 0 {
			list = append(list, k)
		}
	}
	slices.SortFunc(list, func(a, b vault.StoredKey) int { return compare(a.Scope, b.Scope) })
	return list[:min(limit, len(list))], nil
}

// CountKeys implements vault.KeyStore.
func (m *Memory) CountKeys(context.Context) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, k := range m.keys {
		if !k.Destroyed() {
			n++
		}
	}
	return n, nil
}

// ReplaceKeys implements vault.KeyStore.
func (m *Memory) ReplaceKeys(_ context.Context, changes []vault.Rewrap) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, c := range changes {
		k := m.keys[c.Scope]
		if k.Destroyed() || !bytes.Equal(k.Wrapped, c.Old) {
			continue
		}
		k.Wrapped = c.New
		m.keys[c.Scope] = k
		n++
	}
	return n, nil
}

// Values implements vault.KeyStore.
func (m *Memory) Values(context.Context) (map[string][]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.values), nil
}

// PutValue implements vault.KeyStore.
func (m *Memory) PutValue(_ context.Context, name string, value []byte) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.values[name] == nil {
		m.values[name] = value
	}
	return m.values[name], nil
}

// ReplaceValue implements vault.KeyStore.
func (m *Memory) ReplaceValue(_ context.Context, name string, old, value []byte) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.values[name] == nil || !bytes.Equal(m.values[name], old) {
		return false, nil
	}
	if value == nil {
		delete(m.values, name)
	} else {
		m.values[name] = value
	}
	return true, nil
}

func compare(a, b vault.Scope) int {
	return cmp.Or(strings.Compare(string(a.Tenant), string(b.Tenant)), strings.Compare(string(a.Caller), string(b.Caller)))
}
