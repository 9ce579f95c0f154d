package events

import (
	"maps"
	"time"

	"github.com/recallerhq/recaller"
)

// log holds the recent events of a conversation that is, or was, listened to. The bus's lock guards it.
type log struct {
	of        stream
	with      caller
	first     uint64  // the id of its first event ever
	next      uint64  // the id of the event that comes next
	recent    []Event // the last ones, oldest first
	bytes     int     // of their words
	briefing  uint64  // id of the last briefing; 0: none
	ended     bool
	listeners map[*Subscription]struct{}
	touched   time.Time
}

// open returns the log of a conversation, and makes it if there is none. The lock is held.
func (b *Bus) open(of stream, with caller, now time.Time) *log {
	if l := b.streams[of]; l != nil {
		b.belongs(l, with)
		return l
	}
	first := uint64(max(1, now.UnixMicro()))
	l := &log{of: of, with: with, first: first, next: first, listeners: map[*Subscription]struct{}{}}
	b.streams[of] = l
	if of.conv != wholeTenant {
		b.file(l)
	}
	return l
}

// file adds a log to those of its caller. The lock is held.
func (b *Bus) file(l *log) {
	if b.callers[l.with] == nil {
		b.callers[l.with] = map[recaller.ConversationID]*log{}
	}
	b.callers[l.with][l.of.conv] = l
}

// unfile undoes file. The lock is held.
func (b *Bus) unfile(l *log) {
	delete(b.callers[l.with], l.of.conv)
	if len(b.callers[l.with]) == 0 {
		delete(b.callers, l.with)
	}
}

// belongs notes whose conversation it is, if that was not known because it began while the store was away. The lock is
// held.
func (b *Bus) belongs(l *log, with caller) {
	if l.with.id != "" || with.id == "" || b.streams[l.of] != l {
		return
	}
	b.unfile(l)
	l.with = with
	b.file(l)
}

// handed notes that a conversation is another caller's now. What is kept of it is of the one before, and goes. The lock
// is held.
func (b *Bus) handed(l *log, with caller) {
	b.unfile(l)
	l.with, l.recent, l.bytes = with, nil, 0
	b.file(l)
}

// drop forgets a conversation. The lock is held.
func (b *Bus) drop(l *log) {
	delete(b.streams, l.of)
	if l.of.conv != wholeTenant {
		b.unfile(l)
	}
}

// sweep forgets conversations that nobody has listened to for a while. The lock is held.
func (b *Bus) sweep(now time.Time) {
	if now.Sub(b.swept) < sweepEach {
		return
	}
	b.swept = now
	for l := range maps.Values(b.streams) {
		if len(l.listeners) == 0 && now.Sub(l.touched) > idleFor {
			b.drop(l)
		}
	}
}

// oldest returns the id of the oldest event that is kept, or of the next one if none is kept.
func (l *log) oldest() uint64 { return l.next - uint64(len(l.recent)) }

// remember keeps an event, and forgets the oldest ones past the bounds. A new briefing takes away the text of the one
// before, which nobody needs any more.
func (l *log) remember(e Event) {
	l.recent = append(l.recent, e)
	l.bytes += size(e)
	if e.Type == BriefingUpdated {
		l.supersede()
		l.briefing = e.ID
	}
	n := 0
	for len(l.recent)-n > keep || (l.bytes > keepBytes && len(l.recent)-n > 1) {
		l.bytes -= size(l.recent[n])
		n++
	}
	clear(l.recent[:n]) // frees their words now; append frees their places later
	l.recent = l.recent[n:]
}

// supersede drops the text of the last briefing that is kept.
func (l *log) supersede() {
	if l.briefing < l.oldest() {
		return
	}
	old := &l.recent[l.briefing-l.oldest()]
	l.bytes -= size(*old)
	old.Briefing = nil
}

// size is roughly how many bytes of words an event holds.
func size(e Event) (n int) {
	for _, t := range e.Turns {
		n += len(t.Text)
	}
	if e.Memory != nil {
		n += len(e.Memory.Key) + len(e.Memory.Value)
	}
	if e.Briefing != nil {
		n += 2 * len(e.Briefing.Text) // once as a whole, once in its parts
	}
	return n
}
