// Package usecasetest gives the tests of the use cases a real store to tell their stories on: the embedded database or
// Postgres, the key file and the archive in a folder of the test's own, a clock that is moved by hand, and ids that count
// up. Faults make any call fail, hang, or lose its answer.
//
// It is for tests only.
package usecasetest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/archive"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/postgres"
	"github.com/recallerhq/recaller/internal/store/postgres/postgrestest"
	"github.com/recallerhq/recaller/internal/store/sqlite"
	"github.com/recallerhq/recaller/internal/store/sqlite/sqlitetest"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/keyfile"
)

// masterKey is the key-encryption key of every test.
const masterKey = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

// Place is one data folder, opened.
type Place struct {
	Dir     string
	Store   *store.Store
	Vault   *vault.Vault
	Archive *archive.Archive
	Clock   *Clock
	NewID   func() string
	Log     *slog.Logger

	engine func(*Place) (store.Engine, error)
	close  func() error
}

// Open makes a place in a folder of the test's own; it is closed at the test's end.
func Open(t testing.TB) *Place {
	t.Helper()
	return openOn(t, embedded)
}

// OnBothStores tells a story on the embedded database and on Postgres, each in what furnish makes of such a place.
func OnBothStores[House any](t *testing.T, furnish func(*testing.T, *Place) House, story func(House)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { t.Parallel(); story(furnish(t, Open(t))) })
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		app := postgrestest.Database(t).App
		story(furnish(t, openOn(t, func(*Place) (store.Engine, error) {
			return postgres.Open(context.Background(), app, postgrestest.Secrets(), postgres.Options{})
		})))
	})
}

func embedded(p *Place) (store.Engine, error) {
	return sqlitetest.Open(context.Background(), filepath.Join(p.Dir, "recaller.db"), sqlite.Options{Readers: 2})
}

