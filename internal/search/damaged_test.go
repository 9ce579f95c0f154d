package search_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/search"
)

// unsure is a store that cannot tell what was forgotten.
type unsure struct{ search.Store }

func (unsure) Talks(context.Context, recaller.TenantID, []recaller.ConversationID) ([]recaller.Talk, error) {
	return nil, recaller.Errorf(recaller.Unavailable, "what was forgotten cannot be read")
}

// Which lines quote a turn that was forgotten only its turns tell: without them, or without what was forgotten, nothing
// is shown.
func TestNothingIsShownOfAConversationOfWhichNobodyKnowsWhatIsHidden(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	bad := h.told(past{words: []string{"The wedding is at the chapel."}, brief: "Caller: “The wedding is at the chapel.”"})
	other := h.told(past{words: []string{"A wedding."}, phone: "+12125550124"})
	h.Clock.Advance(time.Minute)
	h.forgot(bad, "a garden")

	s := h.with(func(d *search.Deps) { d.Words = damaged{h, bad.ID} })
	r, err := s.Search(h.ctx, golf, search.Query{Text: "wedding"})
	if err != nil || !slices.Equal(ids(r.Found), []recaller.ConversationID{other.ID}) {
		t.Errorf("damaged words: got %v, %v; want the other conversation alone", ids(r.Found), err)
	}
	s = h.with(func(d *search.Deps) { d.Store = unsure{h.Store} })
	if r, err := s.Search(h.ctx, golf, search.Query{Text: "wedding"}); recaller.KindOf(err) != recaller.Unavailable || len(r.Found) != 0 {
		t.Errorf("a store that cannot tell what was forgotten: got %v, %v; want the failure", ids(r.Found), err)
	}
}

// One damaged conversation keeps no other findable by what it hides.
func TestADamagedConversationKeepsNoOtherFromBeingMadeFindableAnew(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	good := h.told(past{words: []string{"The wedding is at the chapel.", "I would like tea for forty."}})
	bad := h.told(past{words: []string{"A wedding."}})
	h.Clock.Advance(time.Minute)
	h.forgot(good, "the chapel")

	s := h.with(func(d *search.Deps) { d.Words = damaged{h, bad.ID} })
	if err := s.Reindex(h.ctx, recaller.Job{Tenant: golf, Caller: good.Caller, Subject: fmt.Sprintf("%s.%d.", good.Caller, h.Clock.Now().UnixMicro())}); recaller.KindOf(err) != recaller.Internal {
		t.Errorf("got %v, want the failure told", err)
	}
	r, err := h.service.Search(h.ctx, golf, search.Query{Text: "chapel"})
	if err != nil || slices.Contains(ids(r.Found), good.ID) {
		t.Errorf("got %v, %v; want it found by chapel no more", ids(r.Found), err)
	}
}

// The vectors of a model that served before tell of what is forgotten as the words did: they go when the conversation
// is made findable anew.
func TestWhatAFormerModelMadeOfWhatIsForgottenGoes(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	conv := h.told(past{words: []string{"The wedding is at the chapel.", "I would like tea for forty."}})
	h.service = h.with(func(d *search.Deps) { d.Embedder = third{} })
	if got := h.night(); got.Embedded != 1 {
		t.Fatalf("got %+v, want it embedded by the other model too", got)
	}
	former := recaller.Embedding{Model: h.embedder.Model(), Vector: make([]float32, 512)}
	former.Vector[0] = 1
	left := func() int {
		cosines, err := h.Store.Similarities(h.ctx, golf, former, []recaller.ConversationID{conv.ID})
		h.ok(err)
		return len(cosines)
	}
	if left() != 1 {
		t.Fatal("the former model's vector is gone before anything is forgotten")
	}
	h.Clock.Advance(time.Minute)
	h.forgot(conv, "the chapel")
	h.ok(h.service.Reindex(h.ctx, recaller.Job{Tenant: golf, Caller: conv.Caller, Subject: fmt.Sprintf("%s.%d.", conv.Caller, h.Clock.Now().UnixMicro())}))
	if left() != 0 {
		t.Error("the former model's vector is still there")
	}
}

// forgot keeps a memory of the first turn of a conversation, and forgets it.
func (h *house) forgot(conv recaller.Conversation, value string) {
	h.T.Helper()
	m, err := h.Store.StoreMemory(h.ctx, golf, recaller.Storing{Memory: recaller.Memory{
		ID: "m", Caller: conv.Caller, Type: recaller.Fact, Key: "place", Value: value, Confidence: 1, Source: recaller.SourceExtraction,
		PrivacyScope: recaller.LineOnly, CreatedAt: h.Clock.Now(), Provenance: recaller.Provenance{Conversation: conv.ID, Turns: []int{0}},
	}})
	h.ok(err)
	_, err = h.Store.ChangeMemory(h.ctx, golf, recaller.Changing{ID: m.Memory.ID, Forget: true, Patch: recaller.MemoryPatch{At: h.Clock.Now()}})
	h.ok(err)
}
