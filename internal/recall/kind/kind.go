// Package kind is the table of the kinds of things that recall finds: what each is called, how it is ranked, and how a
// briefing tells it. Turns and memories have indexes of their own; every other kind is a kind of texts, and a row here,
// or one that is registered beside these (recall.Options.Kinds), is all that recall and briefing know of it.
//
// It is pure. It is not for where texts come from (recall.Kind), nor for how they are stored.
package kind

import (
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
)

// Kind is a row of the table.
type Kind struct {
	Name recaller.HitKind // on the wire

	// Weight is how much its words, and how alike they are to a query, count beside what a caller says in a turn; 0 is
	// the same as 1.
	Weight float32
	// Within says that a text of it belongs to its conversation as turns do: its words count among the conversation's,
	// and what the conversation has to do with a query lifts it. Other texts stand on their own, as memories do.
	Within bool
	// Words says that a caller's texts of it hold his words: what was forgotten is left out of them.
	Words bool
	// Named says that it is found only where a query names it.
	Named bool

	// Apart says that a briefing asks for it by itself, so that many texts of other kinds do not hide it, nor it them.
	Apart bool
	// Digest says that a text of it says in short what its conversation said: a briefing does not tell it beside words of
	// that conversation, and tells of it only what the history does not tell.
	Digest bool
	// Label is what a briefing writes before a text of it: "in short".
	Label string
	// House is what a briefing writes before the tenant's own texts of it, which it tells as the business's own words.
	// Empty: it tells them as it tells a caller's, as data.
	House string
}

// builtin are the kinds that are always there. The wire has had the word document from the beginning (spec B7): a
// query may name it, and finds none until documents are registered in place of the bare row.
var builtin = []Kind{
	{Name: recaller.HitTurn},
	{Name: recaller.HitMemory, Apart: true, Label: "noted"},
	Summary(),
	{Name: recaller.HitDocument},
}

// Summary returns the row of a conversation's summary, which comes with its conversation.
func Summary() Kind {
	return Kind{Name: recaller.HitSummary, Within: true, Words: true, Digest: true, Label: "in short"}
}

// Table is the kinds that a process knows. The zero value has the built-in kinds.
type Table struct{ more []Kind }

// NewTable returns the table of the built-in kinds and more. One that has the name of a built-in kind takes its place.
func NewTable(more ...Kind) Table { return Table{more} }

// rows returns all rows, the built-in ones first.
func (t Table) rows() []Kind {
	rows := slices.DeleteFunc(slices.Clone(builtin), func(b Kind) bool {
		return slices.ContainsFunc(t.more, func(k Kind) bool { return k.Name == b.Name })
	})
	return append(rows, t.more...)
}

// Of returns the row of a name; false if there is none.
func (t Table) Of(name recaller.HitKind) (Kind, bool) {
	for _, k := range t.rows() {
		if k.Name == name {
			return k, true
		}
	}
	return Kind{}, false
}

// String lists the names of all rows.
func (t Table) String() string {
	var b strings.Builder
	for i, k := range t.rows() {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(k.Name))
	}
	return b.String()
}

// Names returns the names of the rows for which is holds, the built-in ones first.
func (t Table) Names(is func(Kind) bool) []recaller.HitKind {
	var names []recaller.HitKind
	for _, k := range t.rows() {
		if is(k) {
			names = append(names, k.Name)
		}
	}
	return names
}
