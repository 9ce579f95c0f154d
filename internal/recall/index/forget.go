package index

import (
	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
)

// This file is about what was forgotten. Turns that said it have no doc, texts are indexed without it, and no turn of
// it is shown beside another. What is brought back needs a new index.

// hides reports whether a turn of a session is not to be found.
func (ix *Index) hides(si int32, t *recaller.Turn) bool {
	return hides(ix.gone, &ix.sessions[si], t)
}

func hides(gone forgotten.View, s *session, t *recaller.Turn) bool {
	if gone.Empty() {
		return false
	}
	said := *t
	if said.At.IsZero() {
		said.At = s.startedAt
	}
	return gone.Hides(s.id, said)
}

// hide takes out what tells of memories that were forgotten, given all of their versions.
func (ix *Index) hide(versions []recaller.Memory) {
	if len(versions) == 0 {
		return
	}
	ix.gone = ix.gone.Plus(versions)
	newly := forgotten.New(versions)
	for i := range ix.docs {
		d := &ix.docs[i]
		if d.gone || d.kind > assistantTurn || d.session < 0 {
			continue
		}
		if s := &ix.sessions[d.session]; hides(newly, s, &s.turns[d.place]) {
			ix.words -= int64(d.words)
			s.words[d.kind] -= int32(d.words)
			ix.remove(uint32(i))
		}
	}
	ix.hideTexts()
}
