package sqlite_test

import (
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pressly/goose/v3"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/sqlite"
	"github.com/recallerhq/recaller/internal/vault"
)

// old is a data folder as it was left by a Recaller that knew schema 0001 and no more: nothing in here goes through today's
// store, so that what today's store does to its own formats shows.
type old struct {
	*testing.T
	db  *sql.DB
	v   *vault.Vault
	dir string
	key string
	now time.Time
}

func newOld(t *testing.T) *old {
	t.Helper()
	o := &old{T: t, dir: t.TempDir(), key: vault.NewKey(), now: time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC)}
	o.v = openVault(t, filepath.Join(o.dir, "keys.db"), o.key)
	db, err := sql.Open("sqlite", o.path())
	o.ok(err)
	o.db = db
	p, err := goose.NewProvider(goose.DialectSQLite3, db, os.DirFS("migration"))
	o.ok(err)
	_, err = p.UpTo(t.Context(), 1)
	o.ok(err)
	return o
}

func (o *old) path() string { return filepath.Join(o.dir, "recaller.db") }

func (o *old) ok(err error) {
	o.Helper()
	if err != nil {
		o.Fatal(err)
	}
}

// at is a time as it is stored, some hours on.
func (o *old) at(hours int) int64 {
	return o.now.Add(time.Duration(hours) * time.Hour).UnixMicro()
}

func (o *old) seal(caller recaller.CallerID, table, record, plain string) []byte {
	o.Helper()
	sealed, err := o.v.Seal(o.Context(), vault.Scope{Tenant: "t", Caller: caller}, vault.Place{Table: table, Record: record}, []byte(plain))
	o.ok(err)
	return sealed
}

func (o *old) blind(purpose, value string) []byte {
	o.Helper()
	token, err := o.v.Blind(o.Context(), "t", purpose, value)
	o.ok(err)
	return token
}

func (o *old) insert(statement string, args ...any) {
	o.Helper()
	_, err := o.db.ExecContext(o.Context(), statement, args...)
	o.ok(err)
}

// memory writes one version of a memory, with a body as it was sealed then.
func (o *old) memory(version int, status, reason, value string, closed any) {
	o.Helper()
	body := fmt.Sprintf(`{"k":"Tea","v":%q,"t":[0,2]}`, value)
	o.insert(`INSERT INTO memories (tenant_id, id, version, caller_id, type, key_token, status, confidence, source, privacy_scope,
		due_at, due_day, conversation_id, created_at, confirmed_at, closed_at, closed_reason, body)
		VALUES ('t', 'm-1', ?, 'c-1', 'preference', ?, ?, 0.75, 'extraction', 'shared', ?, TRUE, 'conv-1', ?, ?, ?, ?, ?)`,
		version, o.blind("memory.key", "c-1\x00tea"), status, o.at(48), o.at(version), o.at(version), closed, reason,
		o.seal("c-1", "memories.body", fmt.Sprint("m-1.", version), body))
}

