package postgres_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/postgres"
	"github.com/recallerhq/recaller/internal/store/postgres/postgrestest"
)

// wire stands between an engine and its server. It counts how often the client waits for the server, and can hold
// everything up, as a network does that is cut without a word.
type wire struct {
	url      string
	listener net.Listener
	network  string
	address  string

	mu    sync.Mutex
	waits []string // what the client has waited for: "sync", or a simple query
	conns map[net.Conn]bool
	held  chan struct{} // nil: everything goes through
}

// newWire listens for connections to the server of a URL.
func newWire(t *testing.T, to string) *wire {
	t.Helper()
	cfg, err := pgx.ParseConfig(to)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{listener: l, conns: map[net.Conn]bool{}}
	w.network, w.address = pgconn.NetworkAddress(cfg.Host, cfg.Port)
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	u.Host, u.RawQuery = l.Addr().String(), "sslmode=disable"
	w.url = u.String()
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { w.carry(c) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		w.letGo()
		w.mu.Lock()
		for c := range w.conns {
			_ = c.Close()
		}
		w.mu.Unlock()
		wg.Wait()
	})
	return w
}

// carry carries one connection until either side ends it.
func (w *wire) carry(client net.Conn) {
	server, err := net.Dial(w.network, w.address)
	if err != nil {
		_ = client.Close()
		return
	}
	w.mu.Lock()
	w.conns[client], w.conns[server] = true, true
	w.mu.Unlock()
	end := func() {
		w.mu.Lock()
		delete(w.conns, client)
		delete(w.conns, server)
		w.mu.Unlock()
		_, _ = client.Close(), server.Close()
	}
	var wg sync.WaitGroup
	wg.Go(func() { w.listen(client, server); end() })
	wg.Go(func() {
		buf := make([]byte, 32<<10)
		for {
			n, err := server.Read(buf)
			w.pass()
			if _, werr := client.Write(buf[:n]); err != nil || werr != nil {
				break
			}
		}
		end()
	})
	wg.Wait()
}

// listen carries what the client says, message by message (Postgres documentation, 55.7).
func (w *wire) listen(client io.Reader, server io.Writer) {
	r := bufio.NewReaderSize(client, 64<<10)
	for first := true; ; first = false {
		var head []byte
		if !first {
			kind, err := r.ReadByte()
			if err != nil {
				return
			}
			head = append(head, kind)
		}
		var size [4]byte
		if _, err := io.ReadFull(r, size[:]); err != nil {
			return
		}
		body := make([]byte, binary.BigEndian.Uint32(size[:])-4)
		if _, err := io.ReadFull(r, body); err != nil {
			return
		}
		w.pass()
		if !first {
			w.note(head[0], body)
		}
		if _, err := server.Write(append(append(head, size[:]...), body...)); err != nil {
			return
		}
	}
}

// note counts what the client waits for an answer to.
func (w *wire) note(kind byte, body []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch kind {
	case 'S':
		w.waits = append(w.waits, "sync")
	case 'Q':
		w.waits = append(w.waits, string(bytes.TrimRight(body, "\x00")))
	}
}

// waited tells what the client has waited for since the last time.
func (w *wire) waited() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := w.waits
	w.waits = nil
	return out
}

// pass waits while the wire is held.
func (w *wire) pass() {
	w.mu.Lock()
	held := w.held
	w.mu.Unlock()
	if held != nil {
		<-held
	}
}

// hold lets nothing through; letGo ends that.
func (w *wire) hold() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held = make(chan struct{})
}

func (w *wire) letGo() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.held != nil {
		close(w.held)
		w.held = nil
	}
}

