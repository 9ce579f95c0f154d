package webchat

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/events"
)

// Bounds of a talk.
const (
	maxTurns  = 200 // that are remembered, and told to whoever comes
	maxRefs   = 100 // of messages that were kept lately
	maxQueue  = 512 // frames that wait for a listener
	maxTalks  = 20_000
	perLookup = 50 // conversations that are looked through for the running one
)

// talk is one visitor's chat, as this process knows it.
type talk struct {
	*Server
	who     who
	writing chan struct{} // has one while somebody reads or keeps; never taken with mu held

	mu        sync.Mutex // guards what follows; held for moments
	loaded    bool       // what was said in earlier processes is known
	caller    recaller.Caller
	conv      recaller.ConversationID // that goes on; empty: none
	turns     []recaller.Turn         // of conv, in order
	refs      []frame                 // messages that were kept lately, of whatever conversation
	listeners map[*listener]struct{}
	inside    int // listeners, and those who post: while there are any, the talk is not forgotten
	answer    *answer
	again     bool // the answer is to be made anew, or another one behind it
	keeping   int  // turns of ours are being kept
	later     []recaller.Turn
	sub       *events.Subscription
	linger    *time.Timer // forgets the talk; stopped while somebody is inside
}

// listener is a socket or a stream of a talk.
type listener struct {
	frames chan frame
	life   context.Context //nolint:containedctx // of the connection
	cut    context.CancelCauseFunc
}

// offer hands a frame over. It never waits.
func (l *listener) offer(f frame) {
	select {
	case l.frames <- f:
	default:
		l.cut(slow)
	}
}

// enter returns the talk of a visitor, of whom there is no other until leave is called for each time; nil: there are too many.
func (s *Server) enter(w who) *talk {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.talks[w]
	if t == nil {
		if len(s.talks) >= maxTalks {
			return nil
		}
		t = &talk{Server: s, who: w, writing: make(chan struct{}, 1), listeners: map[*listener]struct{}{}}
		t.linger = time.AfterFunc(s.opts.Linger, t.forget)
		s.talks[w] = t
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.linger.Stop()
	t.inside++
	return t
}

// leave takes somebody out, with his listener, if he has one.
func (t *talk) leave(l *listener) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.listeners, l)
	if t.inside--; t.inside == 0 {
		t.linger.Reset(t.opts.Linger)
	}
}

// forget takes out a talk in which nobody has been for long. What was said is with the store.
func (t *talk) forget() {
	t.Server.mu.Lock()
	defer t.Server.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.inside > 0: // he came a moment ago
		return
	case t.answer != nil || t.keeping > 0:
		t.linger.Reset(t.opts.Linger)
		return
	}
	t.unfollow()
	delete(t.talks, t.who)
}

