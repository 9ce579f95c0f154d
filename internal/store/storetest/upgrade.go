package storetest

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/vault"
)

// Old is a database as it was left by a Recaller that knew an early schema and no more: what it holds has not gone
// through today's store, so that what today's store does to its own formats shows.
type Old struct {
	*testing.T
	Vault *vault.Vault
	Now   time.Time
	Exec  func(statement string, args ...any) error
}

// NewOld returns an old database, which has to be filled yet. Statements are run by exec, and sealed in the vault.
func NewOld(t *testing.T, v *vault.Vault, exec func(statement string, args ...any) error) *Old {
	return &Old{T: t, Vault: v, Now: time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC), Exec: exec}
}

// OK ends the test where there is an error.
func (o *Old) OK(err error) {
	o.Helper()
	if err != nil {
		o.Fatal(err)
	}
}

// Same wants two values to be the same.
func (o *Old) Same(what string, got, want any) {
	o.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		o.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// At is a time as it is stored, some hours on.
func (o *Old) At(hours int) int64 {
	return o.Now.Add(time.Duration(hours) * time.Hour).UnixMicro()
}

// Insert writes a row.
func (o *Old) Insert(statement string, args ...any) {
	o.Helper()
	o.OK(o.Exec(statement, args...))
}

func (o *Old) seal(caller recaller.CallerID, table, record, plain string) []byte {
	o.Helper()
	sealed, err := o.Vault.Seal(o.Context(), vault.Scope{Tenant: "t", Caller: caller}, vault.Place{Table: table, Record: record}, []byte(plain))
	o.OK(err)
	return sealed
}

func (o *Old) blind(purpose, value string) []byte {
	o.Helper()
	token, err := o.Vault.Blind(o.Context(), "t", purpose, value)
	o.OK(err)
	return token
}

// memory writes one version of a memory, with a body as it was sealed then.
func (o *Old) memory(version int, status, reason, value string, closed any) {
	o.Helper()
	body := fmt.Sprintf(`{"k":"Tea","v":%q,"t":[0,2]}`, value)
	o.Insert(`INSERT INTO memories (tenant_id, id, version, caller_id, type, key_token, status, confidence, source, privacy_scope,
		due_at, due_day, conversation_id, created_at, confirmed_at, closed_at, closed_reason, body)
		VALUES ('t', 'm-1', $1, 'c-1', 'preference', $2, $3, 0.75, 'extraction', 'shared', $4, TRUE, 'conv-1', $5, $6, $7, $8, $9)`,
		version, o.blind("memory.key", "c-1\x00tea"), status, o.At(48), o.At(version), o.At(version), closed, reason,
		o.seal("c-1", "memories.body", fmt.Sprint("m-1.", version), body))
}

// Fill leaves a row in every table of the first schema.
func (o *Old) Fill() {
	o.Helper()
	tenant, err := json.Marshal(recaller.Tenant{ID: "t", Name: "Old & Sons", HistoryLimit: 5, Numbers: []string{"+15550000009"}})
	o.OK(err)
	o.Insert(`INSERT INTO tenants (id, created_at, body) VALUES ('t', $1, $2)`, o.At(0), o.seal("", "tenants.body", "t", string(tenant)))
	o.Insert(`INSERT INTO api_keys (tenant_id, id, hash, scope, label, created_at) VALUES ('t', 'k', 'hash', 'admin', $1, $2)`, o.seal("", "api_keys.label", "k", `"first"`), o.At(0))
	o.Insert(`INSERT INTO callers (tenant_id, id, first_seen, last_seen, conversations, duration, text_messages, version, body) VALUES ('t', 'c-1', $1, $2, 1, 90000000, 0, 7, $3)`,
		o.At(0), o.At(1), o.seal("c-1", "callers.body", "c-1", `{"name":"Maud","name_source":"said","time_zone":"Europe/London"}`))
	phone := o.blind("identity.phone", "+15551230001")
	o.Insert(`INSERT INTO identities (tenant_id, kind, token, caller_id, value) VALUES ('t', 'phone', $1, 'c-1', $2)`, phone, o.seal("c-1", "identities.value", fmt.Sprintf("%x", phone), `"+15551230001"`))
	o.Insert(`INSERT INTO conversations (tenant_id, id, caller_id, external_token, channel, direction, status, reminder, imported, started_at, ended_at,
		last_activity_at, duration, turns, user_turns, intent, sentiment, topics, outcome, analysed_by, body, summary)
		VALUES ('t', 'conv-1', 'c-1', $1, 'voice', 'inbound', 'completed', FALSE, FALSE, $2, $3, $4, 90000000, 1, 1, 'enquiry', 'positive', 'tea', 'resolved', 'rules', $5, $6)`,
		o.blind("conversation.external_id", "CA1"), o.At(0), o.At(1), o.At(1), o.seal("c-1", "conversations.body", "conv-1", `{"external_id":"CA1","end_reason":"hangup"}`),
		o.seal("c-1", "conversations.summary", "conv-1", `{"brief":"Maud likes tea.","by":"rules"}`))
	o.Insert(`INSERT INTO turns (tenant_id, caller_id, conversation_id, number, id, at, speaker, body) VALUES ('t', 'c-1', 'conv-1', 0, 'turn-1', $1, 'user', $2)`,
		o.At(0), o.seal("c-1", "turns.body", "turn-1", "\x00I like tea"))
	o.memory(1, "superseded", "updated", "Assam", o.At(2))
	o.memory(2, "active", "", "Darjeeling", nil)
	o.Insert(`INSERT INTO checkpoints (tenant_id, caller_id, id, created_at, last_activity, body) VALUES ('t', 'c-1', 'cp-1', $1, $2, $3)`,
		o.At(1), o.At(1), o.seal("c-1", "checkpoints.body", "c-1", `{"summary":"half done","staging":{"step":3}}`))
	// In the reverse of the order in which they run.
	o.Insert(`INSERT INTO steps (tenant_id, conversation_id, step, caller_id, state) VALUES ('t', 'conv-1', 'extract', 'c-1', 'pending')`)
	for _, step := range []string{"analyse", "summarise"} {
		o.Insert(`INSERT INTO steps (tenant_id, conversation_id, step, caller_id, state, done_by, attempts, finished_at) VALUES ('t', 'conv-1', $1, 'c-1', 'done', 'rules', 2, $2)`, step, o.At(1))
	}
	o.Insert(`INSERT INTO jobs (tenant_id, kind, subject, id, caller_id, run_at, attempts) VALUES ('t', 'wrapup', 'conv-1', 'job-1', 'c-1', $1, 1)`, o.At(1))
	o.Insert(`INSERT INTO onces (tenant_id, token, request, caller_id, result, created_at) VALUES ('t', $1, $2, 'c-1', '"m-1"', $3)`, o.blind("once.token", "memory:1"), o.blind("once.request", "x"), o.At(2))
	o.Insert(`INSERT INTO receipts (tenant_id, caller, id, erased_at, receipt) VALUES ('t', 'c-0', 'r-1', $1, '{"id":"r-1","tenant":"t","caller_id":"c-0","erased":{"turns":4}}')`, o.At(1))
}

// Kept looks for all that Fill left, in the store that an upgrade made of it. It returns what Fill left none of: calls
// of tools in the conversation, and reminders.
func (o *Old) Kept(s *store.Store) ([]recaller.ToolCall, []recaller.Reminder) {
	o.Helper()
	ctx := o.Context()
	snap, err := s.Snapshot(ctx, "t", "c-1")
	o.OK(err)
	o.Same("tenant", snap.Tenant.Name, "Old & Sons")
	o.Same("caller", fmt.Sprint(snap.Caller.Name, snap.Caller.NameSource, snap.Caller.Phone(), snap.Caller.TotalDuration, snap.Caller.ContentVersion), "Maudsaid+155512300011m30s 7")
	o.Same("checkpoint", snap.Checkpoint.Summary+string(snap.Checkpoint.StagingData), `half done{"step":3}`)
	conv, err := s.Conversation(ctx, "t", "CA1")
	o.OK(err)
	o.Same("conversation", fmt.Sprint(conv.ID, conv.Summary.Brief, conv.EndReason, conv.Analysis.Topics), "conv-1Maud likes tea.hangup[tea]")
	turns, err := s.Turns(ctx, "t", conv)
	o.OK(err)
	o.Same("words", fmt.Sprint(len(turns), turns[0].Text), "1I like tea")
	due := o.Now.Add(48 * time.Hour)
	m := recaller.Memory{
		ID: "m-1", Caller: "c-1", Version: 2, Type: recaller.Preference, Key: "Tea", Value: "Darjeeling", Confidence: 0.75, Source: recaller.SourceExtraction,
		PrivacyScope: recaller.Shared, Status: recaller.MemoryActive, DueAt: &due, DueDay: true, Provenance: recaller.Provenance{Conversation: "conv-1", Turns: []int{0, 2}},
		CreatedAt: o.Now.Add(2 * time.Hour), ConfirmedAt: o.Now.Add(2 * time.Hour),
	}
	first := m
	first.Version, first.Value, first.Status, first.ClosedReason = 1, "Assam", recaller.MemorySuperseded, recaller.ClosedUpdated
	first.CreatedAt, first.ConfirmedAt, first.ClosedAt = o.Now.Add(time.Hour), o.Now.Add(time.Hour), o.Now.Add(2*time.Hour)
	history, err := s.MemoryHistory(ctx, "t", "m-1")
	o.OK(err)
	o.Same("memories", history, []recaller.Memory{m, first})
	steps, err := s.Steps(ctx, "t", conv)
	o.OK(err)
	finished := o.Now.Add(time.Hour)
	o.Same("steps, of which nothing was counted", steps, []recaller.StepProgress{
		{Step: recaller.StepSummarise, State: recaller.StepDone, By: "rules", Attempts: 2, FinishedAt: finished},
		{Step: recaller.StepAnalyse, State: recaller.StepDone, By: "rules", Attempts: 2, FinishedAt: finished},
		{Step: recaller.StepExtract, State: recaller.StepPending},
	})
	receipt, err := s.Receipt(ctx, "t", "c-0")
	o.OK(err)
	o.Same("receipt", receipt.Erased["turns"], 4)
	keys, err := s.Keys(ctx, "t")
	o.OK(err)
	o.Same("keys", fmt.Sprint(len(keys), keys[0].Label), "1first")
	tenant, err := s.Tenant(ctx, "t")
	o.OK(err)
	o.Same("numbers", tenant.Numbers, []string{"+15550000009"})
	_, err = s.IndexNumbers(ctx)
	o.OK(err)
	called, err := s.TenantByNumber(ctx, "+15550000009")
	o.OK(err)
	o.Same("who is called by it", string(called), "t")
	calls, err := s.ToolCalls(ctx, "t", "conv-1")
	o.OK(err)
	list, _, err := s.Reminders(ctx, "t", recaller.ReminderFilter{})
	o.OK(err)
	return calls, list
}

// GoesOn has today's writes change what Fill left, and erases it; more says how many rows of which kind were left
// besides.
func (o *Old) GoesOn(s *store.Store, more map[string]int) {
	o.Helper()
	ctx := o.Context()
	told := func(id recaller.MemoryID, key, value string) recaller.Memory {
		at := o.Now.AddDate(0, 1, 0)
		return recaller.Memory{
			ID: id, Caller: "c-1", Type: recaller.Preference, Key: key, Value: value, Confidence: 1, Source: recaller.SourceAPI,
			PrivacyScope: recaller.LineOnly, CreatedAt: at, ConfirmedAt: at,
		}
	}
	again, err := s.StoreMemory(ctx, "t", recaller.Storing{Once: recaller.Once{Token: "memory:1", Request: "x"}, Memory: told("m-2", "tea", "Assam")})
	o.OK(err)
	o.Same("a request that was carried out before the upgrade", fmt.Sprint(again.Action, again.Memory.ID, again.Memory.Value), fmt.Sprint(recaller.MemoryKept, "m-1", "Darjeeling"))

	merged, err := s.StoreMemory(ctx, "t", recaller.Storing{
		Memory: told("m-3", "favourite_tea", "darjeeling"), Into: "m-1", Reminder: &recaller.Reminder{ID: "r-1", DueAt: o.Now.AddDate(0, 2, 0)},
		Call: &recaller.ToolCall{ID: "call-1", Conversation: "conv-1", Tool: recaller.ToolStoreMemory, At: o.Now},
	})
	o.OK(err)
	o.Same("merged", fmt.Sprint(merged.Action, merged.Memory.Version, merged.Memory.Aliases, merged.Change.Version), fmt.Sprint(recaller.MemoryMerged, 2, []string{"favourite_tea"}, 8))
	undone, err := s.UndoMemory(ctx, "t", recaller.Undoing{ID: "m-1", At: o.Now.AddDate(0, 1, 1)})
	o.OK(err)
	o.Same("undone", fmt.Sprint(undone.Memory.Version, undone.Memory.Value), "3Assam")

	jobs, err := s.DueJobs(ctx, o.Now.AddDate(0, 1, 0), "", 10)
	o.OK(err)
	o.Same("the wrap-up that was left", fmt.Sprint(len(jobs)-more["jobs"], jobs[0].Subject, jobs[0].Attempts), "1conv-11")
	_, err = s.WriteStep(ctx, "t", recaller.StepResult{
		Conversation: "conv-1", Caller: "c-1", Step: recaller.StepExtract, Remembers: true, State: recaller.StepDone, By: "rules", At: o.Now, Dropped: 1, Memories: []recaller.Memory{told("m-4", "home", "Ely")},
	})
	o.OK(err)
	o.OK(s.AddCost(ctx, "t", recaller.Conversation{ID: "conv-1", Caller: "c-1"}, recaller.StepExtract, recaller.Cost{Calls: 1, TokensIn: 2}))
	steps, err := s.Steps(ctx, "t", recaller.Conversation{ID: "conv-1"})
	o.OK(err)
	o.Same("its step", fmt.Sprint(steps[2].Found, steps[2].Dropped, steps[2].Stored, steps[2].Cost.TokensIn), "2 1 1 2")

	unembedded, _, err := s.Unembedded(ctx, "t", recaller.Embeddable{Model: "m", Step: recaller.StepEmbed, Limit: 10})
	o.OK(err)
	o.Same("what ended before there were embeddings is to have one", fmt.Sprint(len(unembedded), unembedded[0].ID), "1conv-1")
	e1 := recaller.Embedding{Model: "m", Vector: []float32{1, 0}}
	o.OK(s.PutIndexing(ctx, "t", recaller.Indexing{Conversation: "conv-1", Caller: "c-1", Stems: map[string]int{"tea": 1}, Embeddings: []recaller.Embedding{e1}, At: o.Now}))
	near, err := s.Similar(ctx, "t", e1, recaller.SearchFilter{Intent: "enquiry"}, 5)
	o.OK(err)
	match, err := s.Matching(ctx, "t", []string{"tea"}, recaller.SearchFilter{}, 5)
	o.OK(err)
	o.Same("and is found", fmt.Sprint(near[0].Conversation, match[0].Conversation), "conv-1conv-1")

	o.OK(s.BeginErasure(ctx, "t", "c-1", recaller.Job{ID: "e", Kind: "erase", Subject: "c-1", RunAt: o.Now}))
	out, err := s.EraseRows(ctx, "t", "c-1")
	o.OK(err)
	want := map[string]int{
		"callers": 1, "checkpoints": 1, "conversations": 1, "embeddings": 1, "identities": 1, "jobs": 2, "memory_versions": 4, "reminders": 1, "request_marks": 1,
		"tool_calls": 1, "turns": 1, "word_indexes": 1, "wrapup_steps": 3,
	}
	for kind, n := range more {
		want[kind] += n
	}
	o.Same("all of it can be erased", out.Rows, want)
}

// IsBound binds what Fill left to what its rows show, and looks for all of it again where no other rows are accepted. It
// returns what Kept returns.
func (o *Old) IsBound(s *store.Store) ([]recaller.ToolCall, []recaller.Reminder) {
	o.Helper()
	bound, err := s.AllBound(o.Context())
	o.OK(err)
	o.Same("bound before", bound, false)
	did, err := s.Bind(o.Context())
	o.OK(err)
	o.Same("bound: a key, a conversation, two versions of a memory, a turn and the list of memories", did, store.Bound{Rows: 6})
	bound, err = s.AllBound(o.Context())
	o.OK(err)
	o.Same("bound after", bound, true)
	again, err := s.Bind(o.Context())
	o.OK(err)
	o.Same("bound again", again, store.Bound{})
	ctx, damage := recaller.WithDamage(o.Context())
	_, err = s.Corpus(ctx, "t", "c-1")
	o.OK(err)
	_, err = s.Turns(ctx, "t", recaller.Conversation{ID: "conv-1", Caller: "c-1"})
	o.OK(err)
	o.Same("damaged", len(damage.Rows()), 0)
	return o.Kept(s)
}
