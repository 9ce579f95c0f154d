package e2e

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/pgtest"
)

// B6 and P13: who is erased is gone from every route, the receipt proves it, a backup of the data does not bring the
// words back, and the number may call again as somebody new.
func TestErasedForGood(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		if on == onPostgres {
			data, keys := pgtest.Prepared(t, schemas(t), migrate), pgtest.Prepared(t, schemas(t), migrate)
			s := serve(t, append(onDatabase(data), "RECALLER_KEYS_DATABASE_URL="+keys.App)...)
			erasedForGood(t, s, func() func() {
				backup := pgtest.Copy(t, data)
				return func() { s.env = append(onDatabase(backup), "RECALLER_KEYS_DATABASE_URL="+keys.App) }
			})
			return
		}
		s := serve(t)
		erasedForGood(t, s, func() func() {
			backup := backUp(t, s.dir)
			return func() { restore(t, s.dir, backup) }
		})
	})
}

// erasedForGood tells the story; backUp copies the data of a stopped server, without its keys, and returns what puts
// that back.
func erasedForGood(t *testing.T, s *server, backUp func() (restore func())) {
	ctx := context.Background()
	const from = "+14155550177"
	p := phone{t, s.admin}
	who := somebody(p, from)
	kept := p.call("+14155550178", user("I need an electrician."), agent("Certainly."))
	s.stop()
	restore := backUp()
	s.start()

	p = phone{t, s.admin}
	wantKnown(t, p.c, who)
	receipt, err := p.c.EraseCaller(ctx, who.caller)
	if err != nil {
		t.Fatal(err)
	}
	wantReceipt(t, receipt, who.caller)
	wantNobody(t, p.c, who)
	wantNoRows(t, p.c, who)
	if again, err := p.c.EraseCaller(ctx, who.caller); err != nil || again.ID != receipt.ID {
		t.Errorf("erased again: got receipt %s, %v; want %s", again.ID, err, receipt.ID)
	}
	if anew := p.ring(from); anew.Caller.ID == who.caller || !anew.Caller.FirstTime || anew.Caller.Name != "" {
		t.Errorf("the number calls again: got %+v, want somebody new", anew.Caller)
	}
	p.call(from, user("I need a gardener."), agent("Yes."))

	s.stop()
	restore()
	s.start()
	p = phone{t, s.admin}
	wantNobody(t, p.c, who)
	wantNoRows(t, p.c, who)
	holds(t, "the other caller's briefing", p.ring("+14155550178").Briefing.Text, "electrician")
	if found := p.search("electrician"); p.briefing(kept.Caller.ID) == "" || len(found) == 0 || found[0].CallerID != kept.Caller.ID {
		t.Error("the other caller is gone as well")
	}
	anew := p.ring(from)
	if anew.Caller.ID == who.caller || anew.Caller.ID == "" || !anew.Caller.FirstTime || anew.Briefing.Degraded {
		t.Errorf("the number calls on the restored data: got %+v (degraded %v), want somebody new", anew.Caller, anew.Briefing.Degraded)
	}
	holds(t, "the briefing on the restored data", anew.Briefing.Text, "!Ottilie", "!Evergreen")
	wantChecked(t, p.c, receipt)
}

// wantChecked has a receipt checked, long after: by who issued it, with a word changed, and by another installation.
func wantChecked(t *testing.T, c *client.Client, r recaller.Receipt) {
	t.Helper()
	check := func(by *client.Client, r recaller.Receipt, want client.ReceiptCheck) {
		t.Helper()
		if got, err := by.CheckReceipt(t.Context(), r); err != nil || got != want {
			t.Errorf("got %+v, %v; want %+v", got, err, want)
		}
	}
	check(c, r, client.ReceiptCheck{Intact: true, Ours: true})
	check(house(t, onSQLite).admin, r, client.ReceiptCheck{Intact: true})
	r.KeyFingerprint += "0"
	check(c, r, client.ReceiptCheck{})
}

// backUp copies the database without the keys, as a backup of the data does.
func backUp(t *testing.T, dir string) []byte {
	t.Helper()
	for _, side := range []string{"-wal", "-shm"} {
		if _, err := os.Stat(filepath.Join(dir, "recaller.db"+side)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the stopped server left recaller.db%s behind", side)
		}
	}
	raw, err := os.ReadFile(filepath.Join(dir, "recaller.db"))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func restore(t *testing.T, dir string, backup []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "recaller.db"), backup, 0o600); err != nil {
		t.Fatal(err)
	}
}

