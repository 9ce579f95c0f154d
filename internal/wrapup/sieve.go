package wrapup

import (
	"cmp"
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/guard"
	"github.com/recallerhq/recaller/internal/memory/likeness"
	"github.com/recallerhq/recaller/internal/wrapup/answer"
	"github.com/recallerhq/recaller/internal/wrapup/evidence"
	"github.com/recallerhq/recaller/internal/wrapup/extract"
)

// maxMemories bounds what one conversation leaves. The surest are kept.
const maxMemories = 40

// sieve takes out of what a model claims all that is not said, known already, or there twice.
type sieve struct {
	work
	known
	own   []recaller.Turn // the words that count
	newID func() string
	kept  []recaller.Memory
}

// sift keeps of a model's claims what is to be stored, in their order, and returns how many had no support.
func (s *sieve) sift(claims []answer.Memory) (dropped int) {
	for _, c := range claims {
		at, ok := evidence.Supports(c, s.own)
		switch {
		case !ok:
			dropped++
		case !s.recited(c.Value):
			s.add(s.memory(c, at))
		}
	}
	return dropped
}

// beside keeps what the rules found and the model says nothing of: it has no like key and no like words, and has told
// nothing of the same sentence.
func (s *sieve) beside(found []extract.Candidate) {
	told := slices.Clone(s.kept)
	for _, c := range found {
		m := memory(s.work, s.newID(), c)
		_, same := likeness.Same(told, m.Key)
		_, _, again := likeness.Duplicate(told, m)
		carried := func(k recaller.Memory) bool { return s.carriedBy(m.Provenance.Turns, k, m.Value) }
		if !same && !again && !slices.ContainsFunc(told, carried) {
			s.add(m)
		}
	}
}

// carriedBy reports whether a memory of a model's tells what a quotation of the same turns says.
func (s *sieve) carriedBy(turns []int, k recaller.Memory, quoted string) bool {
	if !slices.ContainsFunc(turns, func(n int) bool { return slices.Contains(k.Provenance.Turns, n) }) {
		return false
	}
	said := []recaller.Turn{{Speaker: recaller.User, Text: quoted, Confidence: 1}}
	_, ok := evidence.Supports(answer.Memory{Key: k.Key, Value: k.Value}, said)
	return ok
}

// recited reports whether a value is known, word for word, and the agent said it. What the caller then says of it may
// be too short for evidence.Own to tell, and says nothing new.
func (s *sieve) recited(value string) bool {
	known := slices.ContainsFunc(s.told(s.conv.ID), func(a recaller.Memory) bool {
		return a.Provenance.Conversation != s.conv.ID && strings.EqualFold(a.Value, value)
	})
	return known && slices.ContainsFunc(s.turns, func(t recaller.Turn) bool {
		return t.Speaker == recaller.Assistant && strings.Contains(strings.ToLower(t.Text), strings.ToLower(value))
	})
}

// memory returns what a claim is stored as: dated, masked, and no surer than its words were heard.
func (s *sieve) memory(c answer.Memory, at []int) recaller.Memory {
	out := extract.Candidate{Type: c.Type, Key: c.Key, Value: c.Value, Confidence: c.Confidence, Turns: at}
	base := s.said(at).In(s.zone)
	for _, n := range at {
		if t, ok := s.turn(n); ok {
			out.Confidence = min(out.Confidence, c.Confidence*t.Confidence)
		}
	}
	if c.Type == recaller.FollowUp {
		out.DueAt, out.DueDay = s.due(c, at, base)
	}
	out.Value = dated(out.Value, base, s.around(at))
	if s.tenant.Masking != recaller.MaskingOff { // as in mask
		out.Key, _ = guard.Mask(out.Key, "")
		out.Value, _ = guard.Mask(out.Value, "")
	}
	return memory(s.work, s.newID(), out)
}

// add keeps a memory, merged with what it repeats, unless it is known under whatever key. One whose own key is known is
// kept only if its words do not carry what is known. The store overwrites nothing (W9), and keeps it as a dispute.
func (s *sieve) add(m recaller.Memory) {
	if s.gone.Retold(m) || s.takenBack(m) || s.settled(m) || s.learnt(m) {
		return
	}
	if old, known := s.activeAs(m.Key); known {
		if s.carries(m.Provenance.Turns, old.Value) || spelledIn(m.Value, old.Value) {
			return
		}
		m.Key = old.Key
	} else if _, _, known := likeness.Duplicate(s.active, m); known {
		return
	}
	if i := s.at(likeness.Same(s.kept, m.Key)); i >= 0 {
		s.kept[i] = later(s.kept[i], m)
		return
	}
	of, value, again := likeness.Duplicate(s.kept, m)
	if i := s.at(of, again); i >= 0 {
		s.kept[i] = merged(s.kept[i], m, value)
		return
	}
	s.kept = append(s.kept, m)
}

