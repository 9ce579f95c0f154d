package index

import (
	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
)

// This file is about what was forgotten. Turns and summaries are indexed and shown without it. What is brought back, and a turn that
// goes on saying something else, need a new index.

// tells is what may be told of a turn; "" for nothing.
func (s *session) tells(gone forgotten.View, t *recaller.Turn) string {
	return gone.Told(s.id, s.dated(t))
}

// dated is a turn with a time.
func (s *session) dated(t *recaller.Turn) recaller.Turn {
	said := *t
	if said.At.IsZero() {
		said.At = s.startedAt
	}
	return said
}

// splits reports whether there is a turn of which some words are not to be told any more, and others are.
func (ix *Index) splits(versions []recaller.Memory) bool {
	if len(versions) == 0 {
		return false
	}
	newly, gone := forgotten.New(versions), ix.gone.Plus(versions)
	for i := range ix.sessions {
		s := &ix.sessions[i]
		for k := range s.turns {
			if t := &s.turns[k]; newly.Hides(s.id, s.dated(t)) && s.tells(gone, t) != "" {
				return true
			}
		}
	}
	return false
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
		if s := &ix.sessions[d.session]; newly.Hides(s.id, s.dated(&s.turns[d.place])) {
			ix.words -= int64(d.words)
			s.words[d.kind] -= int32(d.words)
			ix.remove(uint32(i))
		}
	}
	for i := range ix.sessions {
		ix.setSummary(ix, int32(i), ix.sessions[i].written)
	}
}
