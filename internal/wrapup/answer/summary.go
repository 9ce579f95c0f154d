package answer

import (
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
)

// The bounds of a summary, in characters and lines.
const (
	MaxBrief = 300 // of the brief, and of what the next conversation should know
	MaxLine  = 200
	MaxLines = 8 // of one section
)

// section is a part of a summary.
type section int

// The sections.
const (
	brief section = iota
	topics
	decisions
	actions
	facts
	next
	sections
)

// sectionNames are the names that models give the sections, V5's among them, as plainName brings them.
var sectionNames = [sections]string{
	brief:     "brief summary overview oneliner tldr abstract synopsis shortsummary briefsummary callsummary conversationsummary",
	topics:    "topics topicsdiscussed topic maintopics keytopics subjects themes discussed",
	decisions: "decisions keydecisions decision decisionsmade conclusions",
	actions:   "actions actionitems action tasks todo todos followups actionpoints nextsteps",
	facts:     "facts importantfacts keyfacts fact importantdetails keydetails keypoints",
	next:      "next contextfornextcall nextcall contextfornextconversation contextfornext context handover",
}

// sectionOf returns the section that a name is of.
func sectionOf(name string) (section, bool) {
	name = plainName(name)
	for s, all := range sectionNames {
		for n := range strings.FieldsSeq(all) {
			if n == name {
				return section(s), true
			}
		}
	}
	return 0, false
}

// Summary reads an answer to the summary: JSON with the fields that were asked for or V5's section names, else V5's
// layout with headings. Lines are cleaned, held to their bounds and said once; By is left to the caller. Invalid: there
// is no brief, or only one that was cut off in its first sentence.
func Summary(text string, cut bool) (recaller.Summary, error) {
	s := open(text, cut).writeUp().summary()
	if s.Brief == "" {
		return recaller.Summary{}, recaller.Errorf(recaller.Invalid, "no summary could be read in the model's answer")
	}
	return s, nil
}

// writeUp is a summary as it was read: lines by section.
type writeUp [sections][]string

// writeUp reads the block that has the most sections, the last of equals; without one, the headings.
func (d *document) writeUp() *writeUp {
	best, most := (*writeUp)(nil), 0
	for _, v := range d.blocks {
		if o, n := sectioned(v, 0); n > 0 && n >= most {
			best, most = &writeUp{}, n
			best.object(o)
		}
	}
	if best == nil && strings.Contains(d.text, `\"`) {
		d.unescape()
		return d.writeUp()
	}
	if best == nil {
		best = &writeUp{}
		best.markdown(d.text, d.cut)
	}
	return best
}

// sectioned returns the object with the most sections in a value, and how many it has.
func sectioned(v value, depth int) (best value, most int) {
	if v.kind == object {
		if n := countSections(v); n > 0 {
			best, most = v, n
		}
	}
	if depth == 3 {
		return best, most
	}
	inner := slices.Clone(v.list)
	for _, f := range v.fields {
		inner = append(inner, f.value)
	}
	for _, e := range inner {
		if o, n := sectioned(e, depth+1); n > most {
			best, most = o, n
		}
	}
	return best, most
}

// countSections counts the sections of an object that are what they should be: text or a list of it.
func countSections(v value) int {
	var has [sections]bool
	for _, f := range v.fields {
		s, ok := sectionOf(f.name)
		if ok && f.value.kind != object && (s != next || plainName(f.name) != "context" || has[brief]) {
			has[s] = true
		}
	}
	n := 0
	for _, h := range has {
		if h {
			n++
		}
	}
	return n
}

// object reads the sections of an object. Of one that is there twice the last holds.
func (w *writeUp) object(v value) {
	for _, f := range v.fields {
		if s, ok := sectionOf(f.name); ok && f.value.kind != object {
			w[s] = s.lines(f.value)
		}
	}
}

// lines reads those of a section; what broke off is left out.
func (s section) lines(v value) []string {
	switch v.kind {
	case array:
		var out []string
		for _, e := range v.list {
			out = append(out, s.lines(e)...)
		}
		return out
	case object:
		return []string{itemText(v)}
	case text, bare:
		if v.whole {
			return strings.Split(v.text, "\n")
		}
		if s == brief {
			if i := sentenceEnd(v.text); i > 0 {
				return []string{v.text[:i]}
			}
		}
	}
	return nil
}

// itemText is the text of a line that was answered as an object: its first text, with the others behind it.
func itemText(v value) string {
	var out []string
	for _, f := range v.fields {
		if f.value.scalar() && !none(f.value.text) {
			out = append(out, flat(f.value))
		}
	}
	return strings.Join(out, ", ")
}
