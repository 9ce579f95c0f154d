// Package app puts Recaller together: it opens the data, wires use cases to stores and edges, and starts and stops them
// in order. It is the only package that knows all others.
//
// It is not for behaviour: whatever is decided here is which part talks to which.
package app

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/archive"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/caller"
	"github.com/recallerhq/recaller/internal/config"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/events"
	"github.com/recallerhq/recaller/internal/httpapi"
	"github.com/recallerhq/recaller/internal/jobs"
	"github.com/recallerhq/recaller/internal/memory"
	"github.com/recallerhq/recaller/internal/obs"
	"github.com/recallerhq/recaller/internal/privacy"
	"github.com/recallerhq/recaller/internal/recall"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/sqlite"
	"github.com/recallerhq/recaller/internal/tenant"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/keyfile"
	"github.com/recallerhq/recaller/internal/wrapup"
)

// Options are what New cannot know from the configuration.
type Options struct {
	Log     *slog.Logger     // required
	Version string           // of the program
	Now     func() time.Time // nil: time.Now
	Store   sqlite.Options
	// Wrap, if set, is put between the use cases and the store's engine: tests make the store fail with it.
	Wrap func(store.Engine) store.Engine
}

// App is a whole Recaller on one data folder. Make it with New, and Close it.
type App struct {
	cfg      config.Config
	opts     Options
	log      *slog.Logger
	registry *prometheus.Registry
	handler  http.Handler
	key      string
	keyIsNew bool
	closers  []func() error // run last to first

	store         *store.Store
	vault         *vault.Vault
	events        *events.Bus
	recall        *recall.Service
	tenants       *tenant.Service
	conversations *conversation.Service
	privacy       *privacy.Service
	wrapup        *wrapup.Service
	runner        *jobs.Runner
	loops         loops
}

// The files of a data folder. Keys are in a folder of their own, because they are backed up apart (design decision 1).
const (
	databaseFile = "recaller.db"
	keysDir      = "keys"
	keysFile     = "keys.db"
	masterFile   = "master.key"
	apiKeyFile   = "api.key"
	archiveDir   = "archive"
	lockFile     = "lock"
)

// New opens the data and puts everything together; conversations that were active when the process died are closed. It
// fails with Conflict if another process has the data folder, and with Unavailable if the key does not fit the data.
func New(ctx context.Context, cfg config.Config, opts Options) (*App, error) {
	if opts.Now == nil { // times are as exact as the store keeps them, so that a thing reads back as it was answered
		opts.Now = func() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }
	}
	a := &App{cfg: cfg, opts: opts, log: opts.Log, registry: obs.NewRegistry(opts.Version)}
	if err := a.open(ctx); err != nil {
		return nil, errors.Join(err, a.Close(ctx))
	}
	return a, nil
}

func (a *App) open(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Join(a.cfg.Data, keysDir), 0o700); err != nil {
		return recaller.Wrap(recaller.Unavailable, err, "the data folder cannot be made")
	}
	unlock, err := lock(filepath.Join(a.cfg.Data, lockFile))
	if err != nil {
		return err
	}
	a.closers = append(a.closers, unlock)
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

func (a *App) path(parts ...string) string {
	return filepath.Join(append([]string{a.cfg.Data}, parts...)...)
}

// openStore opens keys, database and archive.
func (a *App) openStore(ctx context.Context) error {
	ring, err := a.ring()
	if err != nil {
		return err
	}
	if err := a.keysAreThere(); err != nil {
		return err
	}
	keys, err := keyfile.Open(a.path(keysDir, keysFile)) //nolint:contextcheck // opening takes milliseconds, and half-open is no state
	if err != nil {
		return err
	}
	a.closers = append(a.closers, keys.Close)
	a.vault = vault.New(ring, keys, vault.Options{})
	if err := a.vault.Check(ctx); err != nil {
		return err
	}
	var engine store.Engine
	engine, err = sqlite.Open(ctx, a.path(databaseFile), a.opts.Store)
	if err != nil {
		return err
	}
	if a.opts.Wrap != nil {
		engine = a.opts.Wrap(engine)
	}
	a.store = store.New(engine, a.vault)
	a.closers = append(a.closers, a.store.Close)
	return nil
}

