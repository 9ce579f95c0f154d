package wrapup

import (
	"context"
	"slices"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory/likeness"
)

// forgottenAtOnce is how many forgotten memories are looked through for those of this conversation's time.
const forgottenAtOnce = 200

// known is what is known of a caller already.
type known struct {
	active    []recaller.Memory
	forgotten []recaller.Memory // since the conversation began
}

func (s *Service) known(ctx context.Context, w work) (known, error) {
	var k known
	var err error
	if k.active, _, err = s.Store.ActiveMemories(ctx, w.tenant.ID, w.conv.Caller, -1); err != nil {
		return k, err
	}
	forgotten, _, err := s.Store.Memories(ctx, w.tenant.ID, w.conv.Caller, recaller.MemoryFilter{
		Statuses: []recaller.MemoryStatus{recaller.MemoryForgotten}, Page: recaller.Page{Limit: forgottenAtOnce},
	})
	for _, f := range forgotten {
		if !f.ClosedAt.Before(w.conv.StartedAt) {
			k.forgotten = append(k.forgotten, f)
		}
	}
	return k, err
}

// keys are those that the model need not find again, the last confirmed first, as far as there is room to tell them.
func (k known) keys(room int) []string {
	var out []string
	for _, m := range slices.Concat(k.forgotten, k.active) {
		if room -= len(m.Key) + len("[STORED] \n"); room < 0 {
			break
		}
		out = append(out, m.Key)
	}
	return out
}

// named reports whether the agent's tools kept the caller's name while this conversation ran: they know better than its words,
// which may hold the name that was corrected.
func (k known) named(conv recaller.Conversation) bool {
	return slices.ContainsFunc(k.active, func(m recaller.Memory) bool {
		return m.Source == recaller.SourceConversation && !m.ConfirmedAt.Before(conv.StartedAt) && likeness.NamesCaller(m.Key)
	})
}
