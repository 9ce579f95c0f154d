package briefing

import (
	"bytes"
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
)

// compactBelow is the token budget under which headings and longer sentences are left out, unless everything fits.
const compactBelow = 300

// blank is the cost of the blank line between two sections.
const blank = 1

// draft collects what a briefing could say, in the order of the text, as sections made of units. A unit is one item,
// kept or left out whole. Its rank says how early it is taken if the budget is short. All text lies in one buffer.
type draft struct {
	buf      []byte
	units    []unit
	sections []section
	known    map[string]cost
	compact  bool
	capitals bool // headings are written as in P3: "HEADING:"
}

func newDraft(compact, capitals bool) *draft {
	return &draft{
		buf: make([]byte, 0, 8<<10), units: make([]unit, 0, 96), sections: make([]section, 0, 16),
		known: knownWords(), compact: compact, capitals: capitals,
	}
}

// span is a piece of the buffer.
type span struct{ from, to int }

type unit struct {
	span
	section int
	group   span // the line above the first kept unit of its group; empty: none
	rank    int  // low is taken first
	tokens  int
	data    int // where in the buffer the text that may be shortened begins; 0: never shortened
	tail    int // how many bytes at the end stay when it is
	kept    bool
}

type section struct {
	name   string
	head   span // heading and lead, in our own words
	fenced bool
	tokens int // of head and fence, with the blank line before it
	taken  int // of all that is kept
	opened bool
	cut    bool
}

// section begins a section. What lead writes stands before the fence.
func (d *draft) section(name, heading string, fenced bool, lead func()) {
	from := len(d.buf)
	switch {
	case d.compact || heading == "":
	case d.capitals:
		d.line(strings.ToUpper(heading) + ":")
	default:
		d.line("## " + heading)
	}
	if lead != nil {
		lead()
	}
	s := section{
		name: name, head: span{from, len(d.buf)}, fenced: fenced, tokens: d.count(span{from, len(d.buf)}) + blank,
	}
	if fenced {
		s.tokens += Tokens(fenceOpen + fenceClose)
	}
	d.sections = append(d.sections, s)
}

// unit adds an item to the last section. write must end it with a line break. An item whose data cleans to nothing is
// left out.
func (d *draft) unit(rank int, write func(u *unit)) { d.grouped(rank, span{}, write) }

func (d *draft) grouped(rank int, group span, write func(u *unit)) {
	i := len(d.units)
	d.units = append(d.units, unit{span: span{from: len(d.buf)}, section: len(d.sections) - 1, group: group, rank: rank})
	u := &d.units[i]
	write(u)
	u.to = len(d.buf)
	if u.data > 0 && u.data == u.to-u.tail { // nothing was left of its words
		d.buf, d.units = d.buf[:u.from], d.units[:i]
		return
	}
	u.tokens = d.count(u.span)
}

// group writes the line that stands above the units of a group.
func (d *draft) group(title string) span {
	from := len(d.buf)
	d.line(title)
	return span{from, len(d.buf)}
}

// field adds one unit that reads "- Label: value", of caller data.
func (d *draft) field(rank int, label, value string, limit int) {
	d.unit(rank, func(u *unit) {
		d.str("- ")
		d.str(label)
		d.str(": ")
		d.elastic(u, value, limit)
		d.str("\n")
	})
}

// elastic appends data that may be shortened further, so that the first unit of a section fits.
func (d *draft) elastic(u *unit, value string, limit int) {
	u.data = len(d.buf)
	d.data(value, limit)
	u.tail = 1
}

func (d *draft) str(s string)             { d.buf = append(d.buf, s...) }
func (d *draft) line(s string)            { d.buf = append(append(d.buf, s...), '\n') }
func (d *draft) data(s string, limit int) { d.buf = appendData(d.buf, s, limit) }
func (d *draft) own(s string)             { d.buf = appendOwn(d.buf, s, maxProfile) }
func (d *draft) text(s span) []byte       { return d.buf[s.from:s.to] }
func (d *draft) count(s span) int         { return tokens(d.text(s), d.known) }

// promote lowers all ranks of a section to rank at most.
func (d *draft) promote(name string, rank int) {
	for i := range d.units {
		if u := &d.units[i]; d.sections[u.section].name == name {
			u.rank = min(u.rank, rank)
		}
	}
}

