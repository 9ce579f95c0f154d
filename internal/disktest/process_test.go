package disktest_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/app/views"
	"github.com/recallerhq/recaller/internal/archive"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/feed"
	"github.com/recallerhq/recaller/internal/memory"
	"github.com/recallerhq/recaller/internal/privacy"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/sqlite"
	"github.com/recallerhq/recaller/internal/usecasetest"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/keyfile"
	"github.com/recallerhq/recaller/internal/wrapup"
)

// process is a server without its doors: the use cases on a data folder. Where the folder was made anew it is empty.
type process struct {
	usecasetest.Place
	dir           string
	ring          *vault.Ring
	keys          *keyfile.File
	engine        *sqlite.Engine
	conversations *conversation.Service
	memories      *memory.Service
	privacy       *privacy.Service
	settings      usecasetest.Settings

	records map[string]conversation.Record // that were read

	mu      sync.Mutex // guards damaged
	damaged []recaller.DamagedRow
}

// record reads a conversation once.
func (p *process) record(t recaller.TenantID, call string) (conversation.Record, error) {
	if r, ok := p.records[call]; ok {
		return r, nil
	}
	r, err := p.conversations.GetAll(context.Background(), t, call, true)
	if err == nil {
		p.records[call] = r
	}
	return r, err
}

// start opens a data folder. Ids go on after those of the processes before.
func start(dir string, clock *usecasetest.Clock, newID func() string) (*process, error) {
	p := &process{dir: dir, settings: usecasetest.Settings{}, records: map[string]conversation.Record{}}
	p.Dir, p.Clock, p.NewID, p.Log = dir, clock, newID, slog.New(slog.DiscardHandler)
	keys, data := filepath.Join(dir, "keys", "keys.db"), filepath.Join(dir, "recaller.db")
	master, _, err := keyfile.LoadOrCreateMaster(filepath.Join(dir, "master", "master.key"), keys, data)
	if err != nil {
		return nil, err
	}
	if p.ring, err = vault.NewRing(master); err != nil {
		return nil, err
	}
	if p.keys, err = keyfile.Open(keys); err != nil {
		return nil, err
	}
	p.Vault = vault.New(p.ring, p.keys, vault.Options{})
	if err = p.Vault.Check(context.Background()); err == nil {
		p.engine, err = sqlite.Open(context.Background(), data, sqlite.Options{
			Readers: 2, Patience: 200 * time.Millisecond,
		})
	}
	if err != nil {
		return nil, errors.Join(err, p.keys.Close())
	}
	p.Store = store.New(p.engine, p.Vault)
	if err := p.Store.AsMarked(context.Background()); err != nil {
		return nil, errors.Join(err, p.close())
	}
	p.Store.OnDamage(func(_ recaller.TenantID, row recaller.DamagedRow) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.damaged = append(p.damaged, row)
	})
	p.Archive = archive.New(filepath.Join(dir, "archive"), p.Vault)
	for _, id := range tenants {
		p.settings[id] = tenant(id, clock).WithDefaults()
	}
	p.wire()
	return p, nil
}

func (p *process) wire() {
	f := feed.New(feed.Options{Log: p.Log})
	p.conversations = conversation.New(conversation.Deps{
		Store: p.Store, Tenants: p.settings, Archive: p.Archive,
		Briefer: briefing.New(p.Store, briefing.Options{Now: p.Clock.Now}),
		Feed:    f, Enqueued: func() {}, Plan: wrapup.Plan, Masked: func(string) {}, Log: p.Log,
		Metrics: conversation.NewMetrics(prometheus.NewRegistry()), Now: p.Clock.Now, NewID: p.NewID,
		Deadline: 10 * time.Second, Patience: 10 * time.Second,
	})
	p.memories = memory.New(memory.Deps{
		Store: p.Store, Tenants: p.settings, Changed: f.Committed, Now: p.Clock.Now, NewID: p.NewID,
	})
	p.Register(f, views.All{Conversations: p.conversations, Memories: p.memories})
	p.privacy = privacy.New(privacy.Deps{
		Store: p.Store, Vault: signing{p.Vault}, Words: p.conversations, Archive: p.Archive, Copies: usecasetest.Copies{}, Tenants: p.settings, Feed: f,
		Now: p.Clock.Now, NewID: p.NewID,
	})
}

func (p *process) close() error { return errors.Join(p.Store.Close(), p.keys.Close()) }

// look opens all that is sealed, and looks at every page.
func (p *process) look() error {
	ctx := context.Background()
	if err := p.keys.Check(ctx); err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	if err := p.Store.Check(ctx); err != nil {
		return fmt.Errorf("data: %w", err)
	}
	if _, err := p.Store.Examine(ctx); err != nil {
		return fmt.Errorf("examination: %w", err)
	}
	lacking, err := p.Store.Quarantined(ctx)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(lacking) > 0 || len(p.damaged) > 0 {
		return fmt.Errorf("keys are missing: %v; rows are damaged: %v", lacking, p.damaged)
	}
	return nil
}

// signing is a vault as an erasure needs it.
type signing struct{ *vault.Vault }

func (v signing) DestroyCaller(ctx context.Context, t recaller.TenantID, c recaller.CallerID) (string, error) {
	return v.Destroy(ctx, vault.Scope{Tenant: t, Caller: c})
}

func (v signing) Sign(ctx context.Context, message []byte) (signature, public []byte, err error) {
	s, err := v.Signer(ctx)
	if err != nil {
		return nil, nil, err
	}
	return s.Sign(message), s.Public(), nil
}

const (
	kept     recaller.TenantID = "keep"
	archived recaller.TenantID = "archive"
)

var tenants = []recaller.TenantID{kept, archived}

func tenant(id recaller.TenantID, clock *usecasetest.Clock) recaller.Tenant {
	return recaller.Tenant{ID: id, Name: string(id), Retention: recaller.Retention(id), CreatedAt: clock.Now()}
}