// spelledIn reports whether what is spelled at the end of one quotation, "[FIADH]", stands in another.
func spelledIn(quoted, other string) bool {
	i := strings.LastIndex(quoted, " [")
	return i >= 0 && strings.HasSuffix(quoted, "]") && strings.Contains(other, quoted[i:])
}

// learnt reports whether the agent of a thread has told by a tag what was found in the same words: most of one is in the
// other.
func (s *sieve) learnt(m recaller.Memory) bool {
	if s.conv.Thread == "" {
		return false
	}
	found := evidence.Terms(m.Value)
	return slices.ContainsFunc(s.told(s.conv.ID), func(k recaller.Memory) bool {
		from := k.Provenance
		if k.Source != recaller.SourceConversation || from.Conversation != s.conv.ID ||
			!slices.ContainsFunc(m.Provenance.Turns, func(n int) bool { return slices.Contains(from.Turns, n) }) {
			return false
		}
		both, tag := 0, evidence.Terms(k.Value)
		for stem := range tag {
			if found[stem] {
				both++
			}
		}
		return both > 0 && 2*both >= min(len(tag), len(found))
	})
}

// settled reports whether somebody has already kept or changed what was found in the words of a memory. They say no
// more of it then.
func (s *sieve) settled(m recaller.Memory) bool {
	return slices.ContainsFunc(s.touched, func(t recaller.Memory) bool {
		_, same := likeness.Same([]recaller.Memory{t}, m.Key)
		_, _, again := likeness.Duplicate([]recaller.Memory{t}, m)
		return same || again || s.carriedBy(t.Provenance.Turns, m, t.Value)
	})
}

// at returns where a memory is among those that are kept, or -1 if none was found.
func (s *sieve) at(id recaller.MemoryID, found bool) int {
	if !found {
		return -1
	}
	return slices.IndexFunc(s.kept, func(k recaller.Memory) bool { return k.ID == id })
}

// carries reports whether the words of the turns say the value too.
func (s *sieve) carries(turns []int, value string) bool {
	said := slices.DeleteFunc(slices.Clone(s.own), func(t recaller.Turn) bool { return !slices.Contains(turns, t.Number) })
	_, ok := evidence.Supports(answer.Memory{Value: value, Turns: turns}, said)
	return ok
}

// later makes one memory of two with one key. What was said last holds. If both have the same value, as parts that
// overlap have, both are the evidence.
func later(a, b recaller.Memory) recaller.Memory {
	if strings.EqualFold(a.Value, b.Value) {
		return merged(a, b, a.Value)
	}
	if b.CreatedAt.Before(a.CreatedAt) {
		return a
	}
	b.ID = a.ID
	return b
}

// merged makes one memory of two that say the same. value is what they say together.
func merged(a, b recaller.Memory, value string) recaller.Memory {
	a.Value = value
	a.Confidence = max(a.Confidence, b.Confidence)
	turns := slices.Concat(a.Provenance.Turns, b.Provenance.Turns)
	a.Provenance.Turns = slices.Compact(slices.Sorted(slices.Values(turns)))
	if a.DueAt == nil {
		a.DueAt, a.DueDay = b.DueAt, b.DueDay
	}
	if b.CreatedAt.After(a.CreatedAt) {
		a.CreatedAt, a.ConfirmedAt = b.CreatedAt, b.ConfirmedAt
	}
	return a
}

// surest returns the memories that are kept if there are too many, in the order that they have.
func surest(list []recaller.Memory) []recaller.Memory {
	if len(list) <= maxMemories {
		return list
	}
	order := slices.Clone(list)
	slices.SortStableFunc(order, func(a, b recaller.Memory) int { return cmp.Compare(b.Confidence, a.Confidence) })
	keep := map[recaller.MemoryID]bool{}
	for _, m := range order[:maxMemories] {
		keep[m.ID] = true
	}
	return slices.DeleteFunc(list, func(m recaller.Memory) bool { return !keep[m.ID] })
}