// wantReceipt checks a receipt with nothing but what came over the wire and the documentation: an Ed25519 signature
// over the receipt as JSON with public_key and signature null.
func wantReceipt(t *testing.T, r recaller.Receipt, caller string) {
	t.Helper()
	if string(r.Caller) != caller || r.KeyFingerprint == "" || r.Erased["callers"] != 1 || r.Erased["conversations"] != 1 || r.Erased["turns"] != 2 {
		t.Errorf("got receipt %+v", r)
	}
	signature, public := r.Signature, ed25519.PublicKey(r.PublicKey)
	r.Signature, r.PublicKey = nil, nil
	signed, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if len(public) != ed25519.PublicKeySize || !ed25519.Verify(public, signed, signature) {
		t.Error("the receipt's signature does not hold")
	}
	if signed[len(signed)/2] ^= 1; ed25519.Verify(public, signed, signature) {
		t.Error("the receipt's signature holds for anything")
	}
}

// trace is what somebody leaves behind, by which he can be asked for.
type trace struct{ from, externalID, caller, conversation, call, memory, reminder string }

// somebody calls, and leaves one of everything.
func somebody(p phone, from string) trace {
	p.t.Helper()
	ctx := context.Background()
	who := trace{from: from, externalID: "customer-ottilie", call: "call-of-ottilie"}
	s := p.start(client.StartRequest{Caller: client.CallerRef{Phone: from, ExternalID: who.externalID}, ExternalID: who.call})
	who.caller, who.conversation = s.Caller.ID, s.Conversation.ID
	p.say(who.call, user("My name is Ottilie and I need a plumber at 742 Evergreen Terrace."), agent("On the way."))
	p.hangUp(who.call)
	p.writtenUp(who.call)
	memory, err := p.c.StoreMemory(ctx, who.caller, client.MemoryInput{Type: recaller.Fact, Key: "pet", Value: "A cat"})
	if err != nil {
		p.t.Fatal(err)
	}
	who.memory = memory.Memory.ID
	reminder, err := p.c.SetReminder(ctx, who.memory, client.ReminderInput{DueAt: time.Now().AddDate(1, 0, 0)})
	if err != nil {
		p.t.Fatal(err)
	}
	who.reminder = reminder.ID
	if _, err := p.c.PutCheckpoint(ctx, who.caller, client.CheckpointInput{Intent: "job_creation", Summary: "A leak"}); err != nil {
		p.t.Fatal(err)
	}
	return who
}

// asked is a request that somebody may be found by: whether he was, or why it was refused.
type asked func(ctx context.Context, c *client.Client, who trace) (bool, error)

// searches are the requests that are answered whether he is there or not.
func searches() map[string]asked {
	his := func(who trace) func(client.Caller) bool {
		return func(o client.Caller) bool { return o.ID == who.caller }
	}
	return map[string]asked{
		"by number": func(ctx context.Context, c *client.Client, who trace) (bool, error) {
			found, err := c.CallersByPhone(ctx, who.from)
			return slices.ContainsFunc(found, his(who)), err
		},
		"by external id": func(ctx context.Context, c *client.Client, who trace) (bool, error) {
			found, err := c.CallersByExternalID(ctx, who.externalID)
			return len(found) > 0, err
		},
		"all callers": func(ctx context.Context, c *client.Client, who trace) (bool, error) {
			all, err := c.Callers(ctx, client.Page{Limit: 200})
			return slices.ContainsFunc(all.Callers, his(who)), err
		},
		"all conversations": func(ctx context.Context, c *client.Client, who trace) (bool, error) {
			all, err := c.Conversations(ctx, client.ConversationFilter{})
			return slices.ContainsFunc(all.Conversations, func(o client.Conversation) bool { return o.CallerID == who.caller || o.ExternalID == who.call }), err
		},
		"conversations of one caller": func(ctx context.Context, c *client.Client, who trace) (bool, error) {
			his, err := c.Conversations(ctx, client.ConversationFilter{CallerID: who.caller})
			return len(his.Conversations) > 0, err
		},
		"search": func(ctx context.Context, c *client.Client, who trace) (bool, error) {
			found, err := c.SearchConversations(ctx, client.SearchRequest{Query: "a plumber at Evergreen Terrace", Limit: 50})
			return slices.ContainsFunc(found.Results, func(o client.SearchResult) bool {
				return o.CallerID == who.caller || o.ConversationID == who.conversation || strings.Contains(o.Excerpt+o.Summary, "Evergreen")
			}), err
		},
		"search of one caller's": func(ctx context.Context, c *client.Client, who trace) (bool, error) {
			found, err := c.SearchConversations(ctx, client.SearchRequest{Query: "plumber", CallerID: who.caller})
			return len(found.Results) > 0, err
		},
	}
}

