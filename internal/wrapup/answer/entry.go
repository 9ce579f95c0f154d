package answer

import (
	"strings"

	"github.com/recallerhq/recaller"
)

// part is one of the fields that were asked for.
type part int

// The parts of an entry.
const (
	typeField part = iota
	keyField
	valueField
	confidenceField
	turnsField
	dueField
	parts
)

// partNames are the names that models give the parts, as plainName brings them. Of several fields for one part the name
// that stands first here counts.
var partNames = [parts]string{
	typeField:       "type memorytype category kind class",
	keyField:        "key memorykey name id identifier label title topic attribute",
	valueField:      "value memoryvalue content text memory fact description details detail information statement",
	confidenceField: "confidence confidencescore score certainty probability conf",
	turnsField:      "turns turn turnids turnnumbers sourceturns sources source evidence provenance",
	dueField:        "due dueat duedate duetime date when time deadline",
}

// partOf returns the part that a field is, and how near its name is to the one that was asked for; low is near.
func partOf(name string) (p part, rank int, ok bool) {
	name = plainName(name)
	if name == "" {
		return 0, 0, false
	}
	for p, all := range partNames {
		rank = 0
		for n := range strings.FieldsSeq(all) {
			if n == name {
				return part(p), rank, true
			}
			rank++
		}
	}
	return 0, 0, false
}

// entryLike reports whether an object is an entry: it has a value, and a key or a type.
func entryLike(v value) bool {
	var has [parts]bool
	for _, f := range v.fields {
		p, rank, ok := partOf(f.name)
		if ok && (p != valueField || rank == 0 || f.value.scalar()) {
			has[p] = true
		}
		if ok && p == valueField && rank > 0 && bracketed(f.value.text) { // JSON in a text
			return false
		}
	}
	return has[valueField] && (has[keyField] || has[typeField])
}

// entryFields returns the parts of an entry. Where one is there twice under its name, the last holds.
func entryFields(v value) [parts]value {
	var out [parts]value
	rank := [parts]int{}
	for _, f := range v.fields {
		p, near, ok := partOf(f.name)
		if !ok || out[p].kind != nothing && near > rank[p] {
			continue
		}
		out[p], rank[p] = f.value, near
	}
	return out
}

// memory brings an entry into form. False: it has no type, key or value that can be read.
func memory(v value, around string) (Memory, bool) {
	e := entryFields(v)
	kind, known := entryKind(e[typeField], around)
	m := Memory{
		Type: kind, Key: snake(e[keyField].text), Value: entryText(e[valueField]), Confidence: confidence(e[confidenceField]),
		Turns: turns(e[turnsField]), Due: due(e[dueField]),
	}
	return m, known && m.Key != "" && m.Value != ""
}

// entryKind reads the type of an entry. Where it has none, what stands around it says it; else it is a fact, as W2 has
// it.
func entryKind(v value, around string) (recaller.MemoryType, bool) {
	word := v.text
	if v.kind == array && len(v.list) > 0 {
		word = v.list[0].text
	}
	if t := recaller.MemoryType(word); t.Valid() {
		return t, true
	}
	if strings.TrimSpace(word) == "" {
		word = around
	}
	if word == "" {
		return recaller.Fact, true
	}
	return memoryType(word)
}

// entryText reads a value: one line of at most MaxValue characters. Lists and objects become one, as far as they are
// flat.
func entryText(v value) string {
	s := shorten(line(flat(v)), MaxValue)
	if missing(s) {
		return ""
	}
	return s
}

// due reads when a follow-up comes due. It is a text, or there is none.
func due(v value) string {
	if v.kind == nothing || v.kind == bare && v.text == "" {
		return ""
	}
	s := shorten(line(flat(v)), MaxDue)
	if missing(s) || none(s) {
		return ""
	}
	return s
}