// keysAreThere refuses data whose key store is lost: a new one would only hide that nothing opens.
func (a *App) keysAreThere() error {
	_, missing := os.Stat(a.path(keysDir, keysFile))
	if _, err := os.Stat(a.path(databaseFile)); err == nil && errors.Is(missing, fs.ErrNotExist) {
		return recaller.Errorf(recaller.Unavailable, "the key store %s is missing, but there is data that needs it (%s): put it back from its backup",
			a.path(keysDir, keysFile), a.path(databaseFile))
	}
	return nil
}

// ring is the key-encryption keys: as configured, else the one kept in the data folder.
func (a *App) ring() (*vault.Ring, error) {
	current := a.cfg.EncryptionKey.Reveal()
	if current == "" {
		key, _, err := keyfile.LoadOrCreateMaster(a.path(keysDir, masterFile), a.path(keysDir, keysFile), a.path(databaseFile))
		if err != nil {
			return nil, err
		}
		current = key
	}
	previous := make([]string, len(a.cfg.PreviousEncryptionKeys))
	for i, k := range a.cfg.PreviousEncryptionKeys {
		previous[i] = k.Reveal()
	}
	return vault.NewRing(current, previous...)
}

// openTenants makes sure that the tenant `default` and the bootstrap key are there.
func (a *App) openTenants(ctx context.Context) error {
	a.tenants = tenant.New(tenant.Deps{Store: a.store, Now: a.opts.Now, NewID: newID})
	a.key = a.cfg.APIKey.Reveal()
	if a.key == "" {
		var err error
		if a.key, a.keyIsNew, err = apiKey(a.path(keysDir, apiKeyFile)); err != nil {
			return err
		}
	}
	d := a.cfg.Defaults
	return a.tenants.Ensure(ctx, recaller.Tenant{
		Name: "default", DefaultRegion: d.Region, TimeZone: d.TimeZone, Retention: d.Retention, HistoryLimit: a.cfg.Voice.ContextLimit,
	}, a.key)
}

// newID returns ids that rise with time (UUIDv7, RFC 9562).
func newID() string { return uuid.Must(uuid.NewV7()).String() }

// wire makes the use cases and the HTTP edge.
func (a *App) wire() error {
	now := a.opts.Now
	files := archive.New(a.path(archiveDir), a.vault)
	words := &words{noVoice: !a.cfg.Voice.Enabled, store: a.store, archive: files}
	a.events = events.New(now)
	a.recall = recall.New(words, recall.Options{MaxBytes: a.cfg.RecallCacheBytes})
	briefer := briefing.New(words, briefing.Options{
		Now: now, Deadline: a.cfg.Briefing.Deadline, Tokens: a.cfg.Briefing.Tokens, Tenant: a.tenants.Known,
	})
	a.conversations = conversation.New(conversation.Deps{
		Deadline: a.cfg.Briefing.Deadline, Store: a.store, Tenants: a.tenants, Archive: files, Briefer: briefer, Changed: a.changed, Enqueued: a.enqueued,
		Stale: a.recall.Forget,
		Log:   a.log, Metrics: conversation.NewMetrics(a.registry), Now: now, NewID: newID,
	})
	words.live = a.conversations.LiveTurns
	memories := memory.New(memory.Deps{Store: a.store, Tenants: a.tenants, Changed: a.changed, Now: now, NewID: newID})
	callers := caller.New(caller.Deps{Store: a.store, Tenants: a.tenants, Changed: a.changed, Now: now})
	a.privacy = privacy.New(privacy.Deps{
		Store: a.store, Vault: destroyer{a.vault}, Words: a.conversations, Archive: files, Tenants: a.tenants,
		Forget: a.forget, Stale: a.recall.Forget, Now: now, NewID: newID,
	})
	a.wrapup = wrapup.New(wrapup.Deps{
		Store: a.store, Words: a.conversations, Tenants: a.tenants, Changed: a.changed, Discard: a.discard,
		Log: a.log, Metrics: wrapup.NewMetrics(a.registry), Now: now, NewID: newID,
	})
	a.runner = jobs.New(a.store, map[string]jobs.Handler{
		conversation.JobWrapup: {Run: a.wrapup.Run, GiveUp: a.wrapup.GiveUp},
		privacy.JobErase: {Run: func(ctx context.Context, j recaller.Job) error {
			_, err := a.privacy.Finish(ctx, j)
			return err
		}, GiveUp: a.privacy.GiveUp},
	}, jobs.Options{Workers: a.cfg.Workers, Jitter: rand.Float64}, a.log, a.registry, now)
	a.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "recaller_jobs_waiting", Help: "Jobs that wait or run; -1 while the store is away.",
	}, a.waiting))
	var err error
	a.handler, err = httpapi.New(httpapi.Deps{
		Conversations: a.conversations, Callers: callers, Memories: memories, Privacy: a.privacy, Tenants: a.tenants,
		Recall: a.recall, Briefer: briefer, Events: a.events, Ready: a.ready, Log: a.log, Registerer: a.registry,
	}, a.httpOptions())
	return err
}

