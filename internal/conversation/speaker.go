package conversation

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
)

// someoneElse is why what was said until then ended.
const someoneElse = "someone else"

// SomeoneElse has an active conversation go on as somebody else's: its id, its external id and the ids of platforms stay
// with it. What was said until then becomes a conversation of its own, which has ended; if that was a greeting, it goes
// along. The briefing is made anew. It needs the store: nothing of it is held.
func (s *Service) SomeoneElse(
	ctx context.Context, tenant recaller.TenantID, ref string, in recaller.Speaking,
) (recaller.Handed, error) {
	if err := recaller.ValidName(in.Name); err != nil {
		return recaller.Handed{}, err
	}
	settings, err := s.Tenants.Tenant(ctx, tenant)
	if err != nil {
		return recaller.Handed{}, err
	}
	conv, err := s.find(ctx, tenant, ref)
	if err != nil {
		return recaller.Handed{}, err
	}
	if conv.Status != recaller.Active {
		return recaller.Handed{}, recaller.Errorf(recaller.Conflict, "the conversation has ended")
	}
	if alone(conv) {
		return recaller.Handed{}, recaller.Errorf(recaller.Conflict, "a thread, and a web chat, is one person's")
	}
	who, as, err := s.speaks(ctx, tenant, conv, in)
	if err != nil {
		return recaller.Handed{}, err
	}
	if as.To == conv.Caller {
		return recaller.Handed{Caller: who, Conversation: conv}, nil
	}
	e := s.Ledger.get(tenant, string(conv.ID))
	if e == nil { // another process leads it
		return s.handOver(ctx, settings, conv, as)
	}
	var out recaller.Handed
	w := newWork(work{hand: func(ctx context.Context, conv recaller.Conversation) (err error) {
		if conv.Caller == as.To { // an earlier try was written, and its answer lost
			out = recaller.Handed{Caller: e.who(), Conversation: conv}
			return nil
		}
		out, err = s.handOver(ctx, settings, conv, as)
		switch {
		case err == nil:
			s.handed(e, out)
		case !refused(err):
			e.doubtWhose()
		}
		return err
	}}, s.Now())
	if _, err := s.do(ctx, e, w); err != nil {
		if errors.Is(err, errOver) {
			err = recaller.Errorf(recaller.Conflict, "the conversation has ended")
		}
		return recaller.Handed{}, err
	}
	return out, nil
}

// alone reports whether nobody else can come to speak in a conversation: the chat is one person's, and so is what they can
// read of it.
func alone(conv recaller.Conversation) bool {
	return conv.Thread != "" || conv.Channel == recaller.ChannelWebChat
}

// speaks finds out who speaks now.
func (s *Service) speaks(
	ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, in recaller.Speaking,
) (who recaller.Caller, as recaller.Handing, err error) {
	as = recaller.Handing{
		Conversation: conv.ID, From: conv.Caller, Recycled: in.Recycled, Name: strings.TrimSpace(in.Name),
		NameSource: recaller.NameSaid, Reason: someoneElse,
	}
	was, err := s.Store.Caller(ctx, tenant, conv.Caller)
	if err != nil {
		return who, as, err
	}
	switch {
	case in.Caller != "":
		who, err = s.Store.Caller(ctx, tenant, in.Caller)
		if recaller.KindOf(err) == recaller.NotFound || err == nil && who.MergedInto != "" {
			err = recaller.InvalidField("caller_id", "must be the id of a caller")
		}
	case in.New || in.Recycled || as.Name == "":
	default:
		who, err = s.namesake(ctx, tenant, was, as.Name)
	}
	if err != nil {
		return who, as, err
	}
	if as.To = who.ID; as.To == "" {
		as.To, as.NewCaller = recaller.CallerID(s.NewID()), true
	}
	return who, as, nil
}

