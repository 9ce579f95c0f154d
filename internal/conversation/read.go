package conversation

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/forgotten"
)

// Record is a conversation as it is read back.
type Record struct {
	Conversation recaller.Conversation
	// Turns are empty if they were not asked for, or the retention kept none. One that says what was forgotten has no
	// text, unless that was asked for.
	Turns []recaller.Turn
	Steps []recaller.StepProgress
	Live  *Glance // nil unless it is active, and led by this process
	Away  bool    // the store is away, and this is all that this process knows

	gone   forgotten.View // what is left out of it
	hidden []int          // the numbers of the turns that say what was forgotten, where their words were read
}

// wanted says what to read of a conversation.
type wanted struct {
	turns     bool
	forgotten bool // include what was forgotten
	hidden    bool // find the turns that say what was forgotten, also where no turns are asked for
}

// Get reads a conversation back by its id or external id, with the progress of its wrap-up, and without what was
// forgotten.
//
// While the store is away, Get answers for a live conversation from memory, if the words are not asked for or all of
// them are there. Otherwise it fails with Unavailable within the patience.
func (s *Service) Get(ctx context.Context, tenant recaller.TenantID, ref string, withTurns bool) (Record, error) {
	return s.get(ctx, tenant, ref, wanted{turns: withTurns})
}

// GetAll is Get, and includes what was forgotten.
func (s *Service) GetAll(ctx context.Context, tenant recaller.TenantID, ref string, withTurns bool) (Record, error) {
	return s.get(ctx, tenant, ref, wanted{turns: withTurns, forgotten: true})
}

func (s *Service) get(ctx context.Context, tenant recaller.TenantID, ref string, want wanted) (Record, error) {
	e := s.Ledger.get(tenant, ref)
	if e == nil {
		return s.read(ctx, tenant, ref, want)
	}
	if conv, st := e.view(); st.away() && conv.Caller == "" { // the store has not seen it
		return s.remembered(e, want), nil
	}
	want.hidden = !e.glance(s.Now()).whole()
	var rec Record
	var err error
	for behind := true; behind; {
		_, before := e.view()
		rec, err = within(ctx, s, s.Patience, func(ctx context.Context) (Record, error) {
			return s.read(ctx, tenant, ref, want)
		})
		_, after := e.view()
		behind = err == nil && before.away() && !after.away() // what was held was written while the store was read
	}
	switch {
	case away(err) && ctx.Err() == nil && (!want.turns || e.ephemeral()):
		return s.remembered(e, want), nil
	case err != nil:
		return Record{}, err
	}
	if conv, st := e.view(); st.away() { // the store is behind
		rec.Conversation = conv
	}
	rec.Live = e.glance(s.Now()).told(rec.Conversation.ID, rec.gone).without(rec.hidden)
	return rec, nil
}

func (s *Service) read(ctx context.Context, tenant recaller.TenantID, ref string, want wanted) (rec Record, err error) {
	if rec.Conversation, err = s.Store.Conversation(ctx, tenant, ref); err != nil {
		return Record{}, err
	}
	if rec.Steps, err = s.Store.Steps(ctx, tenant, rec.Conversation); err != nil {
		return Record{}, err
	}
	if !want.forgotten {
		if rec.gone, err = s.forgotten(ctx, tenant, rec.Conversation); err != nil {
			return Record{}, err
		}
	}
	if !want.turns {
		rec.Conversation.Summary, err = s.summary(ctx, tenant, rec.Conversation, rec.gone, want.hidden, rec.hide)
		return rec, err
	}
	if rec.Turns, err = s.Turns(ctx, tenant, rec.Conversation); err != nil || rec.gone.Empty() {
		return rec, err
	}
	sieve := rec.gone.Sieve(rec.Conversation)
	rec.Turns = slices.Clone(rec.Turns)
	for i, t := range rec.Turns {
		if sieve.Read(t) {
			rec.hide(t.Number)
			rec.Turns[i].Text = ""
		}
	}
	rec.Conversation.Summary = sieve.Summary()
	return rec, nil
}

// hide notes that a turn says what was forgotten.
func (r *Record) hide(number int) { r.hidden = append(r.hidden, number) }

// remembered returns what this process knows of a conversation without the store. Unless want asks for it, it leaves
// out what is forgotten, as far as this process has heard.
func (s *Service) remembered(e *entry, want wanted) Record {
	e.mu.Lock()
	defer e.mu.Unlock()
	rec := Record{Conversation: e.viewLocked(), Live: e.glanceLocked(s.Now()), Away: true}
	if want.turns {
		if rec.Turns = slices.Clone(e.heard.only); len(rec.Turns) == 0 {
			rec.Turns = e.queue.turns()
		}
	}
	if !want.forgotten {
		rec.Turns = e.heard.gone.Blank(e.id, rec.Turns)
		rec.Live = rec.Live.told(e.id, e.heard.gone)
	}
	return rec
}

