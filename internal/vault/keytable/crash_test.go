package keytable_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/pgtest"
	"github.com/recallerhq/recaller/internal/vault"
)

// The server is killed while 32 writers put keys: whoever was told that a key is stored finds it when the server is
// back, with the store that was open all the while. In between every answer is that the store is away.
func TestAcknowledgedKeysSurviveACrashOfTheServer(t *testing.T) {
	t.Parallel()
	server := pgtest.OwnServer(t)
	k := open(t, ownDatabase(t, server).App)

	const enough = 500
	var mu sync.Mutex // guards acked and refused
	var acked []vault.StoredKey
	var refused []error
	reached := make(chan struct{})
	var wg sync.WaitGroup
	for w := range 32 {
		wg.Go(func() {
			for i := 0; ; i++ {
				id := fmt.Sprintf("%d-%d", w, i)
				key := vault.StoredKey{Scope: vault.Scope{Tenant: "t1", Caller: recaller.CallerID(id)}, Wrapped: []byte("wrapped " + id)}
				_, err := k.PutKey(t.Context(), key)
				mu.Lock()
				if err != nil {
					refused = append(refused, err)
					mu.Unlock()
					return
				}
				if acked = append(acked, key); len(acked) == enough {
					close(reached)
				}
				mu.Unlock()
			}
		})
	}
	select {
	case <-reached:
	case <-time.After(time.Minute):
		t.Fatal("the writers did not come far enough")
	}
	server.Halt()
	wg.Wait()
	for _, err := range refused {
		if !errors.Is(err, recaller.Unavailable) {
			t.Errorf("put while the server died: got %v, want unavailable", err)
		}
	}
	if _, _, err := k.Key(t.Context(), caller(1)); !errors.Is(err, recaller.Unavailable) {
		t.Errorf("key while the server is away: got %v, want unavailable", err)
	}
	server.Start()
	for _, key := range acked {
		got, found, err := k.Key(t.Context(), key.Scope)
		if err != nil || !found || string(got.Wrapped) != string(key.Wrapped) {
			t.Fatalf("acknowledged key of %d: found %v, error %v", len(acked), found, err)
		}
	}
	t.Logf("%d keys were acknowledged before the crash", len(acked))
}

// A server that was started anew has cut every connection: nobody notices who asks afterwards.
func TestConnectionsThatWereCutAreNotNoticed(t *testing.T) {
	t.Parallel()
	db := database(t)
	k := open(t, db.App)
	putMany(t, k, newRand(11), 50) // as many connections as there may be
	super := connect(t, db.Super)
	exec(t, super, `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`)
	for i := range 50 {
		if _, found, err := k.Key(t.Context(), caller(i)); err != nil || !found {
			t.Fatalf("key %d: found %v, %v", i, found, err)
		}
	}
	exec(t, super, `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`)
	got, err := k.PutKey(t.Context(), vault.StoredKey{Scope: caller(100), Fingerprint: "f", Wrapped: []byte("new")})
	if err != nil || string(got.Wrapped) != "new" {
		t.Errorf("put: got %q, %v", got.Wrapped, err)
	}
}
