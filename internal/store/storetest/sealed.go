package storetest

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

// classes says of every column that all schemas have why it may be read (spec 2.2), or that it may not.
const classes = `
id:      tenants.id api_keys.tenant_id api_keys.id callers.tenant_id callers.id identities.tenant_id identities.caller_id
id:      conversations.tenant_id conversations.id conversations.caller_id
id:      turns.tenant_id turns.caller_id turns.conversation_id turns.id
id:      memories.tenant_id memories.id memories.caller_id memories.conversation_id checkpoints.tenant_id checkpoints.caller_id checkpoints.id
id:      steps.tenant_id steps.conversation_id steps.caller_id jobs.tenant_id jobs.subject jobs.id jobs.caller_id
id:      onces.tenant_id onces.caller_id receipts.tenant_id receipts.caller receipts.id
id:      tool_calls.tenant_id tool_calls.conversation_id tool_calls.id tool_calls.caller_id tool_calls.memory_id
id:      reminders.tenant_id reminders.id reminders.caller_id reminders.memory_id reminders.conversation_id
id:      dispatches.tenant_id dispatches.id dispatches.caller_id dispatches.conversation_id dispatches.memory_id dispatches.reminder_id reminders.reached_in
time:    dispatches.at dispatches.closed_at reminders.rung_at
count:   dispatches.memory_version dispatches.sequence dispatches.attempts
label:   dispatches.type dispatches.status dispatches.reason
time:    tool_calls.at reminders.due_at reminders.created_at reminders.closed_at
time:    tenants.created_at api_keys.created_at callers.first_seen callers.last_seen conversations.started_at conversations.ended_at
time:    conversations.last_activity_at turns.at memories.due_at memories.created_at memories.confirmed_at memories.closed_at
time:    checkpoints.created_at checkpoints.last_activity steps.finished_at jobs.run_at jobs.leased_until onces.created_at receipts.erased_at
count:   callers.conversations callers.duration callers.text_messages callers.version conversations.duration conversations.turns
count:   conversations.user_turns turns.number memories.version memories.confidence steps.attempts jobs.attempts
count:   tool_calls.version reminders.attempts reminders.rings steps.found steps.dropped steps.stored steps.place
count:   steps.model_calls steps.tokens_in steps.tokens_out steps.model_micros
label:   tool_calls.tool tool_calls.result reminders.status reminders.reason reminders.means reminders.errand_state steps.prompt
label:   api_keys.scope callers.erasing identities.kind conversations.channel conversations.direction conversations.status
label:   conversations.reminder conversations.imported conversations.intent conversations.sentiment conversations.topics
label:   conversations.outcome conversations.analysed_by turns.speaker memories.type memories.status memories.source
label:   memories.privacy_scope memories.due_day memories.closed_reason steps.step steps.state steps.done_by steps.reason
label:   jobs.kind jobs.last_error
token:   identities.token conversations.external_token memories.key_token onces.token onces.request
hash:    api_keys.hash
numbers: onces.result receipts.receipt
sealed:  tenants.body api_keys.label callers.body identities.value conversations.body conversations.summary turns.body
sealed:  memories.body checkpoints.body conversations.head callers.register
id:      conversation_embeddings.tenant_id conversation_embeddings.conversation_id conversation_embeddings.caller_id
id:      conversation_words.tenant_id conversation_words.conversation_id conversation_words.caller_id tenant_numbers.tenant_id
time:    conversation_embeddings.made_at
count:   conversation_embeddings.part conversation_embeddings.width tenants.version
label:   conversation_embeddings.model
vector:  conversation_embeddings.vector
token:   tenant_numbers.token
sealed:  tenants.packs acts.body reminders.body reminders.errand
id:      acts.tenant_id acts.conversation_id acts.caller_id
time:    acts.at acts.said_at
count:   acts.number
label:   acts.kind acts.day reminders.rule
sealed:  turn_vectors.body
id:      turn_vectors.tenant_id turn_vectors.caller_id turn_vectors.conversation_id
count:   turn_vectors.first
label:   turn_vectors.model
sealed:  recall_segments.body
id:      recall_segments.tenant_id recall_segments.caller_id
hash:    recall_segments.name
id:      documents.tenant_id documents.id documents.caller_id documents.conversation_id
id:      document_tags.tenant_id document_tags.document_id document_tags.caller_id
time:    documents.archived_at documents.created_at documents.updated_at document_tags.created_at
count:   documents.version tenants.texts
label:   documents.origin documents.pinned documents.delivery
token:   document_tags.token
sealed:  documents.body documents.delivered
id:      document_embeddings.tenant_id document_embeddings.document_id document_embeddings.caller_id
id:      document_words.tenant_id document_words.document_id document_words.caller_id
time:    document_embeddings.made_at document_words.created_at
count:   document_embeddings.part document_embeddings.width
label:   document_embeddings.model
vector:  document_embeddings.vector
id:      threads.tenant_id threads.id threads.caller_id conversations.thread_id
time:    threads.created_at
count:   threads.version
label:   threads.channel
token:   threads.external_token
sealed:  threads.body
id:      personas.tenant_id
time:    personas.created_at
count:   personas.version
sealed:  personas.body
id:      moves.tenant_id moves.id moves.caller_id moves.from_id callers.merged_into
time:    moves.at moves.until
label:   moves.kind
sealed:  moves.body
schema:  goose_db_version.id goose_db_version.version_id goose_db_version.is_applied goose_db_version.tstamp
`

// Classify wants the columns of a schema, as table.column, to be the ones that are classified: here, or in a list of
// the engine's own. It returns their classes.
func Classify(t *testing.T, columns []string, own string) map[string]string {
	t.Helper()
	class := map[string]string{}
	for line := range strings.Lines(strings.TrimSpace(classes + own)) {
		name, rest, _ := strings.Cut(line, ":")
		for _, column := range strings.Fields(rest) {
			class[column] = name
		}
	}
	there := map[string]bool{}
	for _, c := range columns {
		there[c] = true
		if class[c] == "" {
			t.Errorf("%s is new: say here what it holds. What a person said, or is known by, is sealed (spec 2.2)", c)
		}
	}
	for c := range class {
		if !there[c] {
			t.Errorf("%s is not in the schema any more", c)
		}
	}
	return class
}

// SealedColumns returns the columns of all schemas that hold sealed values, as table.column. That there is no other is
// what Classify holds the schemas to.
func SealedColumns() (list []string) {
	for line := range strings.Lines(classes) {
		if rest, ok := strings.CutPrefix(line, "sealed:"); ok {
			list = append(list, strings.Fields(rest)...)
		}
	}
	return list
}

// secrets are what PutSecrets puts in: everything holds one of these.
var secrets = []string{"Xanthippe", "15551230042", "zq-external", "zq-caller", "zq-token", "zq-platform", "zq-recording", "zq-reason", "zqmeta", "Quokka", "zq_key", "zq-contact", "Zwiebel", "zq-label", "zqpack", "zqstem"}

// NoSecrets wants a text, or the bytes of a file, to hold nothing of what PutSecrets put in.
func NoSecrets(t *testing.T, where, text string) {
	t.Helper()
	text = strings.ToLower(text)
	for _, s := range secrets {
		s = strings.ToLower(s)
		if strings.Contains(text, s) || strings.Contains(text, hex.EncodeToString([]byte(s))) {
			t.Errorf("%s holds %q", where, s)
		}
	}
}

// PutSecrets has every method of the store that writes write words.
func (d *Data) PutSecrets() recaller.Opened {
	d.Helper()
	once := func(n string) recaller.Once { return recaller.Once{Token: "zq-token" + n, Request: "Quokka"} }
	d.OK(d.CreateTenant(d.ctx, recaller.Tenant{ID: "other", Name: "Zwiebel", Numbers: []string{"+15551230042"}, Profile: recaller.Profile{Greeting: "Quokka"}},
		recaller.APIKey{ID: "k-other", Tenant: "other", Label: "zq-label"}, []byte("hash")))
	other, err := d.Tenant(d.ctx, "other")
	d.OK(err)
	other.Name, other.Profile.Personality, other.Persona, other.Personas = "Zwiebel Quokka", "a Quokka", 1, 1
	d.OK(d.UpdateTenant(d.ctx, other, recaller.Persona{Version: 1, Text: "a Quokka", Label: "Zwiebel", CreatedAt: d.Now}))
	other, err = d.Tenant(d.ctx, "other")
	d.OK(err)
	d.OK(d.PutPacks(d.ctx, other, map[string]json.RawMessage{"zqpack": json.RawMessage(`{"Quokka":["zqpack"]}`)}))
	d.OK(d.CreateKey(d.ctx, recaller.APIKey{ID: "k-more", Tenant: "other", Label: "zq-label too"}, []byte("more")))

	d.Announce(store.Herald{
		Audience: func(context.Context, recaller.TenantID) (store.Audience, error) {
			return store.Audience{Webhook: recaller.EventTypes()}, nil
		},
		Committed: func(recaller.TenantID, []recaller.Event, bool) {},
	})
	in := d.Opening("+15551230042")
	in.Identities = append(in.Identities, recaller.Identity{Kind: recaller.IdentityExternal, Value: "zq-caller-1"})
	in.Once, in.Name = once("1"), "Xanthippe"
	c := &in.Conversation
	c.ExternalID, c.PlatformIDs, c.Metadata = "zq-external-1", map[string]string{"zq-platform": "zq-platform-id"}, []byte(`{"zqmeta":"Quokka"}`)
	c.Attestation.Told = "zq-attested"
	o, err := d.OpenConversation(d.ctx, "t", in)
	d.OK(err)
	say := d.Appending(o, 3)
	for i := range say.Turns {
		say.Turns[i].Text, say.Turns[i].Name = strings.Repeat("my Quokka bites ", 1+i*300), "Xanthippe"
	}
	say.Once = once("2")
	_, err = d.AppendTurns(d.ctx, "t", say)
	d.OK(err)
	past := d.Opening("+15551230042")
	past.Conversation.Status, past.Conversation.ExternalID, past.Conversation.EndReason = recaller.Completed, "zq-external-2", "zq-reason"
	old := d.Appending(o, 1).Turns
	old[0].Text = "the Quokka of old"
	_, err = d.ImportConversation(d.ctx, "t", recaller.Importing{Opening: past, Turns: old})
	d.OK(err)

	m := recaller.Memory{ID: "m-1", Caller: o.Caller.ID, Type: recaller.Fact, Key: "zq_key", Value: "has a Quokka", Source: recaller.SourceAPI, PrivacyScope: recaller.LineOnly, CreatedAt: d.Now, ConfirmedAt: d.Now}
	_, err = d.StoreMemory(d.ctx, "t", recaller.Storing{Once: once("3"), Memory: m})
	d.OK(err)
	value, key, name := "has two Quokkas", "zq_key_2", "Xanthippe Zwiebel"
	_, err = d.ChangeMemory(d.ctx, "t", recaller.Changing{ID: "m-1", Patch: recaller.MemoryPatch{Value: &value, Key: &key, At: d.Now, Reason: "updated"}})
	d.OK(err)
	d.putWriteback(o)
	_, _, err = d.UpdateCaller(d.ctx, "t", o.Caller.ID, recaller.CallerPatch{Name: &name, NameSource: recaller.NameSet})
	d.OK(err)
	_, err = d.PutCheckpoint(d.ctx, "t", recaller.Checkpoint{ID: "cp", Caller: o.Caller.ID, Intent: "Quokka", Summary: "Quokka", StagingData: []byte(`{"Quokka":1}`), ContactID: "zq-contact"})
	d.OK(err)
	_, _, err = d.CreateThread(d.ctx, "t", recaller.ThreadCreating{Thread: recaller.Thread{
		ID: "th-1", Caller: o.Caller.ID, ExternalID: "zq-external", Channel: recaller.ChannelTelegram, Title: "The Quokka",
		Persona: recaller.PersonaChoice{Text: "like a Quokka"}, CreatedAt: d.Now,
	}})
	d.OK(err)
	_, err = d.ChangeThread(d.ctx, "t", "th-1", recaller.ThreadPatch{
		Summary: &recaller.ThreadSummary{Text: "of a Quokka", At: d.Now}, Stopping: &recaller.Stopping{At: d.Now, By: "zqmeta"},
	})
	d.OK(err)
	_, err = d.FileDocument(d.ctx, "t", recaller.Filing{Once: once("4"), Document: recaller.Document{
		ID: "d-1", Caller: o.Caller.ID, Origin: recaller.DocumentWritten, Title: "The Quokka", Content: "Quokka", Source: "Zwiebel",
		Tags: []string{"Quokka", "zqmeta"}, State: []byte(`{"Quokka":1}`), CreatedAt: d.Now, UpdatedAt: d.Now,
		Delivery: recaller.Delivery{State: recaller.DeliveryDone, Remote: "zq-external"},
	}})
	d.OK(err)
	_, err = d.CloseConversation(d.ctx, "t", recaller.Closing{
		Conversation: o.Conversation.ID, Status: recaller.Completed, EndedAt: d.Now, Reason: "zq-reason", RecordingURL: "https://zq-recording/1",
		Steps: planned(),
		Job:   &recaller.Job{ID: "j", Kind: "wrapup", Subject: string(o.Conversation.ID), RunAt: d.Now},
	})
	d.OK(err)
	_, err = d.WriteStep(d.ctx, "t", recaller.StepResult{
		Conversation: o.Conversation.ID, Caller: o.Caller.ID, Step: recaller.StepExtract, Remembers: true, State: recaller.StepDone, By: "rules", At: d.Now, Name: "Xanthippe",
		Summary: &recaller.Summary{Brief: "A Quokka.", Facts: []string{"Quokka"}}, Acts: []recaller.Act{{Kind: recaller.ActSettled, At: d.Now, SaidAt: d.Now, Said: []recaller.Saying{{Text: "the Quokka comes"}}}}, Analysis: &recaller.Analysis{Intent: "enquiry", By: "rules"},
		Memories: []recaller.Memory{
			{ID: "m-2", Caller: o.Caller.ID, Key: "zq_key_3", Value: "Quokka", CreatedAt: d.Now, ConfirmedAt: d.Now},
			{ID: "m-3", Caller: o.Caller.ID, Key: "zq_key_2", Value: "no Quokka at all", CreatedAt: d.Now, ConfirmedAt: d.Now},
		},
	})
	d.OK(err)
	m, err = d.MemoryByID(d.ctx, "t", "m-1")
	d.OK(err)
	if m.Dispute == nil || len(m.Aliases) == 0 {
		d.Errorf("got dispute %v and %d aliases: both were to be on disk", m.Dispute != nil, len(m.Aliases))
	}
	d.OK(d.PutIndexing(d.ctx, "t", recaller.Indexing{
		Conversation: o.Conversation.ID, Caller: o.Caller.ID, At: d.Now, Stems: map[string]int{"zqstem": 2, "quokka": 1},
		Embeddings: []recaller.Embedding{{Model: "recaller-static/2", Vector: []float32{1, 2, 3}}},
	}))
	d.OK(d.PutDocumentIndexing(d.ctx, "t", recaller.DocumentIndexing{
		Document: "d-1", Caller: o.Caller.ID, Version: 1, At: d.Now, Stems: map[string]int{"zqstem": 2, "quokka": 1},
		Embeddings: []recaller.Embedding{{Model: "recaller-static/2", Vector: []float32{1, 2, 3}}},
	}))
	d.OK(d.PutTurnVectors(d.ctx, "t", o.Caller.ID, []recaller.TurnVectors{turnVectors(o.Conversation, "m", 0)}))
	d.OK(d.PutSegment(d.ctx, "t", o.Caller.ID, "segment", []byte("zqsegment of Quokka"), nil))
	d.OK(d.PutReceipt(d.ctx, recaller.Receipt{ID: "r", Tenant: "t", Caller: "somebody", ErasedAt: d.Now}, recaller.Job{Kind: "erase", Subject: "somebody"}))
	d.putMove()
	gone := d.Call("+15551230042")
	d.OK(d.BeginErasure(d.ctx, "t", gone.Caller.ID, recaller.Job{ID: "e", Kind: "erase", Subject: string(gone.Caller.ID), RunAt: d.Now.Add(time.Hour)}))
	return o
}

