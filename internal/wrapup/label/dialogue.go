package label

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/speech"
)

// The outcomes that are read from the shape of a dialogue.
const (
	Booked      = "booking-made"       // a time was settled, or moved
	Transferred = "transferred"        // the call ended by being handed on
	Callback    = "callback-requested" // somebody will call back, and nothing was booked
	Cancelled   = "cancelled"          // something was called off, and nothing booked in its stead
	Resolved    = "resolved"           // what was asked for was done, or what was told was taken up
	Answered    = "question-answered"  // the caller asked, and was told
)

// instead are the outcomes by which one is told where a tenant's packs do not have it.
var instead = map[string]string{
	Booked: Resolved, Transferred: Callback, Callback: Unresolved, Cancelled: Resolved, Resolved: Answered, Answered: Resolved,
}

// mark is what the words of a sentence do in a dialogue: bits, one a table of dialogue.json.
type mark uint32

const (
	day mark = 1 << iota
	offer
	wish
	booked
	item // what has a time and is no visit: a deadline, a delivery, opening hours
	callback
	ownCall // the agent himself calls, as one who keeps company does
	transfer
	cancelled
	callOff
	done
	refused
	gaveUp
	ask
	accept
	reject
	hold    // a time is kept for somebody, and not booked
	unready // the caller does not settle it yet
	want    // what is asked for, or rung about
	clock   // a time of day
)

// unlessDenied are the marks that a negation or a condition before them takes away.
const unlessDenied = offer | booked | callback | ownCall | transfer | cancelled | done | accept | unready

//go:embed dialogue.json
var dialogueTables []byte

var markNames = [...]string{
	"day", "offer", "wish", "booked", "item", "callback", "own-call", "transfer", "cancelled", "call-off", "done", "refused", "gave-up", "ask",
	"accept", "reject", "hold", "unready", "want",
}

// dialogues is the book of dialogue.json; a rule's place is the bit of its mark.
var dialogues = sync.OnceValue(func() book {
	return newBook(readTables(dialogueTables, markNames[:]))
})

// readTables makes rules of named tables, in the order of the names.
func readTables(raw []byte, names []string) []rule {
	var in map[string][]string
	_ = json.Unmarshal(raw, &in) // a test reads it
	rules := make([]rule, len(names))
	for i, name := range names {
		for _, phrase := range in[name] {
			if p, ok := newPattern(phrase); ok {
				rules[i].patterns = append(rules[i].patterns, p)
			}
		}
	}
	return rules
}

// line is one turn as a dialogue has it.
type line struct {
	turn   int // its number
	caller bool
	said   []sentence
	marks  mark    // of all sentences
	weight float64 // 1, but for what was cut off or hardly heard
}

type sentence struct {
	tokens []*token
	marks  mark
	asks   bool
}

func (s sentence) is(m mark) bool { return s.marks&m != 0 }
func (l line) is(m mark) bool     { return l.marks&m != 0 }

// lines reads a conversation as a dialogue.
func lines(turns []recaller.Turn) []line {
	var out []line
	known := stems{}
	for _, t := range turns {
		if !t.Speaker.Valid() {
			continue
		}
		l := line{turn: t.Number, caller: t.Speaker == recaller.User, weight: 1}
		if !t.Heard() {
			l.weight = 0.4
		}
		for _, s := range spoken(t.Text, l.caller) {
			read := readSentence(s, known)
			l.marks |= read.marks
			l.said = append(l.said, read)
		}
		if len(l.said) > 0 {
			out = append(out, l)
		}
	}
	return out
}

// rambling is how many words of a caller's may still be talk. More are pasted.
const rambling = 150

// spoken returns the sentences of a turn that are read as talk: of an essay of the agent's the last, which the caller
// answers; of what the caller pasted the first, which says what he wants. In the rest nobody books or complains.
func spoken(text string, caller bool) []speech.Sentence {
	all := speech.Sentences(text)
	words := len(strings.Fields(text))
	switch {
	case caller && words > rambling && len(all) > 0:
		return all[:1]
	case !caller && words > speech.Aloud && len(all) > 0:
		return all[len(all)-1:]
	}
	return all
}

func readSentence(s speech.Sentence, known stems) sentence {
	out := sentence{tokens: known.tokenise(s.Text), asks: s.Question}
	condition := slices.IndexFunc(out.tokens, func(t *token) bool { return conditions[t.low] })
	if condition < 0 {
		condition = len(out.tokens)
	}
	for _, h := range dialogues().all(out.tokens) {
		out.marks |= heed(mark(1)<<h.rule, out.tokens, h, h.at > condition)
	}
	if clocked(out.tokens) {
		out.marks |= clock
	}
	if out.asks {
		out.marks |= ask
	}
	return out
}

// heed returns what a phrase means where it stands: after a negation or a condition nothing, or its contrary.
func heed(m mark, ts []*token, h hit, conditional bool) mark {
	switch {
	case m == booked && h.end == h.at+1 && !isDone(ts, h.at):
		return 0
	case m == day && h.at > 0 && deadlines[ts[h.at-1].low]:
		return item
	case m&unlessDenied == 0:
		return m
	case negated(ts, h) != plain || conditional:
		return 0
	}
	return m
}

// deadlines before a day make it no time to come.
var deadlines = speech.Set("by until till since last every bis seit hasta desde")

// isDone reports whether the word at i says that something is booked: "booked", but not "books", nor "you booked"
// before the call.
func isDone(ts []*token, i int) bool {
	return !bookings[ts[i].stem] || strings.HasSuffix(ts[i].low, "ed") && (i == 0 || !subjects[ts[i-1].low])
}

// bookings are the stems that say as much of what is wished, or is there to be read.
var bookings = speech.Set("book reserv schedul")

var (
	subjects    = speech.Set("i you we they he she")
	conditions  = speech.Set("if unless wenn falls si wouldn't")
	beforeHours = speech.Set("at by around before after past half quarter to um las la halb nach make or it from the")
	afterHours  = speech.Set("o'clock uhr am pm a p thirty fifteen forty twenty ten fifty or")
)

// clocked reports whether the words name a time of day: "at nine", "half twelve", "one twenty", "14:30", or a day by
// its number.
func clocked(ts []*token) bool {
	for i, t := range ts {
		number := speech.IsNumber(t.low)
		switch {
		case number && len(ts) <= 3,
			number && i > 0 && beforeHours[ts[i-1].low],
			number && i+1 < len(ts) && afterHours[ts[i+1].low],
			strings.HasSuffix(t.low, "pm") && len(t.low) < 5 && t.low[0] <= '9':
			return true
		}
	}
	return false
}

func (s sentence) has(word string) bool {
	return slices.ContainsFunc(s.tokens, func(t *token) bool { return t.low == word })
}
