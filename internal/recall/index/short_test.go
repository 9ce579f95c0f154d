package index_test

import (
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/index"
)

// What was forgotten is not given as a weak hit either.
func TestAWeakHitIsNeverWhatWasForgotten(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.March, 2, 10, 0, 0, 0, time.UTC)
	var turns []recaller.Turn
	for i, text := range []string{"What is the alarm code?", "Four four one nine.", "Thank you.", "Goodbye then."} {
		speaker := []recaller.Speaker{recaller.Assistant, recaller.User}[i%2]
		turns = append(turns, recaller.Turn{ID: recaller.TurnID(text), Number: i, Speaker: speaker, Text: text, At: at})
	}
	corpus := recaller.Corpus{
		Conversations: []recaller.Conversation{{ID: "c1", StartedAt: at}},
		Turns:         map[recaller.ConversationID][]recaller.Turn{"c1": turns},
		Forgotten: []recaller.Memory{{
			ID: "m1", Key: "alarm_code", Value: "four four one nine", Status: recaller.MemoryForgotten, Version: 1,
			CreatedAt: at, ClosedAt: at.Add(time.Hour), Provenance: recaller.Provenance{Conversation: "c1", Turns: []int{1}},
		}},
	}
	hits := index.Build(corpus, index.DefaultWeights()).Search(index.Query{Text: "how is it switched off", Limit: 10, Weak: true}, &index.Pool{})
	if len(hits) == 0 {
		t.Error("got nothing, want the best of what is left")
	}
	for _, h := range hits {
		if h.Turn == 1 {
			t.Errorf("got the forgotten turn: %q", h.Text)
		}
	}
}
