package wrapup

import (
	"slices"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
	"github.com/recallerhq/recaller/internal/memory/likeness"
)

// askedToForget are the caller's memories that he asked for in words to have forgotten, in any conversation however short.
func (s *Service) askedToForget(w work) ([]recaller.Changing, error) {
	if len(w.asked) == 0 {
		return nil, nil
	}
	k, err := w.known()
	if err != nil {
		return nil, err
	}
	var out []recaller.Changing
	for _, r := range w.asked {
		for _, m := range r.Means(w.conv.ID, k.active) {
			if slices.ContainsFunc(out, func(c recaller.Changing) bool { return c.ID == m.ID }) {
				continue
			}
			c := recaller.Changing{
				ID: m.ID, Forget: true, Patch: recaller.MemoryPatch{At: s.Now()}, Also: forgotten.Same(m, k.active),
				Forgetting: recaller.Forgetting{At: r.At, Asked: recaller.Provenance{Conversation: w.conv.ID, Turns: r.Turns}},
			}
			if likeness.OfName(m.Key) {
				c.Name = m.Value
			}
			out = append(out, c)
		}
	}
	return out, nil
}

// takenBack reports whether the caller asked later in the conversation to have forgotten what was found in it.
func (w work) takenBack(m recaller.Memory) bool {
	return slices.ContainsFunc(w.asked, func(r forgotten.Request) bool {
		return len(r.Means(w.conv.ID, []recaller.Memory{m})) > 0
	})
}
