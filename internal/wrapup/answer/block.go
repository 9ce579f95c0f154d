package answer

import (
	"encoding/json"
	"strings"
)

// The bounds of what is searched in one answer.
const (
	maxBlocks = 64 // pieces of JSON
	maxStrict = 8  // of those, how many are tried as JSON without a fault
)

// document is an answer with the pieces of JSON in it.
type document struct {
	text   string // what was answered, without thoughts and what is no text
	cut    bool   // the model ran into its limit
	blocks []value
}

// open reads the blocks of an answer.
func open(answer string, cut bool) *document {
	d := &document{cut: cut}
	if len(answer) > MaxBytes {
		answer, d.cut = clip(answer, MaxBytes), true
	}
	d.text = strings.TrimPrefix(strings.ToValidUTF8(answer, ""), "\ufeff")
	d.text = strings.TrimSpace(d.text)
	if !json.Valid([]byte(d.text)) {
		d.text = answered(d.text)
	}
	if page(d.text) {
		d.text = ""
	}
	d.blocks = read(d.text)
	return d
}

// answered takes off what a model thought before it answered. Where it never stopped thinking, nothing is left.
func answered(s string) string {
	for _, tag := range []string{"think", "thinking", "reasoning"} {
		thoughts, rest, ended := strings.Cut(s, "</"+tag+">")
		begun := strings.HasPrefix(s, "<"+tag+">")
		if begun || ended && !strings.Contains(thoughts, "{") { // some servers take the opening tag off
			return strings.TrimSpace(rest)
		}
	}
	return s
}

// unescape reads the answer again without its escapes: it is JSON that was made a text once more.
func (d *document) unescape() {
	d.text = strings.Trim(unescape(d.text), `"`)
	d.blocks = read(d.text)
}

// page reports whether a text is a page of the web: what a proxy says when the model is away.
func page(s string) bool {
	low := strings.ToLower(clip(s, 32))
	return strings.HasPrefix(low, "<!doctype") || strings.HasPrefix(low, "<html") || strings.HasPrefix(low, "<?xml")
}

// read reads the blocks of a text.
func read(s string) []value {
	r := &reader{src: s, lax: map[opening]bool{}}
	var out []value
	for len(out) < maxBlocks {
		if !r.next() {
			break
		}
		r.valid = len(out) < maxStrict && stands(s[r.pos:])
		out = append(out, r.value(inList))
	}
	return out
}

// next moves to the next bracket that opens.
func (r *reader) next() bool {
	for !r.end() {
		if r.at("{[") {
			return true
		}
		_, size := r.mark(r.pos)
		r.pos += size
	}
	return false
}

// stands reports whether a text begins with JSON without a fault.
func stands(s string) bool {
	var raw json.RawMessage
	return json.NewDecoder(strings.NewReader(s)).Decode(&raw) == nil
}

// saysNone reports whether an answer without JSON says, in a few words, that there is nothing to remember.
func (d *document) saysNone() bool {
	low := strings.ToLower(strings.Trim(d.text, " \t\n\r.!\"'`"))
	if none(low) && low != "" && low != "null" && low != "nil" {
		return true
	}
	if len(d.text) > 300 {
		return false
	}
	low = strings.ReplaceAll(low, "’", "'")
	for _, s := range []string{
		"no memories", "nothing worth", "nothing to remember", "nothing to store", "nothing memorable", "not find any", "n't find any",
		"no memorable", "no information worth", "no relevant information", "no new information", "nothing relevant",
	} {
		if strings.Contains(low, s) {
			return true
		}
	}
	return false
}
