package notify

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
)

// MaxWaiting is how many deliveries of a tenant may wait to be sent, or to be tried again. What happens beyond that is
// kept as dead (recaller.ReasonTooMany): nothing is lost, and an import of a million calls makes no million jobs.
const MaxWaiting = 10_000

// countEach is how long a count is good for. So there may be a little more that wait than Most.
const countEach = time.Second

// Backlog knows whose deliveries wait in too great a number. Safe for concurrent use.
type Backlog struct {
	// Waiting counts the deliveries of a tenant that wait, up to most.
	Waiting func(ctx context.Context, tenant recaller.TenantID, most int) (int, error)
	Most    int
	Log     *slog.Logger
	Now     func() time.Time

	mu   sync.Mutex
	seen map[recaller.TenantID]count
}

type count struct {
	at   time.Time
	full bool
}

// maxSeen bounds the tenants whose counts are remembered.
const maxSeen = 10_000

// Full reports whether no more of a tenant's deliveries may wait. If that cannot be found out, they may. One counts, and
// waits for it; whoever asks meanwhile is told what was known before.
func (b *Backlog) Full(ctx context.Context, tenant recaller.TenantID) bool {
	now := b.Now()
	b.mu.Lock()
	before, ok := b.seen[tenant]
	if since := now.Sub(before.at); ok && since >= 0 && since < countEach {
		b.mu.Unlock()
		return before.full
	}
	b.note(tenant, count{now, before.full})
	b.mu.Unlock()
	n, err := b.Waiting(ctx, tenant, b.Most)
	full := err == nil && n >= b.Most
	if full && !before.full {
		b.Log.WarnContext(ctx, "too many webhook deliveries wait; more are kept as dead", "tenant", string(tenant), "waiting", n)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.note(tenant, count{now, full})
	return full
}

// note remembers a count. The lock is held.
func (b *Backlog) note(tenant recaller.TenantID, c count) {
	if b.seen == nil || len(b.seen) >= maxSeen {
		b.seen = map[recaller.TenantID]count{}
	}
	b.seen[tenant] = c
}