func (a *App) httpOptions() httpapi.Options {
	o := httpapi.Options{
		Version: a.opts.Version, MaxBody: a.cfg.Limits.BodyBytes, MaxImport: a.cfg.Limits.ImportBytes,
		Rate: a.cfg.Limits.Rate, Burst: a.cfg.Limits.Burst, Now: a.opts.Now,
	}
	if o.Rate == 0 {
		o.Rate = -1 // none, in the edge's spelling
	}
	if a.cfg.MetricsAddr == "" {
		o.Gatherer = a.registry
	}
	return o
}

// changed tells everybody who keeps a view of what was committed.
func (a *App) changed(c recaller.Change) {
	a.recall.Apply(c)
	a.events.Apply(c)
	a.conversations.Stored(c)
}

func (a *App) enqueued() { a.runner.Wake() }

// discard lets ephemeral words go when they have been written up: from the live state, and from the index.
func (a *App) discard(tenant recaller.TenantID, conv recaller.Conversation) {
	if a.conversations.Discard(tenant, conv) {
		a.recall.Forget(tenant, conv.Caller)
	}
}

// forget drops what this process's memory holds of a caller.
func (a *App) forget(tenant recaller.TenantID, c recaller.CallerID) {
	a.conversations.Forget(tenant, c)
	a.recall.Forget(tenant, c)
	a.events.Forget(tenant, c)
}

// recover brings what a crash left in order, before anything is served.
func (a *App) recover(ctx context.Context) error {
	if err := a.store.ReleaseJobs(ctx); err != nil {
		return err
	}
	closed, err := a.conversations.Recover(ctx)
	if closed > 0 {
		a.log.Warn("closed conversations that were active when the process ended", "conversations", closed)
	}
	return err
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

// ready reports whether requests can be served.
func (a *App) ready(ctx context.Context) error {
	_, err := a.store.TenantIDs(ctx)
	return err
}

// Handler serves the HTTP API.
func (a *App) Handler() http.Handler { return a.handler }

// BootstrapKey returns the admin key of the tenant `default`.
func (a *App) BootstrapKey() string { return a.key }

// BootstrapKeyIsNew reports whether the key was made by this start.
func (a *App) BootstrapKeyIsNew() bool { return a.keyIsNew }

// Vault gives the verbs about keys their keys.
func (a *App) Vault() *vault.Vault { return a.vault }

// Check looks for damage in the data; it may take long.
func (a *App) Check(ctx context.Context) error {
	if err := a.vault.Check(ctx); err != nil {
		return err
	}
	return a.store.Check(ctx)
}

// Close stops what runs and closes the data. It may be called at any time, and again. When ctx ends it waits no longer
// for jobs under way: they are done again at the next start.
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
