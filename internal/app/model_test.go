package app

import (
	"context"
	"slices"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/embed/static"
	"github.com/recallerhq/recaller/internal/pgtest"
)

// meant is what is searched for. No word of it is said in the call that it means.
const meant = "marriage ceremony"

// former is the model that was built in before. It takes every call for what is searched for, so whatever is compared
// with it by mistake comes out on top.
type former struct{}

func (former) Model() string { return "bag-of-stems/1" }

func (f former) EmbedQueries(ctx context.Context, texts []string) ([][]float32, error) {
	return f.Embed(ctx, texts)
}

func (former) Embed(_ context.Context, texts []string) ([][]float32, error) {
	return slices.Repeat([][]float32{static.Vector(meant)}, len(texts)), nil
}

// Calls that the former model embedded are found by their words, and by nothing that is left of that model. After a
// night they are found by what they mean.
func TestWhatTheFormerModelEmbeddedIsEmbeddedAnew(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		embeddedAnew(t)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		db := pgtest.Empty(t)
		env := []string{"RECALLER_DATABASE_URL=" + db.App, "RECALLER_OWNER_DATABASE_URL=" + db.Owner, "MEMORY_ENCRYPTION_KEY=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"}
		if err := Migrate(t.Context(), settings(t, t.TempDir(), env...)); err != nil {
			t.Fatal(err)
		}
		embeddedAnew(t, env...)
	})
}

func embeddedAnew(t *testing.T, env ...string) {
	dir := t.TempDir()
	h := build(t, dir, Options{}, env...)
	h.app.search.Embedder = former{}
	h.start()
	wedding, leak := h.tell("+14155550199", "We plan our wedding in June."), h.tell("+14155550198", "My dishwasher leaks.")
	if err := h.app.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	h = build(t, dir, Options{}, env...).start()
	if found := h.search(t, meant); len(found) != 0 {
		t.Errorf("got %+v, want nothing: no word is shared, and the former model's vectors are not this one's", found)
	}
	if found := h.search(t, "wedding"); len(found) != 1 || found[0].ConversationID != wedding || found[0].Similarity != 0 {
		t.Errorf("got %+v, want the one that says it, by its words alone", found)
	}

	if r, err := h.app.search.Retry(t.Context()); err != nil || r.Embedded != 2 {
		t.Errorf("the night: got %+v, %v; want both embedded", r, err)
	}
	for _, call := range []string{wedding, leak} {
		if last := embedding(h.read(call)); last.Step != recaller.StepEmbed || last.State != recaller.StepDone || last.By != static.Model {
			t.Errorf("got %+v, want it embedded by %s", last, static.Model)
		}
	}
	found := h.search(t, meant)
	if len(found) == 0 || found[0].ConversationID != wedding {
		t.Fatalf("got %+v, want what is meant first", found)
	}
	if s := found[0].Similarity; s <= 0 || s > 0.99 {
		t.Errorf("the similarity is %v: that of the former model's vector", s)
	}
	if r, err := h.app.search.Retry(t.Context()); err != nil || r.Embedded+r.Waiting+r.GivenUp != 0 {
		t.Errorf("the night after: got %+v, %v; want nothing left to do", r, err)
	}
}

// tell makes a call that is written up.
func (h *house) tell(from, text string) string {
	h.t.Helper()
	call := h.ring(from).Conversation.ID
	h.say(call, text)
	h.hangUp(call)
	if last := embedding(h.writtenUp(call)); last.State != recaller.StepDone || last.By != (former{}).Model() {
		h.t.Fatalf("got %+v, want it embedded by the former model", last)
	}
	return call
}

func (h *house) search(t *testing.T, query string) []client.SearchResult {
	t.Helper()
	answer, err := h.SearchConversations(t.Context(), client.SearchRequest{Query: query})
	if err != nil || answer.Degraded != "" {
		t.Fatalf("%q: got %+v, %v", query, answer, err)
	}
	return answer.Results
}
