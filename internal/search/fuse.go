package search

import (
	"cmp"
	"slices"

	"github.com/recallerhq/recaller"
)

// meaning is how much the cosine counts beside the words, of which the best match counts 1. From 0.75 to 2.5 it finds
// about as much with the built-in embedder (docs/measurements/search.md).
const meaning = 1.5

// candidate is a conversation that a leg came up with.
type candidate struct {
	id     recaller.ConversationID
	cosine float64 // 0 where it has no embedding
	score  float64
}

// fuse ranks what either leg came up with, best first: by how well the words match, as a share of the best match, and
// by the cosine. What shares no word with the query and does not point its way is left out, unless any will do. Of
// equal ones the newer comes first, by its id.
func fuse(matching []recaller.Near, cosines map[recaller.ConversationID]float64, any bool) []candidate {
	words := make(map[recaller.ConversationID]float64, len(matching))
	best := 0.0
	for _, n := range matching {
		words[n.Conversation] = n.Score
		best = max(best, n.Score)
	}
	out := make([]candidate, 0, len(matching)+len(cosines))
	for id, score := range words {
		share := 1.0 // an engine that tells no scores
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
