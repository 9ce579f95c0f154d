// Package unfinished reads from the words of a conversation what a caller left unfinished in it: the state of his matter,
// as an agent would have saved it (H1), for agents that save none. It tells what he wanted, in quotations, and what was
// collected for it: an address, what is wrong, his name, a day, numbers to call and of orders. Each value stands in a
// turn of his that was well heard, an address in several if he said it in pieces, or is a time that he agreed to (B10,
// B16); what he took back is taken back.
//
// It is careful. Unfinished is a matter that was told and not settled in a conversation that broke off, or that ended
// without a goodbye after something was collected or asked, or in which the caller says that he will come back to it.
// Small talk, a question that was answered, a wrong number and a call that rang to remind leave nothing.
//
// It is pure, and not for who may save over what (memory/decide), nor for what was forgotten, which its callers take out
// of the words before (forgotten).
package unfinished

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/agreement"
	"github.com/recallerhq/recaller/internal/speech"
	"github.com/recallerhq/recaller/internal/wrapup/label"
	"github.com/recallerhq/recaller/internal/wrapup/name"
	"github.com/recallerhq/recaller/internal/wrapup/quote"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
	"github.com/recallerhq/recaller/internal/wrapup/summary"
)

// Options are what is known of a conversation beside its words.
type Options struct {
	Broke    bool         // it broke off, or nobody has ended it
	Reminder bool         // it rang to remind
	Outbound bool         // the agent called
	Packs    []label.Pack // that name its intent; without any it has none
	// Before is what stands unfinished from an earlier conversation; nil: nothing does. Where the caller comes back to
	// it, what was collected then is taken over.
	Before *recaller.Checkpoint
}

// Left is what a conversation leaves.
type Left struct {
	Unfinished bool
	Settles    bool // the matter of Before is finished, or not wanted any more
	Continues  bool // it is the matter of Before

	// Of what is unfinished:

	Intent  string // a label; may be empty
	Summary string // quotations
	Staging []byte // a JSON object
	At      time.Time

	facts found // by the numbers of their turns
}

// The keys of what was collected.
const (
	keyAddress  = "address"
	keyIssue    = "issue"
	keyName     = "name"
	keyDate     = "date"
	keyCallback = "callback_number"
	keyMail     = "email"
)

// mostTurns is how many turns at the end of a conversation are read.
const mostTurns = 400

// Read reads what a conversation leaves.
func Read(turns []recaller.Turn, base time.Time, dayFirst bool, o Options) Left {
	turns = turns[max(0, len(turns)-mostTurns):]
	out := Left{}
	if len(turns) > 0 {
		out.At = turns[len(turns)-1].At
	}
	if o.Reminder || !slices.ContainsFunc(turns, func(t recaller.Turn) bool { return t.Speaker == recaller.User && t.Heard() }) {
		return out
	}
	c := newConversation(reading.Of(turns, base, dayFirst), o)
	if c.wrongNumber() {
		return out
	}
	again := o.Before != nil && c.takesUp(*o.Before)
	if again && c.calledOff() || again && c.endedWell() {
		out.Settles = true
		return out
	}
	m, ok := c.matter()
	facts := c.facts(m)
	out.facts = c.numbered(facts)
	if again {
		return c.goesOn(out, m, ok, facts)
	}
	if !ok || !c.isOpen(m, facts) {
		return out
	}
	out.Intent = c.intent()
	if out.Intent == companionship {
		return out
	}
	out.Unfinished, out.Summary, out.Staging = true, c.lines(m, facts), object(facts)
	return out
}

// companionship is the label of a call that keeps somebody company. It is about nothing that could be finished.
const companionship = "companionship"

// conversation is one that is read.
type conversation struct {
	r     reading.Reading
	turns []recaller.Turn
	o     Options
	acts  []recaller.Act
	words [][]speech.Word // per turn
	asks  []asked         // per turn of the agent's
	done  int             // the turn in which the last matter was settled; -1: none was

	label    string // what intent found
	labelled bool
}

func newConversation(r reading.Reading, o Options) *conversation {
	c := &conversation{r: r, o: o, acts: agreement.Find(r), words: make([][]speech.Word, len(r.Turns)), asks: make([]asked, len(r.Turns))}
	for i, t := range r.Turns {
		c.turns = append(c.turns, t.Turn)
		c.words[i] = speech.Words(t.Text)
		if !t.Caller() {
			c.asks[i] = askedIn(t)
		}
	}
	c.done = c.settledAt()
	return c
}

// intent is what the caller is about, as a label.
func (c *conversation) intent() string {
	if !c.labelled {
		c.labelled, c.label = true, c.findIntent()
	}
	return c.label
}

func (c *conversation) findIntent() string {
	if len(c.o.Packs) == 0 {
		return ""
	}
	intent := label.Analyse(c.turns, c.acts, c.o.Broke, c.o.Packs).Intent
	if intent == label.GeneralInfo || (recaller.Checkpoint{Intent: intent}).Completed() {
		return ""
	}
	return strings.ReplaceAll(intent, "-", "_")
}

// matter is what the caller is about: what he told since the last thing was settled.
func (c *conversation) matter() (summary.Matter, bool) {
	r := c.r
	if c.done >= 0 {
		from := c.done // who agrees may go on to something else
		if !r.Turns[from].Caller() {
			from++
		}
		r.Turns = r.Turns[from:]
		if !slices.ContainsFunc(r.Turns, reading.Turn.Caller) {
			return summary.Matter{}, false
		}
	}
	m, ok := summary.MatterOf(r)
	m.Turn += len(c.r.Turns) - len(r.Turns)
	return m, ok
}

