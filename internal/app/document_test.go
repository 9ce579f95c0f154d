package app

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller/client"
)

// Documents on both stores, over the whole product: written, found, told in a call, forgotten and erased.
func TestDocumentsFromStartToEnd(t *testing.T) {
	t.Parallel()
	onBoth(t, documentStory)
}

func documentStory(t *testing.T, env ...string) {
	h := build(t, t.TempDir(), Options{}, env...)
	h.start()
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := h.CreateDocument(ctx, client.DocumentInput{Title: "Handbook", Content: "# Cancellations\nFree of charge until 24 hours before. After that we charge half.", Tags: client.Tags{"policy"}})
	must(err)
	call := h.ring("+14155550188")
	h.say(call.Conversation.ID, "Good morning, I would like to book a table for my daughter Hildegard.")
	must(second(h.EndConversation(ctx, call.Conversation.ID, client.EndRequest{})))
	h.writtenUp(call.Conversation.ID)

	brief, err := h.CallerBriefing(ctx, call.Caller.ID, client.BriefingQuery{Query: "what does it cost to cancel?"})
	must(err)
	holds(t, "the briefing", brief.Text, "## From the business", "- from the business's documents, Handbook, Cancellations: Free of charge until 24 hours before.")

	session, err := h.Document(ctx, call.Conversation.ID)
	must(err)
	holds(t, "the document of the call", session.Content, "**Session:** "+call.Conversation.SessionID+"\n", "Hildegard")
	found, err := h.Query(ctx, client.QueryRequest{Text: "voice call summary", Limit: 3, Tags: client.Tags{"voice-session"}})
	must(err)
	if len(found.Results) != 1 || found.Results[0].ID != session.ID {
		t.Errorf("got %+v, want the call's", found.Results)
	}
	if rec := h.read(call.Conversation.SessionID); rec.Conversation.ID != call.Conversation.ID {
		t.Errorf("by its session id: got %+v", rec.Conversation)
	}

	a := h.connect(h.app.BootstrapKey(), nil)
	titles := func(with args) string {
		var out []string
		for _, r := range a.call("search_documents", with)["results"].([]any) {
			out = append(out, r.(map[string]any)["title"].(string))
		}
		return strings.Join(out, ", ")
	}
	if got := titles(args{"query": "table for Hildegard"}); strings.Contains(got, "Voice Call") {
		t.Errorf("without a number somebody's call is found: %s", got)
	}
	if got := titles(args{"query": "table for Hildegard", "phoneNumber": "+14155550188"}); got != session.Title {
		t.Errorf("got %q, want the caller's call", got)
	}
	if got := titles(args{"query": "cancellation fee", "phoneNumber": "+14155550199"}); got != "Handbook" {
		t.Errorf("for a stranger: got %q, want the handbook", got)
	}

	kept, err := h.StoreMemory(ctx, call.Caller.ID, client.MemoryInput{Key: "daughter", Value: "Hildegard", Type: "fact"})
	must(err)
	must(second(h.ForgetMemory(ctx, kept.Memory.ID)))
	session, err = h.Document(ctx, session.ID)
	must(err)
	holds(t, "the document after she was forgotten", session.Title+session.Content, "!Hildegard")

	archived := true
	must(second(h.UpdateDocument(ctx, session.ID, client.DocumentPatch{Archived: &archived})))
	brief, err = h.CallerBriefing(ctx, call.Caller.ID, client.BriefingQuery{})
	must(err)
	holds(t, "the briefing after the call was archived", brief.Text, "!Recent Voice Calls", "!first conversation")

	must(second(h.CreateDocument(ctx, client.DocumentInput{Title: "Note", Content: "c", CallerID: "+14155550188"})))
	must(second(h.EraseCaller(ctx, call.Caller.ID)))
	list, err := h.Documents(ctx, client.DocumentFilter{IncludeArchived: true})
	must(err)
	if len(list.Documents) != 1 || list.Documents[0].Title != "Handbook" {
		t.Errorf("after the erasure there is %+v, want the handbook alone", list.Documents)
	}
}

