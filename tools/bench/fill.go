package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/app"
	"github.com/recallerhq/recaller/internal/config"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/postgres"
	"github.com/recallerhq/recaller/internal/store/sqlite"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/keyfile"
	"github.com/recallerhq/recaller/internal/vault/keytable"
	"github.com/recallerhq/recaller/internal/wrapup"
)

// The files of a data folder, as package app lays them out.
const (
	databaseFile = "recaller.db"
	keysFile     = "keys/keys.db"
	masterFile   = "master/master.key"
	apiKeyFile   = "keys/api.key" //nolint:gosec // a file's name
)

// settings is the configuration of the server and of the App in process, but for the address.
func (b *bench) settings() map[string]string {
	env := map[string]string{
		"RECALLER_DATA":       b.data,
		"RECALLER_RATE_LIMIT": "0", // one key carries the whole load
	}
	if b.patience != "" {
		env["RECALLER_BRIEFING_DEADLINE"] = b.patience
	}
	if b.db != nil {
		env["RECALLER_DATABASE_URL"], env["MEMORY_ENCRYPTION_KEY"] = b.db.app, benchKey
	}
	return env
}

func (b *bench) newApp(ctx context.Context) (*app.App, error) {
	env := b.settings()
	cfg, err := config.Load(config.Options{Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok }})
	if err != nil {
		return nil, err
	}
	return app.New(ctx, cfg, app.Options{Log: slog.New(slog.DiscardHandler), Version: "bench"})
}

// filler writes a plan through the real store. Many goroutines share it, so that commits are shared as well.
type filler struct {
	plan    plan
	store   *store.Store
	finders finders
	rows    struct{ callers, conversations, turns, memories atomic.Int64 }
}

// fill makes the data folder: tenant and keys by a first start, then everything the plan says.
func (b *bench) fill(ctx context.Context) (*manifest, error) {
	a, err := b.newApp(ctx)
	if err != nil {
		return nil, err
	}
	if err := a.Close(ctx); err != nil {
		return nil, err
	}
	stop, err := b.profiled("fill")
	if err != nil {
		return nil, err
	}
	began := time.Now()
	f := &filler{plan: b.plan}
	err = b.withStore(ctx, func(s *store.Store) (err error) {
		f.store = s
		if f.finders, err = newFinders(s, f.plan); err != nil {
			return err
		}
		return f.all(ctx, b.fillers, b.notef)
	})
	if err := errors.Join(err, stop()); err != nil {
		return nil, err
	}
	m := &manifest{Store: b.store(), Plan: b.plan, Took: time.Since(began), Rows: filled{
		Callers: f.rows.callers.Load(), Conversations: f.rows.conversations.Load(),
		Turns: f.rows.turns.Load(), Memories: f.rows.memories.Load(),
	}}
	m.DataBytes, m.KeysBytes = sizeOf(b.data, databaseFile), sizeOf(b.data, keysFile)
	if b.db != nil {
		if m.DataBytes, m.KeysBytes, err = b.db.sizes(ctx); err != nil {
			return nil, err
		}
		if err := b.db.settled(ctx); err != nil {
			return nil, err
		}
	}
	b.notef("filled in %s: %+v", m.Took.Round(time.Millisecond), m.Rows)
	return m, m.write(b.data)
}

// profiled begins a CPU profile, if one is asked for; stop ends it.
func (b *bench) profiled(name string) (stop func() error, err error) {
	if b.profile == "" {
		return func() error { return nil }, nil
	}
	if err := os.MkdirAll(b.profile, 0o750); err != nil {
		return nil, err
	}
	file, err := os.Create(filepath.Join(b.profile, name+".pprof"))
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return func() error { pprof.StopCPUProfile(); return file.Close() }, nil
}

// sizeOf is how many bytes a database has on disk, with its log.
func sizeOf(dir, name string) (n int64) {
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(filepath.Join(dir, name+suffix)); err == nil {
			n += info.Size()
		}
	}
	return n
}

// withStore opens the store as package app does, past the server.
func (b *bench) withStore(ctx context.Context, fn func(*store.Store) error) (err error) {
	key := benchKey
	if b.db == nil {
		if key, _, err = keyfile.LoadOrCreateMaster(filepath.Join(b.data, masterFile)); err != nil {
			return err
		}
	}
	ring, err := vault.NewRing(strings.TrimSpace(key))
	if err != nil {
		return err
	}
	keys, err := b.openKeys(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, keys.Close()) }()
	v := vault.New(ring, keys, vault.Options{})
	engine, err := b.openEngine(ctx, v)
	if err != nil {
		return err
	}
	s := store.New(engine, v)
	defer func() { err = errors.Join(err, s.Close()) }()
	return fn(s)
}

// keyStore is a store of keys that can be closed.
type keyStore interface {
	vault.KeyStore
	io.Closer
}

func (b *bench) openKeys(ctx context.Context) (keyStore, error) {
	if b.db != nil {
		return keytable.Open(ctx, b.db.app)
	}
	return keyfile.Open(filepath.Join(b.data, keysFile)) //nolint:contextcheck // as package app does
}

