package bridge

import (
	"slices"
	"strconv"
	"time"

	"github.com/recallerhq/recaller/internal/mediastream"
)

const (
	pieceMS  = 75              // audio between two marks, at most: so exact is what was heard, and a frame more; a multiple of three (Split)
	markWait = 5 * time.Second // after its time, a mark that the telephone did not send back counts as reached
	maxCuts  = 64              // items that were cut off, whose late audio is recognised
)

// playback knows what the telephone was sent and what of it was heard. It is pure.
type playback struct {
	items []*spoken // not over yet, in the order in which they are played
	marks []mark    // sent, and not reached yet
	n     int       // marks that were made
	until time.Time // when all that was sent must have been played
	cuts  []string  // items that were cut off: more audio of theirs is not played
}

// spoken is something that the agent says.
type spoken struct {
	item         string
	sent, played int // bytes
	marked       int // bytes of it that have a mark
	whole        bool
}

// mark is a point in what was sent.
type mark struct {
	name string
	of   *spoken
	upTo int       // bytes of it that are played when the mark is reached
	due  time.Time // when it must have been reached
}

// heard is how much of an item was heard before it was cut off.
type heard struct {
	item string
	ms   int
}

// add notes that audio of an item is sent, pieceMS at most. It returns the names of the marks to send before and behind
// it; empty: none is due.
func (p *playback) add(item string, bytes int, now time.Time) (before, behind string) {
	s := p.of(item)
	if pending := s.sent - s.marked; pending > 0 && pending+bytes > pieceMS*mediastream.BytesPerMS {
		before = p.mark(s)
	}
	s.sent += bytes
	if p.until.Before(now) {
		p.until = now
	}
	p.until = p.until.Add(time.Duration(bytes) * time.Millisecond / mediastream.BytesPerMS)
	if s.sent-s.marked >= pieceMS*mediastream.BytesPerMS {
		behind = p.mark(s)
	}
	return before, behind
}

// of finds an item, or begins it.
func (p *playback) of(item string) *spoken {
	for _, s := range p.items {
		if s.item == item {
			return s
		}
	}
	s := &spoken{item: item}
	p.items = append(p.items, s)
	return s
}

func (p *playback) mark(s *spoken) string {
	p.n++
	m := mark{"m" + strconv.Itoa(p.n), s, s.sent, p.until.Add(markWait)}
	p.marks = append(p.marks, m)
	s.marked = s.sent
	return m.name
}

// finish notes that no more audio of an item comes. It returns the name of the mark to send; empty: none is due. known
// is false if there was no audio of it, or it is over.
func (p *playback) finish(item string) (name string, known bool) {
	i := slices.IndexFunc(p.items, func(s *spoken) bool { return s.item == item })
	if i < 0 {
		return "", false
	}
	s := p.items[i]
	s.whole = true
	if s.marked < s.sent {
		return p.mark(s), true
	}
	return "", true
}

// reached notes that the telephone has sent a mark back. One that is not known was cleared.
func (p *playback) reached(name string) {
	if i := slices.IndexFunc(p.marks, func(m mark) bool { return m.name == name }); i >= 0 {
		p.reach(i + 1)
	}
}

// late takes the marks as reached which should have been long ago, and returns how many.
func (p *playback) late(now time.Time) int {
	n := 0
	for n < len(p.marks) && !now.Before(p.marks[n].due) {
		n++
	}
	p.reach(n)
	return n
}

// reach takes the first n marks as reached.
func (p *playback) reach(n int) {
	for _, m := range p.marks[:n] {
		m.of.played = m.upTo
	}
	p.marks = slices.Delete(p.marks, 0, n)
}

// over takes out the items that were played to their end.
func (p *playback) over() (items []string) {
	p.items = slices.DeleteFunc(p.items, func(s *spoken) bool {
		if s.whole && s.played == s.sent {
			items = append(items, s.item)
			return true
		}
		return false
	})
	return items
}

// cut takes back all that is not played, and returns what was heard of it, and which items were as good as over: the
// mark that would say so is on its way.
func (p *playback) cut() (out []heard, over []string) {
	for _, s := range p.items {
		if s.whole && s.sent-s.played <= pieceMS*mediastream.BytesPerMS {
			over = append(over, s.item)
			continue
		}
		out = append(out, heard{s.item, s.played / mediastream.BytesPerMS})
		p.refuse(s.item)
	}
	p.items, p.marks, p.until = nil, nil, time.Time{}
	return out, over
}

// refuse has no more audio of an item played.
func (p *playback) refuse(item string) {
	p.cuts = append(p.cuts, item)
	if len(p.cuts) > maxCuts {
		p.cuts = slices.Delete(p.cuts, 0, 1)
	}
}

func (p *playback) refused(item string) bool { return slices.Contains(p.cuts, item) }

// ahead returns how much audio was sent and is not played yet.
func (p *playback) ahead() time.Duration {
	bytes := 0
	for _, s := range p.items {
		bytes += s.sent - s.played
	}
	return time.Duration(bytes) * time.Millisecond / mediastream.BytesPerMS
}
