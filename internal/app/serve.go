package app

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/notify"
)

// How often the housekeeping runs.
const (
	endsEvery    = 5 * time.Second        // ends of calls that platforms told while the store was away
	flushEvery   = 500 * time.Millisecond // conversations held while the store was away
	releaseEvery = time.Second            // leases that a start could not end
	idleEvery    = time.Minute            // conversations that nobody ends
	copiesEvery  = time.Minute            // what killed backups left
	pruneEvery   = time.Hour              // marks of requests, archive files
	onceFor      = 24 * time.Hour         // how long an Idempotency-Key is remembered
)

// loops are the goroutines of an App: none starts after stop.
type loops struct {
	mu      sync.Mutex
	wg      sync.WaitGroup
	cancels []context.CancelFunc
	stopped bool
}

// run starts a goroutine that ends when its context does; false if stop was called.
func (l *loops) run(ctx context.Context, fn func(context.Context)) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stopped {
		return false
	}
	ctx, cancel := context.WithCancel(ctx)
	l.cancels = append(l.cancels, cancel)
	l.wg.Go(func() { fn(ctx) })
	return true
}

// stop ends the goroutines and waits for them until ctx ends.
func (l *loops) stop(ctx context.Context) {
	l.mu.Lock()
	l.stopped = true
	for _, cancel := range l.cancels {
		cancel()
	}
	l.mu.Unlock()
	done := make(chan struct{})
	go func() { l.wg.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// Start runs jobs and housekeeping in the background until Close. The end of ctx does not stop them. It fails with
// Unavailable if the App is closed.
func (a *App) Start(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	a.encryption.resume()
	a.loops.run(ctx, a.bind)
	started := a.loops.run(ctx, func(ctx context.Context) {
		drain, cancel := context.WithCancel(context.WithoutCancel(ctx))
		defer cancel()
		stop := context.AfterFunc(ctx, func() { time.AfterFunc(a.cfg.ShutdownGrace, cancel) })
		defer stop()
		a.release(ctx)
		a.runner.Run(ctx, drain)
	})
	a.loops.run(ctx, a.refresh.Run)
	if a.companion != nil {
		a.loops.run(ctx, a.companion.Run)
	}
	a.every(ctx, flushEvery, func(ctx context.Context) error {
		a.conversations.FlushHeld(ctx)
		return nil
	})
	a.every(ctx, endsEvery, a.telephone.Retry)
	a.every(ctx, idleEvery, func(ctx context.Context) error {
		_, err := a.conversations.CloseIdle(ctx)
		return err
	})
	a.every(ctx, copiesEvery, func(ctx context.Context) error {
		_, err := copies{a}.Discard(ctx)
		return err
	})
	clock := paceOf(a.opts.Now, a.opts.Elapsed)
	a.every(ctx, pruneEvery, func(ctx context.Context) error { return a.prune(ctx, clock) })
	a.loops.run(ctx, a.nightly)
	if !started {
		return recaller.Errorf(recaller.Unavailable, "it is closed")
	}
	return nil
}

// prune deletes what is older than it may be, unless the clock jumped since the last time: a clock that is wrong for less
// than an hour deletes nothing.
func (a *App) prune(ctx context.Context, clock *pace) error {
	if !clock.even() {
		a.log.Warn("the clock jumped: nothing is deleted for its age until it has been even for an hour")
		return nil
	}
	_, err := a.privacy.Expire(ctx)
	now := a.opts.Now()
	return errors.Join(err, a.store.PruneOnces(ctx, now.Add(-onceFor)), a.store.PruneDispatches(ctx, now.Add(-notify.KeepDead)),
		a.store.PruneMoves(ctx, now))
}

// release ends the leases that the last process had, once there is room to: no job can be taken before.
func (a *App) release(ctx context.Context) {
	tick := time.NewTicker(releaseEvery)
	defer tick.Stop()
	for a.leased && a.store.ReleaseJobs(ctx) != nil {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// nightHour is the hour at which nightly work begins, by the machine's clock and zone.
const nightHour = 3

// nightly does the nightly work (P6) each night until ctx ends. It logs a failure, and goes on with the next night.
func (a *App) nightly(ctx context.Context) {
	for {
		now := time.Now()
		wait := time.NewTimer(nextNight(now).Sub(now))
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
			return
		}
		if n, err := a.search.RetryDocuments(ctx); err != nil && ctx.Err() == nil {
			a.log.Error("nightly embeddings of documents", "embedded", n, "err", err)
		}
		if _, err := a.search.Retry(ctx); err != nil && ctx.Err() == nil {
			a.log.Error("nightly embeddings", "err", err)
		}
	}
}

// nextNight returns the next time that it is nightHour in now's zone. If the clocks skip that hour, it is an hour
// beside it. If they have that hour twice, it is one of the two. So there is one night a day, except on a day that the
// clocks skip.
func nextNight(now time.Time) time.Time {
	for day := now.Day(); ; day++ {
		if t := time.Date(now.Year(), now.Month(), day, nightHour, 0, 0, 0, now.Location()); t.After(now) {
			return t
		}
	}
}

// every runs fn after each pause, in the background.
func (a *App) every(ctx context.Context, pause time.Duration, fn func(context.Context) error) {
	a.loops.run(ctx, func(ctx context.Context) {
		tick := time.NewTicker(pause)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			if err := fn(ctx); err != nil && ctx.Err() == nil {
				a.log.Error("housekeeping", "err", err)
			}
		}
	})
}

// Serve starts everything and serves the roots until ctx ends. Roots without an address of their own are served on ln.
// Then it drains: it takes no new connections, answers requests under way, tells event streams why they end, and
// finishes running jobs. What has not ended within the grace is broken off. Serve does not close the data.
//
// If another process takes the database meanwhile, Serve drains as well, writes no more, and fails with Unavailable.
func (a *App) Serve(ctx context.Context, ln net.Listener) error {
	own, err := encrypted(a.cfg.TLS, a.path(keysDir, acmeDir), a.log, a.opts.Now)
	if err != nil {
		return err
	}
	if err := a.Start(ctx); err != nil {
		return err
	}
	a.loops.run(context.WithoutCancel(ctx), a.quarantined)
	listeners, err := a.roots.listen(ctx, ln)
	if err != nil {
		return err
	}
	servers := make([]*http.Server, 0, len(listeners))
	failed := make(chan error, len(listeners))
	for addr, listener := range listeners {
		s, serve := a.server(a.roots.at(addr)), (*http.Server).Serve
		if addr == "" && own != nil {
			s.TLSConfig = own
			serve = func(s *http.Server, ln net.Listener) error { return s.ServeTLS(ln, "", "") }
		}
		servers = append(servers, s)
		go func() { failed <- serve(s, listener) }()
	}
	go ask(own, a.cfg.TLS.Domains) // an authority may take minutes, which no drain waits for
	select {
	case <-ctx.Done():
	case err = <-failed:
	case <-a.taken:
		err = isTaken(a.taken)
	}
	return errors.Join(err, a.drain(ctx, servers))
}

// Timeouts of connections. There is none for writing, because event streams last; the edge bounds each request.
const (
	headerTimeout = 10 * time.Second
	readTimeout   = 2 * time.Minute
	idleTimeout   = 2 * time.Minute
)

func (a *App) server(h http.Handler) *http.Server {
	return &http.Server{Handler: h, ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, IdleTimeout: idleTimeout}
}

// shuttingDown is why lasting connections end when the server drains.
const shuttingDown = "the server is shutting down"

func (a *App) drain(ctx context.Context, servers []*http.Server) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.cfg.ShutdownGrace)
	defer cancel()
	a.log.Info("draining", "grace", a.cfg.ShutdownGrace)
	errs := make([]error, len(servers))
	var closing sync.WaitGroup
	for i, s := range servers { // takes no new connections, and waits for those that are open
		closing.Go(func() {
			if errs[i] = s.Shutdown(ctx); errs[i] != nil {
				errs[i] = errors.Join(errs[i], s.Close())
			}
		})
	}
	if left := a.gate.Drain(ctx, shuttingDown); left > 0 {
		a.log.Warn("connections that did not end in time are broken off", "connections", left)
	}
	closing.Wait()
	a.proxy.Settle(ctx)
	a.loops.stop(ctx)
	a.telephone.Settle(ctx)
	a.webchat.Settle(ctx)
	if conversations, turns := a.writeHeld(ctx); conversations > 0 {
		a.log.Error("what was held while the store was away is lost", "conversations", conversations, "turns", turns)
	}
	return errors.Join(errs...)
}

// writeHeld writes what is held, unless another process has the database. It returns how much is lost.
func (a *App) writeHeld(ctx context.Context) (conversations, turns int) {
	if isTaken(a.taken) != nil {
		return a.conversations.Waiting()
	}
	return a.conversations.Drain(ctx)
}
