package answer

import (
	"strconv"
	"strings"
)

// bare reads a value without quotation marks: up to the end of the line, a bracket, a comment, or the next field.
func (r *reader) bare(at place) value {
	from := r.pos
	for !r.end() && !r.bareEnds(at) {
		_, size := r.mark(r.pos)
		r.pos += size
	}
	word := strings.TrimSpace(r.src[from:r.pos])
	v := value{kind: bare, text: word, whole: !r.end() || r.lists+r.objects == 0}
	low := strings.ToLower(word)
	switch {
	case strings.Trim(word, ".… ") == "": // nothing, or "..." for more of the kind
		return value{whole: v.whole}
	case at == inName:
		r.faults.add(Unquoted)
	case absent(low):
		v.text = ""
		r.spelled(word, "null")
	case low == "true" || low == "false":
		v.text = low
		r.spelled(word, low)
	case !number(word):
		r.faults.add(Unquoted)
	}
	return v
}

// bareEnds reports whether a value without quotation marks ends here.
func (r *reader) bareEnds(at place) bool {
	c, size := r.mark(r.pos)
	switch c {
	case '\n', '}', ']':
		return true
	case '{', '[':
		return at != inField
	case ':', '=':
		return at == inName || at == inList && c == ':'
	case ',':
		next := r.spaces(r.pos + size)
		m, n := r.mark(next)
		return at != inField || n == 0 || m == '}' || m == ']' || r.names(next)
	case '/':
		return r.pos > 0 && r.src[r.pos-1] == ' ' && r.pos+1 < len(r.src) && strings.IndexByte("/*", r.src[r.pos+1]) >= 0
	}
	_, ends := r.quote(r.pos)
	return ends != "" && (at == inName || c == '"') && r.names(r.pos)
}

// spelled notes a word of JSON that is spelled another way.
func (r *reader) spelled(word, right string) {
	if word != right {
		r.faults.add(Words)
	}
}

// absent reports whether a word without quotation marks says that there is no value.
func absent(low string) bool {
	switch low {
	case "null", "none", "nil", "undefined":
		return true
	}
	return false
}

// number reports whether a word is a number as JSON writes it, or nearly so.
func number(word string) bool {
	_, err := strconv.ParseFloat(word, 64)
	return err == nil && (word[0] == '-' || word[0] >= '0' && word[0] <= '9') && !strings.ContainsAny(word, "_xXpPiI")
}
