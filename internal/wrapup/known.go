package wrapup

import (
	"context"
	"slices"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory/likeness"
)

// known is what is known of a caller already.
type known struct {
	active []recaller.Memory
}

func (s *Service) known(ctx context.Context, w work) (known, error) {
	var k known
	var err error
	k.active, _, err = s.Store.ActiveMemories(ctx, w.tenant.ID, w.conv.Caller, -1)
	return k, err
}

// keys are those that the model need not find again, the last confirmed first, as far as there is room to tell them.
func (k known) keys(room int) []string {
	var out []string
	for _, m := range k.active {
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
