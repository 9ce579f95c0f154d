package index_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/embed/static"
	"github.com/recallerhq/recaller/internal/recall/index"
)

func noon(d int) time.Time { return time.Date(2024, time.May, d, 12, 0, 0, 0, time.UTC) }

// talk is a corpus of one conversation with the given turns.
func talk(texts ...string) recaller.Corpus {
	c := recaller.Corpus{
		Conversations: []recaller.Conversation{{ID: "c", StartedAt: noon(1)}},
		Turns:         map[recaller.ConversationID][]recaller.Turn{},
	}
	for i, text := range texts {
		c.Turns["c"] = append(c.Turns["c"], recaller.Turn{ID: recaller.TurnID(fmt.Sprint(i)), Number: i, Speaker: recaller.User, Text: text, At: noon(1)})
	}
	return c
}

func TestAChangeThatCannotBePlacedLeavesTheIndexAsItIs(t *testing.T) {
	t.Parallel()
	ix := index.Build(talk("one apple", "two apples"), index.DefaultWeights())
	conv := &recaller.Conversation{ID: "c"}
	memory := []recaller.Memory{{ID: "m", Key: "fruit", Value: "apple", Status: recaller.MemoryActive}}
	for about, c := range map[string]recaller.Change{
		"turns of no conversation": {Turns: []recaller.Turn{{Number: 2, Text: "apple"}}, Memories: memory},
		"a turn that is there":     {Conversation: conv, Turns: []recaller.Turn{{Number: 1, Text: "apple"}}, Memories: memory},
		"turns out of order":       {Conversation: conv, Turns: []recaller.Turn{{Number: 4, Text: "apple"}, {Number: 3, Text: "apple"}}, Memories: memory},
	} {
		if ix.Apply(c) {
			t.Errorf("%s: was taken in", about)
		}
		if ix.Len() != 2 {
			t.Errorf("%s: got %d docs, want 2", about, ix.Len())
		}
	}
}

func TestWhatWasReplacedDoesNotPileUp(t *testing.T) {
	t.Parallel()
	ix := index.Build(talk("hello"), index.DefaultWeights())
	for v := 1; v <= 10_000; v++ {
		m := recaller.Memory{ID: "m", Version: v, Key: "mood", Value: "fine", Status: recaller.MemoryActive}
		if !ix.Apply(recaller.Change{Memories: []recaller.Memory{m}}) {
			return
		}
	}
	t.Error("ten thousand versions of one memory, and no build was asked for")
}

func TestTheSizeOfAnIndexIsFollowed(t *testing.T) {
	t.Parallel()
	small, large := index.Build(talk("hello there"), index.DefaultWeights()), index.Build(talk(make([]string, 1000)...), index.DefaultWeights())
	if small.Bytes() <= 0 || large.Bytes() < 100*small.Bytes() {
		t.Errorf("got %d bytes for one turn and %d for a thousand", small.Bytes(), large.Bytes())
	}
	before := small.Bytes()
	small.Apply(recaller.Change{Conversation: &recaller.Conversation{ID: "c"}, Turns: []recaller.Turn{{Number: 1, Text: string(make([]byte, 5000))}}})
	if small.Bytes() < before+5000 {
		t.Errorf("got %d bytes after 5000 more, from %d", small.Bytes(), before)
	}
}

func TestALongConversationDoesNotOutweighTheRightTurn(t *testing.T) {
	t.Parallel()
	c := talk("The invoice for the piano is overdue.")
	long := recaller.Conversation{ID: "long", StartedAt: noon(2)}
	c.Conversations = append(c.Conversations, long)
	for i := range 500 {
		c.Turns["long"] = append(c.Turns["long"], recaller.Turn{ID: recaller.TurnID(fmt.Sprint("l", i)), Number: i, Speaker: recaller.User, Text: fmt.Sprintf("The invoice number %d was paid.", i), At: noon(2)})
	}
	var pool index.Pool
	hits := index.Build(c, index.DefaultWeights()).Search(index.Query{Text: "piano invoice", Limit: 5}, &pool)
	if len(hits) != 5 || hits[0].Conversation != "c" {
		t.Errorf("got %d hits, the first from %q; want the piano's", len(hits), hits[0].Conversation)
	}
}

func FuzzSearch(f *testing.F) {
	f.Add("on May 5th, what did you say about 2023-05-20?", "A turn in May 2023.")
	f.Add("茶 \xff remind", "喜欢茶")
	f.Fuzz(func(t *testing.T, query, text string) {
		var pool index.Pool
		ix := index.Build(talk(text, "a second turn", text), index.DefaultWeights())
		hits := ix.Search(index.Query{Text: query, Limit: 10, Explain: true, Neighbours: 1}, &pool)
		for i, h := range hits {
			if math.IsNaN(h.Score) || math.IsInf(h.Score, 0) || h.Score < 0 {
				t.Fatalf("score %v", h.Score)
			}
			if i > 0 && h.Score > hits[i-1].Score {
				t.Fatalf("hit %d is better than the one before", i)
			}
		}
	})
}

// Section 6's neighbour: what an index takes beside the words themselves and their vectors is at most 40 bytes a
// posting, with words as seldom and as often as in speech.
func TestAPostingCostsLittle(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 11))
	often := rand.NewZipf(rng, 1.07, 4, 11_999)
	texts := make([]string, 5_000)
	said := 0
	for i := range texts {
		var b strings.Builder
		for range 25 {
			fmt.Fprintf(&b, "word%d ", often.Uint64())
		}
		texts[i] = b.String()
		said += len(texts[i])
	}
	ix := index.Build(talk(texts...), index.DefaultWeights())
	vectors := int64(len(texts) * (static.Width + 4))
	if per := float64(ix.Bytes()-int64(said)-vectors) / float64(ix.Postings()); per > 40 {
		t.Errorf("got %.1f bytes a posting over %d postings, want at most 40", per, ix.Postings())
	} else {
		t.Logf("%.1f bytes a posting", per)
	}
}