func openOn(t testing.TB, engine func(*Place) (store.Engine, error)) *Place {
	t.Helper()
	p := &Place{Dir: t.TempDir(), Clock: NewClock(), NewID: IDs(), Log: slog.New(slog.DiscardHandler), engine: engine}
	p.open(t)
	t.Cleanup(func() {
		if err := p.close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return p
}

// Restart closes the data and opens it again, as a new process would. What was made of the old Store, Vault and Archive
// is then useless.
func (p *Place) Restart(t testing.TB) {
	t.Helper()
	if err := p.close(); err != nil {
		t.Fatal(err)
	}
	p.open(t)
}

func (p *Place) open(t testing.TB) {
	t.Helper()
	ring, err := vault.NewRing(masterKey)
	ok(t, err)
	keys, err := keyfile.Open(filepath.Join(p.Dir, "keys", "keys.db"))
	ok(t, err)
	p.Vault = vault.New(ring, keys, vault.Options{})
	ok(t, p.Vault.Check(context.Background()))
	engine, err := p.engine(p)
	ok(t, err)
	p.Store = store.New(engine, p.Vault)
	p.Archive = archive.New(filepath.Join(p.Dir, "archive"), p.Vault)
	p.close = sync.OnceValue(func() error { return errors.Join(p.Store.Close(), keys.Close()) })
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// MakeTenant makes a tenant with settings as given, defaults filled in, and returns it.
func (p *Place) MakeTenant(t testing.TB, settings recaller.Tenant) recaller.Tenant {
	t.Helper()
	settings.CreatedAt = p.Clock.Now()
	settings = settings.WithDefaults()
	key := recaller.APIKey{
		ID: recaller.KeyID(p.NewID()), Tenant: settings.ID, Scope: recaller.ScopeAgent, CreatedAt: p.Clock.Now(),
	}
	ok(t, p.Store.CreateTenant(context.Background(), settings, key, []byte(p.NewID())))
	return settings
}

// Opening opens a call that comes in from Ann Archer, whom these identities tell, now.
func (p *Place) Opening(
	caller recaller.CallerID, conv recaller.ConversationID, by ...recaller.Identity,
) recaller.Opening {
	now := p.Clock.Now()
	return recaller.Opening{
		Identities: by, NewCaller: caller, Name: "Ann Archer", NameSource: recaller.NameSet,
		Conversation: recaller.Conversation{
			ID: conv, Channel: recaller.ChannelVoice, Direction: recaller.Inbound, Status: recaller.Active,
			StartedAt: now, LastActivityAt: now,
		},
	}
}

// Memory is one of a caller's, as it is remembered now.
func (p *Place) Memory(caller recaller.CallerID, kind recaller.MemoryType, key, value string) recaller.Memory {
	now := p.Clock.Now()
	return recaller.Memory{
		ID: recaller.MemoryID(p.NewID()), Caller: caller, Type: kind, Key: key, Value: value, Confidence: 1,
		Source: recaller.SourceConversation, PrivacyScope: recaller.LineOnly, CreatedAt: now, ConfirmedAt: now,
	}
}

// Settings gives use cases the settings of tenants without a store.
type Settings map[recaller.TenantID]recaller.Tenant

// Tenant implements what the use cases ask for.
func (s Settings) Tenant(_ context.Context, id recaller.TenantID) (recaller.Tenant, error) {
	t, found := s[id]
	if !found {
		return t, recaller.Errorf(recaller.NotFound, "there is no such tenant")
	}
	return t.WithDefaults(), nil
}

// Clock is a clock that only moves when it is told to. Safe for concurrent use.
type Clock struct{ at atomic.Int64 }

// NewClock returns a clock that stands at a Saturday morning in November 2026.
func NewClock() *Clock {
	c := &Clock{}
	c.at.Store(time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC).UnixMicro())
	return c
}

// Now tells the time.
func (c *Clock) Now() time.Time { return time.UnixMicro(c.at.Load()).UTC() }

// Advance moves the clock on.
func (c *Clock) Advance(d time.Duration) { c.at.Add(d.Microseconds()) }

// IDs returns a source of ids that rise.
func IDs() func() string {
	var n atomic.Int64
	return func() string { return fmt.Sprintf("id-%06d", n.Add(1)) }
}

// Changes records what listeners are told. Safe for concurrent use.
type Changes struct {
	mu  sync.Mutex
	all []recaller.Change
}

// Add is the listener.
func (c *Changes) Add(change recaller.Change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, change)
}

// Take returns what was told since the last time.
func (c *Changes) Take() []recaller.Change {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.all
	c.all = nil
	return all
}

// Faults decides what becomes of calls, by their names. Wrap a store and send every method through Call. Safe for
// concurrent use; the zero value lets everything pass.
type Faults struct {
	mu            sync.Mutex
	before, after map[string]func() error
	seen          []string
}

// Before makes fn run before each call of the name. If fn fails, the call is not made, and returns fn's error. nil ends
// it.
func (f *Faults) Before(name string, fn func() error) { f.set(&f.before, name, fn) }

// After makes fn run after each successful call of the name. If fn fails, the answer is lost, and the call returns fn's
// error.
func (f *Faults) After(name string, fn func() error) { f.set(&f.after, name, fn) }

func (f *Faults) set(to *map[string]func() error, name string, fn func() error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if *to == nil {
		*to = map[string]func() error{}
	}
	(*to)[name] = fn
}

// Clear lets everything pass again.
func (f *Faults) Clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.before, f.after = nil, nil
}

// Call makes a call.
func (f *Faults) Call(name string, do func() error) error {
	f.mu.Lock()
	before, after := f.before[name], f.after[name]
	f.seen = append(f.seen, name)
	f.mu.Unlock()
	if before != nil {
		if err := before(); err != nil {
			return err
		}
	}
	if err := do(); err != nil || after == nil {
		return err
	}
	return after()
}

// Seen returns the names of the calls that were made since the last time, in order.
func (f *Faults) Seen() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	seen := slices.Clone(f.seen)
	f.seen = nil
	return seen
}

// Away is the error of a store that cannot be reached.
func Away() error { return recaller.Errorf(recaller.Unavailable, "the store is away") }

// Once returns a fault that fails the first call with err and lets those after it pass.
func Once(err error) func() error {
	var done atomic.Bool
	return func() error {
		if done.Swap(true) {
			return nil
		}
		return err
	}
}

// Copies are the copies that backups make of nothing.
type Copies struct {
	Working bool  // a backup is running
	Err     error // of looking
}

// Discard implements privacy.Copies.
func (c Copies) Discard(context.Context) (working bool, err error) { return c.Working, c.Err }
