package postgres_test

import (
	"context"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/pgtest"
	"github.com/recallerhq/recaller/internal/store/postgres"
	"github.com/recallerhq/recaller/internal/store/postgres/postgrestest"
)

// TestOneServerHoldsADatabase has two servers want one database, and two others one database each.
func TestOneServerHoldsADatabase(t *testing.T) {
	t.Parallel()
	db := postgrestest.Database(t)
	unheard := func(err error) { t.Errorf("the claim was lost: %v", err) }
	first, err := postgres.Hold(t.Context(), db.App, unheard)
	if err != nil {
		t.Fatal(err)
	}
	_, err = postgres.Hold(t.Context(), db.App, unheard)
	wantKind(t, "a second server", err, recaller.Conflict)
	other, err := postgres.Hold(t.Context(), postgrestest.Database(t).App, unheard)
	if err != nil {
		t.Fatalf("another database: %v", err)
	}
	if err := first.Release(); err != nil {
		t.Fatal(err)
	}
	second, err := postgres.Hold(t.Context(), db.App, unheard)
	if err != nil {
		t.Fatalf("after the first gave it up: %v", err)
	}
	for _, c := range []*postgres.Claim{second, other} {
		if err := c.Release(); err != nil {
			t.Error(err)
		}
	}
}

// claimant holds a database, and hears how it goes on with its claim.
type claimant struct {
	t    *testing.T
	told chan error
}

func hold(t *testing.T, url string) *claimant {
	t.Helper()
	c := &claimant{t: t, told: make(chan error)}
	ctx, over := context.WithCancel(context.Background())
	claim, err := postgres.Hold(t.Context(), url, func(err error) {
		select {
		case c.told <- err:
		case <-ctx.Done():
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		over()
		if err := claim.Release(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// hears wants the next thing that the claimant is told. Until it is taken, the claimant asks for nothing.
func (c *claimant) hears(kinds ...recaller.Kind) {
	c.t.Helper()
	select {
	case err := <-c.told:
		if len(kinds) > 0 {
			wantKind(c.t, "what is told of the claim", err, kinds...)
		} else if err != nil {
			c.t.Errorf("got %v, want that the claim stands again", err)
		}
	case <-time.After(20 * time.Second):
		c.t.Fatalf("nothing was told; want %q", kinds)
	}
}

// cutClaim ends the connection that has the claim, on the server's side.
const cutClaim = `SELECT count(pg_terminate_backend(pid, 10000)) = 1 FROM pg_locks WHERE locktype = 'advisory' AND granted
	AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

// TestALostClaimIsHadBackAtOnce: whoever has the database has it again, a moment after its connection was cut.
func TestALostClaimIsHadBackAtOnce(t *testing.T) {
	t.Parallel()
	db := postgrestest.Database(t)
	super := connect(t, db.Super)
	c := hold(t, db.App)
	const times = 5
	var took time.Duration
	for range times {
		began := time.Now()
		if !ask[bool](t, super, cutClaim) {
			t.Fatal("nobody has the claim")
		}
		c.hears(recaller.Unavailable)
		c.hears()
		took += time.Since(began)
		_, err := postgres.Hold(t.Context(), db.App, func(error) {})
		wantKind(t, "a second server", err, recaller.Conflict)
	}
	if took > times*3*time.Second { // it looks every five seconds, however little it hears
		t.Errorf("%d times took %v: it waits before it looks, or asks", times, took)
	}
}

// TestAServersOwnDeadConnectionGivesWay: a line is cut, and only the server's end of it is told. The database still has
// the connection, and the claim with it.
func TestAServersOwnDeadConnectionGivesWay(t *testing.T) {
	t.Parallel()
	db := postgrestest.Database(t)
	through, cut := cutLine(t, db.App)
	c := hold(t, through)
	cut()
	c.hears(recaller.Unavailable)
	c.hears()
	_, err := postgres.Hold(t.Context(), db.App, func(error) {})
	wantKind(t, "a second server", err, recaller.Conflict)
}

// TestASilentLineIsNoticed: a claim that stands is asked for now and then, and a line that lets nothing through is
// found out.
func TestASilentLineIsNoticed(t *testing.T) {
	t.Parallel()
	db := postgrestest.Database(t)
	w := newWire(t, db.App)
	c := hold(t, w.url)
	w.waited()
	tick, end := time.NewTicker(10*time.Millisecond), time.After(20*time.Second)
	defer tick.Stop()
	for len(w.waited()) == 0 {
		select {
		case <-tick.C:
		case <-end:
			t.Fatal("nobody asks whether the line stands")
		}
	}
	w.hold()
	c.hears(recaller.Unavailable)
	w.letGo()
	c.hears()
}

// TestWhoLosesTheClaimToAnotherIsToldSo: another server was faster.
func TestWhoLosesTheClaimToAnotherIsToldSo(t *testing.T) {
	t.Parallel()
	db := postgrestest.Database(t)
	super := connect(t, db.Super)
	c := hold(t, db.App)
	if !ask[bool](t, super, cutClaim) {
		t.Fatal("nobody has the claim")
	}
	other := hold(t, db.App) // before the first one asks: it does once it has told
	c.hears(recaller.Unavailable)
	c.hears(recaller.Conflict)
	select {
	case err := <-c.told:
		t.Errorf("got %v, want nothing after the end", err)
	case err := <-other.told:
		t.Errorf("the other: got %v, want nothing", err)
	default:
	}
}

// TestAfterARestartTheFormerServerIsFirst: Postgres was started anew, and another server asks before the one that was
// there.
func TestAfterARestartTheFormerServerIsFirst(t *testing.T) {
	t.Parallel()
	server := pgtest.OwnServer(t)
	db := server.Database()
	c := hold(t, db.App)
	server.Halt()
	server.Start()
	super := connect(t, db.Super)
	refused := make(chan error, 1)
	go func() {
		_, err := postgres.Hold(t.Context(), db.App, func(error) {})
		refused <- err
	}()
	until(t, super, "the other server has connected", `SELECT count(*) = 1 FROM pg_stat_activity WHERE application_name = 'recaller'`)
	c.hears(recaller.Unavailable)
	c.hears()
	wantKind(t, "the other server", <-refused, recaller.Conflict)
}

// cutLine leads to a server by a line whose near end cut cuts off, for the connections that there are: the server's end
// stands.
func cutLine(t *testing.T, to string) (through string, cut func()) {
	t.Helper()
	cfg, err := pgx.ParseConfig(to)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	u.Host, u.RawQuery = l.Addr().String(), "sslmode=disable"
	network, address := pgconn.NetworkAddress(cfg.Host, cfg.Port)
	var mu sync.Mutex // guards near and far
	var near, far []net.Conn
	end := func(list *[]net.Conn) {
		mu.Lock()
		defer mu.Unlock()
		for _, c := range *list {
			_ = c.Close()
		}
		*list = nil
	}
	var carriers sync.WaitGroup
	carriers.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			backend, err := net.Dial(network, address)
			if err != nil {
				_ = client.Close()
				return
			}
			mu.Lock()
			near, far = append(near, client), append(far, backend)
			mu.Unlock()
			carriers.Go(func() { _, _ = io.Copy(backend, client) })
			carriers.Go(func() { _, _ = io.Copy(client, backend) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		end(&near)
		end(&far)
		carriers.Wait()
	})
	return u.String(), func() { end(&near) }
}