// reminders are the searches for his reminders, by what the database shows of them: times, and no word.
func reminders() map[string]asked {
	return map[string]asked{
		"all reminders": func(ctx context.Context, c *client.Client, who trace) (bool, error) {
			all, err := c.Reminders(ctx, client.ReminderFilter{})
			return slices.ContainsFunc(all.Reminders, func(o client.Reminder) bool { return o.CallerID == who.caller || o.ID == who.reminder }), err
		},
		"documents": func(ctx context.Context, c *client.Client, who trace) (bool, error) {
			list, err := c.Documents(ctx, client.DocumentFilter{Tags: []string{"voice-session"}, IncludeArchived: true})
			return slices.ContainsFunc(list.Documents, func(d client.Document) bool { return d.CallerID == who.caller }), err
		},
		"query": func(ctx context.Context, c *client.Client, who trace) (bool, error) {
			found, err := c.Query(ctx, client.QueryRequest{Text: "Evergreen plumber", IncludeArchived: true})
			return slices.ContainsFunc(found.Results, func(d client.QueryResult) bool { return d.CallerID == who.caller }), err
		},
		"reminders for one caller": func(ctx context.Context, c *client.Client, who trace) (bool, error) {
			his, err := c.Reminders(ctx, client.ReminderFilter{CallerID: who.caller})
			return len(his.Reminders) > 0, err
		},
	}
}

// reads are the requests that need him to be there, and change nothing.
func reads() map[string]asked {
	of := func(ask func(ctx context.Context, c *client.Client, who trace) error) asked {
		return func(ctx context.Context, c *client.Client, who trace) (bool, error) {
			err := ask(ctx, c, who)
			return err == nil, err
		}
	}
	return map[string]asked{
		"caller": of(func(ctx context.Context, c *client.Client, who trace) error {
			_, err := c.Caller(ctx, who.caller)
			return err
		}),
		"briefing": of(func(ctx context.Context, c *client.Client, who trace) error {
			_, err := c.CallerBriefing(ctx, who.caller, client.BriefingQuery{})
			return err
		}),
		"memories": func(ctx context.Context, c *client.Client, who trace) (bool, error) {
			his, err := c.Memories(ctx, who.caller, client.MemoryFilter{})
			return len(his.Memories) > 0, err
		},
		"conversations": func(ctx context.Context, c *client.Client, who trace) (bool, error) {
			his, err := c.CallerConversations(ctx, who.caller, client.ConversationFilter{})
			return len(his.Conversations) > 0, err
		},
		"reminders": func(ctx context.Context, c *client.Client, who trace) (bool, error) {
			his, err := c.CallerReminders(ctx, who.caller, client.ReminderFilter{})
			return len(his.Reminders) > 0, err
		},
		"recall": func(ctx context.Context, c *client.Client, who trace) (bool, error) {
			found, err := c.Recall(ctx, who.caller, client.RecallRequest{Query: "plumber"})
			return recalls(found.Results, "Evergreen"), err
		},
		"export": of(func(ctx context.Context, c *client.Client, who trace) error {
			_, err := c.ExportCaller(ctx, who.caller)
			return err
		}),
		"checkpoint": of(func(ctx context.Context, c *client.Client, who trace) error {
			_, err := c.Checkpoint(ctx, who.caller)
			return err
		}),
		"document": of(func(ctx context.Context, c *client.Client, who trace) error {
			_, err := c.Document(ctx, who.conversation)
			return err
		}),
		"conversation": of(func(ctx context.Context, c *client.Client, who trace) error {
			_, err := c.Conversation(ctx, who.conversation)
			return err
		}),
		"conversation by its external id": of(func(ctx context.Context, c *client.Client, who trace) error {
			_, err := c.Conversation(ctx, who.call)
			return err
		}),
		"its briefing": of(func(ctx context.Context, c *client.Client, who trace) error {
			_, err := c.ConversationBriefing(ctx, who.conversation, client.BriefingQuery{})
			return err
		}),
		"history": of(func(ctx context.Context, c *client.Client, who trace) error {
			_, err := c.MemoryHistory(ctx, who.memory)
			return err
		}),
	}
}

