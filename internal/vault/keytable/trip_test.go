package keytable_test

import (
	"fmt"
	"net"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/recallerhq/recaller/internal/vault"
)

// A call that starts waits for one round trip for a key that is not in memory, and for one to make it.
func TestAKeyTakesOneRoundTrip(t *testing.T) {
	t.Parallel()
	db := database(t)
	through, trips := counting(t, db.App)
	k := open(t, through)
	key := vault.StoredKey{Scope: caller(1), Fingerprint: "f", Wrapped: wrapped(newRand(1))}
	both := func(i int) {
		t.Helper()
		key.Scope = caller(i)
		if _, err := k.PutKey(t.Context(), key); err != nil {
			t.Fatal(err)
		}
		if _, found, err := k.Key(t.Context(), key.Scope); err != nil || !found {
			t.Fatal(found, err)
		}
	}
	k.Idle()
	both(0) // the statements are prepared
	before := trips.Load()
	for i := range 10 {
		both(1 + i)
	}
	if got := trips.Load() - before; got != 20 {
		t.Errorf("10 puts and 10 look-ups took %d round trips, want 20", got)
	}
}

// counting returns a URL that leads to the same database through a listener that counts round trips.
func counting(t *testing.T, to string) (through string, trips *atomic.Int64) {
	t.Helper()
	cfg, err := pgconn.ParseConfig(to)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	trips = &atomic.Int64{}
	network, address := pgconn.NetworkAddress(cfg.Host, cfg.Port)
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return // closed
			}
			server, err := net.Dial(network, address)
			if err != nil {
				_ = client.Close()
				return
			}
			var answered atomic.Bool
			go forward(client, server, func() {
				if answered.Swap(false) {
					trips.Add(1)
				}
			})
			go forward(server, client, func() { answered.Store(true) })
		}
	}()
	query := url.Values{"host": {"127.0.0.1"}, "port": {fmt.Sprint(listener.Addr().(*net.TCPAddr).Port)}, "sslmode": {"disable"}, "pool_max_conns": {"1"}}
	return (&url.URL{Scheme: "postgres", User: url.UserPassword(cfg.User, cfg.Password), Path: "/" + cfg.Database, RawQuery: query.Encode()}).String(), trips
}

// forward copies until an end is closed, and calls seen before each piece goes on.
func forward(from, to net.Conn, seen func()) {
	defer from.Close()
	defer to.Close()
	piece := make([]byte, 64<<10)
	for {
		n, err := from.Read(piece)
		if err != nil {
			return
		}
		seen()
		if _, err := to.Write(piece[:n]); err != nil {
			return
		}
	}
}
