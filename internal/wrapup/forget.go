package wrapup

import (
	"context"
	"errors"
	"slices"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
	"github.com/recallerhq/recaller/internal/memory/likeness"
	"github.com/recallerhq/recaller/internal/wrapup/name"
)

// burial is what goes with one request of the caller's to have something forgotten.
type burial struct {
	forgotten.Request
	known
	search *forgotten.Search
	ids    []recaller.MemoryID
	unkept []recaller.Memory
	name   string // the caller's, if it is forgotten
}

// forget puts into the result of a step what the caller asked in words to have forgotten, however short the
// conversation: his memories that say it, his name, and the turns in which he told what no memory keeps. What he names
// counts also for conversations that become known later. The words that ask are hidden too, so something is closed for
// each request.
func (s *Service) forget(ctx context.Context, w work, r *recaller.StepResult) error {
	if len(w.asked) == 0 {
		return nil
	}
	k, err := w.known()
	if err != nil {
		return err
	}
	k.active = k.told(w.conv.ID) // also what waits for its model
	caller, err := s.Store.Caller(ctx, w.tenant.ID, w.conv.Caller)
	if err != nil {
		return err
	}
	burials := make([]burial, len(w.asked))
	for i, asked := range w.asked {
		burials[i] = burial{Request: asked, known: k, search: asked.Search()}
	}
	if err := s.searchPast(ctx, w, burials); err != nil {
		return err
	}
	hidden, told := map[recaller.TurnID]bool{}, ownName{w: w, name: caller.Name, kept: caller.Name != ""}
	for i := range burials {
		b := &burials[i]
		b.Request = b.search.Request()
		for _, m := range b.Means(w.conv.ID, k.active) {
			b.add(m)
		}
		s.forgetName(w, b, &told)
		for _, t := range b.search.Told(len(b.ids) > 0) {
			if !hidden[t.ID] {
				b.turn(w.conv.Caller, t, s.NewID())
			}
			hidden[t.ID] = true
		}
		s.bury(w, r, b)
	}
	return nil
}

// add has a memory go, with those that say the same.
func (b *burial) add(m recaller.Memory) {
	for _, id := range append([]recaller.MemoryID{m.ID}, forgotten.Same(m, b.active)...) {
		if !slices.Contains(b.ids, id) {
			b.ids = append(b.ids, id)
		}
	}
	if likeness.OfName(m.Key) {
		b.name = m.Value
	}
}

// ownName is the caller's name: the one that is kept of him, or else the last that he said before a request.
type ownName struct {
	w    work
	name string
	kept bool
	read int // how many turns were looked through for it
}

// before returns the name as it is known at a turn. Turns are asked for in order, and each is read once.
func (o *ownName) before(turn int) string {
	to := min(len(o.w.turns), turn+1)
	if o.kept || to <= o.read {
		return o.name
	}
	if said, _, _ := name.Said(o.w.turns[o.read:to]); said != "" {
		o.name = said
	}
	o.read = to
	return o.name
}

// forgetName has the caller's name go, if that is what he asks for, even if no memory holds it.
func (s *Service) forgetName(w work, b *burial, told *ownName) {
	if !b.OfOwnName() {
		return
	}
	called := told.before(b.Turns[0])
	if called == "" || !b.OwnName(called) {
		return
	}
	if b.name == "" {
		b.make(recaller.Memory{
			ID: recaller.MemoryID(s.NewID()), Type: recaller.Fact, Key: "caller_name", Value: called, Confidence: 1,
			Provenance: recaller.Provenance{Conversation: w.conv.ID, Turns: b.Turns}, CreatedAt: b.At,
		}, w.conv.Caller)
	}
	b.name = called
}

// make has something go that no memory holds.
func (b *burial) make(m recaller.Memory, caller recaller.CallerID) {
	m.Caller, m.Source, m.PrivacyScope, m.ConfirmedAt = caller, recaller.SourceExtraction, recaller.LineOnly, m.CreatedAt
	b.ids, b.unkept = append(b.ids, m.ID), append(b.unkept, m)
}

