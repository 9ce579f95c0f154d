package search

import (
	"cmp"
	"slices"

	"github.com/recallerhq/recaller"
)

// meaning is how much the cosine counts, where the best match of words counts 1. Values from 0.75 to 2.5 find about as
// much with the built-in embedder (docs/measurements/search.md).
const meaning = 1.5

// candidate is a conversation that a leg found.
type candidate struct {
	id     recaller.ConversationID
	cosine float64 // 0 where it has no embedding
	score  float64
}

// fuse ranks what both legs found, best first. A score is the match of the words, as a share of the best match, plus
// the weighted cosine. Unless any is set, it leaves out what shares no word with the query and has no positive cosine.
// Of equals the newer comes first, by its id.
func fuse(matching []recaller.Near, cosines map[recaller.ConversationID]float64, any bool) []candidate {
	words := make(map[recaller.ConversationID]float64, len(matching))
	best := 0.0
	for _, n := range matching {
		words[n.Conversation] = n.Score
		best = max(best, n.Score)
	}
	out := make([]candidate, 0, len(matching)+len(cosines))
	for id, score := range words {
		share := 1.0 // the store gives no scores
		if best > 0 {
			share = max(0, score/best)
		}
		out = append(out, candidate{id, cosines[id], share + meaning*max(0, cosines[id])})
	}
	for id, cosine := range cosines {
		if _, matches := words[id]; !matches && (cosine > 0 || any) {
			out = append(out, candidate{id, cosine, meaning * max(0, cosine)})
		}
	}
	slices.SortFunc(out, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.id, a.id))
	})
	return out
}
