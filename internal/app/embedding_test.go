package app

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/embed/embedtest"
	"github.com/recallerhq/recaller/internal/endpoint/endpointtest"
	"github.com/recallerhq/recaller/internal/obs/obstest"
)

// P16, scenario 4: the end of a call does not wait for its embedding. The call is remembered at once, and searched by
// its meaning when the embedding has come.
func TestACallIsRememberedBeforeItIsEmbedded(t *testing.T) {
	t.Parallel()
	provider, released := embedtest.New(64), make(chan struct{})
	provider.Fail(endpointtest.Hang(released))
	srv := httptest.NewServer(provider)
	t.Cleanup(srv.Close)
	h := build(t, t.TempDir(), Options{}, "RECALLER_EMBEDDING_BASE_URL="+srv.URL, "RECALLER_EMBEDDING_MODEL=m",
		"RECALLER_EMBEDDING_TIMEOUT=25s"). // what is asked while it hangs takes its time on a slow machine
		start()
	call := h.ring("+14155550199").Conversation.ID
	h.say(call, "We plan our wedding at Fox Hollow in June.")
	began := time.Now()
	h.hangUp(call)
	if took := time.Since(began); took > 5*time.Second { // the provider hangs until it is released
		t.Errorf("the end took %v", took)
	}
	provider.Await(1) // the embedding is under way, and hangs

	again := h.ring("+14155550199")
	holds(t, "the next call's briefing", again.Briefing.Text, "wedding")
	found, err := h.Recall(t.Context(), again.Caller.ID, client.RecallRequest{Query: "wedding"})
	if err != nil || len(found.Results) == 0 || found.Results[0].ConversationID != call {
		t.Errorf("recall: got %+v, %v; want the call", found.Results, err)
	}
	if rec := h.read(call); rec.Wrapup.Done || rec.Conversation.Summary == nil {
		t.Errorf("got %+v, want all but the embedding", rec.Wrapup)
	}

	provider.Heal()
	close(released)
	rec := h.writtenUp(call)
	if last := embedding(rec); last.Step != recaller.StepEmbed || last.State != recaller.StepDone || last.By != "m" {
		t.Errorf("got %+v, want it embedded", last)
	}
	answer, err := h.SearchConversations(t.Context(), client.SearchRequest{Query: "our wedding in June"})
	if err != nil || len(answer.Results) != 1 || answer.Results[0].ConversationID != call || answer.Results[0].Similarity <= 0 || answer.Degraded != "" {
		t.Errorf("got %+v, %v; want the call, by words and meaning", answer, err)
	}
	if text := provider.Requests()[0].Texts[0]; !strings.Contains(text, "\n\nWe plan our wedding at Fox Hollow in June.") {
		t.Error("what was embedded is not the summary and the beginning of the transcript")
	}
}

// embedding is the last step of a conversation's write-up.
func embedding(rec client.ConversationRecord) client.Step {
	return rec.Wrapup.Steps[4]
}

// An embedder that is down costs nothing but the meaning, until the night in which it is back.
func TestTheNightMakesUpForAnEmbedderThatWasDown(t *testing.T) {
	t.Parallel()
	provider := embedtest.New(64)
	provider.Fail(endpointtest.Unauthorized())
	srv := httptest.NewServer(provider)
	t.Cleanup(srv.Close)
	h := build(t, t.TempDir(), Options{}, "RECALLER_EMBEDDING_BASE_URL="+srv.URL, "RECALLER_EMBEDDING_MODEL=m").start()
	call := h.ring("+14155550199").Conversation.ID
	h.say(call, "We plan our wedding in June.")
	h.hangUp(call)
	if last := embedding(h.writtenUp(call)); last.State != recaller.StepPending || last.Reason != "embedder unavailable" {
		t.Errorf("got %+v, want it left to the night", last)
	}
	answer, err := h.SearchConversations(t.Context(), client.SearchRequest{Query: "wedding"})
	if err != nil || len(answer.Results) != 1 || answer.Degraded == "" {
		t.Errorf("meanwhile: got %+v, %v; want it by its words", answer, err)
	}
	provider.Heal()
	h.clock.turn(24 * time.Hour)
	if r, err := h.app.search.Retry(t.Context()); err != nil || r.Embedded != 1 {
		t.Errorf("the night: got %+v, %v", r, err)
	}
	answer, err = h.SearchConversations(t.Context(), client.SearchRequest{Query: "wedding"})
	if err != nil || len(answer.Results) != 1 || answer.Degraded != "" || answer.Results[0].Similarity <= 0 {
		t.Errorf("afterwards: got %+v, %v", answer, err)
	}
}

// Searches only tell that the embedder is away; why it is stands in the log.
func TestTheLogSaysWhyTheEmbedderFails(t *testing.T) {
	t.Parallel()
	provider := embedtest.New(64)
	provider.Fail(endpointtest.Unauthorized())
	srv := httptest.NewServer(provider)
	t.Cleanup(srv.Close)
	stream, log := obstest.NewStream()
	h := build(t, t.TempDir(), Options{Log: log}, "RECALLER_EMBEDDING_BASE_URL="+srv.URL, "RECALLER_EMBEDDING_MODEL=m")
	for range 6 {
		if answer, err := h.SearchConversations(t.Context(), client.SearchRequest{Query: "wedding"}); err != nil || answer.Degraded == "" {
			t.Errorf("got %+v, %v; want it by its words", answer, err)
		}
	}
	if got := provider.Count(); got != 5 {
		t.Errorf("%d requests were sent, want 5", got)
	}
	holds(t, "the log", stream.String(), "the embedding endpoint is left alone", "unauthenticated", "refused the key")
	obstest.WantNone(t, stream.String(), "wedding")
}
