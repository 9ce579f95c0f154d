package answer

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxDepth bounds how deep brackets may nest; what lies deeper is skipped.
const maxDepth = 32

// reader reads one piece of JSON after another as models write them. It goes forward only, with a bounded look ahead,
// so its time is linear in the length of the text.
type reader struct {
	src     string
	pos     int
	valid   bool // what stands here is JSON: its quotation marks need no guessing
	lists   int  // arrays that are open
	objects int  // objects that are open
	// lax holds the marks that, at a place, end no text as they should from here to the end: there the first one does.
	lax map[opening]bool
}

// opening is a quotation mark at a place.
type opening struct {
	mark rune
	at   place
}

// place is where a text stands; it says what may come after it.
type place int

// The places.
const (
	inList  place = iota // an element of an array, or alone
	inName               // the name of a field
	inField              // the value of a field
)

// mark returns the character at i as ASCII where it is a mark of JSON, wide forms included, and its length; 0 at the
// end.
func (r *reader) mark(i int) (c byte, size int) {
	if i >= len(r.src) {
		return 0, 0
	}
	if c = r.src[i]; c < utf8.RuneSelf {
		return c, 1
	}
	wide, size := utf8.DecodeRuneInString(r.src[i:])
	switch wide {
	case '：':
		return ':', size
	case '，', '、':
		return ',', size
	case '｛':
		return '{', size
	case '｝':
		return '}', size
	case '［', '【':
		return '[', size
	case '］', '】':
		return ']', size
	}
	return c, size
}

// take steps over the mark c if it stands here.
func (r *reader) take(c byte) bool {
	got, size := r.mark(r.pos)
	if got != c || size == 0 {
		return false
	}
	r.pos += size
	return true
}

func (r *reader) end() bool { return r.pos >= len(r.src) }

func (r *reader) at(marks string) bool {
	c, size := r.mark(r.pos)
	return size > 0 && c < utf8.RuneSelf && strings.IndexByte(marks, c) >= 0
}

// space steps over white space and comments.
func (r *reader) space() {
	for !r.end() {
		rest := r.src[r.pos:]
		c, size := utf8.DecodeRuneInString(rest)
		switch {
		case unicode.IsSpace(c), c == '\u200b', c == '\ufeff':
			r.pos += size
		case strings.HasPrefix(rest, "//"), c == '#':
			r.comment("\n")
		case strings.HasPrefix(rest, "/*"):
			r.comment("*/")
		default:
			return
		}
	}
}

func (r *reader) comment(end string) {
	if i := strings.Index(r.src[r.pos:], end); i >= 0 {
		r.pos += i + len(end)
		return
	}
	r.pos = len(r.src)
}

// value reads what stands here. It always moves on, unless it stands at a comma, a closing bracket or the end.
func (r *reader) value(at place) value {
	r.space()
	switch {
	case r.end():
		return value{}
	case r.at("{["):
		if r.lists+r.objects >= maxDepth {
			r.skip()
			return value{whole: true}
		}
		if r.take('{') {
			return r.object()
		}
		r.take('[')
		return r.array()
	}
	if open, ends := r.quote(r.pos); ends != "" {
		return r.quoted(open, ends, at)
	}
	return r.bare(at)
}

// skip steps over what is nested too deep.
func (r *reader) skip() {
	defer func() { r.pos = min(r.pos, len(r.src)) }()
	for open, quoted := 0, false; !r.end(); r.pos++ {
		c := r.src[r.pos]
		switch {
		case c == '\\':
			r.pos++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{', c == '[':
			open++
		case c == '}', c == ']':
			if open--; open == 0 {
				r.pos++
				return
			}
		}
	}
}

// array reads on after its bracket.
func (r *reader) array() value {
	v := value{kind: array}
	r.lists++
	defer func() { r.lists-- }()
	for {
		r.separators()
		switch {
		case r.end():
			return v
		case r.take(']'):
			v.whole = true
			return v
		case r.at("}"):
			if v.whole = r.objects > 0; v.whole { // the object around it ends; its own bracket was forgotten
				return v
			}
			r.take('}')
			continue
		}
		start := r.pos
		if e := r.value(inList); e.kind != nothing {
			v.list = append(v.list, e)
		}
		r.stuck(start)
	}
}

// object reads on after its bracket.
func (r *reader) object() value {
	v := value{kind: object}
	r.objects++
	defer func() { r.objects-- }()
	for {
		r.separators()
		switch {
		case r.end():
			return v
		case r.take('}'):
			v.whole = true
			return v
		case r.at("]"):
			if v.whole = r.lists > 0; v.whole {
				return v
			}
			r.take(']')
			continue
		case r.at("{["): // a value without a name
			v.fields = append(v.fields, field{value: r.value(inField)})
			continue
		}
		if f, ok := r.field(); ok {
			v.fields = append(v.fields, f)
		}
	}
}

// field reads a name and its value. False: there was no value.
func (r *reader) field() (field, bool) {
	start := r.pos
	name := r.value(inName)
	r.space()
	switch {
	case r.take(':'):
	case r.take('='):
		r.take('>')
	default:
		if r.end() {
			return field{}, false
		}
		open, _ := r.quote(r.pos)
		if open == 0 && !r.at("{[") {
			r.stuck(start)
			return field{}, false
		}
	}
	r.space()
	if r.at(",}]") {
		return field{name: name.text, value: value{whole: true}}, name.whole
	}
	return field{name: name.text, value: r.value(inField)}, name.whole
}

// stuck steps over a mark that has no place here, if the reader has not moved on since it stood at start.
func (r *reader) stuck(start int) {
	if r.pos == start && !r.end() {
		_, size := r.mark(r.pos)
		r.pos += size
	}
}

// separators steps over what stands between two elements.
func (r *reader) separators() {
	r.space()
	for r.at(",;:") {
		_, size := r.mark(r.pos)
		r.pos += size
		r.space()
	}
}