// namesake returns the one who is called so among those who use the numbers of a caller, himself included; nobody: none is.
// Who is called just so goes before who may be. Of several who may be, more is asked for; if more was said than is known of
// any of them, it is another.
func (s *Service) namesake(
	ctx context.Context, tenant recaller.TenantID, of recaller.Caller, name string,
) (recaller.Caller, error) {
	list, err := s.Store.Household(ctx, tenant, of)
	if err != nil {
		return recaller.Caller{}, err
	}
	fits := map[recaller.Fit][]recaller.Caller{}
	for _, c := range append(list, of) {
		fit := c.Called(name)
		if fit == recaller.FitsLess && c.ID == of.ID {
			continue // it was said that he does not speak
		}
		fits[fit] = append(fits[fit], c)
	}
	for _, fit := range []recaller.Fit{recaller.FitsJust, recaller.FitsMore, recaller.FitsLess} {
		switch n := len(fits[fit]); {
		case n == 1:
			return fits[fit][0], nil
		case n > 1 && fit != recaller.FitsLess:
			return recaller.Caller{}, recaller.InvalidField("name", "must say more: %d who use the number are called so", n)
		}
	}
	return recaller.Caller{}, nil
}

// handOver has the store write it, and the words that it does not keep follow. Nobody else writes in the conversation.
func (s *Service) handOver(
	ctx context.Context, tenant recaller.Tenant, conv recaller.Conversation, in recaller.Handing,
) (recaller.Handed, error) {
	turns, err := s.Turns(ctx, tenant.ID, conv)
	if err != nil {
		return recaller.Handed{}, err
	}
	in.Turns, in.At = conv.Turns, s.Now()
	in.Words = tenant.Retention == recaller.Keep
	in.Cut = min(cutAt(turns, in.Name), conv.Turns)
	for _, t := range turns {
		if t.Number >= in.Cut && t.Speaker == recaller.User {
			in.Users++
		}
	}
	in.Trust = recaller.TrustAtStart(conv.Trust != recaller.TrustAnonymous, false, conv.Attestation)
	past := conv
	if in.Cut > 0 {
		in.Past = recaller.ConversationID(s.NewID())
		past.ID, past.Status, past.EndedAt, past.Turns = in.Past, recaller.Completed, in.At, in.Cut
		in.Steps, in.Job = s.wrapup(tenant, past, true)
	}
	stay, goes := parted(turns, in.Cut)
	if tenant.Retention == recaller.Archive { // words first: those that are counted are there
		goesOn := conv
		goesOn.Caller = in.To
		if err := s.fileHanded(ctx, tenant.ID, past, stay, goesOn, goes); err != nil {
			return recaller.Handed{}, err
		}
	}
	if tenant.Retention == recaller.Ephemeral && in.Cut > 0 {
		if _, ok := s.Ledger.keep(tenant, past, stay, in.At); !ok {
			return recaller.Handed{}, recaller.Errorf(recaller.Unavailable, "too many words wait to be written up")
		}
	}
	out, err := s.Store.HandOver(ctx, tenant.ID, in)
	if err != nil {
		return out, err
	}
	if tenant.Retention == recaller.Archive {
		err = s.Archive.Drop(ctx, tenant.ID, in.From, conv.ID)
	}
	if in.Cut > 0 {
		s.Enqueued()
	}
	return out, err
}

// who returns the caller as he is known.
func (e *entry) who() recaller.Caller {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.known
}

// doubtWhose notes that the conversation may be somebody else's: a hand-over failed, and may have been written.
func (e *entry) doubtWhose() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.handing = true
}

