package tag

import (
	"strings"
	"unicode"
)

// place is where in the structure of a text the reader is. It knows as much of Markdown as tells whether a bracket is
// the model's own word: code and quotations, and the lists in which an indented line is no code.
type place struct {
	seen   bool // some line had something
	list   bool // a list goes on
	inside bool // past the indentation and the marker of this line
	indent int  // in columns
	marked bool // this line is the item of a list
	blank  bool // the line before had nothing
	coded  bool // the lines before were indented code

	quoted bool // this line is of a block quote
	code   bool // this line is indented code
	first  bool // the next character is the line's first

	fence   rune // of the code block, 0 for none
	width   int  // how many of them opened it
	info    bool // on the line that opened it
	closing bool // on a line that closes it, if nothing follows

	run   run // of backticks or tildes, as far as it came
	ticks int // backticks that opened a span of code, 0 for none

	marks quotes
}

// run is a run of one character.
type run struct {
	of    rune
	n     int
	first bool // it began the line
}

// columns of indentation make a line code, if nothing goes on above it.
const columns = 4

// free reports that a bracket here is the model's own word.
func (p *place) free() bool { return !p.verbatim() && p.marks.free() }

// verbatim reports code and block quotes.
func (p *place) verbatim() bool { return p.fence != 0 || p.ticks > 0 || p.code || p.quoted }

// mayMark reports that a list's marker may stand here.
func (p *place) mayMark() bool { return !p.inside && p.fence == 0 && !p.indented() }

// indented reports that what begins here is indented code.
func (p *place) indented() bool {
	return p.indent >= columns && p.seen && !p.marked && !p.list && (p.blank || p.coded)
}

// item takes in a list's marker.
func (p *place) item() {
	p.list, p.marked, p.seen = true, true, true
	p.paragraph()
}

// paragraph ends what ends with a paragraph.
func (p *place) paragraph() {
	p.ticks = 0
	p.marks.end()
}

// begin takes in the first character of a line, and does nothing at others.
func (p *place) begin(c rune) {
	if p.inside {
		return
	}
	p.inside, p.first = true, true
	switch {
	case p.fence != 0:
	case p.indented():
		p.code = true
	case c == '>':
		p.quoted = true
		p.paragraph()
	case p.indent == 0 && !p.marked:
		p.list = false
	}
	p.seen = true
}

// meet takes in what the next character says of those before it.
func (p *place) meet(c rune) {
	if p.run.n > 0 && c != p.run.of {
		p.ran()
	}
	if p.closing && !unicode.IsSpace(c) {
		p.closing = false
	}
	p.marks.meet(c)
}

// see takes in a character that is no space.
func (p *place) see(c rune) {
	first := p.first
	p.first = false
	switch {
	case p.code || p.quoted:
	case (c == '`' || c == '~') && !p.marks.escaped:
		if p.run.n == 0 {
			p.run = run{of: c, first: first}
		}
		p.run.n++
	case p.fence == 0 && p.ticks == 0:
		p.marks.see(c)
		return
	}
	p.marks.pass(c)
}

// ran takes in a run of backticks or tildes that is over.
func (p *place) ran() {
	run := p.run
	p.run.n = 0
	switch {
	case p.info && run.of == '`' && p.fence == '`': // a span of code after all: a fence has no backtick behind it
		p.fence, p.info, p.ticks = 0, false, p.width
		p.tick(run.n)
	case p.info:
	case p.fence != 0:
		p.closing = run.first && run.of == p.fence && run.n >= p.width
	case run.first && run.n >= 3:
		p.paragraph()
		p.fence, p.width, p.info = run.of, run.n, true
	case run.of == '`':
		p.tick(run.n)
	}
}

// tick takes in backticks: as many as opened a span close it.
func (p *place) tick(n int) {
	switch p.ticks {
	case 0:
		p.ticks = n
	case n:
		p.ticks = 0
	}
}

// space takes in white space.
func (p *place) space(c rune) {
	p.marks.pass(c)
	switch {
	case c == '\n':
		p.newline()
	case c == '\t' && !p.inside:
		p.indent += columns
	case !p.inside:
		p.indent++
	}
}

// newline ends a line.
func (p *place) newline() {
	blank := !p.inside && !p.marked
	if p.closing {
		p.fence = 0
	}
	if blank && p.fence == 0 {
		p.paragraph()
	}
	p.coded = p.code || p.coded && blank
	p.blank = blank
	p.info, p.closing = false, false
	p.inside, p.indent, p.marked, p.quoted, p.code, p.first = false, 0, false, false, false, false
}

// took takes in that a tag was taken out: the text goes on as behind a space.
func (p *place) took() {
	p.first = false
	p.marks.pass(' ')
}

// marks reports that a character may be of a list's marker behind what came of it: a bullet, or up to two digits and
// a full stop or a bracket.
func marks(pending []byte, c rune) bool {
	digit := c >= '0' && c <= '9'
	switch {
	case len(pending) == 0:
		return digit || strings.ContainsRune("-*+•", c)
	case isMarker(pending):
		return false
	}
	return digit && len(pending) < 2 || c == '.' || c == ')'
}

// isMarker reports a whole marker.
func isMarker(pending []byte) bool {
	return len(pending) > 0 && (pending[len(pending)-1] < '0' || pending[len(pending)-1] > '9')
}
