// Package app puts Recaller together: it opens the data, wires use cases to stores and edges, and starts and stops them
// in order. It is the only package that knows all others.
//
// It is not for behaviour: it decides only which part talks to which.
package app

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"path/filepath"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/admission"
	"github.com/recallerhq/recaller/internal/agent"
	"github.com/recallerhq/recaller/internal/carrier"
	"github.com/recallerhq/recaller/internal/chatproxy"
	"github.com/recallerhq/recaller/internal/config"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/document"
	"github.com/recallerhq/recaller/internal/durable"
	"github.com/recallerhq/recaller/internal/errand"
	"github.com/recallerhq/recaller/internal/events"
	written "github.com/recallerhq/recaller/internal/exchange" // what is called exchange in the tests is a telephone exchange
	"github.com/recallerhq/recaller/internal/feed"
	"github.com/recallerhq/recaller/internal/httpapi"
	"github.com/recallerhq/recaller/internal/jobs"
	"github.com/recallerhq/recaller/internal/memory"
	"github.com/recallerhq/recaller/internal/oauth"
	"github.com/recallerhq/recaller/internal/obs"
	"github.com/recallerhq/recaller/internal/privacy"
	"github.com/recallerhq/recaller/internal/recall"
	"github.com/recallerhq/recaller/internal/refresh"
	"github.com/recallerhq/recaller/internal/relay"
	"github.com/recallerhq/recaller/internal/search"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/postgres"
	"github.com/recallerhq/recaller/internal/store/sqlite"
	"github.com/recallerhq/recaller/internal/telegram"
	"github.com/recallerhq/recaller/internal/telephony"
	"github.com/recallerhq/recaller/internal/tenant"
	"github.com/recallerhq/recaller/internal/texting"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/webchat"
)

// Options are what New needs beside the configuration.
type Options struct {
	Log     *slog.Logger     // required
	Version string           // of the program
	Now     func() time.Time // nil: time.Now
	// Elapsed is a clock that never jumps, however Now does; nil: by Now.
	Elapsed func() time.Duration
	Store   sqlite.Options
	// Postgres adjusts the engine if the data is on Postgres.
	Postgres postgres.Options
	// Telegram adjusts how fast the companion goes.
	Telegram telegram.Pace
	// Relay adjusts the bounds of ConversationRelay.
	Relay relay.Options
	// WebChat adjusts the bounds of the web chat.
	WebChat webchat.Options
	// AgentPatience is how long callers wait for a word of the built-in agent; 0: its default.
	AgentPatience time.Duration
	// TextWait is how long a text waits for more before it is answered; 0: its default.
	TextWait time.Duration
	// Wrap, if set, is put between the use cases and the engine of the store. Tests use it to make the store fail.
	Wrap func(store.Engine) store.Engine
}

// App is a whole Recaller on one data folder. Make it with New, and Close it.
type App struct {
	cfg      config.Config
	opts     Options
	log      *slog.Logger
	registry *prometheus.Registry
	roots    roots
	gate     *admission.Gate
	proxy    *chatproxy.Server
	key      string
	keyIsNew bool
	closers  []func() error // run last to first
	taken    chan struct{}  // closed when another process has taken the database

	store         *store.Store
	room          *room // what store runs on
	vault         *vault.Vault
	encryption    *encryption
	feed          *feed.Feed
	events        *events.Bus
	recall        *recall.Service
	search        *search.Service
	tenants       *tenant.Service
	conversations *conversation.Service
	memories      *memory.Service
	documents     *document.Service
	privacy       *privacy.Service
	refresh       *refresh.Service
	runner        *jobs.Runner
	companion     *telegram.Bot // nil: none is configured
	telephone     *telephony.Server
	carrier       *carrier.Client
	exchanges     *written.Service
	texting       *texting.Service
	webchat       *webchat.Server
	errands       *errand.Service
	agent         *agent.Agent // nil: no language model is configured
	leased        bool         // the last process's leases of jobs are to end before any job runs
	loops         loops
}

// The files of a data folder. Keys have a folder of their own, because they are backed up apart (design decision 1). So
// has the master key, because it is in neither backup.
const (
	databaseFile = "recaller.db"
	keysDir      = "keys"
	keysFile     = "keys.db"
	masterDir    = "master"
	masterFile   = "master.key"
	apiKeyFile   = "api.key"
	archiveDir   = "archive"
	lockFile     = "lock"
	acmeDir      = "acme" // certificates that the server got for its domains
)

