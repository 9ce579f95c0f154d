package e2e

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/llm/llmtest"
)

// Everything that can be put in is put in, each with a word of its own; then every file under the data folder, the log
// and the metrics are searched, while the server runs, after kill -9, and after a stop.
func TestNoWordNameOrNumberIsOnTheDisk(t *testing.T) {
	t.Parallel()
	model := httptest.NewServer(llmtest.New(nil))
	t.Cleanup(model.Close)
	for _, tt := range []struct {
		retention recaller.Retention
		writer    string
		on        backing
	}{
		{recaller.Keep, "rules", onSQLite},
		{recaller.Keep, "model", onSQLite},
		{recaller.Archive, "rules", onSQLite},
		{recaller.Ephemeral, "model", onSQLite},
		{recaller.Keep, "model", onPostgres},
		{recaller.Ephemeral, "rules", onPostgres},
	} {
		t.Run(string(tt.retention)+" by "+tt.writer+" on "+string(tt.on), func(t *testing.T) {
			t.Parallel()
			env := []string{"RECALLER_RETENTION=" + string(tt.retention)}
			if tt.writer == "model" {
				env = append(env, "RECALLER_LLM_BASE_URL="+model.URL+"/v1", "RECALLER_LLM_MODEL=test-model")
			}
			s := serveIn(t, tt.on, env...)
			hide := putEverythingIn(t, s)
			look := func(when string) {
				t.Helper()
				findNothing(t, s, when, hide)
			}
			look("while it runs")
			metrics, err := s.admin.Metrics(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			hide.search(t, "the metrics", metrics)
			s.kill()
			look("after kill -9")
			s.start()
			s.stop()
			look("after a stop")
		})
	}
}

// putEverythingIn uses every field that takes words or numbers, and returns what is not to be found.
func putEverythingIn(t *testing.T, s *server) secrets {
	t.Helper()
	var hide secrets
	word := func() string {
		w := fmt.Sprintf("Zyx%cw%cvut", 'a'+rune(len(hide.words)%26), 'a'+rune(len(hide.words)/26))
		hide.words = append(hide.words, w)
		return w
	}
	digits := func() string {
		n := fmt.Sprintf("415555%04d", 7300+len(hide.numbers)*7)
		hide.numbers = append(hide.numbers, n)
		return n
	}
	ctx := context.Background()
	fatal := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	putSettingsIn(t, s, word, digits)
	p := phone{t, s.admin}
	call := func(reason string) string {
		n := digits()
		started, err := s.admin.StartConversation(client.WithIdempotencyKey(ctx, word()), client.StartRequest{
			Caller:     client.CallerRef{Phone: "(" + n[:3] + ") " + n[3:6] + "-" + n[6:], ExternalID: "customer-" + word(), Name: word()},
			ExternalID: "CA" + word(), PlatformIDs: map[string]string{word(): word()},
			Metadata: json.RawMessage(`{"` + word() + `":"` + word() + `"}`),
		})
		fatal(err)
		id := started.Conversation.ID
		hide.there = id
		p.say(id, user("My name is "+word()+" and I live at "+word()+" Street, my number is "+spaced(digits())+"."),
			agent("What is wrong with the "+word()+"?"), user("My daughter "+word()+" visits on Sundays. I used to be a "+word()+" teacher."),
			client.TurnInput{Speaker: recaller.User, Text: "I have an appointment with Doctor " + word() + " tomorrow at noon.", Name: word()})
		_, err = s.admin.StoreMemory(client.WithIdempotencyKey(ctx, word()), started.Caller.ID, client.MemoryInput{Type: recaller.Fact, Key: word(), Value: word()})
		fatal(err)
		useTools(t, s, started, word)
		_, err = s.admin.PutCheckpoint(ctx, started.Caller.ID, client.CheckpointInput{
			Intent: word(), Summary: word(), StagingData: json.RawMessage(`{"` + word() + `":"` + word() + `"}`), ContactID: word(),
		})
		fatal(err)
		p.recall(started.Caller.ID, word()+" teacher")
		_, err = s.admin.ConversationBriefing(ctx, id, client.BriefingQuery{Query: word()})
		fatal(err)
		if reason != "" {
			p.end(id, client.EndRequest{DurationSeconds: 120, Reason: reason + word(), RecordingURL: "https://recordings.example/" + word()})
			p.writtenUp(id)
		}
		return started.Caller.ID
	}
	caller := call("hangup ")
	name := word()
	_, err := s.admin.UpdateCaller(ctx, caller, client.CallerPatch{Name: &name})
	fatal(err)
	if got := p.briefing(caller); got == "" {
		t.Error("no briefing")
	}
	proves(t, p, call(""), hide.there, digits) // stays active, so that kill -9 hits it
	_, err = s.admin.ImportConversation(ctx, client.ImportRequest{
		Caller: client.CallerRef{Phone: "+1" + digits(), Name: word()}, ExternalID: word(), StartedAt: time.Now().Add(-time.Hour),
		Turns: []client.TurnInput{user("I collect " + word() + " stamps."), agent("How nice.")},
	})
	fatal(err)
	refuseWith(s, word, digits)
	return hide
}

// proves has a caller told wrong digits, and then his PIN, which stands in what is stored and told afterwards, too.
func proves(t *testing.T, p phone, caller, conv string, digits func() string) {
	t.Helper()
	pin := digits()
	if _, err := p.c.SetCallerPIN(t.Context(), caller, pin); err != nil {
		t.Fatal(err)
	}
	d := desk{p, client.StartResponse{Conversation: client.Conversation{ID: conv}}}
	d.does("verify_caller", map[string]any{"pin": digits()})
	p.say(conv, user("It is "+pin+"."))
	if got := d.does("verify_caller", map[string]any{"pin": pin}); got.Verified == nil || !*got.Verified {
		t.Fatalf("got %+v", got)
	}
	d.does("store_memory", map[string]any{"memoryType": "fact", "key": "pin", "value": "PIN " + pin})
	p.say(conv, agent("Thank you: "+pin+"."))
}

// putSettingsIn gives the tenant words and numbers, and makes a key and another tenant.
func putSettingsIn(t *testing.T, s *server, word, digits func() string) {
	t.Helper()
	name, business, greeting, personality := word(), word(), word(), word()
	numbers, services, rules := []string{"+1" + digits()}, []string{word()}, []string{word()}
	hours := []client.Line{{Label: word(), Value: word()}}
	settings := client.TenantSettings{Numbers: &numbers, Profile: &client.ProfilePatch{
		Business: &business, Greeting: &greeting, Personality: &personality, Services: &services, Instructions: &rules, Hours: &hours,
	}}
	ctx := context.Background()
	if _, err := s.admin.UpdateTenant(ctx, client.TenantPatch{Name: &name, TenantSettings: settings}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.admin.SetPersona(ctx, client.PersonaInput{Text: word() + " and " + word(), Label: word()}); err != nil {
		t.Fatal(err)
	}
	own := map[string]*string{}
	for _, name := range []string{"extraction", "summary", "memory"} {
		text := word() + ": only what matters."
		own[name] = &text
	}
	if _, err := s.admin.UpdateTenant(ctx, client.TenantPatch{TenantSettings: client.TenantSettings{Prompts: own}}); err != nil {
		t.Fatal(err)
	}
	hook := client.WebhookInput{URL: "https://hooks.example/" + word(), Secret: "whsec_" + base64.StdEncoding.EncodeToString([]byte(word()+word()+word()+word()))}
	if _, err := s.admin.SetWebhook(ctx, hook); err != nil {
		t.Fatal(err)
	}
	if _, err := s.admin.CreateKey(ctx, client.KeyInput{Scope: recaller.ScopeRead, Label: word()}); err != nil {
		t.Fatal(err)
	}
	other := []string{"+1" + digits()}
	if _, err := s.admin.CreateTenant(ctx, client.NewTenant{Name: word(), TenantSettings: client.TenantSettings{Numbers: &other}}); err != nil {
		t.Fatal(err)
	}
}

// useTools has the agent's model keep, correct, keep under another key, be reminded of, hide and forget things, and
// fail.
func useTools(t *testing.T, s *server, call client.StartResponse, word func() string) {
	t.Helper()
	key, dog := word(), word()
	for _, c := range []struct {
		tool recaller.Tool
		args map[string]any
		ok   bool
	}{
		{recaller.ToolStoreMemory, map[string]any{"memory_type": "fact", "key": key, "value": word()}, true},
		{recaller.ToolUpdateMemory, map[string]any{"existing_key": key, "new_value": word()}, true},
		{recaller.ToolStoreMemory, map[string]any{"memory_type": "fact", "key": "dog_name", "value": dog}, true},
		{recaller.ToolStoreMemory, map[string]any{"memory_type": "fact", "key": "pet_dog", "value": "dog called " + dog}, true},
		{recaller.ToolSetReminder, map[string]any{"key": word(), "value": word(), "due_at": "in two hours"}, true},
		{recaller.ToolMarkPrivate, map[string]any{"key": "dog_name"}, true},
		{recaller.ToolForgetMemory, map[string]any{"key": key}, true},
		{recaller.ToolForgetMemory, map[string]any{"key": word()}, false},
		{recaller.ToolSetReminder, map[string]any{"key": word(), "value": word(), "due_at": word()}, false},
		{recaller.Tool(word()), map[string]any{word(): word()}, false},
	} {
		args, err := json.Marshal(c.args)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.admin.CallTool(t.Context(), client.ToolCall{CallSessionID: call.Conversation.ID, Name: c.tool, Arguments: args, CallID: word()})
		if (err == nil) != c.ok {
			t.Errorf("%s: got %v", c.tool, err)
		}
	}
}

// refuseWith sends words and numbers in requests that are refused: they must not end up in the log either.
func refuseWith(s *server, word, digits func() string) {
	ctx := context.Background()
	_, _ = s.admin.Conversation(ctx, word()) // refused, all of them
	_, _ = s.admin.CallersByPhone(ctx, digits()+"x"+word())
	_, _ = s.admin.StoreMemory(ctx, word(), client.MemoryInput{Type: recaller.MemoryType(word()), Key: word(), Value: word()})
	_, _ = s.admin.StartConversation(ctx, client.StartRequest{Caller: client.CallerRef{Phone: word()}, Channel: recaller.Channel(word())})
	_, _ = s.admin.AddTurns(ctx, word(), client.TurnInput{Speaker: recaller.Speaker(word()), Text: word()})
	_, _ = s.client(s.t, word()).Callers(ctx, client.Page{Cursor: word()})
}

// spaced groups a number as people say it.
func spaced(n string) string { return n[:3] + "-" + n[3:6] + " " + n[6:8] + "." + n[8:] }
