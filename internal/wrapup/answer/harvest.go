package answer

import (
	"slices"
	"strings"
)

// maxNested bounds how often JSON is looked for inside the texts of JSON.
const maxNested = 2

// batch is what one block of an answer holds.
type batch struct {
	list     []Memory
	at       map[string]int // where in list a key is
	lost     int
	answered bool // it has the form of an answer, be it an empty one
	cut      bool
	nested   int
}

func (d *document) batch() *batch {
	return &batch{at: map[string]int{}, cut: d.cut}
}

// best returns the block that holds the most, the last of equals, and the others that are answers too. Entries that
// stand by themselves, one after another, are one block.
func (d *document) best() (best *batch, others []*batch) {
	best = d.batch()
	lines := d.batch()
	var all []*batch
	for _, v := range d.blocks {
		if v.kind == object && entryLike(v) {
			if !lines.answered {
				all = append(all, lines)
			}
			lines.entry(v, "")
			continue
		}
		b := d.batch()
		b.top(v)
		if b.answered {
			all = append(all, b)
		}
	}
	if len(all) == 0 && strings.Contains(d.text, `\"`) { // JSON that was made a text once more
		d.unescape()
		return d.best()
	}
	for _, b := range all {
		if !best.answered || len(b.list) >= len(best.list) {
			best = b
		}
	}
	return best, slices.DeleteFunc(all, func(b *batch) bool { return b == best })
}

// lacks counts the entries of another block whose keys are not in this one.
func (b *batch) lacks(other *batch) int {
	n := 0
	for key := range other.at {
		if _, ok := b.at[key]; !ok {
			n++
		}
	}
	return n
}

// top takes a whole block.
func (b *batch) top(v value) {
	switch {
	case v.kind == object && len(v.fields) == 0: // says nothing, not that there is nothing
	case v.kind == array && len(v.list) == 0:
		b.answered = v.whole
	case v.kind == object && len(v.fields) == 1 && v.fields[0].name == "memories" && v.fields[0].value.kind == array:
		b.answered = v.fields[0].value.whole
		b.take(v.fields[0].value, "")
	default:
		b.take(v, "")
	}
}

// take finds the entries in a value. kind is the type that what stands around it gives them: {"preference": [ … ]}.
func (b *batch) take(v value, kind string) {
	switch v.kind {
	case array:
		for _, e := range v.list {
			b.element(e, kind)
		}
	case object:
		if entryLike(v) {
			b.entry(v, kind)
			return
		}
		b.parts(v, kind)
	}
}

// element takes what stands in a list: an entry, or something that is lost.
func (b *batch) element(e value, kind string) {
	switch {
	case e.kind == object && entryLike(e):
		b.entry(e, kind)
	case e.kind == array, e.kind == object && holds(e):
		b.take(e, kind)
	case e.kind == object && len(e.fields) > 0, e.kind == text && !none(e.text):
		b.lost++
	}
}

// parts looks into the fields of an object that is no entry.
func (b *batch) parts(v value, kind string) {
	for _, f := range v.fields {
		name := plainName(f.name)
		switch {
		case wrapper(name) && f.value.empty() && f.value.whole:
			b.answered = true
		case name == "memories" && f.value.kind == object && !holds(f.value) && !entryLike(f.value):
			b.pairs(f.value)
		case f.value.kind == array || f.value.kind == object:
			b.take(f.value, inherited(name, kind))
		case f.value.kind == text && b.nested < maxNested && bracketed(f.value.text):
			b.inside(f.value.text, kind)
		}
	}
}

// inherited returns the type that a field's name gives to what is in it.
func inherited(name, kind string) string {
	if _, ok := memoryType(name); ok && !wrapper(name) {
		return name
	}
	return kind
}

// pairs takes {"dog": "Max", "home_town": "Madison"} for facts.
func (b *batch) pairs(v value) {
	for _, f := range v.fields {
		b.entry(value{kind: object, whole: f.value.whole, fields: []field{
			{"key", value{kind: text, text: f.name, whole: true}}, {"value", f.value},
		}}, "")
	}
}

// inside reads JSON that stands in a text of JSON, as arguments of a function call do.
func (b *batch) inside(s, kind string) {
	b.nested++
	r := &reader{src: strings.TrimSpace(s), lax: map[opening]bool{}}
	b.take(r.value(inList), kind)
	b.nested--
}

// wrapper reports whether the name of a field says that the entries are in it.
func wrapper(name string) bool {
	switch name {
	case "memories", "memory", "result", "results", "data", "items", "entries", "list", "output", "answer", "response", "extracted", "extractedmemories":
		return true
	}
	return false
}

// holds reports whether an object has lists or objects in it.
func holds(v value) bool {
	return slices.ContainsFunc(v.fields, func(f field) bool {
		return len(f.value.list) > 0 && f.value.list[0].kind == object || f.value.kind == object
	})
}

// entry keeps one entry, or counts it as lost.
func (b *batch) entry(v value, kind string) {
	b.answered = true
	m, ok := memory(v, kind)
	if !ok || !v.whole && (b.cut || !v.readable()) {
		b.lost++
		return
	}
	if i, ok := b.at[m.Key]; ok {
		b.list[i] = m
		return
	}
	if len(b.list) == MaxEntries {
		b.lost++
		return
	}
	b.at[m.Key] = len(b.list)
	b.list = append(b.list, m)
}
