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
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// B6 and P13: who is erased is gone from every route, the receipt proves it, a backup of the data does not bring the
// words back, and the number may call again as somebody new.
func TestErasedForGood(t *testing.T) {
	t.Parallel()
	s := serve(t)
	ctx := context.Background()
	const from = "+14155550177"
	p := phone{t, s.admin}
	gone := p.call(from, user("My name is Ottilie and I need a plumber at 742 Evergreen Terrace."), agent("On the way."))
	kept := p.call("+14155550178", user("I need an electrician."), agent("Certainly."))
	memory, err := p.c.StoreMemory(ctx, gone.Caller.ID, client.MemoryInput{Type: recaller.Fact, Key: "pet", Value: "A cat"})
	if err != nil {
		t.Fatal(err)
	}
	s.stop()
	backup := backUp(t, s.dir)
	s.start()

	p = phone{t, s.admin}
	receipt, err := p.c.EraseCaller(ctx, gone.Caller.ID)
	if err != nil {
		t.Fatal(err)
	}
	wantReceipt(t, receipt, gone.Caller.ID)
	wantNobody(t, p.c, gone, memory.Memory.ID)
	if again, err := p.c.EraseCaller(ctx, gone.Caller.ID); err != nil || again.ID != receipt.ID {
		t.Errorf("erased again: got receipt %s, %v; want %s", again.ID, err, receipt.ID)
	}
	if anew := p.ring(from); anew.Caller.ID == gone.Caller.ID || !anew.Caller.FirstTime || anew.Caller.Name != "" {
		t.Errorf("the number calls again: got %+v, want somebody new", anew.Caller)
	}
	p.call(from, user("I need a gardener."), agent("Yes."))

	s.stop()
	restore(t, s.dir, backup)
	s.start()
	p = phone{t, s.admin}
	wantNobody(t, p.c, gone, memory.Memory.ID)
	holds(t, "the other caller's briefing", p.ring("+14155550178").Briefing.Text, "electrician")
	if p.briefing(kept.Caller.ID) == "" {
		t.Error("the other caller is gone as well")
	}
	anew := p.ring(from)
	if anew.Caller.ID == gone.Caller.ID || anew.Caller.ID == "" || !anew.Caller.FirstTime || anew.Briefing.Degraded {
		t.Errorf("the number calls on the restored data: got %+v (degraded %v), want somebody new", anew.Caller, anew.Briefing.Degraded)
	}
	holds(t, "the briefing on the restored data", anew.Briefing.Text, "!Ottilie", "!Evergreen")
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

// wantReceipt checks a receipt with nothing but what came over the wire and the documentation: an Ed25519 signature over
// the receipt as JSON with public_key and signature null.
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

// wantNobody asks every route for somebody who is gone.
func wantNobody(t *testing.T, c *client.Client, was client.StartResponse, memory string) {
	t.Helper()
	ctx := context.Background()
	found, err := c.CallersByPhone(ctx, was.Caller.Phone)
	if err != nil || (len(found) > 0 && found[0].ID == was.Caller.ID) {
		t.Errorf("by number: got %+v, %v; want not him", found, err)
	}
	if all, err := c.Callers(ctx, client.Page{Limit: 200}); err != nil || slices.ContainsFunc(all.Callers, func(o client.Caller) bool { return o.ID == was.Caller.ID }) {
		t.Errorf("all callers: got %+v, %v; want him not among them", all, err)
	}
	if all, err := c.Conversations(ctx, client.ConversationFilter{}); err != nil || slices.ContainsFunc(all.Conversations, func(o client.Conversation) bool { return o.CallerID == was.Caller.ID }) {
		t.Errorf("all conversations: got %+v, %v; want none of his", all, err)
	}
	for what, ask := range map[string]func() error{
		"caller":       func() error { _, err := c.Caller(ctx, was.Caller.ID); return err },
		"briefing":     func() error { _, err := c.CallerBriefing(ctx, was.Caller.ID, client.BriefingQuery{}); return err },
		"memories":     func() error { _, err := c.Memories(ctx, was.Caller.ID, client.MemoryFilter{}); return err },
		"export":       func() error { _, err := c.ExportCaller(ctx, was.Caller.ID); return err },
		"checkpoint":   func() error { _, err := c.Checkpoint(ctx, was.Caller.ID); return err },
		"conversation": func() error { _, err := c.Conversation(ctx, was.Conversation.ID); return err },
		"its briefing": func() error {
			_, err := c.ConversationBriefing(ctx, was.Conversation.ID, client.BriefingQuery{})
			return err
		},
		"history": func() error { _, err := c.MemoryHistory(ctx, memory); return err },
		"recall": func() error {
			_, err := c.Recall(ctx, was.Caller.ID, client.RecallRequest{Query: "plumber"})
			return err
		},
		"store": func() error {
			_, err := c.StoreMemory(ctx, was.Caller.ID, client.MemoryInput{Type: recaller.Fact, Key: "k", Value: "v"})
			return err
		},
		"add turns":     func() error { _, err := c.AddTurns(ctx, was.Conversation.ID, user("Hello?")); return err },
		"forget":        func() error { _, err := c.ForgetMemory(ctx, memory); return err },
		"end":           func() error { _, err := c.EndConversation(ctx, was.Conversation.ID, client.EndRequest{}); return err },
		"conversations": func() error { return wantNoneOf(c, was.Caller.ID) },
	} {
		if err := ask(); !client.IsNotFound(err) {
			t.Errorf("%s of somebody who is gone: got %v, want not found", what, err)
		}
	}
}

// wantNoneOf lists somebody's conversations: nobody's are none, which is as good as not found.
func wantNoneOf(c *client.Client, caller string) error {
	list, err := c.CallerConversations(context.Background(), caller, client.ConversationFilter{})
	if err == nil && len(list.Conversations) == 0 {
		return &client.Problem{Status: 404}
	}
	return err
}
