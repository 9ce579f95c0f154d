package search_test

import (
	"slices"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/search"
)

// moods keeps two conversations about a bill, one of each mood.
func moods(h *house) (angry, glad recaller.Conversation) {
	angry = h.told(past{
		words: []string{"The bill is wrong again.", "I cannot find my card."}, phone: "+12125550124", channel: recaller.ChannelSMS,
		labels: recaller.Analysis{Intent: "billing", Sentiment: "negative", Outcome: "unresolved", Topics: []string{"payment"}, By: "rules"},
	})
	glad = h.told(past{
		words:  []string{"The bill is paid, thank you so much."},
		labels: recaller.Analysis{Intent: "billing", Sentiment: "positive", Outcome: "resolved", By: "rules"},
	})
	return angry, glad
}

func TestWhatDescribesConversationsBecomesAFilter(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	angry, glad := moods(h)
	for text, want := range map[string][]recaller.ConversationID{
		"Find all frustrated customers":             {angry.ID},
		"frustrated customers asking about a bill":  {angry.ID},
		"happy callers":                             {glad.ID},
		"unresolved calls about the bill":           {angry.ID},
		"text messages about the bill":              {angry.ID},
		"frustrated customers with a bill today":    {angry.ID},
		"callers who asked about the bill":          {angry.ID, glad.ID},
		"cancelled flight":                          nil,
		"zzzqqq":                                    nil,
		"frustrated customers asking about zzzqqqq": nil,
	} {
		r, err := h.service.Search(h.ctx, golf, search.Query{Text: text})
		h.ok(err)
		got := ids(r.Found)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %v, understood %+v; want %v", text, got, r.Understood, want)
		}
	}
	r, err := h.service.Search(h.ctx, golf, search.Query{Text: "frustrated customers with a bill last year"})
	h.ok(err)
	if len(r.Found) != 2 || len(r.Understood) != 2 || r.Understood[0].Applied || r.Understood[1].Applied {
		t.Fatalf("a filter that leaves nothing: got %v, understood %+v; want it to lift only", ids(r.Found), r.Understood)
	}
	if r.Found[0].Conversation.ID != angry.ID {
		t.Errorf("got %v, want what is as described first", ids(r.Found))
	}
}

func TestAFilterOfTheRequestsOwnGoesFirst(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, glad := moods(h)
	r, err := h.service.Search(h.ctx, golf, search.Query{
		Text: "frustrated customers with a bill last week", Filter: recaller.SearchFilter{Sentiment: "positive", After: h.Clock.Now().Add(-time.Hour)},
	})
	h.ok(err)
	if got := ids(r.Found); !slices.Equal(got, []recaller.ConversationID{glad.ID}) || len(r.Understood) != 0 {
		t.Errorf("got %v, understood %+v", got, r.Understood)
	}
}

func TestAResultSaysWhyAndQuotesWithTheQuestion(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	angry, _ := moods(h)
	r, err := h.service.Search(h.ctx, golf, search.Query{Text: "lost card"})
	h.ok(err)
	if len(r.Found) == 0 || r.Found[0].Conversation.ID != angry.ID {
		t.Fatalf("got %v", ids(r.Found))
	}
	first, sum := r.Found[0], 0.0
	for _, p := range first.Why.Parts {
		sum += p.Value
		if p.Rank < 1 {
			t.Errorf("%s has no place", p.Name)
		}
	}
	if first.Excerpt != "I cannot find my card." || len(first.Why.Terms) != 1 || first.Why.Terms[0].Term != "card" || sum < first.Score-0.001 || sum > first.Score+0.001 {
		t.Errorf("got %q, %+v; want the turn, its word, and parts that make the score", first.Excerpt, first.Why)
	}
}
