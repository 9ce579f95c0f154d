package httpapi

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"golang.org/x/time/rate"

	"github.com/recallerhq/recaller"
)

// scopes is the one table of what each operation needs. Open operations need no key; an operation that is not in here
// is not served.
func scopes() map[string]recaller.Scope {
	const (
		open  = recaller.Scope("")
		read  = recaller.ScopeRead
		agent = recaller.ScopeAgent
		admin = recaller.ScopeAdmin
	)
	return map[string]recaller.Scope{
		"healthz": open, "readyz": open, "openapi-json": open, "openapi-yaml": open, "docs": open,
		"metrics": read,

		"start-conversation": agent, "import-conversations": agent, "add-turns": agent, "end-conversation": agent,
		"list-conversations": read, "search-conversations": read, "get-conversation": read, "conversation-briefing": read, "conversation-events": read,

		"find-callers": read, "get-caller": read, "caller-briefing": read, "caller-conversations": read,
		"caller-memories": read, "caller-agreements": read, "recall": read,
		"update-caller": agent, "export-caller": agent, "erase-caller": admin, "check-receipt": read,

		"store-memory": agent, "update-memory": agent, "forget-memory": agent, "memory-history": read,
		"undo-memory":    agent,
		"get-checkpoint": read, "put-checkpoint": agent, "delete-checkpoint": agent,

		"get-tenant": read, "update-tenant": admin, "create-tenant": admin, "list-tenants": admin,
		"create-key": admin, "list-keys": admin, "delete-key": admin,
		"list-prompts": read,
		"list-packs":   read, "get-pack": read, "put-pack": admin, "delete-pack": admin,

		"tool-store-memory": agent, "tool-update-memory": agent, "tool-forget-memory": agent, "tool-mark-private": agent,
		"tool-set-reminder": agent, "tool-cancel-reminder": agent, "tool-list-reminders": agent, "call-tool": agent, "list-tools": read,

		"list-reminders": read, "caller-reminders": read, "set-reminder": agent, "remind-caller": agent, "cancel-reminder": agent, "retry-reminder": agent,
		"get-webhook": admin, "put-webhook": admin, "delete-webhook": admin,

		"get-encryption": admin, "rotate-encryption": admin,
	}
}

// operatorOnly tells the operations that see past one tenant: they need a key of the tenant default.
func operatorOnly(op string) bool {
	switch op {
	case "create-tenant", "list-tenants", "metrics", "get-encryption", "rotate-encryption":
		return true
	}
	return false
}

// admit lets a request in: the key, its scope, its rate, and how long it may take.
func (s *server) admit(ctx huma.Context, next func(huma.Context)) {
	op := ctx.Operation()
	x := exchangeOf(ctx.Context())
	if err := s.authorise(ctx.Context(), x, op.OperationID); err != nil {
		x.refuse(err)
		return
	}
	if path := ctx.URL().Path; !utf8.ValidString(path) || strings.ContainsRune(path, 0) { // no store need be asked: no id is like that
		x.refuse(recaller.Errorf(recaller.NotFound, "there is nothing under an id that is no text"))
		return
	}
	if x.key.ID != "" && !s.limits.allow(x.key.ID, s.opts.Now()) {
		x.refuse(recaller.Errorf(recaller.Exhausted, "too many requests with this key; slow down"))
		return
	}
	if op.OperationID == "conversation-events" {
		next(ctx)
		return
	}
	timed, cancel := context.WithTimeout(ctx.Context(), s.limitOf(op.OperationID))
	defer cancel()
	if op.OperationID == "import-conversations" {
		select {
		case s.imports <- struct{}{}:
			defer func() { <-s.imports }()
		case <-timed.Done():
			x.refuse(recaller.Errorf(recaller.Unavailable, "other imports are at work; try again later"))
			return
		}
	}
	next(huma.WithContext(ctx, timed))
}

// limitOf is how long an operation may take, its body included.
func (s *server) limitOf(op string) time.Duration {
	if op == "import-conversations" {
		return s.opts.ImportLimit
	}
	return s.opts.Timeout
}

func (s *server) authorise(ctx context.Context, x *exchange, op string) error {
	need := s.scopes[op]
	if need == "" {
		x.quiet = true
		return nil
	}
	key, err := s.Tenants.Authenticate(ctx, x.secret)
	if err != nil {
		return err
	}
	x.key = key
	if operatorOnly(op) && key.Tenant != recaller.DefaultTenant {
		return recaller.Errorf(recaller.Forbidden, "needs a key of the tenant default")
	}
	if !key.Scope.Allows(need) {
		return recaller.Errorf(recaller.Forbidden, "needs a key of scope %s", need)
	}
	return nil
}

// secretOf finds the API key of a request; empty if there is none.
func secretOf(h http.Header) string {
	if v := h.Get("Authorization"); v != "" {
		scheme, secret, _ := strings.Cut(v, " ")
		if strings.EqualFold(scheme, "Bearer") {
			return strings.TrimSpace(secret)
		}
	}
	return h.Get("X-Api-Key")
}

// limits holds a token bucket for each key that was used lately.
type limits struct {
	rate  rate.Limit
	burst int

	mu   sync.Mutex // guards what follows
	keys map[recaller.KeyID]*rate.Limiter
}

// maxLimited bounds how many keys are held; past it, those whose bucket is full again are dropped, which changes nothing
// for them.
const maxLimited = 10000

func newLimits(perSecond float64, burst int) *limits {
	return &limits{rate: rate.Limit(perSecond), burst: burst, keys: map[recaller.KeyID]*rate.Limiter{}}
}

func (l *limits) allow(key recaller.KeyID, now time.Time) bool {
	if l.rate < 0 {
		return true
	}
	l.mu.Lock()
	bucket := l.keys[key]
	if bucket == nil {
		if len(l.keys) >= maxLimited {
			l.sweep(now)
		}
		bucket = rate.NewLimiter(l.rate, l.burst)
		l.keys[key] = bucket
	}
	l.mu.Unlock()
	return bucket.AllowN(now, 1)
}

// sweep drops full buckets, and all of them if none is full. The lock is held.
func (l *limits) sweep(now time.Time) {
	for key, bucket := range l.keys {
		if bucket.TokensAt(now) >= float64(l.burst) {
			delete(l.keys, key)
		}
	}
	if len(l.keys) >= maxLimited {
		clear(l.keys)
	}
}
