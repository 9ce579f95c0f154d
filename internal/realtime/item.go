package realtime

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// item is an item of the conversation that is not over yet.
type item struct {
	id       string
	speaker  recaller.Speaker // empty: it is not speech, but such as a function call
	response string
	at       time.Time // when it began
	last     time.Time // when the last event about it came
	placed   bool      // it is in the order
	after    string    // the item that it must follow, which was unknown when it came

	parts      []string // texts of its parts
	final      []bool   // whether a part is complete
	confidence float64

	done        bool // all of it is known
	failed      bool // its words will never come
	interrupted bool
	heard       bool    // it can no longer be cut off
	played      bool    // it was played to its end, as somebody said who watches
	cut         bool    // it was cut off after heardMS
	heardMS     float64 // milliseconds that were played
	voice       bool    // it is spoken, not written
	audio       int     // bytes of audio that came
	spokenMS    float64 // by the response's own count; 0: not told
	ahead       bool    // its words come before their audio
}

// text returns what the item says.
func (it *item) text() string {
	var said []string
	for _, p := range it.parts {
		if p = strings.TrimSpace(p); p != "" {
			said = append(said, p)
		}
	}
	return strings.Join(said, " ")
}

// complete reports whether every part is known to its end.
func (it *item) complete() bool {
	return len(it.final) > 0 && !slices.Contains(it.final, false)
}

func trimmed(s string) string { return strings.TrimSpace(s) }

// maxParts bounds the parts of an item. They are few.
const maxParts = 32

// set sets the text of a part; a piece is appended to it.
func (d *Deriver) set(it *item, part int, text string, isPiece, isFinal bool) {
	if part < 0 || part >= maxParts || d.items[it.id] != it {
		return
	}
	for len(it.parts) <= part {
		it.parts, it.final = append(it.parts, ""), append(it.final, true)
	}
	if isPiece && it.final[part] && it.parts[part] != "" {
		return // it is already known whole
	}
	if isPiece {
		text = it.parts[part] + text
	}
	others := 0
	for i, p := range it.parts {
		if i != part {
			others += len(p)
		}
	}
	text = clip(text, max(0, recaller.MaxTurnBytes-others-maxParts))
	d.bytes += len(text) - len(it.parts[part])
	it.parts[part], it.final[part] = text, isFinal
}

// clip cuts a text off at a character.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	for limit > 0 && s[limit]&0xc0 == 0x80 {
		limit--
	}
	return strings.ToValidUTF8(s[:limit], "")
}

// begin finds an item, or begins one. For one that is over it returns a stray, which is in no order.
func (d *Deriver) begin(id string, speaker recaller.Speaker, at time.Time) *item {
	it := d.items[id]
	if it == nil {
		it = &item{id: id, speaker: speaker, at: at, confidence: 1}
		if id != "" && !d.told.has(id) {
			d.hold(it)
		}
	}
	if it.speaker == "" {
		it.speaker = speaker
	}
	it.last = at
	return it
}

// hold keeps an item. If there are too many, it drops beginnings of speech that never became items.
func (d *Deriver) hold(it *item) {
	if len(d.items) >= 2*maxItems {
		maps.DeleteFunc(d.items, func(_ string, o *item) bool { return !o.placed })
	}
	if d.items == nil {
		d.items = map[string]*item{}
	}
	d.items[it.id] = it
}

// place puts an item into the order, after the one that it follows. If that one is unknown, it waits at the end.
func (d *Deriver) place(it *item, previous *string) {
	if d.items[it.id] != it || it.placed && previous == nil {
		return
	}
	if it.placed {
		d.order = slices.DeleteFunc(d.order, func(o *item) bool { return o == it })
	}
	at := len(d.order)
	it.placed, it.after = true, ""
	switch {
	case previous == nil || *previous == it.id:
	case *previous == "root" || d.told.has(*previous):
		at = 0
	default:
		if i := slices.IndexFunc(d.order, func(o *item) bool { return o.id == *previous }); i >= 0 {
			at = i + 1
		} else {
			it.after = *previous
		}
	}
	d.order = slices.Insert(d.order, at, it)
	d.follow(it)
}

// follow moves an item that waited for this one to its place after it.
func (d *Deriver) follow(it *item) {
	i := slices.IndexFunc(d.order, func(o *item) bool { return o.after == it.id })
	if i < 0 {
		return
	}
	next := d.order[i]
	next.after = ""
	d.order = slices.Delete(d.order, i, i+1)
	d.order = slices.Insert(d.order, slices.Index(d.order, it)+1, next)
}

// remove forgets an item that is over.
func (d *Deriver) remove(it *item) {
	d.order = slices.DeleteFunc(d.order, func(o *item) bool { return o == it })
	if d.items[it.id] == it {
		delete(d.items, it.id)
	}
	for _, p := range it.parts {
		d.bytes -= len(p)
	}
	d.told.add(it.id)
}

// seen is a set of ids that forgets the oldest.
type seen struct {
	in    map[string]bool
	queue []string
}

func (s *seen) has(id string) bool { return s.in[id] }

func (s *seen) add(id string) {
	if id == "" || s.in[id] {
		return
	}
	if s.in == nil {
		s.in = map[string]bool{}
	}
	if len(s.queue) == maxSeen {
		delete(s.in, s.queue[0])
		s.queue = slices.Delete(s.queue, 0, 1)
	}
	s.in[id] = true
	s.queue = append(s.queue, id)
}
