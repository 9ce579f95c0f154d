package answer

import (
	"encoding/json"
	"maps"
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
	valid  bool   // it is JSON and nothing else
	blocks []value
	before faults // of the text, before it was read as JSON
	faults faults
}

// open reads the blocks of an answer.
func open(answer string, cut bool) *document {
	d := &document{cut: cut, faults: faults{}}
	if len(answer) > MaxBytes {
		answer, d.cut = clip(answer, MaxBytes), true
		d.faults.add(TooLong)
	}
	d.text = strings.TrimPrefix(strings.ToValidUTF8(answer, ""), "\ufeff")
	if d.text != answer {
		d.faults.add(Encoding)
	}
	d.text = strings.TrimSpace(d.text)
	if d.valid = json.Valid([]byte(d.text)); !d.valid {
		d.text = d.answered(d.text)
	}
	if page(d.text) {
		d.text = ""
	}
	d.before = maps.Clone(d.faults)
	d.blocks = d.read(d.text)
	return d
}

// answered takes off what a model thought before it answered. Where it never stopped thinking, nothing is left.
func (d *document) answered(s string) string {
	for _, tag := range []string{"think", "thinking", "reasoning"} {
		thoughts, rest, ended := strings.Cut(s, "</"+tag+">")
		begun := strings.HasPrefix(s, "<"+tag+">")
		if begun || ended && !strings.Contains(thoughts, "{") { // some servers take the opening tag off
			d.faults.add(Thoughts)
			return strings.TrimSpace(rest)
		}
	}
	return s
}

// unescape reads the answer again without its escapes: it is JSON that was made a text once more.
func (d *document) unescape() {
	d.faults = maps.Clone(d.before)
	d.faults.add(Encoding)
	d.text = strings.Trim(unescape(d.text), `"`)
	d.blocks = d.read(d.text)
}

// page reports whether a text is a page of the web: what a proxy says when the model is away.
func page(s string) bool {
	low := strings.ToLower(clip(s, 32))
	return strings.HasPrefix(low, "<!doctype") || strings.HasPrefix(low, "<html") || strings.HasPrefix(low, "<?xml")
}

// read reads the blocks of a text, and notes what is around them.
func (d *document) read(s string) []value {
	r := &reader{src: s, lax: map[opening]bool{}, faults: d.faults}
	var out []value
	for len(out) < maxBlocks {
		from := r.pos
		if !r.next() {
			break
		}
		d.around(s[from:r.pos])
		r.valid = len(out) < maxStrict && stands(s[r.pos:])
		out = append(out, r.value(inList))
	}
	if len(out) > 0 {
		d.around(s[r.pos:])
	}
	if len(out) > 1 {
		d.faults.add(Several)
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

// around notes what stands before, between and after blocks.
func (d *document) around(s string) {
	if strings.Contains(s, "```") {
		d.faults.add(Fence)
		s = strings.ReplaceAll(strings.ReplaceAll(s, "```json", ""), "```", "")
	}
	if strings.TrimSpace(s) != "" {
		d.faults.add(Prose)
	}
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
