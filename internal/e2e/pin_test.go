package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// A caller with a PIN is asked for it, and is told what is private once it is right. What was said of it is kept nowhere.
func TestAPINProvesWhoSpeaks(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		for _, retention := range []recaller.Retention{recaller.Keep, recaller.Archive} {
			p := tenantWith(t, house(t, on), retention)
			yes := true
			if _, err := p.c.UpdateTenant(t.Context(), client.TenantPatch{TenantSettings: client.TenantSettings{MemoryTools: &yes}}); err != nil {
				t.Fatal(err)
			}
			first, _ := secretive(t, p)
			pinStory(t, p, first)
		}
	})
}

func pinStory(t *testing.T, p phone, first client.StartResponse) {
	t.Helper()
	who := first.Caller.ID
	for _, bad := range []string{"", "123", "0000", "1234", "9876", "47a1", "1234567890123", "4711 "} {
		var problem *client.Problem
		_, err := p.c.SetCallerPIN(t.Context(), who, bad)
		if !errors.As(err, &problem) || problem.Status < 400 || bad != "" && strings.Contains(shown(problem), `"`+bad) || !strings.Contains(shown(problem), "pin") {
			t.Errorf("%d characters: got %v", len(bad), err)
		}
	}
	before := desk{p, p.ring(first.Caller.Phone)}
	holds(t, "without one", before.does("verify_caller", map[string]any{"pin": "4711"}).Message, "no PIN")
	p.hangUp(before.call.Conversation.ID)
	if c, err := p.c.SetCallerPIN(t.Context(), who, "4711"); err != nil || !c.HasPIN {
		t.Fatalf("got %+v, %v", c, err)
	}

	d := desk{p, p.ring(first.Caller.Phone)}
	conv := d.call.Conversation.ID
	holds(t, "asked for it", d.call.Briefing.Text, "The caller has a PIN", "!Leopold", "!arson")
	p.say(conv, user("Well, 4719, I think."))
	keyed := func() (client.ToolAnswer, error) { // as an agent has it that reads what is kept
		ctx := client.WithIdempotencyKey(t.Context(), "a try")
		return p.c.CallTool(ctx, client.ToolCall{CallSessionID: conv, Name: recaller.ToolVerifyCaller, Arguments: json.RawMessage(`{"pin":"[password]"}`)})
	}
	for range 4 { // repeated it is the same try
		got, err := keyed()
		if err != nil {
			t.Fatal(err)
		}
		holds(t, "wrong", shown(got), `"verified":false`, "2 tries are left", "!4719")
	}
	p.say(conv, user("Or 4711?"))
	var problem *client.Problem
	if _, err := keyed(); !errors.As(err, &problem) || problem.Status != http.StatusConflict {
		t.Errorf("another guess behind the same mask and key: got %v", err)
	}
	d.does("store_memory", map[string]any{"memoryType": "fact", "key": "code", "value": "says that it is 4711"})
	d.does("save_checkpoint", map[string]any{"intent": "verify", "summary": "Told four seven one one.", "stagingData": map[string]any{"pin": 4711, "of": []string{"4711"}}})
	got := d.does("verify_caller", map[string]any{"pin": "double three oh eight"})
	holds(t, "wrong again", shown(got), `"verified":false`, "One try is left")
	heard := listen(t, p.c, conv, 0)
	p.say(conv, user("Oh, it is four seven one one."))
	got = d.does("verify_caller", map[string]any{"pin": "[password]"}) // as an agent has it that reads what is kept
	holds(t, "right", shown(got), `"verified":true`)
	if e := heard.next(t, client.EventTrustRaised); e.Trust != recaller.TrustVerified {
		t.Errorf("got %+v", e)
	}
	holds(t, "the briefing that follows", heard.next(t, client.EventBriefingUpdated).Briefing.Text, "Leopold", "!has a PIN")
	p.say(conv, user("4 7 1 1, as I said."), agent("47-11, yes."), user("My new flat is number 8025."))
	d.does("update_memory", map[string]any{"existingKey": "code", "newValue": "the PIN is four seven one one"})
	_, _, found := d.post("recall", map[string]any{"query": "husband"})
	holds(t, "told now", found, "Leopold")
	holds(t, "once more", d.does("verify_caller", map[string]any{"pin": "9"}).Message, "already")

	p.end(conv, client.EndRequest{DurationSeconds: 60})
	record := p.writtenUp(conv)
	var export bytes.Buffer
	if err := p.c.ReadExport(t.Context(), who, func(r io.Reader) error { _, err := io.Copy(&export, r); return err }); err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{"the record": shown(record), "the export": export.String()} {
		holds(t, what, text, "[password]", "8025", "!4711", "!four seven", "!4 7 1 1", "!47-11", "!4719", "!argon", "!hash")
	}
	if err := p.c.DeleteCallerPIN(t.Context(), who); err != nil {
		t.Fatal(err)
	}
	if c, err := p.c.Caller(t.Context(), who); err != nil || c.HasPIN {
		t.Errorf("got %+v, %v, want none", c, err)
	}
	if _, err := p.c.SetCallerPIN(t.Context(), who, "4711"); err != nil {
		t.Fatal(err)
	}
	if _, err := p.c.EraseCaller(t.Context(), who); err != nil {
		t.Fatal(err)
	}
	if _, err := p.c.SetCallerPIN(t.Context(), who, "4711"); !errors.As(err, &problem) || problem.Status != http.StatusNotFound {
		t.Errorf("of who is erased: got %v", err)
	}
}

// Who guesses has three tries in a call, and waits longer and longer across calls, also where the process dies between.
func TestAPINIsNotGuessed(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		s := serveIn(t, on)
		p := phone{t, s.admin}
		from := number()
		first := p.ring(from)
		who := first.Caller.ID
		if _, err := p.c.SetCallerPIN(t.Context(), who, "4711"); err != nil {
			t.Fatal(err)
		}
		d := desk{p, first}
		for _, wrong := range []string{"2580", "1379", "8025"} {
			holds(t, "wrong", shown(d.does("verify_caller", map[string]any{"pin": wrong})), `"verified":false`)
		}
		holds(t, "the right one comes too late", shown(d.does("verify_caller", map[string]any{"pin": "4711"})), `"verified":false`, "No try is left")
		p.hangUp(first.Conversation.ID)
		d.call = p.ring(from)
		for _, wrong := range []string{"2580", "1379"} {
			d.does("verify_caller", map[string]any{"pin": wrong})
		}
		s.restart()
		p = phone{t, s.admin}
		d = desk{p, p.ring(from)}
		holds(t, "in the pause", shown(d.does("verify_caller", map[string]any{"pin": "4711"})), `"verified":false`, "before")
		other := tenantWith(t, s, recaller.Keep)
		var problem *client.Problem
		if _, err := other.c.SetCallerPIN(t.Context(), who, "4711"); !errors.As(err, &problem) || problem.Status != http.StatusNotFound {
			t.Errorf("another tenant: got %v", err)
		}
		if _, err := p.c.SetCallerPIN(t.Context(), who, "4711"); err != nil {
			t.Fatal(err)
		}
		m := connected(t, &mcp.StreamableClientTransport{Endpoint: s.url + "/mcp", HTTPClient: &http.Client{Transport: bearer(s.key)}, DisableStandaloneSSE: true})
		holds(t, "set anew, over MCP", m.call("verify_caller", map[string]any{"conversationId": d.call.Conversation.ID, "pin": "four seven one one"}), `"verified":true`)
	})
}
