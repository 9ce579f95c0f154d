package privacy

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/agreement"
	"github.com/recallerhq/recaller/internal/identity"
)

// Export is everything that is held about a caller. Of what may be much there is never more in memory than a page:
// the lists are read while they are ranged over, each time anew, under the context that Export was given. An error ends
// them. Between two pages nothing is held of the store, so whoever reads slowly is in nobody's way.
type Export struct {
	ExportedAt    time.Time
	Caller        recaller.Caller
	Checkpoint    *recaller.Checkpoint
	Reminders     iter.Seq2[recaller.Reminder, error]
	Agreements    []recaller.Agreement                   // as they stand
	Moves         []recaller.Move                        // that can be undone
	Memories      iter.Seq2[recaller.Memory, error]      // every version
	Documents     iter.Seq2[recaller.Document, error]    // archived ones too, newest first
	Threads       iter.Seq2[recaller.Thread, error]      // newest first
	Conversations iter.Seq2[ExportedConversation, error] // newest first
}

// ExportedConversation is a conversation with its words, and what the agent's tools did in it. It is of one moment: it
// counts as many turns as there are words, unless its words are not kept.
type ExportedConversation struct {
	recaller.Conversation
	Words     iter.Seq2[recaller.Turn, error]
	ToolCalls []recaller.ToolCall
}

// How much of a list is read at once. Of conversations it is less, because each may have its metadata and summary.
const (
	page              = 200
	conversationsPage = 50
)

// Export returns everything that is held about a caller. It is for whoever asks what is known of him, so it has what
// was forgotten too. What he says while it is read may be missing. It fails with NotFound for an unknown caller.
func (s *Service) Export(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) (Export, error) {
	c, err := s.Store.Caller(ctx, tenant, caller)
	if err != nil {
		return Export{}, err
	}
	out := Export{
		ExportedAt: s.Now(), Caller: c,
		Reminders: s.reminders(ctx, tenant, caller), Memories: s.memories(ctx, tenant, caller),
		Documents: s.documents(ctx, tenant, caller), Threads: s.threads(ctx, tenant, caller), Conversations: s.conversations(ctx, tenant, caller),
	}
	cp, err := s.Store.Checkpoint(ctx, tenant, caller)
	switch {
	case err == nil:
		out.Checkpoint = &cp
	case !errors.Is(err, recaller.NotFound):
		return out, err
	}
	acts, err := s.Store.Acts(ctx, tenant, caller)
	if err != nil {
		return out, err
	}
	if out.Moves, err = s.Store.Moves(ctx, tenant, caller, out.ExportedAt); err != nil {
		return out, err
	}
	t, err := s.Tenants.Tenant(ctx, tenant)
	if err != nil {
		return out, err
	}
	out.Agreements = agreement.Fold(acts, out.ExportedAt.In(identity.ZoneOf(c, t)))
	return out, nil
}

// all reads a list page by page.
func all[T any](
	ctx context.Context, s *Service, size int, read func(recaller.Page) ([]T, string, error),
) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		p := recaller.Page{Limit: size}
		for {
			var list []T
			var next string
			err := s.Words.InTurn(ctx, func() (err error) {
				list, next, err = read(p)
				return err
			})
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, v := range list {
				if !yield(v, nil) {
					return
				}
			}
			if next == "" {
				return
			}
			p.Cursor = next
		}
	}
}

func (s *Service) reminders(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID,
) iter.Seq2[recaller.Reminder, error] {
	return all(ctx, s, page, func(p recaller.Page) ([]recaller.Reminder, string, error) {
		return s.Store.Reminders(ctx, tenant, recaller.ReminderFilter{Caller: caller, Page: p})
	})
}

func (s *Service) memories(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID,
) iter.Seq2[recaller.Memory, error] {
	every := []recaller.MemoryStatus{recaller.MemoryActive, recaller.MemorySuperseded, recaller.MemoryForgotten}
	return all(ctx, s, page, func(p recaller.Page) ([]recaller.Memory, string, error) {
		return s.Store.Memories(ctx, tenant, caller, recaller.MemoryFilter{Statuses: every, Page: p})
	})
}

func (s *Service) documents(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID,
) iter.Seq2[recaller.Document, error] {
	return all(ctx, s, conversationsPage, func(p recaller.Page) ([]recaller.Document, string, error) {
		return s.Store.Documents(ctx, tenant, recaller.DocumentFilter{Caller: caller, Archived: true, Page: p})
	})
}

func (s *Service) threads(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID,
) iter.Seq2[recaller.Thread, error] {
	return all(ctx, s, page, func(p recaller.Page) ([]recaller.Thread, string, error) {
		return s.Store.Threads(ctx, tenant, recaller.ThreadFilter{Caller: caller, Page: p})
	})
}

func (s *Service) conversations(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID,
) iter.Seq2[ExportedConversation, error] {
	list := all(ctx, s, conversationsPage, func(p recaller.Page) ([]recaller.Conversation, string, error) {
		return s.Store.Conversations(ctx, tenant, recaller.ConversationFilter{Caller: caller, Page: p})
	})
	return func(yield func(ExportedConversation, error) bool) {
		for c, err := range list {
			one := ExportedConversation{Conversation: c, Words: s.Words.EachTurn(ctx, tenant, c)}
			if err == nil {
				err = s.Words.InTurn(ctx, func() (err error) {
					one.ToolCalls, err = s.Store.ToolCalls(ctx, tenant, c.ID)
					return err
				})
			}
			if !yield(one, err) || err != nil {
				return
			}
		}
	}
}