// writes are the requests that would change what he left, or follow it.
func writes(ctx context.Context, c *client.Client, who trace) map[string]error {
	name, value := "Ottilie", "A dog"
	_, update := c.UpdateCaller(ctx, who.caller, client.CallerPatch{Name: &name})
	_, store := c.StoreMemory(ctx, who.caller, client.MemoryInput{Type: recaller.Fact, Key: "k", Value: "v"})
	_, put := c.PutCheckpoint(ctx, who.caller, client.CheckpointInput{Summary: "A leak"})
	_, say := c.AddTurns(ctx, who.conversation, user("Hello?"))
	_, end := c.EndConversation(ctx, who.conversation, client.EndRequest{})
	_, change := c.UpdateMemory(ctx, who.memory, client.MemoryPatch{Value: &value})
	_, forget := c.ForgetMemory(ctx, who.memory)
	_, undo := c.UndoMemory(ctx, who.memory, 1)
	_, remind := c.SetReminder(ctx, who.memory, client.ReminderInput{DueAt: time.Now().AddDate(1, 0, 0)})
	_, tool := c.ForgetMemoryTool(ctx, client.ForgetMemoryCall{ToolContext: client.ToolContext{CallSessionID: who.conversation, LineID: who.caller, AccountID: "default"}, Key: "pet"})
	return map[string]error{
		"update": update, "store": store, "put checkpoint": put, "add turns": say, "end": end,
		"change": change, "forget": forget, "undo": undo, "set reminder": remind, "tool": tool, "events": firstEvent(ctx, c, who),
	}
}

// firstEvent waits for the first event of his conversation.
func firstEvent(ctx context.Context, c *client.Client, who trace) error {
	for _, err := range c.Events(ctx, who.conversation) {
		return err
	}
	return nil
}

// wantKnown asks for somebody who is there: what does not find him now proves nothing later.
func wantKnown(t *testing.T, c *client.Client, who trace) {
	t.Helper()
	for _, requests := range []map[string]asked{searches(), reminders(), reads()} {
		for what, ask := range requests {
			if found, err := ask(t.Context(), c, who); err != nil || !found {
				t.Errorf("%s, before the erasure: found %v, %v; want him found", what, found, err)
			}
		}
	}
}

// wantNoRows looks for what is told of somebody without a key: when his reminders are due, and that there is a
// checkpoint.
func wantNoRows(t *testing.T, c *client.Client, who trace) {
	t.Helper()
	wantNothing(t, c, who, reminders())
	_, cancel := c.CancelReminder(t.Context(), who.reminder)
	_, retry := c.RetryReminder(t.Context(), who.reminder)
	for what, err := range map[string]error{"cancel reminder": cancel, "retry reminder": retry, "clear checkpoint": c.DeleteCheckpoint(t.Context(), who.caller)} {
		if !client.IsNotFound(err) {
			t.Errorf("%s of somebody who is gone: got %v, want not found", what, err)
		}
	}
}

// wantNothing searches for somebody who is gone.
func wantNothing(t *testing.T, c *client.Client, who trace, requests map[string]asked) {
	t.Helper()
	for what, ask := range requests {
		if found, err := ask(t.Context(), c, who); err != nil || found {
			t.Errorf("%s: found %v, %v; want nothing of somebody who is gone", what, found, err)
		}
	}
}

// wantNobody asks every route for somebody who is gone, but for those of wantNoRows.
func wantNobody(t *testing.T, c *client.Client, who trace) {
	t.Helper()
	wantNothing(t, c, who, searches())
	refusals := writes(t.Context(), c, who)
	for what, ask := range reads() {
		found, err := ask(t.Context(), c, who)
		if refusals[what] = err; found {
			t.Errorf("%s: found somebody who is gone", what)
		}
	}
	for what, err := range refusals {
		if !client.IsNotFound(err) {
			t.Errorf("%s of somebody who is gone: got %v, want not found", what, err)
		}
	}
}
