package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/recallerhq/recaller"
)

// A Claim is one server's right to a database. The server's live conversations are in its memory, so what was active
// before it started is dead. The claim is an advisory lock on a connection of its own. The database frees the lock when
// the server dies, and when the connection breaks. In that case the server asks for it again at once, and keeps asking
// while the database is away.
type Claim struct {
	url    string
	told   func(error)
	cancel context.CancelFunc
	done   chan struct{}
}

// claimKey is the advisory lock: "recaller", as a number that no other program is likely to use.
const claimKey = 0x7265_6361_6c6c_6572

// How a claim is kept.
const (
	claimPause   = 5 * time.Second        // between looks at a silent connection, which may have been cut
	reclaimPause = 100 * time.Millisecond // between tries to have it back
	// A database that was restarted a moment ago may have been another server's. That one gets the time to ask again.
	justStarted = time.Minute
	fairChance  = 2 * time.Second
)

// Hold claims the database. It fails with Conflict while another server has it. told is called from one goroutine: with
// an error when the connection is lost, then with nil when the claim stands again, or with Conflict when another server
// has it by then. After Conflict told is not called again, and the server must not write any more.
func Hold(ctx context.Context, url string, told func(error)) (*Claim, error) {
	h, err := claim(ctx, url, nil)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	held := &Claim{url: url, told: told, cancel: cancel, done: make(chan struct{})}
	go held.keep(ctx, h)
	return held, nil
}

// Release gives the database up: another server can have it at once.
func (c *Claim) Release() error {
	c.cancel()
	<-c.done
	return nil
}

// keep watches the claim, and has it back where its connection is lost.
func (c *Claim) keep(ctx context.Context, h *holder) {
	defer close(c.done)
	for {
		err := h.watch(ctx)
		if ctx.Err() != nil {
			h.unlock(ctx)
			return
		}
		h.end(ctx)
		c.told(err)
		if h, err = c.again(ctx, h); h == nil && ctx.Err() == nil {
			c.told(err)
		}
		if h == nil {
			return
		}
		c.told(nil)
	}
}

// again asks for the claim until it has it, or another server does, or ctx ends.
func (c *Claim) again(ctx context.Context, former *holder) (*holder, error) {
	tick := time.NewTicker(reclaimPause)
	defer tick.Stop()
	for {
		h, err := claim(ctx, c.url, former)
		if err == nil || errors.Is(err, recaller.Conflict) || ctx.Err() != nil {
			return h, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-tick.C:
		}
	}
}

// holder is a connection that has the lock, and what the database knows it by.
type holder struct {
	conn  *pgx.Conn
	pid   int32
	began time.Time
}

// keepAlive has the database notice within some twenty seconds that a machine vanished without a word. By itself it may
// take hours.
const keepAlive = `SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3`

// claim makes a connection that has the lock. former is the one that had it before, nil for a server that starts.
func claim(ctx context.Context, url string, former *holder) (*holder, error) {
	cfg, err := poolConfig(url, Options{})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 2*claimPause)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, cfg.ConnConfig)
	if err != nil {
		return nil, mapped(err)
	}
	h := &holder{conn: conn}
	_, err = conn.Exec(ctx, keepAlive)
	if err == nil && former == nil {
		err = h.giveWay(ctx)
	}
	var mine bool
	if err == nil {
		mine, err = h.lock(ctx)
	}
	if err == nil && !mine && former != nil {
		// Our own former connection may still have it: when a line is cut, one end may not notice.
		h.cut(ctx, former)
		mine, err = h.lock(ctx)
	}
	switch {
	case err != nil:
		err = mapped(err)
	case !mine:
		err = recaller.Errorf(recaller.Conflict, "the database is in use by another recaller process")
	default:
		return h, nil
	}
	h.end(ctx)
	return nil, err
}

// giveWay waits a moment if the database was just restarted, so that the server that may have had it before can ask
// first.
func (h *holder) giveWay(ctx context.Context) error {
	var young bool
	err := h.conn.QueryRow(ctx, `SELECT clock_timestamp() - pg_postmaster_start_time() < make_interval(secs => $1)`,
		justStarted.Seconds()).Scan(&young)
	if err != nil || !young {
		return err
	}
	wait := time.NewTimer(fairChance)
	defer wait.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-wait.C:
		return nil
	}
}

// lock takes the lock if it is free. A session can take a lock twice, and a pooler in transaction mode may give two
// servers one session. So the session notes that it has the lock.
func (h *holder) lock(ctx context.Context) (mine bool, err error) {
	err = h.conn.QueryRow(ctx, `SELECT CASE coalesce(current_setting('recaller.claim', TRUE), '')
		WHEN '' THEN pg_try_advisory_lock($1) ELSE FALSE END, pid, backend_start
		FROM pg_stat_activity WHERE pid = pg_backend_pid()`, int64(claimKey)).Scan(&mine, &h.pid, &h.began)
	if err == nil && mine {
		_, err = h.conn.Exec(ctx, `SELECT set_config('recaller.claim', 'held', FALSE)`)
	}
	return mine, err
}

// cut ends the former connection on the database's side, if it is still there. If that fails, the next try at the lock
// tells.
func (h *holder) cut(ctx context.Context, former *holder) {
	_, _ = h.conn.Exec(ctx, `SELECT pg_terminate_backend(pid, $3) FROM pg_stat_activity WHERE pid = $1
		AND backend_start = $2`,
		former.pid, former.began, claimPause.Milliseconds())
}

// watch returns when the connection is lost, with the error that showed it, or when ctx ends. A database server that
// stops says so on the connection.
func (h *holder) watch(ctx context.Context) error {
	for {
		wait, cancel := context.WithTimeout(ctx, claimPause)
		_, err := h.conn.WaitForNotification(wait)
		quiet := wait.Err() != nil
		cancel()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil: // nobody has anything to notify of
			continue
		case quiet && !h.conn.IsClosed():
			err = h.ping(ctx)
		}
		if err != nil {
			return away(err)
		}
	}
}

func (h *holder) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, claimPause)
	defer cancel()
	return h.conn.Ping(ctx)
}

// unlock gives the lock up, so that it is free when this returns, and ends the connection.
func (h *holder) unlock(ctx context.Context) {
	unlocking, cancel := context.WithTimeout(context.WithoutCancel(ctx), claimPause)
	defer cancel()
	_, _ = h.conn.Exec(unlocking, `SELECT pg_advisory_unlock_all()`) // where it fails, the connection's end does it
	h.end(ctx)
}

// end closes the connection; the lock goes with it, a moment later, however it ends.
func (h *holder) end(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), claimPause)
	defer cancel()
	_ = h.conn.Close(ctx)
}