// facts are what was collected.
func (c *conversation) facts(m summary.Matter) found {
	out := found{}
	c.readAddresses(out)
	c.readNumbers(out)
	c.readMail(out)
	c.readDate(out)
	if tells(m) {
		out[keyIssue] = fact{value: ungreeted(m.Issue), turn: m.Turn}
	} else if said, ok := c.openedWith(out); ok {
		out[keyIssue] = said
	}
	if said, number, ok := name.Said(c.turns); ok {
		out[keyName] = fact{value: said, turn: c.place(number)}
	}
	return out
}

// openedWith is the sentence that a caller opened with, where it says more than what was collected from it, and answers
// nothing: "We're moving from 5 Hill Street to 19 Chestnut Drive."
func (c *conversation) openedWith(facts found) (fact, bool) {
	ordered := slices.SortedFunc(maps.Values(facts), func(a, b fact) int { return cmp.Or(cmp.Compare(a.turn, b.turn), cmp.Compare(a.at, b.at)) })
	for _, f := range ordered {
		t := c.r.Turns[f.turn]
		if c.askedFor(f.turn).any() || slices.ContainsFunc(c.r.Turns[:f.turn], reading.Turn.Caller) || f.turn <= c.done {
			continue
		}
		s := sentenceAt(t, f.at)
		said := ungreeted(quote.Body(t, s.Start, s.End))
		ws := speech.Words(said)
		if resumes.In(ws) || len(ws) > 0 && goesOn[ws[0].Text] {
			continue
		}
		if n := len(ws); !s.Question && n >= leastOpening && n > len(speech.Words(f.value))+3 {
			return fact{value: said, turn: f.turn, at: s.Start}, true
		}
	}
	return fact{}, false
}

// leastOpening is how many words a sentence has at least that tells a matter without a word of need.
const leastOpening = 6

// ungreeted is what was said, without the greeting before it.
func ungreeted(said string) string {
	ws := speech.Words(said)
	n := 0
	for n < len(ws) && hellos[ws[n].Text] {
		n++
	}
	if n == 0 || len(ws)-n < 3 {
		return said
	}
	hails := slices.ContainsFunc(ws[:n], func(w speech.Word) bool { return hails[w.Text] })
	if !strings.ContainsAny(said[ws[n-1].End:ws[n].Start], ",.!;-") && !(hails && !strings.ContainsAny(said, ",.!;?")) {
		return said
	}
	return said[ws[n].Start:]
}

// numbered are facts by the numbers of their turns.
func (c *conversation) numbered(facts found) found {
	out := found{}
	for key, f := range facts {
		f.turn = c.r.Turns[f.turn].Number
		out[key] = f
	}
	return out
}

// tells reports whether a matter says what is wrong or wanted.
func tells(m summary.Matter) bool {
	return m.Issue != "" && (m.Ails || m.Wants || m.Asks || m.Asked || m.Has)
}

// lines are the quotations that tell where a matter stands: what the caller said of it, and the sentences in which the
// rest was collected.
func (c *conversation) lines(m summary.Matter, facts found) string {
	out := ""
	if tells(m) {
		out = m.Lines
	}
	var rest []fact
	for key, f := range facts {
		if key != keyIssue && key != keyName {
			rest = append(rest, f)
		}
	}
	slices.SortFunc(rest, func(a, b fact) int { return cmp.Or(cmp.Compare(a.turn, b.turn), cmp.Compare(a.at, b.at)) })
	for _, f := range rest {
		t := c.r.Turns[f.turn]
		s := sentenceAt(t, f.at)
		body := quote.Body(t, s.Start, s.End)
		if body == "" || strings.Contains(out, body) || len(strings.Fields(out))+len(strings.Fields(body)) > mostLines {
			continue
		}
		who := " Agent: “"
		if t.Caller() {
			who = " Caller: “"
		}
		out += who + body + "”"
	}
	return bounded(cmp.Or(strings.TrimSpace(out), m.Lines))
}

// mostLines is how many words the quotations have at most, if one does not have more.
const mostLines = 80

// goesOn adds what a conversation says of a matter that it takes up to what stood of it.
func (c *conversation) goesOn(out Left, m summary.Matter, ok bool, facts found) Left {
	before := *c.o.Before
	staging := map[string]json.RawMessage{}
	if json.Unmarshal(before.StagingData, &staging) != nil {
		staging = map[string]json.RawMessage{}
	}
	if _, known := staging[keyIssue]; known {
		delete(facts, keyIssue) // who comes back to it tells it in fewer words
	}
	for key, value := range facts {
		staging[key] = text(value.value)
	}
	out.Unfinished, out.Continues, out.Summary = true, true, before.Summary
	out.Intent = cmp.Or(before.Intent, c.intent())
	if !ok || m.Turn < opening {
		m = summary.Matter{} // who comes back to it tells it in fewer words
	}
	if said := c.lines(m, facts); said != "" && !strings.Contains(before.Summary, said) {
		if both := strings.TrimSpace(before.Summary + " " + said); len(both) <= mostSummary {
			out.Summary = both
		}
	}
	out.Staging, _ = json.Marshal(staging)
	return out
}

// mostSummary is how many bytes a summary has at most.
const mostSummary = 1200

func bounded(s string) string {
	if len(s) <= mostSummary {
		return s
	}
	cut := strings.LastIndexByte(s[:mostSummary], ' ')
	return s[:max(cut, 0)] + "…”"
}

func object(facts found) []byte {
	fields := make(map[string]json.RawMessage, len(facts))
	for key, value := range facts {
		fields[key] = text(value.value)
	}
	out, err := json.Marshal(fields)
	if err != nil {
		return []byte("{}")
	}
	return out
}

// text is a string as JSON.
func text(s string) json.RawMessage {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil {
		return json.RawMessage(`""`)
	}
	return json.RawMessage(strings.TrimSpace(b.String()))
}
