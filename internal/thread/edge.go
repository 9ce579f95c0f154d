package thread

import (
	"context"
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
	"github.com/recallerhq/recaller/internal/tag"
	"github.com/recallerhq/recaller/internal/tool"
)

// This file is for edges that hold the chat themselves: what they ask for beside prompts and replies.

// Keep keeps a message that gets no reply.
func (s *Service) Keep(
	ctx context.Context, tenant recaller.TenantID, ref string, once recaller.Once, m Message,
) error {
	whole, err := m.whole()
	if err != nil {
		return err
	}
	t, err := s.Store.Thread(ctx, tenant, ref)
	if err != nil {
		return err
	}
	_, _, _, err = s.keep(ctx, tenant, t, Replying{Once: once}, whole, "")
	return err
}

// answeredWithin is among how many of the last messages a reply is looked for.
const answeredWithin = 50

// Answered reports whether the exchange with this Once was kept, and returns the text of its reply, without tags: for
// whoever crashed before he delivered it. The text is empty if it had none, was forgotten since, or is long past.
func (s *Service) Answered(
	ctx context.Context, tenant recaller.TenantID, ref string, once recaller.Once,
) (text string, found bool, err error) {
	t, err := s.Store.Thread(ctx, tenant, ref)
	if err != nil {
		return "", false, err
	}
	ids, err := s.Store.AppendedBefore(ctx, tenant, t.Caller, once)
	if err != nil || len(ids) == 0 {
		return "", false, err
	}
	gone, err := s.Store.Forgotten(ctx, tenant, t.Caller)
	if err != nil {
		return "", true, err
	}
	last, err := s.last(ctx, tenant, t, forgotten.New(gone), answeredWithin)
	for _, said := range last {
		if said.Turn.Speaker == recaller.Assistant && slices.Contains(ids, said.Turn.ID) {
			text = said.Turn.Text
		}
	}
	return text, true, err
}

// Edited reports whether a message is an edit that counts: of the last one in the thread, which was kept with this Once,
// and of its words.
func (s *Service) Edited(
	ctx context.Context, tenant recaller.TenantID, ref string, once recaller.Once, m Message,
) (bool, error) {
	whole, err := m.whole()
	if err != nil {
		return false, err
	}
	t, err := s.Store.Thread(ctx, tenant, ref)
	if err != nil {
		return false, err
	}
	ids, err := s.Store.AppendedBefore(ctx, tenant, t.Caller, once)
	if err != nil || len(ids) == 0 {
		return false, err
	}
	last, err := s.last(ctx, tenant, t, forgotten.New(nil), len(ids))
	if err != nil || len(last) == 0 || !slices.Contains(ids, last[0].Turn.ID) {
		return false, err
	}
	return last[0].Turn.Text != whole, nil
}

// Forget forgets what the user names, as the tag FORGET does: by a memory's id, by its words, or by their meaning.
func (s *Service) Forget(
	ctx context.Context, tenant recaller.TenantID, ref string, once recaller.Once, words string,
) (Done, error) {
	t, err := s.Store.Thread(ctx, tenant, ref)
	if err != nil {
		return Done{}, err
	}
	who, err := s.Store.Caller(ctx, tenant, t.Caller)
	if err != nil {
		return Done{}, err
	}
	conv, _, err := s.Conversations.Stretch(ctx, tenant, t, who)
	if err != nil {
		return Done{}, err
	}
	done := Done{Kind: tag.Forget, Text: words}
	call := tool.Call{Tenant: tenant, Conversation: string(conv.ID), Once: once}
	err = s.forget(ctx, call, conv, &done)
	return done.settled(err)
}

// movedPage is how many threads are looked at at once for those of a chat that moved.
const movedPage = 100

// Moved has the threads of a chat, its topics and its users go on under another external id. One whose new id is taken
// stays as it is.
func (s *Service) Moved(ctx context.Context, tenant recaller.TenantID, from, to string) error {
	for page := (recaller.Page{Limit: movedPage}); ; {
		list, next, err := s.Store.Threads(ctx, tenant, recaller.ThreadFilter{Page: page})
		if err != nil {
			return err
		}
		for _, t := range list {
			rest, ok := strings.CutPrefix(t.ExternalID, from)
			if !ok || rest != "" && rest[0] != ':' && rest[0] != '/' {
				continue
			}
			id := to + rest
			_, err := s.Store.ChangeThread(ctx, tenant, t.ID, recaller.ThreadPatch{ExternalID: &id})
			if recaller.KindOf(err) == recaller.Conflict {
				s.Log.WarnContext(ctx, "a chat moved to where there is a thread already", "tenant", tenant, "thread", t.ID)
				continue
			}
			if err != nil {
				return err
			}
		}
		if page.Cursor = next; next == "" {
			return nil
		}
	}
}

// Persona returns the text of a thread's persona; empty if it has none.
func (s *Service) Persona(ctx context.Context, tenant recaller.TenantID, t recaller.Thread) (string, error) {
	text, _, err := s.Personas.Resolve(ctx, tenant, t.Persona)
	return text, err
}
