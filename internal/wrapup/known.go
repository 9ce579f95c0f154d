package wrapup

import (
	"context"
	"slices"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory/likeness"
)

// known is what is known of a caller already.
type known struct {
	active  []recaller.Memory // for good
	interim []recaller.Memory // what rules found in conversations that wait for their model: it may find something else
	touched []recaller.Memory // versions of what was interim in this conversation, until somebody changed or confirmed it
}

// mostTouched bounds how many of those versions are looked at.
const mostTouched = 200

func (s *Service) known(ctx context.Context, w work) (known, error) {
	active, _, err := s.Store.ActiveMemories(ctx, w.tenant.ID, w.conv.Caller, -1)
	if err != nil {
		return known{}, err
	}
	var k known
	for _, m := range active {
		if m.Interim {
			k.interim = append(k.interim, m)
		} else {
			k.active = append(k.active, m)
		}
	}
	k.touched, _, err = s.Store.Memories(ctx, w.tenant.ID, w.conv.Caller, recaller.MemoryFilter{
		Conversation: w.conv.ID, Statuses: []recaller.MemoryStatus{recaller.MemoryActive, recaller.MemorySuperseded},
		Page: recaller.Page{Limit: mostTouched},
	})
	k.touched = slices.DeleteFunc(k.touched, func(m recaller.Memory) bool {
		return m.Interim || m.Source != recaller.SourceExtraction
	})
	return k, err
}

// told returns the memories that an agent is told, but for the interim ones of a conversation.
func (k known) told(but recaller.ConversationID) []recaller.Memory {
	out := slices.Clone(k.active)
	for _, m := range k.interim {
		if m.Provenance.Conversation != but {
			out = append(out, m)
		}
	}
	return out
}

// keys returns the keys of memories that the model need not find again, the last confirmed first, as far as there is
// room to tell them. room is in bytes.
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

// named reports whether the agent's tools kept the caller's name while this conversation ran. They know better than its
// words, which may hold a name that was corrected.
func (k known) named(conv recaller.Conversation) bool {
	return slices.ContainsFunc(k.active, func(m recaller.Memory) bool {
		return m.Source == recaller.SourceConversation && !m.ConfirmedAt.Before(conv.StartedAt) && likeness.NamesCaller(m.Key)
	})
}