func (b *bench) openEngine(ctx context.Context, v *vault.Vault) (store.Engine, error) {
	if b.db != nil {
		return postgres.Open(ctx, b.db.app, v, postgres.Options{})
	}
	return sqlite.Open(ctx, filepath.Join(b.data, databaseFile), sqlite.Options{})
}

func (f *filler) all(ctx context.Context, fillers int, notef func(string, ...any)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range fillers {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= f.plan.Callers {
					return
				}
				if err := f.caller(ctx, i); err != nil {
					cancel(err)
				}
				if (i+1)%10_000 == 0 {
					notef("filled %d callers", i+1)
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// caller writes one caller with his conversations and memories, in the order in which they would have come to be.
func (f *filler) caller(ctx context.Context, i int) error {
	t := talker{f.plan.rng(i)}
	history, turns := 1, turnsEach
	if f.plan.rich(i) {
		history = richHistory
	}
	if f.plan.heavy(i) {
		history, turns = f.plan.HeavyTurns/heavyTurnsEach, heavyTurnsEach
	}
	at := epoch.Add(time.Duration(i) * time.Second)
	for h := range history {
		memories := 0
		if h == 0 {
			memories = f.plan.memories(i)
		}
		if err := f.conversation(ctx, t, i, at.Add(time.Duration(h)*49*time.Hour), turns, memories); err != nil {
			return err
		}
	}
	f.rows.callers.Add(1)
	return nil
}

func (f *filler) conversation(ctx context.Context, t talker, i int, at time.Time, turns, memories int) error {
	const tenant = recaller.DefaultTenant
	end := at.Add(time.Duration(turns) * 8 * time.Second)
	conv := recaller.Conversation{
		ID: recaller.ConversationID(newID()), Channel: recaller.ChannelVoice, Direction: recaller.Inbound, Status: recaller.Completed,
		Imported: true, StartedAt: at, EndedAt: end, LastActivityAt: end, Duration: end.Sub(at), EndReason: "imported",
	}
	job := &recaller.Job{ID: newID(), Tenant: tenant, Kind: "wrapup", Subject: string(conv.ID), RunAt: end}
	said, plan := speak(t, at, turns), wrapup.Plan(recaller.Tenant{}, conv, true)
	opened, err := f.store.ImportConversation(ctx, tenant, recaller.Importing{
		Opening: recaller.Opening{
			Identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: phone(i)}}, NewCaller: f.plan.callerID(i),
			Name: t.name(), NameSource: recaller.NameGiven, Conversation: conv,
		},
		Turns: said, Steps: plan, Job: job,
	})
	if err != nil {
		return err
	}
	result := recaller.StepResult{Conversation: conv.ID, Caller: opened.Caller.ID, State: recaller.StepDone, By: "rules", At: end}
	steps := []recaller.StepResult{result, result, result, result}
	steps[0].Step, steps[0].Summary = recaller.StepSummarise, t.summary()
	steps[1].Step, steps[1].Analysis = recaller.StepAnalyse, t.analysis()
	steps[2].Step, steps[2].Remembers = recaller.StepExtract, true
	steps[2].Memories = remember(t, opened.Caller.ID, conv, memories)
	steps[3].Step = recaller.StepEmbed
	for _, p := range plan { // all others have nothing to do
		if !slices.ContainsFunc(steps, func(r recaller.StepResult) bool { return r.Step == p.Step }) {
			steps = append(steps, recaller.StepResult{
				Conversation: conv.ID, Caller: opened.Caller.ID, Step: p.Step, State: recaller.StepSkipped, At: end,
			})
		}
	}
	for _, s := range steps {
		if s.Step == recaller.StepEmbed {
			conv.Caller, conv.Summary = opened.Caller.ID, steps[0].Summary
			if s.By, err = f.finders.index(ctx, conv, len(said)); err != nil {
				return err
			}
		}
		if _, err := f.store.WriteStep(ctx, tenant, s); err != nil {
			return err
		}
	}
	f.rows.conversations.Add(1)
	f.rows.turns.Add(int64(turns))
	f.rows.memories.Add(int64(memories))
	return f.store.FinishJob(ctx, *job)
}

func speak(t talker, at time.Time, n int) []recaller.Turn {
	turns := make([]recaller.Turn, n)
	for k := range turns {
		speaker := recaller.User
		if k%2 == 1 {
			speaker = recaller.Assistant
		}
		turns[k] = recaller.Turn{
			ID: recaller.TurnID(newID()), Number: k, Speaker: speaker, Text: t.say(speaker), At: at.Add(time.Duration(k) * 8 * time.Second), Confidence: 1,
		}
	}
	return turns
}

func remember(t talker, caller recaller.CallerID, conv recaller.Conversation, n int) []recaller.Memory {
	memories := make([]recaller.Memory, n)
	for k := range memories {
		kind, key, value := t.memory(k)
		memories[k] = recaller.Memory{
			ID: recaller.MemoryID(newID()), Caller: caller, Type: kind, Key: key, Value: value, Confidence: 0.9,
			Source: recaller.SourceExtraction, PrivacyScope: recaller.LineOnly,
			Provenance: recaller.Provenance{Conversation: conv.ID, Turns: []int{k % turnsEach}}, CreatedAt: conv.EndedAt, ConfirmedAt: conv.EndedAt,
		}
	}
	return memories
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }
