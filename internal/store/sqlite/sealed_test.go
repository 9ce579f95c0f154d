package sqlite_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store/sqlite"
)

// classes says of every column of the schema why it may be read (spec 2.2), or that it may not.
const classes = `
id:      tenants.id api_keys.tenant_id api_keys.id callers.tenant_id callers.id identities.tenant_id identities.caller_id
id:      conversations.tenant_id conversations.id conversations.caller_id
id:      turns.tenant_id turns.caller_id turns.conversation_id turns.id
id:      memories.tenant_id memories.id memories.caller_id memories.conversation_id checkpoints.tenant_id checkpoints.caller_id checkpoints.id
id:      steps.tenant_id steps.conversation_id steps.caller_id jobs.tenant_id jobs.subject jobs.id jobs.caller_id
id:      onces.tenant_id onces.caller_id receipts.tenant_id receipts.caller receipts.id
id:      tool_calls.tenant_id tool_calls.conversation_id tool_calls.id tool_calls.caller_id tool_calls.memory_id
id:      reminders.tenant_id reminders.id reminders.caller_id reminders.memory_id reminders.conversation_id
time:    tool_calls.at reminders.due_at reminders.created_at reminders.closed_at
time:    tenants.created_at api_keys.created_at callers.first_seen callers.last_seen conversations.started_at conversations.ended_at
time:    conversations.last_activity_at turns.at memories.due_at memories.created_at memories.confirmed_at memories.closed_at
time:    checkpoints.created_at checkpoints.last_activity steps.finished_at jobs.run_at jobs.leased_until onces.created_at receipts.erased_at
count:   callers.conversations callers.duration callers.text_messages callers.version conversations.duration conversations.turns
count:   conversations.user_turns turns.number memories.version memories.confidence steps.attempts jobs.attempts
count:   tool_calls.version reminders.attempts steps.found steps.dropped steps.stored
count:   steps.model_calls steps.tokens_in steps.tokens_out steps.model_micros
label:   tool_calls.tool tool_calls.result reminders.status reminders.reason steps.prompt
label:   api_keys.scope callers.erasing identities.kind conversations.channel conversations.direction conversations.status
label:   conversations.reminder conversations.imported conversations.intent conversations.sentiment conversations.topics
label:   conversations.outcome conversations.analysed_by turns.speaker memories.type memories.status memories.source
label:   memories.privacy_scope memories.due_day memories.closed_reason steps.step steps.state steps.done_by steps.reason
label:   jobs.kind jobs.last_error
token:   identities.token conversations.external_token memories.key_token onces.token onces.request
hash:    api_keys.hash
numbers: onces.result receipts.receipt
sealed:  tenants.body api_keys.label callers.body identities.value conversations.body conversations.summary turns.body
sealed:  memories.body checkpoints.body
schema:  goose_db_version.id goose_db_version.version_id goose_db_version.is_applied goose_db_version.tstamp
sqlite:  sqlite_sequence.name sqlite_sequence.seq
`

func TestEveryColumnIsClassified(t *testing.T) {
	t.Parallel()
	class := map[column]string{}
	for line := range strings.Lines(classes) {
		name, rest, _ := strings.Cut(line, ":")
		for _, field := range strings.Fields(rest) {
			table, col, _ := strings.Cut(field, ".")
			class[column{table, col}] = name
		}
	}
	e := open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Options{})
	for _, c := range columns(t, e) {
		if class[c] == "" {
			t.Errorf("%s.%s is new: say here what it holds. What a person said, or is known by, is sealed (spec 2.2)", c.table, c.column)
		}
		delete(class, c)
	}
	for c := range class {
		t.Errorf("%s.%s is not in the schema any more", c.table, c.column)
	}
}

// Everything that TestNothingReadableIsOnDisk puts in holds one of these.
var secrets = []string{"Xanthippe", "15551230042", "zq-external", "zq-caller", "zq-token", "zq-platform", "zq-recording", "zq-reason", "zqmeta", "Quokka", "zq_key", "zq-contact", "Zwiebel", "zq-label"}

func TestNothingReadableIsOnDisk(t *testing.T) {
	t.Parallel()
	d := newData(t)
	o := d.putSecrets()
	d.grep(t, o, "recaller.db", "recaller.db-wal", "keys.db")
	d.ok(d.Close())
	d.grep(t, o, "recaller.db", "keys.db")
}

// putSecrets has every method of the store that writes write words.
func (d *data) putSecrets() recaller.Opened {
	d.Helper()
	once := func(n string) recaller.Once { return recaller.Once{Token: "zq-token" + n, Request: "Quokka"} }
	d.ok(d.CreateTenant(d.ctx, recaller.Tenant{ID: "other", Name: "Zwiebel", Numbers: []string{"+15551230042"}, Profile: recaller.Profile{Greeting: "Quokka"}},
		recaller.APIKey{ID: "k-other", Tenant: "other", Label: "zq-label"}, []byte("hash")))
	d.ok(d.UpdateTenant(d.ctx, recaller.Tenant{ID: "other", Name: "Zwiebel Quokka"}))
	d.ok(d.CreateKey(d.ctx, recaller.APIKey{ID: "k-more", Tenant: "other", Label: "zq-label too"}, []byte("more")))

	in := d.opening("+15551230042")
	in.Identities = append(in.Identities, recaller.Identity{Kind: recaller.IdentityExternal, Value: "zq-caller-1"})
	in.Once, in.Name = once("1"), "Xanthippe"
	c := &in.Conversation
	c.ExternalID, c.PlatformIDs, c.Metadata = "zq-external-1", map[string]string{"zq-platform": "zq-platform-id"}, []byte(`{"zqmeta":"Quokka"}`)
	o, err := d.OpenConversation(d.ctx, "t", in)
	d.ok(err)
	say := d.appending(o, 3)
	for i := range say.Turns {
		say.Turns[i].Text, say.Turns[i].Name = strings.Repeat("my Quokka bites ", 1+i*300), "Xanthippe"
	}
	say.Once = once("2")
	_, err = d.AppendTurns(d.ctx, "t", say)
	d.ok(err)
	past := d.opening("+15551230042")
	past.Conversation.Status, past.Conversation.ExternalID, past.Conversation.EndReason = recaller.Completed, "zq-external-2", "zq-reason"
	old := d.appending(o, 1).Turns
	old[0].Text = "the Quokka of old"
	_, err = d.ImportConversation(d.ctx, "t", recaller.Importing{Opening: past, Turns: old})
	d.ok(err)

	m := recaller.Memory{ID: "m-1", Caller: o.Caller.ID, Type: recaller.Fact, Key: "zq_key", Value: "has a Quokka", Source: recaller.SourceAPI, PrivacyScope: recaller.LineOnly, CreatedAt: d.now, ConfirmedAt: d.now}
	_, err = d.StoreMemory(d.ctx, "t", recaller.Storing{Once: once("3"), Memory: m})
	d.ok(err)
	value, key, name := "has two Quokkas", "zq_key_2", "Xanthippe Zwiebel"
	_, err = d.ChangeMemory(d.ctx, "t", recaller.Changing{ID: "m-1", Patch: recaller.MemoryPatch{Value: &value, Key: &key, At: d.now, Reason: "updated"}})
	d.ok(err)
	d.putWriteback(o)
	_, _, err = d.UpdateCaller(d.ctx, "t", o.Caller.ID, recaller.CallerPatch{Name: &name, NameSource: recaller.NameSet})
	d.ok(err)
	_, err = d.PutCheckpoint(d.ctx, "t", recaller.Checkpoint{ID: "cp", Caller: o.Caller.ID, Intent: "Quokka", Summary: "Quokka", StagingData: []byte(`{"Quokka":1}`), ContactID: "zq-contact"})
	d.ok(err)
	_, err = d.CloseConversation(d.ctx, "t", recaller.Closing{
		Conversation: o.Conversation.ID, Status: recaller.Completed, EndedAt: d.now, Reason: "zq-reason", RecordingURL: "https://zq-recording/1",
		Job: &recaller.Job{ID: "j", Kind: "wrapup", Subject: string(o.Conversation.ID), RunAt: d.now},
	})
	d.ok(err)
	_, err = d.WriteStep(d.ctx, "t", recaller.StepResult{
		Conversation: o.Conversation.ID, Caller: o.Caller.ID, Step: recaller.StepExtract, State: recaller.StepDone, By: "rules", At: d.now, Name: "Xanthippe",
		Summary: &recaller.Summary{Brief: "A Quokka.", Facts: []string{"Quokka"}}, Analysis: &recaller.Analysis{Intent: "enquiry", By: "rules"},
		Memories: []recaller.Memory{
			{ID: "m-2", Caller: o.Caller.ID, Key: "zq_key_3", Value: "Quokka", CreatedAt: d.now, ConfirmedAt: d.now},
			{ID: "m-3", Caller: o.Caller.ID, Key: "zq_key_2", Value: "no Quokka at all", CreatedAt: d.now, ConfirmedAt: d.now},
		},
	})
	d.ok(err)
	m, err = d.MemoryByID(d.ctx, "t", "m-1")
	d.ok(err)
	if m.Dispute == nil || len(m.Aliases) == 0 {
		d.Errorf("got dispute %v and %d aliases: both were to be on disk", m.Dispute != nil, len(m.Aliases))
	}
	gone := d.call("+15551230042")
	d.ok(d.BeginErasure(d.ctx, "t", gone.Caller.ID, recaller.Job{ID: "e", Kind: "erase", Subject: string(gone.Caller.ID), RunAt: d.now.Add(time.Hour)}))
	return o
}

// putWriteback has words written with everything that goes with a memory: aliases, a name, a reminder, the record of a call.
func (d *data) putWriteback(o recaller.Opened) {
	d.Helper()
	call := func(tool recaller.Tool) *recaller.ToolCall {
		return &recaller.ToolCall{ID: d.id("call"), Conversation: o.Conversation.ID, Tool: tool, At: d.now}
	}
	for i, value := range []string{"HAS two quokkas", "has three Quokkas"} { // the one is merged as it is, the other makes a version
		_, err := d.StoreMemory(d.ctx, "t", recaller.Storing{
			Once: recaller.Once{Token: fmt.Sprint("zq-token-merge", i), Request: "Quokka"}, Into: "m-1", Name: "Xanthippe", Call: call(recaller.ToolStoreMemory),
			Memory: recaller.Memory{
				ID: recaller.MemoryID(d.id("m")), Caller: o.Caller.ID, Type: recaller.Fact, Key: fmt.Sprint("zq_key_alias_", i), Value: value,
				Source: recaller.SourceConversation, PrivacyScope: recaller.LineOnly, CreatedAt: d.now, ConfirmedAt: d.now,
			},
			Reminder: &recaller.Reminder{ID: recaller.ReminderID(d.id("r")), Conversation: o.Conversation.ID, DueAt: d.now.AddDate(0, 0, 1)},
		})
		d.ok(err)
	}
	_, err := d.ChangeMemory(d.ctx, "t", recaller.Changing{ID: "m-1", Patch: recaller.MemoryPatch{Alias: "zq_key_alias", At: d.now}, Call: call(recaller.ToolUpdateMemory)})
	d.ok(err)
	_, err = d.UndoMemory(d.ctx, "t", recaller.Undoing{ID: "m-1", At: d.now})
	d.ok(err)
}

// grep looks for the secrets in every file of the data folder, which must have the files named.
func (d *data) grep(t *testing.T, o recaller.Opened, files ...string) {
	t.Helper()
	seen := map[string]bool{}
	readable := false
	err := filepath.WalkDir(d.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		seen[e.Name()] = len(raw) > 0
		readable = readable || bytes.Contains(raw, []byte(o.Conversation.ID))
		lower := bytes.ToLower(raw)
		for _, s := range secrets {
			s = strings.ToLower(s)
			if bytes.Contains(lower, []byte(s)) || bytes.Contains(lower, []byte(hex.EncodeToString([]byte(s)))) {
				t.Errorf("%s holds %q", e.Name(), s)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !seen[f] {
			t.Errorf("%s was not searched: it is not there, or empty", f)
		}
	}
	if !readable {
		t.Error("not even an id was found: this test looks at the wrong files")
	}
}
