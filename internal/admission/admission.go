// Package admission lets requests in, by whichever door they come: HTTP today, and others that speak another protocol.
// A door declares each Operation once. For each request it opens an Exchange, has it admitted with the secret that
// came with it, and ends it:
//
//	Gate.Open → Exchange.Admit → the door carries the operation out → Exchange.Done
//
// Admission finds whose key it is, holds the key against the operation, and bounds how often, how long and how many at
// once. It makes the token of an idempotency key, keeps the connections that last, so that a server that drains can
// tell each of them why it goes, and logs one line for each exchange: never words.
//
// It is not for protocols, nor for what an operation does. It refuses by the kinds of package recaller, and the door
// turns these into statuses or codes of its own. It knows no other package of ours than that one.
package admission

import (
	"context"
	"crypto/rand"
	"log/slog"
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

// Operation is something that can be asked for at a door. It does not change once the door is open.
type Operation struct {
	Name     string         // from a closed set; it is logged
	Scope    recaller.Scope // that a key must allow; empty: anybody may, and no key is looked at
	Operator bool           // needs a key of the tenant default, for it sees past one tenant
	Limit    time.Duration  // how long it may take, its body included; 0: DefaultLimit, Lasting: as long as it likes
	MaxBody  int64          // bytes that the request may have; the door's reader holds it to them
	Slots    *Slots         // one of which it needs; nil: none
	OnceAs   string         // the name that its idempotency keys belong to; empty: Name
	Quiet    bool           // a health check or documentation: logged for debugging only
}

// DefaultLimit is how long an operation may take that does not say so.
const DefaultLimit = 30 * time.Second

// Lasting is the Limit of an operation that lasts as long as its connection.
const Lasting time.Duration = -1

// Timeout is how long the operation may take; 0: as long as it likes.
func (o *Operation) Timeout() time.Duration {
	switch o.Limit {
	case 0:
		return DefaultLimit
	case Lasting:
		return 0
	}
	return o.Limit
}

// Principal is who asks: a key of a tenant's. The zero value is that of an open operation: nobody in particular.
type Principal struct {
	Tenant recaller.TenantID
	Key    recaller.KeyID
	Scope  recaller.Scope // what the key allows
}

// Options are the settings; the zero value means the defaults.
type Options struct {
	Rate  float64          // requests a second and key, at all doors together; 0: DefaultRate, negative: no limit
	Burst int              // requests at once and key; 0: the Rate
	Now   func() time.Time // nil: time.Now
}

// DefaultRate is there to stop a loop gone wild, not to share out the machine.
const DefaultRate = 10000

// Gate is what all doors of a process share. Safe for concurrent use.
type Gate struct {
	keys    Keys
	log     *slog.Logger
	now     func() time.Time
	rates   *rates
	lasting lasting
}

// New returns a Gate.
func New(keys Keys, log *slog.Logger, opts Options) *Gate {
	if opts.Rate == 0 {
		opts.Rate = DefaultRate
	}
	if opts.Burst <= 0 {
		opts.Burst = max(1, int(opts.Rate))
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &Gate{keys: keys, log: log, now: opts.Now, rates: newRates(opts.Rate, opts.Burst)}
}

// Open begins an exchange. It has the id that a proxy or client gave it, if that is one that can be logged, else a new
// one.
func (g *Gate) Open(id string) Exchange {
	if !loggable(id) {
		id = rand.Text()
	}
	return Exchange{ID: id, gate: g, started: g.now()}
}

const maxID = 128 // bytes

func loggable(id string) bool {
	return id != "" && len(id) <= maxID && !strings.ContainsFunc(id, func(r rune) bool {
		return r >= unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.:", r)
	})
}
