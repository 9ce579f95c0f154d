package telephony

import (
	"crypto/rand"
	"crypto/subtle"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
)

// TokenTTL is how long a socket may take to come after its call was answered.
const TokenTTL = time.Minute

// maxTokens is how many sockets may be awaited at once. Only webhooks that were signed make one be.
const maxTokens = 10_000

// Call is a call whose socket is awaited.
type Call struct {
	ID           string // the platform's
	Tenant       recaller.TenantID
	Conversation recaller.ConversationID // empty: the store was away, and the call goes on without memory
	Caller       recaller.CallerID       // empty: the store has not seen the call
	TimeZone     string                  // by which times are told: the caller's, else that of his number, else the tenant's
	Greeting     string                  // what the platform says first; empty: nothing
	Language     string                  // of what is said, as the tenant set it; empty: he did not

	number  string // the tenant's
	control bool   // what comes next is told by commands
}

// Tokens bind a socket to the call that it is of: the answer to the webhook has one, the platform gives it back when it
// opens the socket, and it is taken once. Safe for concurrent use.
type Tokens struct {
	now func() time.Time

	mu      sync.Mutex
	awaited *shelf[*awaited] // by the id of the call
}

type awaited struct {
	call  Call
	token string
	taken bool
}

// NewTokens returns Tokens that go by a clock.
func NewTokens(now func() time.Time) *Tokens {
	return &Tokens{now: now, awaited: newShelf[*awaited](maxTokens, TokenTTL)}
}

// Issue returns the token of a call. A webhook that comes again gets the same one. false: the call's socket has come
// already, or too many are awaited.
func (t *Tokens) Issue(c Call) (token string, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	if a, ok := t.awaited.get(c.ID, now); ok {
		if a.taken || a.call.Tenant != c.Tenant {
			return "", false
		}
		a.call = c // the store may be back
		return a.token, true
	}
	if t.awaited.prune(now); t.awaited.order.Len() >= maxTokens {
		return "", false
	}
	a := &awaited{call: c, token: rand.Text() + rand.Text()}
	t.awaited.put(c.ID, a, now)
	return a.token, true
}

// Take returns the call of a socket, which says its id and its token. It does so once.
func (t *Tokens) Take(id, token string) (Call, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a, ok := t.awaited.get(id, t.now())
	if !ok || subtle.ConstantTimeCompare([]byte(a.token), []byte(token)) != 1 || a.taken {
		return Call{}, false
	}
	a.taken = true
	return a.call, true
}