// Find reads a conversation without its words, by its id or external id. One that this process leads it reads from
// memory.
func (s *Service) Find(ctx context.Context, tenant recaller.TenantID, ref string) (recaller.Conversation, error) {
	e := s.Ledger.get(tenant, ref)
	if e == nil {
		return s.Store.Conversation(ctx, tenant, ref)
	}
	if conv, st := e.view(); st != ended {
		return conv, nil
	}
	return s.find(ctx, tenant, ref)
}

// IsWith reports whether a conversation that goes on is with whoever has an identity. It looks at the ledger alone, so
// it can tell while the store is away. False does not say that it is with somebody else.
func (s *Service) IsWith(tenant recaller.TenantID, conv recaller.ConversationID, who recaller.Identity) bool {
	e := s.Ledger.get(tenant, string(conv))
	return e != nil && slices.Contains(e.callerNow().Identities, who)
}

// List returns conversations, newest first, and the cursor of the next page. It leaves out what was forgotten. A
// conversation that cannot be read is marked as Unreadable, and has what is known of it.
func (s *Service) List(
	ctx context.Context, tenant recaller.TenantID, f recaller.ConversationFilter,
) ([]recaller.Conversation, string, error) {
	list, next, err := s.ListAll(ctx, tenant, f)
	if err != nil {
		return nil, "", err
	}
	return list, next, s.told(ctx, tenant, list)
}

// ListAll is List, and includes what was forgotten.
func (s *Service) ListAll(
	ctx context.Context, tenant recaller.TenantID, f recaller.ConversationFilter,
) ([]recaller.Conversation, string, error) {
	list, next, err := s.Store.Conversations(ctx, tenant, f)
	for _, c := range list {
		if c.Unreadable {
			s.Log.Error("a conversation cannot be read", "tenant", tenant, "conversation", c.ID)
		}
	}
	return list, next, err
}

// readers bounds how many conversations of a list are read at once.
const readers = 8

// told takes what was forgotten out of the summaries of conversations. It reads words only for callers of whom
// something is forgotten. If the words of a conversation cannot be read, nobody can say what of its summary was
// forgotten, so told leaves the summary out.
func (s *Service) told(ctx context.Context, tenant recaller.TenantID, list []recaller.Conversation) error {
	views, hidden, err := s.views(ctx, tenant, list)
	if err != nil {
		return err
	}
	for i, c := range list {
		if hidden[c.Caller] && c.Summary != nil {
			list[i].Summary, list[i].Unreadable = nil, true
		}
	}
	errs, slots := make([]error, len(list)), make(chan struct{}, readers)
	var wg sync.WaitGroup
	for i, c := range list {
		gone := views[c.Caller]
		if gone.Empty() || c.Summary == nil {
			continue
		}
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			summary, err := s.summary(ctx, tenant, c, gone, false, nil)
			switch {
			case err == nil:
				list[i].Summary = summary
				return
			case recaller.KindOf(err) != recaller.Internal || ctx.Err() != nil:
				errs[i] = err
				return
			}
			list[i].Summary, list[i].Unreadable = nil, true
			s.Log.Error("the words of a conversation cannot be read", "tenant", tenant, "conversation", c.ID, "err", err)
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// views returns what was forgotten, for the callers of conversations with a summary of whom something is. hidden are
// those of whom damage hides it.
func (s *Service) views(
	ctx context.Context, tenant recaller.TenantID, list []recaller.Conversation,
) (views map[recaller.CallerID]forgotten.View, hidden map[recaller.CallerID]bool, err error) {
	var callers []recaller.CallerID
	for _, c := range list {
		if c.Summary != nil && !slices.Contains(callers, c.Caller) {
			callers = append(callers, c.Caller)
		}
	}
	if callers, err = s.Store.Forgetful(ctx, tenant, callers); err != nil {
		return nil, nil, err
	}
	views, hidden = make(map[recaller.CallerID]forgotten.View, len(callers)), map[recaller.CallerID]bool{}
	for _, caller := range callers {
		versions, err := s.Store.Forgotten(ctx, tenant, caller)
		if hidden[caller] = recaller.LeftOut(ctx, err); err != nil && !hidden[caller] {
			return nil, nil, err
		}
		views[caller] = forgotten.New(versions)
	}
	return views, hidden, nil
}

// Briefing returns what the agent of a conversation should know now. While the store is away it is degraded, and says
// what this process knows.
func (s *Service) Briefing(
	ctx context.Context, tenant recaller.TenantID, ref string, req briefing.Request,
) (recaller.Briefing, error) {
	conv, err := s.Find(ctx, tenant, ref)
	if err != nil {
		return recaller.Briefing{}, err
	}
	return s.brief(ctx, tenant, s.Ledger.get(tenant, string(conv.ID)), conv, req)
}