// join adds a listener, and hands it the beginning: what was said after the last message that it has.
func (t *talk) join(l *listener, last string, begin session) {
	if err := t.load(l.life); err != nil {
		t.Log.WarnContext(l.life, "a visitor comes back, and what was said cannot be read", "tenant", t.who.tenant, "err", err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.listeners[l] = struct{}{}
	begin.Type, begin.V, begin.Conversation, begin.Messages = typeSession, Version, string(t.conv), []frame{}
	conv, number, named := readPlace(last)
	begin.Resumed = named && conv == t.conv && conv != "" && len(t.turns) > 0 && number >= t.turns[0].Number-1 && number <= t.turns[len(t.turns)-1].Number
	for _, turn := range t.turns {
		if !begin.Resumed || turn.Number > number {
			begin.Messages = append(begin.Messages, messageOf(t.conv, turn))
		}
	}
	if t.answer != nil {
		begin.Answering = &answering{Text: t.answer.said.String()}
	}
	l.offer(frame{Session: &begin})
	if begin.Answers && t.answer == nil && t.unanswered() {
		t.respond(-1)
	}
}

// unanswered reports whether the last thing that was said waits for an answer: a process that stopped has left it.
func (t *talk) unanswered() bool {
	if len(t.turns) == 0 {
		return false
	}
	last := t.turns[len(t.turns)-1]
	return last.Speaker == recaller.User || last.Interrupted
}

// load finds the conversation that goes on, once.
func (t *talk) load(ctx context.Context) error {
	select {
	case t.writing <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-t.writing }()
	return t.find(ctx)
}

// find is load for whoever writes.
func (t *talk) find(ctx context.Context) error {
	t.mu.Lock()
	loaded := t.loaded
	t.mu.Unlock()
	if loaded {
		return nil
	}
	caller, err := t.Callers.ByExternalID(ctx, t.who.tenant, t.who.id)
	if err != nil && !errors.Is(err, recaller.NotFound) {
		return err
	}
	var conv recaller.ConversationID
	var turns []recaller.Turn
	if err == nil {
		if conv, turns, err = t.running(ctx, caller.ID); err != nil {
			return err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.loaded, t.caller = true, caller
	if conv == "" {
		return nil // one that goes on here is held, or its end is on its way
	}
	if t.conv != conv {
		t.goOn(conv, turns)
		return nil
	}
	for _, turn := range t.turns { // what was said while we read
		if len(turns) == 0 || turn.Number > turns[len(turns)-1].Number {
			turns = append(turns, turn)
		}
	}
	t.turns = turns
	return nil
}

// running looks for the conversation of the chat that goes on.
func (t *talk) running(ctx context.Context, caller recaller.CallerID) (recaller.ConversationID, []recaller.Turn, error) {
	list, _, err := t.Conversations.List(ctx, t.who.tenant, recaller.ConversationFilter{
		Caller: caller, Status: recaller.Active, Page: recaller.Page{Limit: perLookup},
	})
	if err != nil {
		return "", nil, err
	}
	at := slices.IndexFunc(list, func(c recaller.Conversation) bool { return strings.HasPrefix(c.ExternalID, convPrefix) })
	if at < 0 {
		return "", nil, nil
	}
	rec, err := t.Conversations.Get(ctx, t.who.tenant, string(list[at].ID), true)
	if err != nil {
		return "", nil, err
	}
	turns := rec.Turns
	if len(turns) == 0 && rec.Live != nil {
		for _, l := range rec.Live.Turns { // of a tenant that keeps no words: what this process remembers
			turns = append(turns, recaller.Turn{Number: l.Number, Speaker: l.Speaker, Text: l.Text, At: l.At, Confidence: 1})
		}
	}
	turns = slices.DeleteFunc(turns, func(t recaller.Turn) bool { return t.Text == "" }) // it says what was forgotten
	return list[at].ID, turns[max(0, len(turns)-maxTurns):], nil
}

// goOn takes in which conversation goes on. The lock is held.
func (t *talk) goOn(conv recaller.ConversationID, turns []recaller.Turn) {
	t.unfollow()
	t.conv, t.turns, t.later = conv, turns, nil
	if conv == "" {
		return
	}
	sub, _ := t.Events.Subscribe(t.who.tenant, conv, t.caller.ID, 0)
	if t.work(func() { t.follow(conv, sub) }) {
		t.sub = sub
	} else {
		sub.Close()
	}
}

// unfollow ends the following of a conversation. The lock is held.
func (t *talk) unfollow() {
	if t.sub != nil {
		t.sub.Close()
		t.sub = nil
	}
}

// follow takes in what other doors add to a conversation, and its end.
func (t *talk) follow(conv recaller.ConversationID, sub *events.Subscription) {
	defer sub.Close()
	for {
		select {
		case <-t.ctx.Done():
			return
		case e, more := <-sub.C:
			switch {
			case !more:
				t.lost(conv, sub)
				return
			case e.Type == events.TurnsAdded:
				t.added(conv, e.Turns)
			case e.Type == events.MemoryForgotten:
				t.doubt()
			case e.Type == events.Ended:
				t.ended(conv, string(e.Status))
				return
			}
		}
	}
}

// lost takes in that nothing more is told of a conversation that we did not leave: it was erased with its caller, or we were
// too slow. What is known of it is read anew when somebody comes.
func (t *talk) lost(conv recaller.ConversationID, sub *events.Subscription) {
	t.mu.Lock()
	ours := t.sub == sub
	erased := ours && !sub.Dropped()
	if ours {
		t.sub, t.loaded = nil, false
	}
	if erased {
		t.refs = nil // they have words
	}
	t.mu.Unlock()
	if erased {
		t.ended(conv, "erased")
	}
}

// doubt has what was said read anew by whoever comes next: some of it may have been forgotten.
func (t *talk) doubt() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.loaded = false
}

// added takes in turns that the feed tells of. What we are keeping ourselves is told by who keeps it.
func (t *talk) added(conv recaller.ConversationID, turns []recaller.Turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.conv != conv {
		return
	}
	if t.keeping > 0 {
		t.later = append(t.later, turns...)
		return
	}
	t.tell(turns, plain)
}

// tell takes turns in that are not known yet, and tells the listeners. It returns how many there were. The lock is held.
func (t *talk) tell(turns []recaller.Turn, dress func(*frame)) (n int) {
	for _, turn := range turns {
		at, known := slices.BinarySearchFunc(t.turns, turn.Number, func(t recaller.Turn, n int) int { return t.Number - n })
		if known || turn.Text == "" {
			continue
		}
		t.turns = slices.Insert(t.turns, at, turn)
		f := messageOf(t.conv, turn)
		dress(&f)
		t.broadcast(f)
		n++
	}
	t.turns = t.turns[max(0, len(t.turns)-maxTurns):]
	return n
}

// plain leaves a frame as it is.
func plain(*frame) {}

// broadcast hands a frame to all who listen. The lock is held.
func (t *talk) broadcast(f frame) {
	for l := range t.listeners {
		l.offer(f)
	}
}

// ended takes in that a conversation is over.
func (t *talk) ended(conv recaller.ConversationID, why string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.conv != conv || conv == "" {
		return
	}
	if t.answer != nil {
		t.answer.cancel()
	}
	t.goOn("", nil)
	t.again = false
	t.broadcast(frame{Type: typeEnded, Conversation: string(conv), Reason: why})
}

// begunKeeping and doneKeeping stand around the keeping of turns of ours, of which the feed tells too. doneKeeping gets what
// was kept, and in which conversation; it returns how many of them were not known.
func (t *talk) begunKeeping() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.keeping++
}

func (t *talk) doneKeeping(conv recaller.ConversationID, turns []recaller.Turn, dress func(*frame)) (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.conv == conv {
		n = t.tell(turns, dress)
	}
	if t.keeping--; t.keeping == 0 {
		later := t.later
		t.later = nil
		t.tell(later, plain)
	}
	return n
}
