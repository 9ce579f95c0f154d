// Package admission lets requests in, by whichever door they come: HTTP today, and others that speak another protocol.
// A door declares each Operation once. For each request it opens an Exchange, has it admitted with the secret that
// came with it, and ends it:
//
//	Gate.Open → Exchange.Admit → the door carries the operation out → Exchange.Done
//
// Admission finds whose key it is, looks at no more keys from where too many were wrong, and checks that the key may ask for the operation. It bounds how often, for how long
// and how many at once. It makes the token of an idempotency key. It knows the connections that last, so that a server
// that drains can tell each of them why. It logs one line for each exchange, and never words.
//
// It is not for protocols, nor for what an operation does. It refuses with the error kinds of package recaller, which
// each door turns into its own statuses or codes. It imports no other package of ours.
package admission

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/netip"
	"strings"
	"time"
	"unicode"

	"github.com/recallerhq/recaller"
)

// Keys knows API keys; *tenant.Service does.
type Keys interface {
	// Authenticate returns the key that a secret belongs to, or an Unauthenticated error.
	Authenticate(ctx context.Context, secret string) (recaller.APIKey, error)
}

// Tokens knows the access tokens that tenants take; *tenant.Service does.
type Tokens interface {
	// Bearer returns what a token lets in at a tenant's address. NotFound where the tenant takes none; Unauthenticated
	// where the token is not right, of which recaller.ErrLapsed is the cause if it was until lately.
	Bearer(ctx context.Context, tenant recaller.TenantID, token string) (recaller.Access, error)
}

// Operation is something that can be asked for at a door. It does not change once the door is open.
type Operation struct {
	Name     string         // from a closed set; it is logged
	Scope    recaller.Scope // that a key must allow; empty: anybody may ask, without a key
	Operator bool           // needs a key of the tenant default, because it sees past one tenant
	Limit    time.Duration  // how long it may take, with its body; 0: DefaultLimit; Lasting: no bound
	MaxBody  int64          // of a request, in bytes; the door's reader enforces it
	Bodies   *Budget        // of the bytes that its bodies take in memory at once; nil: they are small
	Slots    *Slots         // of which it takes one; nil: it needs none
	OnceAs   string         // operations with the same OnceAs share idempotency keys; empty: Name
	Quiet    bool           // logged at debug level: health checks, documentation
}

// DefaultLimit is the time of an operation that has no Limit of its own.
const DefaultLimit = 30 * time.Second

// Lasting is the Limit of an operation that goes on as long as its connection.
const Lasting time.Duration = -1

// Timeout returns how long the operation may take; 0: without a bound.
func (o *Operation) Timeout() time.Duration {
	switch o.Limit {
	case 0:
		return DefaultLimit
	case Lasting:
		return 0
	}
	return o.Limit
}

// Principal is who asks: a key of a tenant, or who has an access token. In an operation that needs neither it is the zero
// value.
type Principal struct {
	Tenant recaller.TenantID
	Key    recaller.KeyID // with a token: what stands for its issuer and subject
	Scope  recaller.Scope // what the key or the token allows
	Token  bool           // it is an access token
	Caller string         // with a token that is bound to one: the caller that it may ask about
}

// Options are the settings; the zero value means the defaults.
type Options struct {
	Rate  float64 // requests a second and key, at all doors together; 0: DefaultRate, negative: no limit
	Burst int     // requests at once and key; 0: the Rate
	// Failures is how many sign-ins a minute may fail from one address, and with one key. 0: DefaultFailures; negative:
	// no limit.
	Failures int
	Tokens   Tokens           // nil: no door takes access tokens
	Now      func() time.Time // nil: time.Now
}

// DefaultRate is meant to stop a loop gone wild, not to share out the machine.
const DefaultRate = 10000

// Gate is what all doors of a process share. Safe for concurrent use.
type Gate struct {
	keys     Keys
	tokens   Tokens
	log      *slog.Logger
	now      func() time.Time
	rates    *Rates[recaller.KeyID]
	attempts *attempts
	lasting  lasting
}

// New returns a Gate.
func New(keys Keys, log *slog.Logger, opts Options) *Gate {
	if opts.Rate == 0 {
		opts.Rate = DefaultRate
	}
	if opts.Burst <= 0 {
		opts.Burst = max(1, int(opts.Rate))
	}
	if opts.Failures == 0 {
		opts.Failures = DefaultFailures
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &Gate{
		keys: keys, tokens: opts.Tokens, log: log, now: opts.Now,
		rates: NewRates[recaller.KeyID](opts.Rate, opts.Burst), attempts: newAttempts(opts.Failures),
	}
}

// Open begins an exchange. Its ID is the one that a proxy or client gave, if that can be logged. Otherwise Open makes
// one. from is the address of who asks; the zero value where there is none.
func (g *Gate) Open(id string, from netip.Addr) Exchange {
	if !loggable(id) {
		id = rand.Text()
	}
	return Exchange{ID: id, gate: g, from: from, started: g.now()}
}

const maxID = 128 // bytes

func loggable(id string) bool {
	return id != "" && len(id) <= maxID && !strings.ContainsFunc(id, func(r rune) bool {
		return r >= unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.:", r)
	})
}
