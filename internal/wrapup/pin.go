package wrapup

import (
	"context"
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
	"github.com/recallerhq/recaller/internal/pin"
)

// Pins keeps the documents of topics; *document.Service has it.
type Pins interface {
	// Topics returns the caller's documents that have a topic: see pin.Of.
	Topics(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID,
	) ([]recaller.Document, error)
	// FileTopic writes the document of a topic. It is a Conflict if the document was changed since it was read.
	FileTopic(ctx context.Context, tenant recaller.TenantID, d recaller.Document) error
}

// What of a caller's earlier conversations is looked at for topics that come back: so many of the latest, with so many
// turns together.
const (
	lookedAt  = 16
	mostTurns = 4000
)

// unpinned tells why a conversation has no part in what is pinned.
func (s *Service) unpinned(w work) string {
	switch why := wordless(w); {
	case why != "":
		return why
	case s.Pins == nil || w.tenant.PinAfter < 1:
		return "nothing is pinned"
	case lastsWithProcess(w):
		return "no words are kept"
	case w.conv.Reminder:
		return "a reminder call"
	}
	return ""
}

// pin brings the caller's topics up to date with a conversation, and pins those that it makes (V8). Each document is a
// commit of its own. A topic knows the conversations that it has taken in, so that repeating the step changes nothing.
func (s *Service) pin(ctx context.Context, w work) (recaller.StepResult, error) {
	done := recaller.StepResult{State: recaller.StepDone, By: By}
	gone, err := s.Store.Forgotten(ctx, w.tenant.ID, w.conv.Caller) // also what this conversation had forgotten
	if err != nil {
		return done, err
	}
	w.gone = forgotten.New(gone)
	w.turns = w.gone.Blank(w.conv.ID, w.turns)
	earlier, err := s.earlier(ctx, w)
	if err != nil {
		return done, err
	}
	for tries := 1; ; tries++ {
		err := s.file(ctx, w, earlier)
		if recaller.KindOf(err) != recaller.Conflict || tries == mostTries {
			return done, err
		}
	}
}

// file reads the caller's topics, and writes those that are others after the conversation.
func (s *Service) file(ctx context.Context, w work, earlier []pin.Conversation) error {
	list, err := s.Pins.Topics(ctx, w.tenant.ID, w.conv.Caller)
	if err != nil {
		return err
	}
	var known []pin.Topic
	for _, d := range list {
		t, _ := pin.Of(d)
		known = append(known, t)
	}
	acts := acts(w)
	topics, _ := pin.Read(pin.Conversation{
		ID: w.conv.ID, StartedAt: w.startedAt(), Turns: w.turns, Acts: acts,
	}, earlier, known, pin.Options{After: w.tenant.PinAfter, DayFirst: w.dayFirst, Own: w.own()})
	now := s.Now()
	pin.Choose(topics, now)
	for i, t := range topics {
		d := recaller.Document{Caller: w.conv.Caller, Origin: recaller.DocumentPin, CreatedAt: now}
		if i < len(list) {
			d = list[i]
		} else {
			d.ID = recaller.DocumentID(s.NewID())
		}
		next := t.Onto(d, now)
		if d.Origin != recaller.DocumentPin || string(next.State) == string(d.State) {
			continue
		}
		if err := s.Pins.FileTopic(ctx, w.tenant.ID, next); err != nil {
			return err
		}
	}
	return nil
}

// own are texts whose words are nothing that a caller brings: those of the business, and his name.
func (w work) own() []string {
	p := w.tenant.Profile
	out := append([]string{w.tenant.Name, p.Business, p.Description, p.Location, p.Personality, w.caller.Name}, p.Services...)
	for _, l := range p.Pricing {
		out = append(out, l.Label)
	}
	return out
}

// earlier returns the latest of the caller's conversations before this one, as far as their words are kept. Of those
// whose turns are gone the quotations of their summaries stand for them.
func (s *Service) earlier(ctx context.Context, w work) ([]pin.Conversation, error) {
	list, _, err := s.Store.Conversations(ctx, w.tenant.ID, recaller.ConversationFilter{
		Caller: w.conv.Caller, Page: recaller.Page{Limit: 2 * lookedAt},
	})
	if err != nil {
		return nil, err
	}
	var out []pin.Conversation
	room := mostTurns
	for _, conv := range list {
		if conv.ID == w.conv.ID || conv.Status == recaller.Active || conv.Reminder || conv.StartedAt.After(w.conv.StartedAt) {
			continue
		}
		if room -= conv.Turns; room < 0 || len(out) == lookedAt {
			break
		}
		turns, err := s.Words.Turns(ctx, w.tenant.ID, conv)
		if err != nil {
			return nil, err
		}
		if len(turns) == 0 {
			turns = quoted(conv)
		}
		out = append(out, pin.Conversation{
			ID: conv.ID, StartedAt: conv.StartedAt.In(w.zone), Turns: w.gone.Blank(conv.ID, turns),
		})
	}
	return out, nil
}

// quoted returns the quotations of a summary that rules wrote as turns, numbered as they stand.
func quoted(conv recaller.Conversation) (out []recaller.Turn) {
	if conv.Summary == nil || conv.Summary.By != By {
		return nil
	}
	sum := conv.Summary
	for _, line := range slices.Concat([]string{sum.Brief}, sum.Topics, sum.Decisions, sum.Actions, sum.Facts) {
		who := recaller.User
		for {
			before, rest, found := strings.Cut(line, "“")
			if !found {
				break
			}
			text, after, _ := strings.Cut(rest, "”")
			switch before = strings.TrimSpace(before); {
			case strings.HasSuffix(before, "Agent:"):
				who = recaller.Assistant
			case strings.HasSuffix(before, "Caller:"):
				who = recaller.User
			}
			out = append(out, recaller.Turn{Number: len(out), Speaker: who, Text: text, At: conv.StartedAt})
			line = after
		}
	}
	return out
}