// whose finds out whose the conversation is, where a hand-over may have been written. Only the owner calls it.
func (s *Service) whose(ctx context.Context, e *entry, now *step) error {
	e.mu.Lock()
	doubt := e.handing
	e.mu.Unlock()
	if !doubt {
		return nil
	}
	conv, err := s.Store.Conversation(ctx, e.tenant.ID, string(e.id))
	if err != nil {
		return err
	}
	if from := now.conv.Caller; conv.Caller != from {
		out, err := s.handedBefore(ctx, e.tenant.ID, from, conv)
		if err == nil && e.tenant.Retention == recaller.Archive {
			err = s.Archive.Drop(ctx, e.tenant.ID, from, conv.ID)
		}
		if err != nil {
			return err
		}
		s.handed(e, out)
		now.conv, now.inDoubt = conv, true
		s.Enqueued()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.handing = false
	return nil
}

// handedBefore makes up the answer of a hand-over that was lost. Its changes have no versions.
func (s *Service) handedBefore(
	ctx context.Context, tenant recaller.TenantID, from recaller.CallerID, conv recaller.Conversation,
) (out recaller.Handed, err error) {
	if out.Caller, err = s.Store.Caller(ctx, tenant, conv.Caller); err != nil {
		return out, err
	}
	if conv.Continues != "" {
		past, err := s.Store.Conversation(ctx, tenant, string(conv.Continues))
		if err != nil {
			return out, err
		}
		out.Past = &past
	}
	out.Conversation = conv
	out.Changes = []recaller.Change{
		{Tenant: tenant, Caller: from, Conversation: out.Past, Zone: true},
		{Tenant: tenant, Caller: conv.Caller, Conversation: &conv, Zone: true, Handed: true},
	}
	return out, nil
}

// fileHanded files the words of both before the commit: until then the file of the one before has them all. What is left
// of a try that came to nothing is no conversation's, and goes with the file's days.
func (s *Service) fileHanded(
	ctx context.Context, tenant recaller.TenantID, past recaller.Conversation, stay []recaller.Turn,
	goesOn recaller.Conversation, goes []recaller.Turn,
) error {
	if len(stay) > 0 {
		if err := s.Archive.Append(ctx, tenant, past, stay); err != nil {
			return err
		}
	}
	return s.Archive.Begin(ctx, tenant, goesOn, goes)
}

// parted parts turns at a number; those from it on are numbered anew.
func parted(turns []recaller.Turn, cut int) (stay, goes []recaller.Turn) {
	for _, t := range turns {
		if t.Number < cut {
			stay = append(stay, t)
			continue
		}
		t.Number -= cut
		goes = append(goes, t)
	}
	return stay, goes
}

// handed takes in that a conversation is somebody else's, and tells the feed. Only the owner calls it.
func (s *Service) handed(e *entry, out recaller.Handed) {
	e.telling.Lock()
	defer e.telling.Unlock()
	cut := 0
	if out.Past != nil {
		cut = out.Past.Turns
	}
	e.mu.Lock()
	from := e.conv.Caller
	e.conv, e.known = out.Conversation, out.Caller
	e.pin = pin{has: out.Caller.HasPIN}
	e.heard.handed(cut)
	e.mu.Unlock()
	s.Ledger.belongs(e, out.Caller.ID)
	for _, c := range out.Changes {
		s.Feed.Committed(c)
	}
	s.Feed.Anew(e.tenant.ID, from)
	s.Feed.Anew(e.tenant.ID, out.Caller.ID)
}

// handed forgets what was said before a turn: it was somebody else's. What was asked last stays, so that its answer is
// masked.
func (h *heard) handed(cut int) {
	_, h.only = parted(h.only, cut)
	h.size = textBytes(h.only)
	h.glance = h.glance.Since(cut)
	if h.lastUser -= cut; h.lastUser < 0 {
		h.lastUser = -1
	}
	h.gone = forgotten.View{}
}

// mostGreeting is how many words of a turn are no more than a greeting.
const mostGreeting = 4

// cutAt returns the number of the first turn that belongs to who speaks now. What nobody has answered yet is theirs, and
// the last words in which they say their name. Where nothing but greetings was said before, all is theirs: 0.
func cutAt(turns []recaller.Turn, name string) int {
	if len(turns) == 0 {
		return 0
	}
	first, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(name)), " ")
	at := len(turns)
	for at > 0 && turns[at-1].Speaker == recaller.User {
		at--
	}
	for i := len(turns) - 1; i >= 0 && first != ""; i-- {
		if turns[i].Speaker == recaller.User {
			if strings.Contains(strings.ToLower(turns[i].Text), first) {
				at = min(at, i)
			}
			break
		}
	}
	said := slices.ContainsFunc(turns[:at], func(t recaller.Turn) bool {
		return t.Speaker == recaller.User && len(strings.Fields(t.Text)) > mostGreeting
	})
	switch {
	case !said:
		return 0
	case at == len(turns):
		return turns[at-1].Number + 1
	}
	return turns[at].Number
}
