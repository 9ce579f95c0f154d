package answer

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// The bounds of the look ahead behind a quotation mark, in bytes.
const (
	maxSpaces = 256
	maxName   = 80
)

// endings are the marks that end a quotation, by the one that opens it. Languages differ, and models mix.
var endings = map[rune]string{
	'"': `"`, '“': `”“‟"`, '”': `”“‟"`, '„': `”“‟"`, '‟': `”“‟"`, '＂': `＂"`, '〝': `〞〟`, '「': `」`, '『': `』`,
	'\'': `'`, '‘': `’‘'`, '’': `’‘'`, '‚': `’‘'`, '‛': `’‘'`, '＇': `＇'`, '`': "`", '«': `»`, '»': `«»`, '‹': `›`,
	'›': `‹›`,
}

// quote returns the quotation mark at i and what ends it; "" where there is none.
func (r *reader) quote(i int) (open rune, ends string) {
	if i >= len(r.src) {
		return 0, ""
	}
	open, _ = utf8.DecodeRuneInString(r.src[i:])
	if ends = endings[open]; ends == "" {
		return 0, ""
	}
	return open, ends
}

// quoted reads a text between quotation marks. Models forget to escape the marks inside, so one ends the text only if
// what follows is what may follow there; if no mark does, the first one is taken.
func (r *reader) quoted(open rune, ends string, at place) value {
	from := r.pos + utf8.RuneLen(open)
	first, here := -1, opening{open, at}
	for i := from; i < len(r.src); {
		c, size := utf8.DecodeRuneInString(r.src[i:])
		if c == '\\' {
			_, next := utf8.DecodeRuneInString(r.src[i+1:])
			i += size + next
			continue
		}
		if strings.ContainsRune(ends, c) {
			if r.valid || r.lax[here] || r.follows(i+size, at) {
				return r.quotation(from, i, i+size)
			}
			if first < 0 {
				first = i
			}
		}
		i += size
	}
	if first < 0 {
		v := value{kind: text, text: unescape(r.src[from:])}
		r.pos = len(r.src)
		return v
	}
	r.lax[here] = true
	_, size := utf8.DecodeRuneInString(r.src[first:])
	return r.quotation(from, first, first+size)
}

func (r *reader) quotation(from, to, next int) value {
	r.pos = next
	return value{kind: text, text: unescape(r.src[from:to]), whole: true}
}

// follows reports whether what stands from i on may follow a text at the place.
func (r *reader) follows(i int, at place) bool {
	i = r.spaces(i)
	c, size := r.mark(i)
	if size == 0 {
		return true
	}
	switch at {
	case inName:
		return c == ':' || c == '='
	case inList:
		return c == ']' || c == '}' || c == ',' && r.begins(r.spaces(i+size))
	}
	switch c {
	case '}', ']', '/', '#':
		return true
	case ',', ';':
		i = r.spaces(i + size)
		c, size = r.mark(i)
		return size == 0 || strings.IndexByte("}]/#", c) >= 0 || r.names(i)
	}
	_, ends := r.quote(i)
	return ends != "" && r.names(i)
}

// begins reports whether a value, or the end, stands at i.
func (r *reader) begins(i int) bool {
	c, size := r.mark(i)
	if size == 0 || strings.IndexByte("{[]}-/#", c) >= 0 || c >= '0' && c <= '9' {
		return true
	}
	_, ends := r.quote(i)
	return ends != ""
}

// names reports whether the name of a field and a colon stand at i; where the text breaks off in a name, that is one
// too.
func (r *reader) names(i int) bool {
	stop := min(len(r.src), i+maxName)
	if open, ends := r.quote(i); ends != "" {
		for i += utf8.RuneLen(open); i < stop; {
			c, size := utf8.DecodeRuneInString(r.src[i:])
			if i += size; strings.ContainsRune(ends, c) {
				i = r.spaces(i)
				c, size := r.mark(i)
				return size == 0 || c == ':' || c == '='
			}
		}
		return i >= len(r.src)
	}
	for i < stop {
		c, size := utf8.DecodeRuneInString(r.src[i:])
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '_' && c != '-' {
			break
		}
		i += size
	}
	i = r.spaces(i)
	c, size := r.mark(i)
	return size == 0 || c == ':' || c == '='
}

// spaces returns where the white space at i ends.
func (r *reader) spaces(i int) int {
	for stop := min(len(r.src), i+maxSpaces); i < stop; {
		c, size := utf8.DecodeRuneInString(r.src[i:])
		if !unicode.IsSpace(c) {
			break
		}
		i += size
	}
	return i
}

// unescape resolves the escapes of a text; what is none stays as it is without its backslash.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for len(s) > 0 {
		i := strings.IndexByte(s, '\\')
		if i < 0 || i+1 == len(s) {
			b.WriteString(strings.TrimSuffix(s, `\`))
			break
		}
		b.WriteString(s[:i])
		c := s[i+1]
		s = s[i+2:]
		switch c {
		case 'n':
			b.WriteByte('\n')
		case 'r', 't', 'b', 'f':
			b.WriteByte(' ')
		case 'u':
			code, rest := unicodeEscape(s)
			b.WriteRune(code)
			s = rest
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// unicodeEscape reads what follows a \u: four hexadecimal digits, or a pair of surrogates.
func unicodeEscape(s string) (rune, string) {
	code, rest, ok := hex4(s)
	if !ok {
		return utf8.RuneError, s
	}
	if utf16.IsSurrogate(code) && strings.HasPrefix(rest, `\u`) {
		if low, after, ok := hex4(rest[2:]); ok {
			return utf16.DecodeRune(code, low), after
		}
	}
	if utf16.IsSurrogate(code) {
		code = utf8.RuneError
	}
	return code, rest
}

func hex4(s string) (rune, string, bool) {
	if len(s) < 4 {
		return 0, s, false
	}
	n, err := strconv.ParseUint(s[:4], 16, 16)
	return rune(n), s[min(4, len(s)):], err == nil
}