// fill leaves a row in every table.
func (o *old) fill() {
	o.Helper()
	tenant, err := json.Marshal(recaller.Tenant{ID: "t", Name: "Old & Sons", HistoryLimit: 5})
	o.ok(err)
	o.insert(`INSERT INTO tenants (id, created_at, body) VALUES ('t', ?, ?)`, o.at(0), o.seal("", "tenants.body", "t", string(tenant)))
	o.insert(`INSERT INTO api_keys (tenant_id, id, hash, scope, label, created_at) VALUES ('t', 'k', 'hash', 'admin', ?, ?)`, o.seal("", "api_keys.label", "k", `"first"`), o.at(0))
	o.insert(`INSERT INTO callers (tenant_id, id, first_seen, last_seen, conversations, duration, text_messages, version, body) VALUES ('t', 'c-1', ?, ?, 1, 90000000, 0, 7, ?)`,
		o.at(0), o.at(1), o.seal("c-1", "callers.body", "c-1", `{"name":"Maud","name_source":"said","time_zone":"Europe/London"}`))
	phone := o.blind("identity.phone", "+15551230001")
	o.insert(`INSERT INTO identities (tenant_id, kind, token, caller_id, value) VALUES ('t', 'phone', ?, 'c-1', ?)`, phone, o.seal("c-1", "identities.value", fmt.Sprintf("%x", phone), `"+15551230001"`))
	o.insert(`INSERT INTO conversations (tenant_id, id, caller_id, external_token, channel, direction, status, reminder, imported, started_at, ended_at,
		last_activity_at, duration, turns, user_turns, intent, sentiment, topics, outcome, analysed_by, body, summary)
		VALUES ('t', 'conv-1', 'c-1', ?, 'voice', 'inbound', 'completed', FALSE, FALSE, ?, ?, ?, 90000000, 1, 1, 'enquiry', 'positive', 'tea', 'resolved', 'rules', ?, ?)`,
		o.blind("conversation.external_id", "CA1"), o.at(0), o.at(1), o.at(1), o.seal("c-1", "conversations.body", "conv-1", `{"external_id":"CA1","end_reason":"hangup"}`),
		o.seal("c-1", "conversations.summary", "conv-1", `{"brief":"Maud likes tea.","by":"rules"}`))
	o.insert(`INSERT INTO turns (tenant_id, caller_id, conversation_id, number, id, at, speaker, body) VALUES ('t', 'c-1', 'conv-1', 0, 'turn-1', ?, 'user', ?)`,
		o.at(0), o.seal("c-1", "turns.body", "turn-1", "\x00I like tea"))
	o.memory(1, "superseded", "updated", "Assam", o.at(2))
	o.memory(2, "active", "", "Darjeeling", nil)
	o.insert(`INSERT INTO checkpoints (tenant_id, caller_id, id, created_at, last_activity, body) VALUES ('t', 'c-1', 'cp-1', ?, ?, ?)`,
		o.at(1), o.at(1), o.seal("c-1", "checkpoints.body", "c-1", `{"summary":"half done","staging":{"step":3}}`))
	for _, step := range []string{"summarise", "analyse"} {
		o.insert(`INSERT INTO steps (tenant_id, conversation_id, step, caller_id, state, done_by, attempts, finished_at) VALUES ('t', 'conv-1', ?, 'c-1', 'done', 'rules', 2, ?)`, step, o.at(1))
	}
	o.insert(`INSERT INTO steps (tenant_id, conversation_id, step, caller_id, state) VALUES ('t', 'conv-1', 'extract', 'c-1', 'pending')`)
	o.insert(`INSERT INTO jobs (tenant_id, kind, subject, id, caller_id, run_at, attempts) VALUES ('t', 'wrapup', 'conv-1', 'job-1', 'c-1', ?, 1)`, o.at(1))
	o.insert(`INSERT INTO onces (tenant_id, token, request, caller_id, result, created_at) VALUES ('t', ?, ?, 'c-1', '"m-1"', ?)`, o.blind("once.token", "memory:1"), o.blind("once.request", "x"), o.at(2))
	o.insert(`INSERT INTO receipts (tenant_id, caller, id, erased_at, receipt) VALUES ('t', 'c-0', 'r-1', ?, '{"id":"r-1","tenant":"t","caller_id":"c-0","erased":{"turns":4}}')`, o.at(1))
	o.ok(o.db.Close())
}

func TestUpgradeKeepsAllOfSchema1(t *testing.T) {
	t.Parallel()
	o := newOld(t)
	o.fill()
	e := open(t, o.path(), sqlite.Options{})
	s, ctx := store.New(e, o.v), t.Context()

	snap, err := s.Snapshot(ctx, "t", "c-1")
	o.ok(err)
	same(t, "tenant", snap.Tenant.Name, "Old & Sons")
	same(t, "caller", fmt.Sprint(snap.Caller.Name, snap.Caller.NameSource, snap.Caller.Phone(), snap.Caller.TotalDuration, snap.Caller.ContentVersion), "Maudsaid+155512300011m30s 7")
	same(t, "checkpoint", snap.Checkpoint.Summary+string(snap.Checkpoint.StagingData), `half done{"step":3}`)
	conv, err := s.Conversation(ctx, "t", "CA1")
	o.ok(err)
	same(t, "conversation", fmt.Sprint(conv.ID, conv.Summary.Brief, conv.EndReason, conv.Analysis.Topics), "conv-1Maud likes tea.hangup[tea]")
	turns, err := s.Turns(ctx, "t", conv)
	o.ok(err)
	same(t, "words", fmt.Sprint(len(turns), turns[0].Text), "1I like tea")
	due := o.now.Add(48 * time.Hour)
	m := recaller.Memory{
		ID: "m-1", Caller: "c-1", Version: 2, Type: recaller.Preference, Key: "Tea", Value: "Darjeeling", Confidence: 0.75, Source: recaller.SourceExtraction,
		PrivacyScope: recaller.Shared, Status: recaller.MemoryActive, DueAt: &due, DueDay: true, Provenance: recaller.Provenance{Conversation: "conv-1", Turns: []int{0, 2}},
		CreatedAt: o.now.Add(2 * time.Hour), ConfirmedAt: o.now.Add(2 * time.Hour),
	}
	first := m
	first.Version, first.Value, first.Status, first.ClosedReason = 1, "Assam", recaller.MemorySuperseded, recaller.ClosedUpdated
	first.CreatedAt, first.ConfirmedAt, first.ClosedAt = o.now.Add(time.Hour), o.now.Add(time.Hour), o.now.Add(2*time.Hour)
	history, err := s.MemoryHistory(ctx, "t", "m-1")
	o.ok(err)
	same(t, "memories", history, []recaller.Memory{m, first})
	steps, err := s.Steps(ctx, "t", conv)
	o.ok(err)
	finished := o.now.Add(time.Hour)
	same(t, "steps, of which nothing was counted", steps, []recaller.StepProgress{
		{Step: recaller.StepSummarise, State: recaller.StepDone, By: "rules", Attempts: 2, FinishedAt: finished},
		{Step: recaller.StepAnalyse, State: recaller.StepDone, By: "rules", Attempts: 2, FinishedAt: finished},
		{Step: recaller.StepExtract, State: recaller.StepPending},
	})
	receipt, err := s.Receipt(ctx, "t", "c-0")
	o.ok(err)
	same(t, "receipt", receipt.Erased["turns"], 4)
	keys, err := s.Keys(ctx, "t")
	o.ok(err)
	same(t, "keys", fmt.Sprint(len(keys), keys[0].Label), "1first")
	calls, err := s.ToolCalls(ctx, "t", "conv-1")
	o.ok(err)
	list, _, err := s.Reminders(ctx, "t", recaller.ReminderFilter{})
	o.ok(err)
	same(t, "no tool calls, no reminders", len(calls)+len(list), 0)
}

