package answer

import "strings"

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
	case absent(low):
		v.text = ""
	case low == "true" || low == "false":
		v.text = low
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

// absent reports whether a word without quotation marks says that there is no value.
func absent(low string) bool {
	switch low {
	case "null", "none", "nil", "undefined":
		return true
	}
	return false
}
