package httpapi

import (
	"context"
	"crypto/ed25519"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/privacy"
)

func TestACallFromStartToEnd(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	ctx := context.Background()
	agent := h.withKey(t, recaller.ScopeAgent)

	started, err := agent.StartConversation(ctx, client.StartRequest{
		Caller: client.CallerRef{Phone: "030 901820", Name: "Marta"}, ExternalID: "CA/17 4", Metadata: []byte(`{"line":3}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	if started.Caller.Phone != "+4930901820" || !started.Caller.FirstTime || started.Existing {
		t.Errorf("got caller %+v, existing %v; want a first-time caller with the number in E.164", started.Caller, started.Existing)
	}
	if started.Conversation.Status != recaller.Active || started.Briefing.Text == "" || started.Briefing.Degraded {
		t.Errorf("got %+v", started)
	}
	one, err := agent.AddTurns(ctx, "CA/17 4", client.TurnInput{Speaker: recaller.User, Text: "My daughter visits on Sundays."})
	if err != nil {
		t.Fatal(err)
	}
	if !one.Durable || len(one.Turns) != 1 || one.Turns[0].Number != 0 {
		t.Errorf("got %+v, want one durable turn with the number 0", one)
	}
	two, err := agent.AddTurns(ctx, started.Conversation.ID,
		client.TurnInput{Speaker: recaller.Assistant, Text: "How lovely."}, client.TurnInput{Speaker: recaller.User, Text: "She is a pilot."})
	if err != nil {
		t.Fatal(err)
	}
	if len(two.Turns) != 2 || two.Turns[1].Number != 2 {
		t.Errorf("got %+v, want turns 1 and 2", two)
	}
	found, err := agent.Recall(ctx, started.Caller.ID, client.RecallRequest{Query: "daughter", Explain: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Results) == 0 || found.Results[0].Turn == nil || *found.Results[0].Turn != 0 || found.Results[0].Why == nil ||
		found.Results[0].ConversationExternalID != "CA/17 4" {
		t.Errorf("got %+v, want the turn 0 of that call first, with its reasons", found)
	}
	conv, err := agent.EndConversation(ctx, "CA/17 4", client.EndRequest{DurationSeconds: 61.5, Reason: "hangup"})
	if err != nil {
		t.Fatal(err)
	}
	if conv.Status != recaller.Completed || conv.DurationSeconds != 61.5 || conv.EndedAt.IsZero() {
		t.Errorf("got %+v, want it completed after 61.5 s", conv)
	}
	rec, err := agent.Conversation(ctx, started.Conversation.ID)
	if err != nil {
		t.Fatal(err)
	}
	if len(rec.Turns) != 3 || len(rec.Wrapup.Steps) != 6 || rec.Wrapup.Done || string(rec.Conversation.Metadata) != `{"line":3}` {
		t.Errorf("got %+v, want three turns and the steps pending", rec)
	}
	if rec, err = agent.ConversationWithoutTurns(ctx, "CA/17 4"); err != nil || rec.Turns != nil || rec.Conversation.TurnCount != 3 {
		t.Errorf("got %+v, %v; want no turns but their count", rec, err)
	}
	if _, err := agent.AddTurns(ctx, started.Conversation.ID, client.TurnInput{Speaker: recaller.User, Text: "Hello?"}); !client.IsConflict(err) {
		t.Errorf("got %v, want a conflict: the call has ended", err)
	}
	lists, err := agent.Conversations(ctx, client.ConversationFilter{CallerID: started.Caller.ID, Status: recaller.Completed})
	if err != nil || len(lists.Conversations) != 1 {
		t.Errorf("got %+v, %v; want the one call", lists, err)
	}
	if lists, err = agent.CallerConversations(ctx, started.Caller.ID, client.ConversationFilter{Status: recaller.Active}); err != nil || len(lists.Conversations) != 0 {
		t.Errorf("got %+v, %v; want none active", lists, err)
	}
	if b, err := agent.ConversationBriefing(ctx, started.Conversation.ID, client.BriefingQuery{MaxTokens: 400}); err != nil || b.Tokens > 400 {
		t.Errorf("got %d tokens, %v; want at most 400", b.Tokens, err)
	}
}

func TestCallersAreFoundSetAndErased(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	ctx := context.Background()
	c := h.begun(t, "+4930901820").Caller
	h.begun(t, "+4930901821")

	for _, phone := range []string{"+4930901820", "030/901820"} {
		if found, err := h.admin.CallersByPhone(ctx, phone); err != nil || len(found) != 1 || found[0].ID != c.ID {
			t.Errorf("%s: got %+v, %v; want the caller", phone, found, err)
		}
	}
	if status, _, body := h.call(t, "GET", "/v1/callers?phone=+4930901820", ""); status != 200 || !strings.Contains(body, c.ID) {
		t.Errorf("an unescaped plus: got %d %s, want the caller", status, body)
	}
	if found, err := h.admin.CallersByExternalID(ctx, "nobody"); err != nil || found == nil || len(found) != 0 {
		t.Errorf("got %v, %v; want an empty list", found, err)
	}
	page, err := h.admin.Callers(ctx, client.Page{Limit: 1})
	if err != nil || len(page.Callers) != 1 || page.NextCursor == "" {
		t.Fatalf("got %+v, %v; want one caller and a cursor", page, err)
	}
	if page, err = h.admin.Callers(ctx, client.Page{Limit: 1, Cursor: page.NextCursor}); err != nil || len(page.Callers) != 1 || page.NextCursor != "" {
		t.Errorf("got %+v, %v; want the last caller and no cursor", page, err)
	}
	name, zone := "Marta Jansen", "Europe/Lisbon"
	set, err := h.admin.UpdateCaller(ctx, c.ID, client.CallerPatch{Name: &name, TimeZone: &zone})
	if err != nil || set.Name != name || set.NameSource != recaller.NameSet || set.TimeZone != zone {
		t.Errorf("got %+v, %v", set, err)
	}
	if b, err := h.admin.CallerBriefing(ctx, c.ID, client.BriefingQuery{}); err != nil || !strings.Contains(b.Text, name) {
		t.Errorf("got %q, %v; want the name in the briefing", b.Text, err)
	}
	if _, err := h.withKey(t, recaller.ScopeAgent).EraseCaller(ctx, c.ID); err == nil {
		t.Error("an agent key erased a caller")
	}
	receipt, err := h.admin.EraseCaller(ctx, c.ID)
	if err != nil {
		t.Fatal(err)
	}
	verify(t, receipt)
	if _, err := h.admin.Caller(ctx, c.ID); !client.IsNotFound(err) {
		t.Errorf("got %v, want that there is no such caller any more", err)
	}
	if again, err := h.admin.EraseCaller(ctx, c.ID); err != nil || again.ID != receipt.ID {
		t.Errorf("got receipt %q, %v; want the same receipt %q", again.ID, err, receipt.ID)
	}
}

// verify checks a receipt as somebody would who has only what came over the wire.
func verify(t *testing.T, r recaller.Receipt) {
	t.Helper()
	if len(r.PublicKey) != 32 || !ed25519.Verify(r.PublicKey, privacy.SignedBytes(r), r.Signature) {
		t.Errorf("the receipt's signature does not hold: %+v", r)
	}
}

func TestMemoriesHaveVersions(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	ctx := context.Background()
	c := h.begun(t, "+4930901820").Caller
	due := time.Date(2031, 5, 1, 9, 0, 0, 0, time.FixedZone("", 7200))

	stored, err := h.admin.StoreMemory(ctx, c.ID, client.MemoryInput{Type: recaller.FollowUp, Key: "Seat", Value: "aisle", DueAt: &due})
	if err != nil || stored.Action != recaller.MemoryCreated || !stored.Memory.DueAt.Equal(due) || stored.Memory.DueAt.Location() != time.UTC {
		t.Fatalf("got %+v, %v", stored, err)
	}
	again, err := h.admin.StoreMemory(ctx, c.ID, client.MemoryInput{Type: recaller.FollowUp, Key: "seat", Value: "window"})
	if err != nil || again.Action != recaller.MemoryUpdated || again.Memory.Version != 2 {
		t.Errorf("got %+v, %v; want version 2", again, err)
	}
	id, value := again.Memory.ID, "front row"
	if _, err := h.admin.UpdateMemory(ctx, id, client.MemoryPatch{Value: &value, DueAt: client.DueAt(due)}); err != nil {
		t.Fatal(err)
	}
	if list, err := h.admin.Memories(ctx, c.ID, client.MemoryFilter{Types: []recaller.MemoryType{recaller.FollowUp, recaller.Fact}, Due: true, Key: "SEAT"}); err != nil || len(list.Memories) != 1 || list.Memories[0].Value != value {
		t.Errorf("got %+v, %v", list, err)
	}
	cleared, err := h.admin.UpdateMemory(ctx, id, client.MemoryPatch{DueAt: client.NoDue()})
	if err != nil || !cleared.Memory.DueAt.IsZero() || cleared.Memory.Value != value {
		t.Errorf("got %+v, %v; want no due time and the same value", cleared, err)
	}
	if gone, err := h.admin.ForgetMemory(ctx, id); err != nil || gone.Action != recaller.MemoryClosed {
		t.Errorf("got %+v, %v", gone, err)
	}
	if list, err := h.admin.Memories(ctx, c.ID, client.MemoryFilter{}); err != nil || list.Memories == nil || len(list.Memories) != 0 {
		t.Errorf("got %+v, %v; want none", list, err)
	}
	if list, err := h.admin.Memories(ctx, c.ID, client.MemoryFilter{Statuses: []recaller.MemoryStatus{recaller.MemoryForgotten}}); err != nil || len(list.Memories) != 1 {
		t.Errorf("got %+v, %v; want the forgotten one", list, err)
	}
	if history, err := h.admin.MemoryHistory(ctx, id); err != nil || len(history) < 4 {
		t.Errorf("got %d versions, %v; want all of them", len(history), err)
	}
}

// H's test plan writes its number with dashes, and nobody has rung from it before the first save.
func TestACheckpointIsSavedByNumber(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	ctx := t.Context()
	if _, err := h.admin.Checkpoint(ctx, "+15550199"); !client.IsNotFound(err) {
		t.Errorf("got %v, want nothing before the first save", err)
	}
	saved, err := h.admin.PutCheckpoint(ctx, "+1-555-0199", client.CheckpointInput{Intent: "job_creation", Summary: "A leak", ContactID: "crm-1"})
	if err != nil || saved.Checkpoint == nil {
		t.Fatalf("got %+v, %v", saved, err)
	}
	if _, err := h.admin.PutCheckpoint(ctx, "+15550199", client.CheckpointInput{Intent: "job_creation", Summary: "A leak under the sink"}); err != nil {
		t.Fatal(err)
	}
	for _, who := range []string{"+15550199", "+1-555-0199", "+1 (555) 0199", saved.Checkpoint.CallerID} {
		got, err := h.admin.Checkpoint(ctx, who)
		if err != nil || got.Summary != "A leak under the sink" || got.ContactID != "crm-1" || got.ID != saved.Checkpoint.ID {
			t.Errorf("%q: got %+v, %v", who, got, err)
		}
	}
	past, err := h.admin.CheckpointHistory(ctx, "+15550199")
	if err != nil || len(past.States) != 1 || past.States[0].Summary != "A leak" {
		t.Errorf("history: got %+v, %v", past, err)
	}
	rang := h.begun(t, "+15550199")
	if rang.Caller.ID != saved.Checkpoint.CallerID || !rang.Caller.FirstTime || !strings.Contains(rang.Briefing.Text, "A leak under the sink") {
		t.Errorf("got %+v; want the caller of the checkpoint, who rings for the first time and is told of it", rang)
	}
	if _, err := h.admin.PutCheckpoint(ctx, "ext:crm-9", client.CheckpointInput{Summary: "A chat"}); err != nil {
		t.Errorf("by an id of one's own: %v", err)
	}
	var p *client.Problem
	if _, err := h.admin.PutCheckpoint(ctx, "+1", client.CheckpointInput{Summary: "x"}); !errors.As(err, &p) || p.Field != "id" {
		t.Errorf("got %v, want the number at fault named", err)
	}
	if _, err := h.admin.PutCheckpoint(ctx, "nobody", client.CheckpointInput{Summary: "x"}); !client.IsNotFound(err) {
		t.Errorf("got %v, want not found", err)
	}
	if err := h.admin.DeleteCheckpoint(ctx, "+15550199"); err != nil {
		t.Error(err)
	}
}

func TestCheckpointIsKeptReplacedAndCleared(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	ctx := context.Background()
	c := h.begun(t, "+4930901820").Caller
	if _, err := h.admin.Checkpoint(ctx, c.ID); !client.IsNotFound(err) {
		t.Errorf("got %v, want not found", err)
	}
	saved, err := h.admin.PutCheckpoint(ctx, c.ID, client.CheckpointInput{Intent: "rebook", Summary: "wants the morning flight", StagingData: []byte(`{"flight":"LH1"}`)})
	if err != nil || saved.Checkpoint == nil || saved.Cleared {
		t.Fatalf("got %+v, %v", saved, err)
	}
	if got, err := h.admin.Checkpoint(ctx, c.ID); err != nil || string(got.StagingData) != `{"flight":"LH1"}` || got.Summary != "wants the morning flight" {
		t.Errorf("got %+v, %v", got, err)
	}
	if done, err := h.admin.PutCheckpoint(ctx, c.ID, client.CheckpointInput{Intent: "Completed"}); err != nil || !done.Cleared || done.Checkpoint != nil {
		t.Errorf("got %+v, %v; want it cleared", done, err)
	}
	if _, err := h.admin.Checkpoint(ctx, c.ID); !client.IsNotFound(err) {
		t.Errorf("got %v, want not found", err)
	}
	if _, err := h.admin.PutCheckpoint(ctx, c.ID, client.CheckpointInput{Summary: "again"}); err != nil {
		t.Error(err)
	}
	if err := h.admin.DeleteCheckpoint(ctx, c.ID); err != nil {
		t.Error(err)
	}
}

func TestImportKeepsThePast(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	ctx := context.Background()
	start := time.Date(2026, 2, 10, 14, 0, 0, 0, time.UTC)
	past := func(external, phone, text string) client.ImportRequest {
		return client.ImportRequest{
			Caller: client.CallerRef{Phone: phone}, ExternalID: external, StartedAt: start,
			Turns: []client.TurnInput{{Speaker: recaller.User, Text: text, At: start.Add(time.Minute)}},
		}
	}
	one, err := h.admin.ImportConversation(ctx, past("a", "+4930901820", "I am learning the cello."))
	if err != nil || one.Existing || !one.Conversation.Imported || !one.Conversation.StartedAt.Equal(start) {
		t.Fatalf("got %+v, %v", one, err)
	}
	if again, err := h.admin.ImportConversation(ctx, past("a", "+4930901820", "I am learning the cello.")); err != nil || !again.Existing {
		t.Errorf("got %+v, %v; want it to be there already", again, err)
	}
	found, err := h.admin.Recall(ctx, one.Caller.ID, client.RecallRequest{Query: "cello"})
	if err != nil || len(found.Results) != 1 {
		t.Errorf("got %+v, %v; want the turn", found, err)
	}
	bad := past("b", "+4930901820", "hello")
	bad.Turns = append(bad.Turns, client.TurnInput{Speaker: "robot", Text: "beep"})
	batch, err := h.admin.ImportConversations(ctx, []client.ImportRequest{
		past("a", "+4930901820", "x"), bad, past("c", "+4930901822", "y"), {Caller: client.CallerRef{Phone: "12"}, StartedAt: start},
	})
	if err != nil || batch.Imported != 1 || batch.Existing != 1 || batch.Failed != 2 || len(batch.Results) != 4 {
		t.Fatalf("got %+v, %v; want one new, one existing, two refused", batch, err)
	}
	if e := batch.Results[1].Error; batch.Results[1].Index != 1 || e == nil || e.Field != "turns[1].speaker" {
		t.Errorf("got %+v, want the field turns[1].speaker at fault", batch.Results[1])
	}
	if e := batch.Results[3].Error; e == nil || e.Field != "caller.phone" {
		t.Errorf("got %+v, want the field caller.phone at fault", batch.Results[3])
	}
	if all, err := h.admin.ExportCaller(ctx, one.Caller.ID); err != nil || len(all.Conversations) != 1 || len(all.Conversations[0].Turns) != 1 || all.Memories == nil {
		t.Errorf("got %+v, %v", all, err)
	}
}

func TestTenantsAndKeys(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	ctx := context.Background()
	window := 3600.0
	greeting, services := "Good morning!", []string{"cleaning"}
	changed, err := h.admin.UpdateTenant(ctx, client.TenantPatch{TenantSettings: client.TenantSettings{
		ResumeWindowSeconds: &window, Profile: &client.ProfilePatch{Greeting: &greeting, Services: &services},
	}})
	if err != nil || changed.ResumeWindowSeconds != 3600 || changed.Profile.Greeting != greeting || changed.DefaultRegion != "DE" {
		t.Errorf("got %+v, %v", changed, err)
	}
	business := "Lakeside"
	if changed, err = h.admin.UpdateTenant(ctx, client.TenantPatch{TenantSettings: client.TenantSettings{Profile: &client.ProfilePatch{Business: &business}}}); err != nil || changed.Profile.Greeting != greeting {
		t.Errorf("got %+v, %v; want the greeting to stay", changed.Profile, err)
	}
	made, err := h.admin.CreateTenant(ctx, client.NewTenant{Name: "Golf"})
	if err != nil || made.APIKey == "" || made.Tenant.Retention != recaller.Keep {
		t.Fatalf("got %+v, %v", made, err)
	}
	if list, err := h.admin.Tenants(ctx, ""); err != nil || len(list) != 2 {
		t.Errorf("got %+v, %v; want two tenants", list, err)
	}
	golf := h.client(t, made.APIKey)
	if mine, err := golf.Tenant(ctx); err != nil || mine.Name != "Golf" {
		t.Errorf("got %+v, %v", mine, err)
	}
	ours := h.begun(t, "+4930901820")
	if _, err := golf.Caller(ctx, ours.Caller.ID); !client.IsNotFound(err) {
		t.Errorf("got %v, want that another tenant's caller is not found", err)
	}
	if _, err := golf.Conversation(ctx, ours.Conversation.ID); !client.IsNotFound(err) {
		t.Errorf("got %v, want that another tenant's conversation is not found", err)
	}
	key, err := h.admin.CreateKey(ctx, client.KeyInput{Scope: recaller.ScopeRead, Label: "console"})
	if err != nil {
		t.Fatal(err)
	}
	if list, err := h.admin.Keys(ctx); err != nil || len(list) != 2 {
		t.Errorf("got %+v, %v; want the bootstrap key and the new one", list, err)
	}
	if err := h.admin.DeleteKey(ctx, key.Key.ID); err != nil {
		t.Fatal(err)
	}
	if p := h.refused(t, 401, "GET", "/v1/tenant", "", "Authorization", "Bearer "+key.APIKey); p.Code != "unauthenticated" {
		t.Errorf("got %+v", p)
	}
}

func TestConversationIDsOfAnyShapeSurviveTheURL(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	ctx := context.Background()
	for i, id := range []string{"voice-session:1/2", "..", ".", "a//b", "a b?c=d#e", "100%", "ü/日本", "import"} {
		started, err := h.admin.StartConversation(ctx, client.StartRequest{Caller: client.CallerRef{ExternalID: "u"}, ExternalID: id})
		if err != nil {
			t.Fatal(err)
		}
		rec, err := h.admin.Conversation(ctx, id)
		if err != nil || rec.Conversation.ID != started.Conversation.ID {
			t.Errorf("%d %q (%s): got %+v, %v", i, id, url.PathEscape(id), rec.Conversation, err)
		}
		if _, err := h.admin.AddTurns(ctx, id, client.TurnInput{Speaker: recaller.User, Text: "hello"}); err != nil {
			t.Errorf("%q: %v", id, err)
		}
	}
}