// hold limits sections together to room tokens until all else is told. Their further units rank after all others.
func (d *draft) hold(room int, names ...string) {
	var own []*unit
	last := -1
	for i := range d.units {
		at := d.units[i].section
		if s := d.sections[at]; slices.Contains(names, s.name) {
			own = append(own, &d.units[i])
			if at != last {
				room, last = room-s.tokens, at
			}
		}
	}
	slices.SortStableFunc(own, func(a, b *unit) int { return a.rank - b.rank })
	for _, u := range own {
		if room -= u.tokens; room < 0 {
			u.rank += rankSpare
		}
	}
}

// choose keeps units in the order of their ranks while they fit. Once a unit does not fit, its section takes no more,
// so what a section leaves out always ranks last in it.
func (d *draft) choose(budget int) {
	order := make([]int, len(d.units))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return d.units[a].rank - d.units[b].rank })
	groups := make(map[span]bool, len(recaller.MemoryTypes()))
	for _, i := range order {
		u := &d.units[i]
		s := &d.sections[u.section]
		if s.cut {
			continue
		}
		extra := 0
		if !s.opened {
			extra = s.tokens
		}
		if u.group != (span{}) && !groups[u.group] {
			extra += d.count(u.group)
		}
		if extra+u.tokens > budget && (s.opened || !d.squeeze(u, budget-extra)) {
			s.cut = true
			continue
		}
		if u.group != (span{}) {
			groups[u.group] = true
		}
		budget -= extra + u.tokens
		s.taken += extra + u.tokens
		s.opened, u.kept = true, true
	}
}

// squeeze shortens a unit at the end of a word to at most room tokens. It returns false if not even three words fit.
func (d *draft) squeeze(u *unit, room int) bool {
	if u.data == 0 {
		return false
	}
	from := len(d.buf)
	label, value := d.text(span{u.from, u.data}), d.text(span{u.data, u.to - u.tail})
	tail := d.text(span{u.to - u.tail, u.to})
	for end, words := len(value), bytes.Count(value, []byte(" ")); words >= 3; words-- {
		end = bytes.LastIndexByte(value[:end], ' ')
		d.buf = append(append(append(append(d.buf[:from], label...), value[:end]...), "…"...), tail...)
		if n := d.count(span{from, len(d.buf)}); n <= room {
			u.span, u.tokens = span{from, len(d.buf)}, n
			s := &d.sections[u.section]
			s.cut = true
			return true
		}
	}
	return false
}

// cut reports whether anything was left out.
func (d *draft) cut() bool {
	return slices.ContainsFunc(d.sections, func(s section) bool { return s.cut })
}

// render joins the kept units. Parts are pieces of the one text.
func (d *draft) render() recaller.Briefing {
	out := make([]byte, 0, len(d.buf)+len(d.sections)*(len(fenceOpen)+len(fenceClose)+2))
	bounds := make([]span, len(d.sections))
	next := 0
	for i, s := range d.sections {
		first := next
		for next < len(d.units) && d.units[next].section == i {
			next++
		}
		if !s.opened {
			bounds[i] = span{len(out), len(out)}
			continue
		}
		if len(out) > 0 {
			out = append(out, '\n')
		}
		from := len(out)
		out = d.appendSection(out, s, d.units[first:next])
		bounds[i] = span{from, len(out)}
	}
	b := recaller.Briefing{Text: string(out), Parts: make([]recaller.BriefingPart, 0, len(d.sections))}
	for i, s := range d.sections {
		if !s.opened && !s.cut {
			continue
		}
		part := recaller.BriefingPart{Name: s.name, Text: b.Text[bounds[i].from:bounds[i].to], Cut: s.cut}
		if s.opened {
			part.Tokens = s.taken - blank
			b.Tokens += s.taken
		}
		b.Parts = append(b.Parts, part)
	}
	b.Tokens = max(0, b.Tokens-blank)
	return b
}

func (d *draft) appendSection(out []byte, s section, units []unit) []byte {
	out = append(out, d.text(s.head)...)
	if s.fenced {
		out = append(out, fenceOpen...)
	}
	var group span
	for _, u := range units {
		if !u.kept {
			continue
		}
		if u.group != group {
			group = u.group
			out = append(out, d.text(group)...)
		}
		out = append(out, d.text(u.span)...)
	}
	if s.fenced {
		out = append(out, fenceClose...)
	}
	return out
}