// searchPast looks for what the caller told in his own words and asked to have forgotten. It reads one conversation
// after another, and keeps only the turns that may be meant. A conversation that cannot be read is passed over.
func (s *Service) searchPast(ctx context.Context, w work, burials []burial) error {
	searches := make([]*forgotten.Search, len(burials))
	for i, b := range burials {
		searches[i] = b.search
	}
	page := recaller.Page{Limit: pageOfPast}
	for {
		filter := recaller.ConversationFilter{Caller: w.conv.Caller, Page: page}
		past, next, err := s.Store.Conversations(ctx, w.tenant.ID, filter)
		if err != nil {
			return err
		}
		for _, conv := range past {
			if conv.StartedAt.After(w.conv.StartedAt) || conv.Status == recaller.Active && conv.ID != w.conv.ID {
				continue
			}
			turns, err := s.Words.Turns(ctx, w.tenant.ID, conv)
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				s.Log.WarnContext(ctx, "a conversation could not be searched for what is to be forgotten",
					"conversation", conv.ID, "err", err)
				continue
			}
			forgotten.ReadAll(searches, conv.ID, w.gone.Blank(conv.ID, turns), conv.ID == w.conv.ID)
		}
		if next == "" {
			return nil
		}
		page.Cursor = next
	}
}

// pageOfPast is how many conversations are listed at once.
const pageOfPast = 50

// turn hides one turn. A memory that was made of it hides it when it goes: one that goes already, or else all of them.
// If there are none, one is made to be closed.
func (b *burial) turn(caller recaller.CallerID, t forgotten.Told, id string) {
	var made []recaller.Memory
	for _, m := range b.active {
		if m.Provenance.Conversation == t.Conversation && slices.Contains(m.Provenance.Turns, t.Number) {
			made = append(made, m)
		}
	}
	switch {
	case slices.ContainsFunc(made, func(m recaller.Memory) bool { return slices.Contains(b.ids, m.ID) }):
	case len(made) > 0:
		for _, m := range made {
			b.add(m)
		}
	default:
		b.make(forgotten.Unkept(t.Conversation, t.Turn, id), caller)
	}
}

// bury puts what goes with a request into the result of the step, but for what goes with a request before it. If
// nothing is left, the turn that asks goes, and keeps what the request names.
func (s *Service) bury(w work, r *recaller.StepResult, b *burial) {
	b.ids = slices.DeleteFunc(b.ids, func(id recaller.MemoryID) bool {
		return slices.ContainsFunc(r.Forget, func(c recaller.Changing) bool {
			return c.ID == id || slices.Contains(c.Also, id)
		})
	})
	if len(b.ids) == 0 {
		asks, ok := w.turn(b.Turns[0])
		if !ok {
			return
		}
		b.make(forgotten.Unkept(w.conv.ID, asks, s.NewID()), w.conv.Caller)
	}
	r.Forget = append(r.Forget, recaller.Changing{
		ID: b.ids[0], Also: b.ids[1:], Forget: true, Patch: recaller.MemoryPatch{At: s.Now()}, Name: b.name, Unkept: b.unkept,
		Forgetting: recaller.Forgetting{
			At: b.At, Asked: recaller.Provenance{Conversation: w.conv.ID, Turns: b.Turns}, Named: b.Named(),
		},
	})
}

// takenBack reports whether the caller asked later in the conversation to have forgotten what was found in it.
func (w work) takenBack(m recaller.Memory) bool {
	return slices.ContainsFunc(w.asked, func(r forgotten.Request) bool {
		return len(r.Means(w.conv.ID, []recaller.Memory{m})) > 0
	})
}

// naming returns the turns that may tell the caller's name: those after his last wish to have it forgotten.
func (w work) naming() []recaller.Turn {
	from := 0
	for _, r := range w.asked {
		if r.OwnName("") {
			from = r.Turns[0] + 1
		}
	}
	return w.turns[min(from, len(w.turns)):]
}

// again leaves out of a step's result what was forgotten while it was worked out, for which a model may take minutes.
// If something is forgotten after this, the result is not written.
func (s *Service) again(ctx context.Context, w work, r *recaller.StepResult) error {
	if len(r.Memories) == 0 && r.Name == "" {
		return nil
	}
	n, err := s.Store.Forgettings(ctx, w.tenant.ID, w.conv.Caller)
	gone, failed := s.Store.Forgotten(ctx, w.tenant.ID, w.conv.Caller)
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	w.gone, r.Gone = forgotten.New(gone), &n
	r.Memories = slices.DeleteFunc(slices.Clone(r.Memories), w.gone.Retold)
	if r.Name != "" {
		w.turns = w.gone.Blank(w.conv.ID, w.turns)
		r.Name, err = callerName(w)
	}
	return err
}
