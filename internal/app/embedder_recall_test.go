package app

import (
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/embed/embedtest"
	"github.com/recallerhq/recaller/internal/endpoint/endpointtest"
)

// A configured embedder serves recall too, where it is to: it is sent each turn once, and what it made of them is kept
// over a restart.
func TestAConfiguredEmbedderServesRecall(t *testing.T) {
	t.Parallel()
	provider := embedtest.New(64)
	srv := httptest.NewServer(provider)
	t.Cleanup(srv.Close)
	folder := t.TempDir()
	settings := []string{
		"RECALLER_EMBEDDING_BASE_URL=" + srv.URL, "RECALLER_EMBEDDING_MODEL=m", "RECALLER_EMBEDDING_RECALL=true",
		"RECALLER_EMBEDDING_QUERY_PREFIX=query:", "RECALLER_EMBEDDING_PASSAGE_PREFIX=passage:",
	}
	const turn = "passage: Das Wasser tropft durch die Decke."
	sent := func(text string) (n int) {
		for _, r := range provider.Requests() {
			n += len(r.Texts) - len(slices.DeleteFunc(slices.Clone(r.Texts), func(s string) bool { return s == text }))
		}
		return n
	}
	h := build(t, folder, Options{}, settings...).start()
	call := h.ring("+14155550199")
	h.say(call.Conversation.ID, "Das Wasser tropft durch die Decke.")
	recalled := func(h *house) client.RecallResponse {
		t.Helper()
		found, err := h.Recall(t.Context(), call.Caller.ID, client.RecallRequest{Query: "Das Wasser tropft durch die Decke."})
		if err != nil || len(found.Results) == 0 || found.Degraded != "" {
			t.Fatalf("got %+v, %v; want the turn", found, err)
		}
		return found
	}
	recalled(h)
	if err := h.app.recall.Fill(t.Context(), "default", recaller.CallerID(call.Caller.ID)); err != nil {
		t.Fatal(err)
	}
	recalled(h)
	if got := sent(turn); got != 1 {
		t.Errorf("the turn was sent %d times, want once", got)
	}
	if got := sent("query: Das Wasser tropft durch die Decke."); got != 2 {
		t.Errorf("the query was sent %d times, want with each recall", got)
	}
	if err := h.app.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	again := build(t, folder, Options{}, settings...).start()
	recalled(again)
	if err := again.app.recall.Fill(t.Context(), "default", recaller.CallerID(call.Caller.ID)); err != nil {
		t.Fatal(err)
	}
	if got := sent(turn); got != 1 {
		t.Errorf("after a restart the turn was sent %d times, want once", got)
	}
	provider.Fail(endpointtest.Unauthorized())
	found, err := again.Recall(t.Context(), call.Caller.ID, client.RecallRequest{Query: "Wasser"})
	if err != nil || len(found.Results) == 0 || found.Degraded != "embedder unavailable" {
		t.Errorf("while it is away: got %+v, %v; want it by its words, and to be told", found, err)
	}
}
