package search_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/embed/static"
	"github.com/recallerhq/recaller/internal/search"
)

// table is the built-in table of words.
type table struct{}

func (table) Model() string { return static.Model }

func (table) Embed(_ context.Context, texts []string) (out [][]float32, err error) {
	for _, text := range texts {
		out = append(out, static.Vector(text))
	}
	return out, nil
}

func (t table) EmbedQueries(ctx context.Context, texts []string) ([][]float32, error) {
	return t.Embed(ctx, texts)
}

// reading is a house whose search reads what was said by the built-in model.
func reading(t *testing.T) *house {
	t.Helper()
	h := newHouse(t)
	h.service = h.with(func(d *search.Deps) { d.Embedder, d.Dialogue = table{}, true })
	return h
}

// briefs are what is found, by the briefs.
func (h *house) briefs(text string) (out []string) {
	h.Helper()
	r, err := h.service.Search(h.ctx, golf, search.Query{Text: text})
	h.ok(err)
	for _, f := range r.Found {
		out = append(out, f.Conversation.Summary.Brief)
	}
	return out
}

func TestWhatIsMeantIsFoundByTheModelOfDialogues(t *testing.T) {
	t.Parallel()
	h := reading(t)
	h.told(past{brief: "one", words: []string{"I've come out in a rash since Friday, it itches something awful.", "No, nothing new that I ate."}})
	h.told(past{brief: "two", words: []string{"Nobody opened the door to me this morning, I stood in the rain for half an hour.", "I had an appointment at nine."}})
	h.told(past{brief: "three", words: []string{"The cooker keeps tripping the fuse.", "It is four years old."}})
	h.told(past{brief: "cuatro", words: []string{"Quiero cambiar la fecha de mi reserva.", "Somos cuatro personas y llegamos el martes por la noche."}})
	for text, want := range map[string]string{
		"skin trouble": "one", "somebody who was left standing outside": "two", "electrical fault in the kitchen": "three", "modificar el día del viaje": "cuatro",
	} {
		if got := h.briefs(text); len(got) == 0 || got[0] != want {
			t.Errorf("%q: got %q, want %q first", text, got, want)
		}
	}
	for _, text := range []string{"zzzqqq", "qqxyzzy brimfaldo"} {
		if got := h.briefs(text); len(got) != 0 {
			t.Errorf("%q: got %q, want nothing", text, got)
		}
	}
	if r := h.night(); r != (search.Retried{}) {
		t.Errorf("a night: got %+v, want nothing left to embed", r)
	}
}

// What a conversation came to in passing is found by the part of it in which it was said.
func TestALongConversationIsFoundByEachOfItsParts(t *testing.T) {
	t.Parallel()
	h := reading(t)
	garden := slices.Repeat([]string{"The hedge wants cutting again, and the lawn is all moss.", "We could put the roses by the wall.", "How much is a load of gravel?"}, 12)
	short := strings.Split("I burnt my hand on the iron.|Is there a doctor on a Sunday?", "|")
	h.told(past{brief: "garden", words: garden})
	h.told(past{brief: "garden and hand", words: slices.Concat(garden, short, garden)})
	if got := h.briefs("medical help at the weekend"); len(got) == 0 || got[0] != "garden and hand" {
		t.Errorf("got %q, want the one in which it was asked for first", got)
	}
}