// TestRoundTrips counts how often the server is waited for, once its statements are prepared on a connection: each
// "sync" is one round trip of the extended protocol, each other entry one of the simple protocol. A read that asks all at
// once ends with it. What ends any other is sent after its answer, and nobody waits for it.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	db := postgrestest.Database(t)
	w := newWire(t, db.App)
	e, err := postgres.Open(t.Context(), w.url, postgrestest.Secrets(), postgres.Options{Connections: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	d := dataOn(t, db, e)
	o := d.Call("+15550000001")
	d.Remember(o.Caller.ID, 3)
	once := 0
	ctx := t.Context()
	idle := func() { // the only connection is free, so the end of a read has been sent
		d.OK(e.Read(ctx, "t", "", func(store.Tx) error { return nil }))
	}
	for _, c := range []struct {
		what string
		do   func() error
		want string
	}{
		{"a briefing's reads", func() error { _, err := d.Snapshot(ctx, "t", o.Caller.ID); return err }, "sync"},
		{"a caller with his identities", func() error { _, err := d.Caller(ctx, "t", o.Caller.ID); return err }, "sync"},
		{"a read of one statement", func() error { _, err := d.ContentVersion(ctx, "t", o.Caller.ID); return err }, "sync"},
		{"a key", func() error { _, err := d.KeyByHash(ctx, "t", []byte("hash")); return err }, "sync"},
		{"a turn: what it writes, commit", func() error { _, err := d.AppendTurns(ctx, "t", d.Appending(o, 1)); return err }, "sync commit"},
		{"fifty turns", func() error { _, err := d.AppendTurns(ctx, "t", d.Appending(o, 50)); return err }, "sync commit"},
		{"a turn that is said once", func() error {
			in := d.Appending(o, 1)
			once++
			in.Once = recaller.Once{Token: fmt.Sprint("turn ", once), Request: "x"}
			_, err := d.AppendTurns(ctx, "t", in)
			return err
		}, "sync sync sync commit"},
		{"a call of a known caller begins", func() error {
			_, err := d.OpenConversation(ctx, "t", d.Opening("+15550000001"))
			return err
		}, "sync sync sync sync commit"},
		{"a memory told again", func() error {
			_, err := d.StoreMemory(ctx, "t", recaller.Storing{Memory: d.Memory(o.Caller.ID, "key_1", "has three grandchildren, the eldest is Tom")})
			return err
		}, "sync sync sync sync commit"},
		{"a statement that fails", func() error {
			err := d.e.Write(ctx, "t", "", func(tx store.Tx) error {
				_, err := tx.Exec(ctx, `INSERT INTO tenants (id, created_at, body) VALUES ('t', 0, '')`)
				return err
			})
			if recaller.KindOf(err) != recaller.Conflict {
				return errors.New("it did not fail")
			}
			return nil
		}, "sync rollback"},
	} {
		for range 3 { // the first ones prepare
			idle()
			w.waited()
			d.OK(c.do())
		}
		idle()
		trips := strings.ToLower(strings.Join(w.waited(), " "))
		if c.what == "a statement that fails" {
			trips = strings.TrimPrefix(trips, "sync sync ") // pgx forgets what it prepared of a batch that failed
		}
		if trips != c.want {
			t.Errorf("%s: waited for %q, want %q", c.what, trips, c.want)
		}
	}
}

// TestSilence has the network fall silent in the middle of reads and writes: each ends by its own deadline, and when
// the network is back everything goes on.
func TestSilence(t *testing.T) {
	t.Parallel()
	db := postgrestest.Database(t)
	w := newWire(t, db.App)
	const patience = 500 * time.Millisecond
	e, err := postgres.Open(t.Context(), w.url, postgrestest.Secrets(), postgres.Options{Connections: 4, Patience: patience})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	d := dataOn(t, db, e)
	o := d.Call("+15550000001")
	in := d.Appending(o, 1)
	w.hold()
	began := time.Now()
	var wg sync.WaitGroup
	for range 8 { // four wait for an answer, four for a connection
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), patience/5)
			defer cancel()
			_, err := d.Snapshot(ctx, "t", o.Caller.ID)
			wantKind(t, "a read in silence", err, recaller.Timeout)
		})
	}
	wg.Wait()
	if took := time.Since(began); took > patience {
		t.Errorf("reads with a deadline of %v took %v", patience/5, took)
	}
	_, err = d.AppendTurns(t.Context(), "t", in)
	wantKind(t, "a write in silence", err, recaller.Timeout, recaller.Unavailable)
	if took := time.Since(began); took > 4*patience {
		t.Errorf("with a patience of %v it took %v", patience, took)
	}
	w.letGo()
	_, err = d.AppendTurns(t.Context(), "t", d.Appending(o, 2))
	d.OK(err)
	conv, err := d.Conversation(t.Context(), "t", string(o.Conversation.ID))
	d.OK(err)
	turns, err := d.Turns(t.Context(), "t", conv)
	d.OK(err)
	if conv.Turns != len(turns) || len(turns) != 2 {
		t.Errorf("got %d turns, counted %d: want the two that were acknowledged", len(turns), conv.Turns)
	}
}

// TestCancellationLost has the network fall silent while a read runs, and then whoever asked go away: the server stops the
// read by itself.
func TestCancellationLost(t *testing.T) {
	t.Parallel()
	db := postgrestest.Database(t)
	w := newWire(t, db.App)
	e, err := postgres.Open(t.Context(), w.url, postgrestest.Secrets(), postgres.Options{Connections: 1, Patience: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	defer w.letGo()
	ctx, leave := context.WithCancel(t.Context())
	read := make(chan error, 1)
	go func() {
		read <- e.Read(ctx, "t", "", func(tx store.Tx) error {
			var n int
			return tx.QueryRow(ctx, endless, nil, &n)
		})
	}()
	super := connect(t, db.Super)
	until(t, super, "the read runs", `SELECT (`+sleeping+`) = 1`)
	w.hold()
	leave()
	wantKind(t, "a read that was left", <-read, recaller.Timeout)
	until(t, super, "the server stops it", `SELECT (`+sleeping+`) = 0`)
}