// New opens the data and puts everything together. It takes up the conversations that the last process led.
// It fails with Conflict if another process has the data folder, and with Unavailable if the key does not fit the data.
func New(ctx context.Context, cfg config.Config, opts Options) (*App, error) {
	if opts.Now == nil { // as exact as the store keeps times, so that what is answered and what is read back are equal
		opts.Now = func() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }
		began := time.Now()
		opts.Elapsed = func() time.Duration { return time.Since(began) }
	}
	a := &App{cfg: cfg, opts: opts, log: opts.Log, registry: obs.NewRegistry(opts.Version), taken: make(chan struct{})}
	a.feed = feed.New(feed.Options{Log: opts.Log})
	if err := a.open(ctx); err != nil {
		return nil, errors.Join(err, a.Close(ctx))
	}
	return a, nil
}

func (a *App) open(ctx context.Context) error {
	if err := durable.Folder(filepath.Join(a.cfg.Data, keysDir)); err != nil {
		return recaller.Wrap(recaller.Unavailable, err, "the data folder cannot be made")
	}
	if err := private(a.cfg.Data); err != nil {
		return err
	}
	unlock, err := lock(filepath.Join(a.cfg.Data, lockFile))
	if err != nil {
		return err
	}
	a.closers = append(a.closers, unlock)
	if _, err := (copies{a}).Discard(ctx); err != nil {
		a.log.Error("what a killed backup left is not removed", "err", err)
	}
	if err := a.openStore(ctx); err != nil {
		return err
	}
	if err := a.openTenants(ctx); err != nil {
		return err
	}
	if err := a.wire(); err != nil {
		return err
	}
	return a.recover(ctx)
}

func (a *App) path(parts ...string) string { return pathIn(a.cfg, parts...) }

// pathIn is a path in the data folder.
func pathIn(cfg config.Config, parts ...string) string {
	return filepath.Join(append([]string{cfg.Data}, parts...)...)
}

// openTenants makes sure that the tenant `default` and the bootstrap key are there.
func (a *App) openTenants(ctx context.Context) error {
	issuers := oauth.New(oauth.Options{Allowed: a.reach(), Now: a.opts.Now, Log: a.log})
	a.closers = append(a.closers, func() error { issuers.Close(); return nil })
	a.tenants = tenant.New(tenant.Deps{
		Store: a.store, Now: a.opts.Now, NewID: newID, Changed: a.feed.AnewTenant, Reachable: a.reach().Host,
		Issuers: issuers, PublicURL: a.cfg.Public, Answers: telephony.Answers(a.sockets()...), Replies: a.replies(), Mute: a.mute(), NoEars: !a.cfg.Deepgram.APIKey.Set(),
		NoAgent: !a.hasModel(),
	})
	a.key = a.cfg.APIKey.Reveal()
	if a.key == "" {
		var err error
		if a.key, a.keyIsNew, err = apiKey(a.path(keysDir, apiKeyFile)); err != nil {
			return err
		}
	}
	d := a.cfg.Defaults
	err := a.tenants.Ensure(ctx, recaller.Tenant{
		Name: "default", DefaultRegion: d.Region, TimeZone: d.TimeZone, Retention: d.Retention,
		HistoryLimit: a.cfg.Voice.ContextLimit,
	}, a.key)
	if errors.Is(err, recaller.Forbidden) {
		a.log.Warn("the bootstrap key was deleted over the API and stays deleted: no request is let in by it",
			"remedy", a.anotherKey())
		err = nil
	}
	err = a.without(err, "the bootstrap key is not checked")
	// The log names whose key is missing (quarantined) and what is damaged, and the other tenants work.
	if err != nil && !recaller.IsKeyMissing(err) && !recaller.IsDamaged(err) {
		return err
	}
	// Numbers that were stored before they had to be unique are made unique. If two tenants have one, the older tenant
	// keeps it.
	takenOut, err := a.store.IndexNumbers(ctx)
	for id, n := range takenOut {
		a.log.Warn("numbers that an older tenant has were taken out of a tenant's settings", "tenant", id, "numbers", n)
	}
	return a.without(err, "the numbers of tenants are not indexed")
}

// without lets a start go on where there is no room to write: reads and calls go on, and the next start makes up for
// what was left out.
func (a *App) without(err error, leftOut string) error {
	if !errors.Is(err, recaller.Full) {
		return err
	}
	a.log.Error("there is no room to write, starting all the same", "left_out", leftOut, "err", err)
	return nil
}

// anotherKey says how to get a bootstrap key where the one that there is was deleted.
func (a *App) anotherKey() string {
	if a.cfg.APIKey.Set() {
		return "set RECALLER_API_KEY to another key, or go on with an admin key made over the API"
	}
	return "delete " + a.path(keysDir, apiKeyFile) + " and start again, and a new one is made; or go on with an admin " +
		"key made over the API"
}

