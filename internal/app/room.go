package app

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

// room is an engine that remembers whether there was room for the last write of a tenant's.
type room struct {
	store.Engine
	mu   sync.Mutex // guards what follows
	full error      // of the last write that found no room; nil: there was room since
	at   time.Time  // when that was
}

// fullFor is how long a write that found no room counts. What is held is tried twice a second.
const fullFor = 10 * time.Second

// Write implements store.Engine.
func (r *room) Write(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, fn func(store.Tx) error,
) error {
	err := r.Engine.Write(ctx, tenant, caller, fn)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case errors.Is(err, recaller.Full):
		r.full, r.at = err, time.Now()
	case err == nil:
		r.full = nil
	}
	return err
}

// lacks returns the error of the last write if it found no room a moment ago.
func (r *room) lacks() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.full != nil && time.Since(r.at) < fullFor {
		return r.full
	}
	return nil
}

// ready reports whether requests can be served: this process has the data, and the store takes writes, small ones and
// those that it was just asked for.
func (a *App) ready(ctx context.Context) error {
	if err := isTaken(a.taken); err != nil {
		return err
	}
	if err := a.room.lacks(); err != nil {
		return err
	}
	return a.store.Probe(ctx)
}