// putMove has one caller's words become another's.
func (d *Data) putMove() {
	d.Helper()
	from, to := d.Call("+15551230043"), d.Call("+15551230044")
	for _, o := range []recaller.Opened{from, to} {
		say := d.Appending(o, 1)
		say.Turns[0].Text = "a Quokka of my own"
		_, err := d.AppendTurns(d.ctx, "t", say)
		d.OK(err)
		_, err = d.CloseConversation(d.ctx, "t", recaller.Closing{Conversation: o.Conversation.ID, Status: recaller.Completed, EndedAt: d.Now})
		d.OK(err)
	}
	_, err := d.Merge(d.ctx, "t", recaller.Merging{ID: "mv-1", From: from.Caller.ID, To: to.Caller.ID, At: d.Now})
	d.OK(err)
}

// putWriteback has words written with everything that goes with a memory: aliases, a name, a reminder, the record of a
// call.
func (d *Data) putWriteback(o recaller.Opened) {
	d.Helper()
	call := func(tool recaller.Tool) *recaller.ToolCall {
		return &recaller.ToolCall{ID: d.ID("call"), Conversation: o.Conversation.ID, Tool: tool, At: d.Now}
	}
	for i, value := range []string{"HAS two quokkas", "has three Quokkas"} { // the one is merged as it is, the other makes a version
		_, err := d.StoreMemory(d.ctx, "t", recaller.Storing{
			Once: recaller.Once{Token: fmt.Sprint("zq-token-merge", i), Request: "Quokka"}, Into: "m-1", Name: "Xanthippe", Call: call(recaller.ToolStoreMemory),
			Memory: recaller.Memory{
				ID: recaller.MemoryID(d.ID("m")), Caller: o.Caller.ID, Type: recaller.Fact, Key: fmt.Sprint("zq_key_alias_", i), Value: value,
				Source: recaller.SourceConversation, PrivacyScope: recaller.LineOnly, CreatedAt: d.Now, ConfirmedAt: d.Now,
			},
			Reminder: &recaller.Reminder{ID: recaller.ReminderID(d.ID("r")), Conversation: o.Conversation.ID, DueAt: d.Now.AddDate(0, 0, 1), Text: "feed the quokka"},
		})
		d.OK(err)
	}
	_, err := d.ChangeMemory(d.ctx, "t", recaller.Changing{ID: "m-1", Patch: recaller.MemoryPatch{Alias: "zq_key_alias", At: d.Now}, Call: call(recaller.ToolUpdateMemory)})
	d.OK(err)
	_, err = d.UndoMemory(d.ctx, "t", recaller.Undoing{ID: "m-1", At: d.Now})
	d.OK(err)
}