// newID returns ids that rise with time (UUIDv7, RFC 9562).
func newID() string { return uuid.Must(uuid.NewV7()).String() }

func (a *App) httpOptions() httpapi.Options {
	o := httpapi.Options{
		Version: a.opts.Version, MaxBody: a.cfg.Limits.BodyBytes, MaxImport: a.cfg.Limits.ImportBytes, Spool: a.path(),
		Now: a.opts.Now, Proxies: a.cfg.Proxies.Networks, PublicURL: a.cfg.Public,
	}
	if a.cfg.MetricsAddr == "" {
		o.Gatherer = a.registry
	}
	return o
}

// admission makes the gate that all doors share.
func (a *App) admission() *admission.Gate {
	o := admission.Options{
		Rate: a.cfg.Limits.Rate, Burst: a.cfg.Limits.Burst, Failures: a.cfg.Limits.Failures, Now: a.opts.Now,
		Tokens: a.tenants,
	}
	if o.Rate == 0 {
		o.Rate = -1 // the configuration says 0 for no limit, the gate says -1
	}
	if o.Failures == 0 {
		o.Failures = -1 // likewise
	}
	return admission.New(a.tenants, a.log, o)
}

// recover goes on with what the last process left, before anything is served.
func (a *App) recover(ctx context.Context) error {
	err := a.store.ReleaseJobs(ctx)
	a.leased = err != nil
	if err := a.without(err, "jobs of the last process wait until there is room"); err != nil {
		return err
	}
	over := make(chan struct{})
	a.loops.run(context.WithoutCancel(ctx), func(ctx context.Context) {
		defer close(over)
		a.takeUp(ctx)
	})
	patience := time.NewTimer(takeUpPatience)
	defer patience.Stop()
	select {
	case <-over:
	case <-patience.C:
	case <-ctx.Done():
	}
	return ctx.Err()
}

// takeUpPatience is how long a start waits for the conversations of the last process. Where there are thousands of
// tenants the rest are taken up while it serves, or with the first that is said in them.
const takeUpPatience = 150 * time.Millisecond

// takeUp takes up the conversations of the last process.
func (a *App) takeUp(ctx context.Context) {
	live, closed, err := a.conversations.TakeUp(ctx)
	if live > 0 || closed > 0 {
		a.log.Info("took up the conversations of the last process, and closed those silent for too long", "live", live, "closed", closed)
	}
	if err != nil && ctx.Err() == nil { // they are tried again with the idle ones, or with the first that is said in them
		a.log.Error("not all conversations of the last process could be taken up", "err", err)
	}
}

// waiting counts the jobs for a scrape of the metrics.
func (a *App) waiting() float64 {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	n, err := a.store.JobCount(ctx)
	if err != nil {
		return -1
	}
	return float64(n)
}

// Handler serves the HTTP API, and every other root without an address of its own.
func (a *App) Handler() http.Handler { return a.roots.at("") }

// BootstrapKey returns the admin key of the tenant `default`.
func (a *App) BootstrapKey() string { return a.key }

// BootstrapKeyIsNew reports whether the key was made by this start.
func (a *App) BootstrapKeyIsNew() bool { return a.keyIsNew }

// Check looks for damage in the data. It may take long.
func (a *App) Check(ctx context.Context) error {
	if err := a.vault.Check(ctx); err != nil {
		return err
	}
	return a.store.Check(ctx)
}

// Close stops what runs and closes the data. It may be called at any time, and again. When ctx ends, it stops waiting
// for the jobs under way. They are done again after the next start.
func (a *App) Close(ctx context.Context) error {
	a.loops.stop(ctx)
	var errs []error
	for i := len(a.closers) - 1; i >= 0; i-- {
		errs = append(errs, a.closers[i]())
	}
	a.closers = nil
	return errors.Join(errs...)
}

// destroyer gives package privacy what it needs of the vault.
type destroyer struct{ *vault.Vault }

func (d destroyer) DestroyCaller(ctx context.Context, tenant recaller.TenantID, c recaller.CallerID) (string, error) {
	return d.Destroy(ctx, vault.Scope{Tenant: tenant, Caller: c})
}

func (d destroyer) Sign(ctx context.Context, message []byte) (signature, public []byte, err error) {
	s, err := d.Signer(ctx)
	if err != nil {
		return nil, nil, err
	}
	return s.Sign(message), s.Public(), nil
}