// The requests of the client that seed V prints, to the byte: its header, tags as one text, and a query without them. So
// with curl, which tells another content type.
func TestAClientOfVWorksUnchanged(t *testing.T) {
	t.Parallel()
	h := build(t, t.TempDir(), Options{})
	h.start()
	served := httptest.NewServer(h.app.Handler())
	defer served.Close()
	ask := func(method, path, kind, body string) (out map[string]any) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, served.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-API-Key", h.app.BootstrapKey())
		req.Header.Set("Content-Type", kind)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		raw, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode > 299 || json.Unmarshal(raw, &out) != nil {
			t.Fatalf("%s %s: got %d %s", method, path, res.StatusCode, raw)
		}
		return out
	}
	const asJSON, byCurl = "application/json", "application/x-www-form-urlencoded"
	stored := ask("POST", "/v1/documents", asJSON, `{"title": "Voice Call Summary \u2014 2026-02-06 11:15 PM", "content": "## Voice Call Summary\n\n### Topics Discussed\n- Remind me about the Tesla service", "source": "voice-call", "tags": "voice-session, deepclaw, phone-call"}`)
	id, _ := stored["id"].(string)
	if id == "" {
		t.Fatalf("got %v, want an id", stored)
	}
	ask("PUT", "/v1/documents/"+id, asJSON, `{"content": "- [ ] Test callback context loading", "mode": "append"}`)
	for _, kind := range []string{asJSON, byCurl} {
		for _, body := range []string{`{"text": "voice call summary", "limit": 3}`, `{"text": "voice-session", "limit": 3, "tags": ["voice-session"]}`, `{"text": "Tesla", "limit": 1}`} {
			results, _ := ask("POST", "/v1/query", kind, body)["results"].([]any)
			if len(results) != 1 {
				t.Fatalf("%s as %s: got %v", body, kind, results)
			}
			doc := results[0].(map[string]any)
			if doc["title"] != "Voice Call Summary — 2026-02-06 11:15 PM" || !strings.Contains(doc["snippet"].(string), "Tesla service\n- [ ] Test") {
				t.Errorf("%s: got %v", body, doc)
			}
		}
	}
	ask("PUT", "/v1/documents/"+id, asJSON, `{"content": "new", "mode": "replace"}`)
	if doc := ask("GET", "/v1/documents/"+id, asJSON, ""); doc["content"] != "new" {
		t.Errorf("got %v", doc)
	}
}

// A document of a call goes to the outside server of V11, after that was away, and across a restart.
func TestDocumentsAreDeliveredOutside(t *testing.T) { //nolint:tparallel // one after the other
	t.Parallel()
	var mu sync.Mutex
	var bodies []string
	got := make(chan struct{}, 8)
	away := true
	outside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		defer func() { got <- struct{}{} }()
		if away || r.Header.Get("X-API-Key") != "remem-secret" {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		bodies = append(bodies, r.Method+" "+string(raw))
		_, _ = io.WriteString(w, `{"id":"there"}`)
	}))
	defer outside.Close()
	env := []string{"REMEM_API_URL=" + outside.URL, "REMEM_API_KEY=remem-secret"}
	dir := t.TempDir()
	t.Run("while it is away", func(t *testing.T) {
		h := build(t, dir, Options{}, env...)
		h.start()
		call := h.ring("+14155550188")
		h.say(call.Conversation.ID, "Good morning, the dishwasher leaks.")
		h.hangUp(call.Conversation.ID)
		<-got
	})
	mu.Lock()
	away = false
	mu.Unlock()
	h := build(t, dir, Options{}, env...)
	h.clock.turn(time.Hour)
	h.start()
	<-got
	mu.Lock()
	defer mu.Unlock()
	if !strings.HasPrefix(bodies[0], `POST {"title":"Voice Call Summary`) || !bytes.Contains([]byte(bodies[0]), []byte(`"tags":"voice-session, phone-call"`)) || !strings.Contains(bodies[0], "dishwasher") {
		t.Errorf("got %s", bodies[0])
	}
}
