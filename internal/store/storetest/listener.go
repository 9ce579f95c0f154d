package storetest

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

// Listener remembers what engines are asked, for tests of how a database carries it out. Its zero value has heard
// nothing.
type Listener struct {
	mu     sync.Mutex
	asked  map[string]int
	across map[string]bool // what was asked across callers, about one
}

// To listens to an engine.
func (l *Listener) To(e store.Engine) store.Engine { return listening{e, l} }

// Asked are the statements, with how many arguments they have.
func (l *Listener) Asked() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.asked)
}

// Across are the statements that are about one caller, and were asked in a transaction that is for all of the tenant's.
func (l *Listener) Across() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Sorted(maps.Keys(l.across))
}

// ReadsWaiting reports whether a statement reads the reminders that wait for a caller: it is to find them without what
// was delivered before.
func ReadsWaiting(query string) bool {
	return strings.Contains(query, "FROM reminders WHERE") && strings.Contains(query, "status = 'pending'") && strings.Contains(query, " caller_id = $") &&
		strings.HasPrefix(query, "SELECT")
}

func (l *Listener) note(query string, args []any, across bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.asked == nil {
		l.asked, l.across = map[string]int{}, map[string]bool{}
	}
	l.asked[query] = len(args)
	if across && strings.Contains(query, "caller_id = $") {
		l.across[query] = true
	}
}

// listening is an engine that is listened to.
type listening struct {
	store.Engine
	by *Listener
}

func (l listening) Read(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, fn func(store.Tx) error,
) error {
	return l.Engine.Read(ctx, tenant, caller, func(tx store.Tx) error { return fn(overheard{tx, l.by, caller == ""}) })
}

func (l listening) ReadSystem(ctx context.Context, fn func(store.Tx) error) error {
	return l.Engine.ReadSystem(ctx, func(tx store.Tx) error { return fn(overheard{tx, l.by, false}) })
}

func (l listening) Write(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, fn func(store.Tx) error) error {
	return l.Engine.Write(ctx, tenant, caller, func(tx store.Tx) error { return fn(overheard{tx, l.by, caller == ""}) })
}

func (l listening) WriteSystem(ctx context.Context, fn func(store.Tx) error) error {
	return l.Engine.WriteSystem(ctx, func(tx store.Tx) error { return fn(overheard{tx, l.by, false}) })
}

// overheard is a transaction that is listened to.
type overheard struct {
	store.Tx
	by     *Listener
	across bool // it is for all callers of a tenant
}

func (o overheard) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	o.by.note(query, args, o.across)
	return o.Tx.Exec(ctx, query, args...)
}

func (o overheard) Query(ctx context.Context, query string, args ...any) (store.Rows, error) {
	o.by.note(query, args, o.across)
	return o.Tx.Query(ctx, query, args...)
}

func (o overheard) QueryRow(ctx context.Context, query string, args []any, dest ...any) error {
	o.by.note(query, args, o.across)
	return o.Tx.QueryRow(ctx, query, args, dest...)
}

func (o overheard) QueryAll(ctx context.Context, queries ...store.Query) error {
	for _, q := range queries {
		o.by.note(q.SQL, q.Args, o.across)
	}
	return o.Tx.QueryAll(ctx, queries...)
}

func (o overheard) ExecAll(ctx context.Context, query string, args [][]any) error {
	for _, a := range args {
		o.by.note(query, a, o.across)
	}
	return o.Tx.ExecAll(ctx, query, args)
}
