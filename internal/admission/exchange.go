package admission

import (
	"context"
	"crypto/sha256"
	"errors"
	"hash"
	"log/slog"
	"net/netip"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// Exchange is one request with its answer. Gate.Open makes it and Done ends it. One goroutine uses it at a time. It may
// be copied until it is admitted, and not after.
type Exchange struct {
	Principal        // who asks, once it is admitted
	ID        string // in the log and the answer

	gate    *Gate
	from    netip.Addr        // of who asks
	at      recaller.TenantID // whose address was asked; empty: the door has one for all
	only    bool              // keys of other tenants are not let in there
	op      *Operation        // that it asked for; nil: it asked for none that exists
	started time.Time
	cancel  context.CancelFunc // of its deadline
	slots   *Slots             // of which it holds one
	body    int64              // bytes that it holds of the operation's budget
	over    bool               // there was no room for its body
	lasts   bool               // the gate knows that it lasts
	err     error              // why it failed

	onceKey, target string
	digest          hash.Hash // of the body, while it is read; nil where there is no idempotency key
}

// Admit lets a request in. If not, it fails with Unauthenticated, Forbidden, Exhausted, Unavailable, or an error of the
// store. The context that it returns ends with the operation's time. If the operation has Slots, the exchange holds one
// of them until Done.
func (x *Exchange) Admit(ctx context.Context, secret string, op *Operation) (context.Context, error) {
	x.op = op
	if op.Scope != "" {
		if err := x.authorise(ctx, secret); err != nil {
			return ctx, err
		}
		if !x.gate.rates.Allow(x.Key, x.gate.now()) {
			return ctx, recaller.Errorf(recaller.Exhausted, "too many requests with this key; slow down")
		}
	}
	if limit := op.Timeout(); limit > 0 {
		ctx, x.cancel = context.WithTimeout(ctx, limit)
	}
	if op.Slots != nil {
		if err := x.Take(ctx, op.Slots); err != nil {
			return ctx, err
		}
	}
	return ctx, nil
}

// Take takes a slot until Done. It is for what needs one only once its body is there: a body that trickles in is to hold
// nobody up. It fails as Admit does. An exchange holds one slot at most.
func (x *Exchange) Take(ctx context.Context, slots *Slots) error {
	if err := slots.take(ctx, x.Tenant); err != nil {
		return err
	}
	x.slots = slots
	return nil
}

// To says whose address was asked, where tenants have addresses of their own: access tokens are taken for that tenant.
// With only, a key of another tenant is not let in. Call it before Admit.
func (x *Exchange) To(tenant recaller.TenantID, only bool) { x.at, x.only = tenant, only }

// authorise finds the key. The exchange has it, and logs it, even if the key may not ask for the operation.
func (x *Exchange) authorise(ctx context.Context, secret string) error {
	who, err := x.signIn(ctx, secret)
	if err != nil {
		return err
	}
	x.Principal = who
	switch {
	case x.op.Operator && x.Tenant != recaller.DefaultTenant:
		return recaller.Errorf(recaller.Forbidden, "needs a key of the tenant default")
	case x.only && x.Tenant != x.at:
		return recaller.Errorf(recaller.Forbidden, "the key is not of the tenant that the address names")
	case x.Scope.Allows(x.op.Scope):
		return nil
	case x.Token:
		return recaller.Errorf(recaller.Forbidden, "the access token has no scope that allows this")
	}
	return recaller.Errorf(recaller.Forbidden, "needs a key of scope %s", x.op.Scope)
}

// signIn finds whose key it is, unless too many who asked from there, or with it, had none.
func (x *Exchange) signIn(ctx context.Context, secret string) (Principal, error) {
	if secret == "" {
		return x.who(ctx, secret) // which says what is missing, and looks nothing up
	}
	sum, now := digest(sha256.Sum256([]byte(secret))), x.gate.now()
	if err := x.gate.attempts.check(x.from, sum, now); err != nil {
		return Principal{}, err
	}
	who, err := x.who(ctx, secret)
	if err == nil || errors.Is(err, recaller.Unauthenticated) && !errors.Is(err, recaller.ErrLapsed) {
		x.gate.attempts.note(x.from, sum, err == nil, now)
	}
	return who, err
}

// who finds whose a secret is: an access token's, where the tenant takes them, or a key's.
func (x *Exchange) who(ctx context.Context, secret string) (Principal, error) {
	if x.gate.tokens != nil && x.at != "" && isToken(secret) {
		a, err := x.gate.tokens.Bearer(ctx, x.at, secret)
		if !errors.Is(err, recaller.NotFound) {
			return Principal{Tenant: a.Tenant, Key: a.Key, Scope: a.Scope, Token: true, Caller: a.Caller}, err
		}
	}
	key, err := x.gate.keys.Authenticate(ctx, secret)
	return Principal{Tenant: key.Tenant, Key: key.ID, Scope: key.Scope}, err
}

// isToken reports whether a secret has the form of an access token, which no key of ours has: texts with points between,
// of which the first is an object of JSON in base64.
func isToken(secret string) bool {
	return strings.HasPrefix(secret, "ey") && strings.Count(secret, ".") >= 2
}

// From is the address of who asks; the zero value where there is none.
func (x *Exchange) From() netip.Addr { return x.from }

// Fail says why the exchange failed. Done logs the last reason.
func (x *Exchange) Fail(err error) { x.err = err }

// Crashed logs a panic, with where it happened and what the door says about the exchange. It fails the exchange. It
// logs the panic's value only if the runtime made it, because any other value may hold what somebody said.
func (x *Exchange) Crashed(ctx context.Context, value any, about ...slog.Attr) {
	x.err = recaller.Internal
	what := "a value that is not logged"
	var re runtime.Error
	if err, ok := value.(error); ok && errors.As(err, &re) {
		what = re.Error()
	}
	attrs := append([]slog.Attr{slog.String("request_id", x.ID)}, about...)
	attrs = append(attrs, slog.String("panic", what), slog.String("stack", string(debug.Stack())))
	x.gate.log.LogAttrs(ctx, slog.LevelError, "panic in a request", attrs...)
}

// Done ends the exchange. It gives back what the exchange held, and logs one line with what the door says about it:
// names of things, sizes, statuses, never content. fault says that the failure is ours. Done returns how long the
// exchange took.
func (x *Exchange) Done(ctx context.Context, fault bool, about ...slog.Attr) time.Duration {
	if x.lasts {
		x.gate.lasting.remove(x)
	}
	if x.slots != nil {
		x.slots.give(x.Tenant)
	}
	if x.body > 0 {
		x.op.Bodies.give(x.Tenant, x.body)
	}
	if x.cancel != nil {
		x.cancel()
	}
	took := x.gate.now().Sub(x.started)
	x.audit(ctx, fault, took, about)
	return took
}

// maxAttrs is how many attributes a log line can have before they are copied.
const maxAttrs = 12

func (x *Exchange) audit(ctx context.Context, fault bool, took time.Duration, about []slog.Attr) {
	level := slog.LevelInfo
	switch {
	case fault:
		level = slog.LevelError
	case x.op != nil && x.op.Quiet:
		level = slog.LevelDebug
	}
	log := x.gate.log
	if !log.Enabled(ctx, level) {
		return
	}
	attrs := append(make([]slog.Attr, 0, maxAttrs), slog.String("request_id", x.ID))
	attrs = append(attrs, about...)
	attrs = append(attrs, slog.Float64("dur_ms", float64(took.Microseconds())/1000))
	if x.op != nil {
		attrs = append(attrs, slog.String("op", x.op.Name))
	}
	if x.Key != "" {
		attrs = append(attrs, slog.String("tenant", string(x.Tenant)), slog.String("key", string(x.Key)))
	}
	if x.err != nil {
		attrs = append(attrs, slog.String("kind", string(KindOf(x.err))))
	}
	if x.err != nil && fault {
		attrs = append(attrs, slog.String("err", x.err.Error()))
	}
	log.LogAttrs(ctx, level, "request", attrs...)
}

// KindOf is recaller.KindOf, except for the error of a context that ended, which is a Timeout.
func KindOf(err error) recaller.Kind {
	kind := recaller.KindOf(err)
	if kind == recaller.Internal && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)) {
		return recaller.Timeout
	}
	return kind
}
