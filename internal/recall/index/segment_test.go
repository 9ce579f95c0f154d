package index_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/index"
)

// segmented is a segment of three conversations, one of them without turns.
func segmented(tb testing.TB) *index.Segment {
	c := talk("We had apples and pears and apples.", "My dog Rex likes the garden in spring.", "")
	c.Turns["c"][1].Name = "Brenda"
	c.Conversations[0].Summary = &recaller.Summary{Brief: "Apples, and a dog.", By: recaller.ByRules}
	c.Conversations = append(c.Conversations, recaller.Conversation{ID: "silent", StartedAt: noon(2), EndedAt: noon(3)}, recaller.Conversation{ID: "d", Channel: recaller.ChannelSMS})
	for i := range 30 {
		c.Turns["d"] = append(c.Turns["d"], recaller.Turn{Number: 2 * i, Text: fmt.Sprint("Ich habe mit dem Nachbarn und der Schwester über Zahl ", i, " gesprochen.")})
	}
	s, err := index.BuildSegment(c, index.DefaultWeights(), nil)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func TestASegmentIsReadAsItWasSpelled(t *testing.T) {
	t.Parallel()
	s := segmented(t)
	spelled := s.Append(nil)
	again, err := index.ReadSegment(spelled, index.DefaultWeights())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again.Append(nil), spelled) || again.Bytes() != s.Bytes() || again.Main() != s.Main() || again.Turns() != 33 {
		t.Errorf("got another segment: %d bytes and %d turns, want %d and 33", again.Bytes(), again.Turns(), s.Bytes())
	}
	for n := range spelled {
		if _, err := index.ReadSegment(spelled[:n], index.DefaultWeights()); err == nil {
			t.Fatalf("%d of %d bytes were read", n, len(spelled))
		}
	}
}

// FuzzReadSegment: whatever is read can be searched.
func FuzzReadSegment(f *testing.F) {
	f.Add(segmented(f).Append(nil))
	f.Fuzz(func(t *testing.T, src []byte) {
		s, err := index.ReadSegment(src, index.DefaultWeights())
		if err != nil {
			return
		}
		var pool index.Pool
		ix := index.BuildOver([]*index.Segment{s}, recaller.Corpus{}, index.DefaultWeights())
		r := ix.Rank(index.Query{Text: "What did Brenda say about apples und Nachbarn in May?", Limit: 5, Now: noon(9), Neighbours: 1, Explain: true}, &pool, nil)
		for _, more := r.Wants(); more; _, more = r.Wants() {
			r.Take(recaller.Words{})
		}
		r.Hits()
	})
}