// TestUpgradedDataGoesOn has today's writes change what schema 1 left.
func TestUpgradedDataGoesOn(t *testing.T) {
	t.Parallel()
	o := newOld(t)
	o.fill()
	e := open(t, o.path(), sqlite.Options{})
	s, ctx := store.New(e, o.v), t.Context()
	told := func(id recaller.MemoryID, key, value string) recaller.Memory {
		at := o.now.AddDate(0, 1, 0)
		return recaller.Memory{
			ID: id, Caller: "c-1", Type: recaller.Preference, Key: key, Value: value, Confidence: 1, Source: recaller.SourceAPI,
			PrivacyScope: recaller.LineOnly, CreatedAt: at, ConfirmedAt: at,
		}
	}
	again, err := s.StoreMemory(ctx, "t", recaller.Storing{Once: recaller.Once{Token: "memory:1", Request: "x"}, Memory: told("m-2", "tea", "Assam")})
	o.ok(err)
	same(t, "a request that was carried out before the upgrade", fmt.Sprint(again.Action, again.Memory.ID, again.Memory.Value), fmt.Sprint(recaller.MemoryKept, "m-1", "Darjeeling"))

	merged, err := s.StoreMemory(ctx, "t", recaller.Storing{
		Memory: told("m-3", "favourite_tea", "darjeeling"), Into: "m-1", Reminder: &recaller.Reminder{ID: "r-1", DueAt: o.now.AddDate(0, 2, 0)},
		Call: &recaller.ToolCall{ID: "call-1", Conversation: "conv-1", Tool: recaller.ToolStoreMemory, At: o.now},
	})
	o.ok(err)
	same(t, "merged", fmt.Sprint(merged.Action, merged.Memory.Version, merged.Memory.Aliases, merged.Change.Version), fmt.Sprint(recaller.MemoryMerged, 2, []string{"favourite_tea"}, 8))
	undone, err := s.UndoMemory(ctx, "t", recaller.Undoing{ID: "m-1", At: o.now.AddDate(0, 1, 1)})
	o.ok(err)
	same(t, "undone", fmt.Sprint(undone.Memory.Version, undone.Memory.Value), "3Assam")

	jobs, err := s.ClaimJobs(ctx, o.now.AddDate(0, 1, 0), o.now.AddDate(0, 1, 1), 10)
	o.ok(err)
	same(t, "the wrap-up that was left", fmt.Sprint(len(jobs), jobs[0].Subject, jobs[0].Attempts), "1conv-12")
	_, err = s.WriteStep(ctx, "t", recaller.StepResult{
		Conversation: "conv-1", Caller: "c-1", Step: recaller.StepExtract, State: recaller.StepDone, By: "rules", At: o.now, Dropped: 1, Memories: []recaller.Memory{told("m-4", "home", "Ely")},
	})
	o.ok(err)
	o.ok(s.AddCost(ctx, "t", "conv-1", recaller.StepExtract, recaller.Cost{Calls: 1, TokensIn: 2}))
	steps, err := s.Steps(ctx, "t", recaller.Conversation{ID: "conv-1"})
	o.ok(err)
	same(t, "its step", fmt.Sprint(steps[2].Found, steps[2].Dropped, steps[2].Stored, steps[2].Cost.TokensIn), "2 1 1 2")

	o.ok(s.BeginErasure(ctx, "t", "c-1", recaller.Job{ID: "e", Kind: "erase", Subject: "c-1", RunAt: o.now}))
	out, err := s.EraseRows(ctx, "t", "c-1")
	o.ok(err)
	want := map[string]int{
		"callers": 1, "checkpoints": 1, "conversations": 1, "identities": 1, "jobs": 2, "memory_versions": 4, "reminders": 1, "request_marks": 1,
		"tool_calls": 1, "turns": 1, "wrapup_steps": 3,
	}
	same(t, "all of it can be erased", out.Rows, want)
}

// TestReleasedMigrationsStay holds what databases were made with: a change of it would reach new databases only.
func TestReleasedMigrationsStay(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"0001_init.sql": "c2c867e102d0c16f61e3d09fbdbf44f8c1794234a845cf1723c5e55606f64b65",
	} {
		raw, err := os.ReadFile(filepath.Join("migration", name))
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(raw)); got != want {
			t.Errorf("%s was changed: write another migration instead", name)
		}
	}
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
