package unfinished

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/token"
	"github.com/recallerhq/recaller/internal/speech"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
	"github.com/recallerhq/recaller/internal/wrapup/summary"
)

// How many turns at the end of a conversation close it, and how many at its beginning take up an earlier one.
const (
	closing = 3
	opening = 6
)

// isOpen reports whether a matter was left open.
func (c *conversation) isOpen(m summary.Matter, facts found) bool {
	switch {
	case c.willReturn():
		return m.Ails || m.Wants || collected(facts)
	case c.done >= 0 && !(c.o.Broke && m.Wants), c.thanked(m):
		return false
	case c.saidGoodbye(), c.o.Outbound && !m.Wants && !collected(facts): // who is rung up has no matter of his own
		return false
	case !c.o.Broke && c.agentDone():
		return false
	case !m.Ails && !m.Wants && !collected(facts): // he asked, or told
		return c.o.Broke && (m.Asks && !c.answered(m) || tells(m) && c.engaged(m))
	case c.o.Broke && !m.Wants && !collected(facts) && !m.Asked && !c.engaged(m): // people tell of broken things in any talk
		return c.opensWith(m) && (len(c.o.Packs) == 0 || c.intent() != "")
	case c.o.Broke:
		return !(m.Asks && !m.Ails && !collected(facts) && c.answered(m))
	case c.o.Outbound:
		return false
	}
	return collected(facts) || c.asksLast()
}

// agentDone reports whether the conversation ends with the agent's word that it is done.
func (c *conversation) agentDone() bool {
	t := c.r.Turns[len(c.r.Turns)-1]
	if t.Caller() || slices.ContainsFunc(t.Sentences, func(s speech.Sentence) bool { return s.Question }) {
		return false
	}
	return slices.ContainsFunc(t.Sentences, func(s speech.Sentence) bool {
		ws := speech.Words(s.Text)
		return assures.In(ws[:min(len(ws), 3)])
	})
}

// opensWith reports whether the caller tells a matter first of all.
func (c *conversation) opensWith(m summary.Matter) bool {
	n := 0
	for _, t := range c.r.Turns[:m.Turn] {
		if t.Caller() {
			n++
		}
	}
	return n < 2
}

// thanked reports whether the caller calls to say thanks.
func (c *conversation) thanked(m summary.Matter) bool {
	return !m.Ails && gratitude.In(speech.Words(m.Issue))
}

var gratitude = speech.PhrasesOf(`say thank you|say thanks|to thank|mich bedanken|bedanken|dar las gracias|agradecer`)

// collected reports whether anything is known beside what the matter is and whose.
func collected(facts found) bool {
	n := len(facts)
	for _, key := range []string{keyIssue, keyName} {
		if _, ok := facts[key]; ok {
			n--
		}
	}
	return n > 0
}

// answered reports whether the agent has stated something since the caller told his matter.
func (c *conversation) answered(m summary.Matter) bool {
	for _, t := range c.r.Turns[min(m.Turn+1, len(c.r.Turns)):] {
		if t.Caller() || len(t.Sentences) == 0 {
			continue
		}
		if last := t.Sentences[len(t.Sentences)-1]; (!last.Question || politely.In(speech.Words(last.Text))) && len(strings.Fields(t.Text)) > 5 {
			return true
		}
	}
	return false
}

// asksLast reports whether the conversation ends with a question of the agent's about the matter.
func (c *conversation) asksLast() bool {
	t := c.r.Turns[len(c.r.Turns)-1]
	return !t.Caller() && c.asksOn(t)
}

// asksOn reports whether a turn of the agent's asks something that the matter needs.
func (c *conversation) asksOn(t reading.Turn) bool {
	return slices.ContainsFunc(t.Sentences, func(s speech.Sentence) bool {
		return s.Question && !politely.In(speech.Words(s.Text))
	})
}

// engaged reports whether the agent was at work on a matter: he offered days, asked for what it needs, or asked several
// things of it.
func (c *conversation) engaged(m summary.Matter) bool {
	questions := 0
	for i := m.Turn + 1; i < len(c.r.Turns); i++ {
		t := c.r.Turns[i]
		if t.Caller() {
			continue
		}
		if a := c.asks[i]; a.offers || a.address || a.phone || a.mail || a.number != "" {
			return true
		}
		if c.asksOn(t) {
			questions++
		}
	}
	return questions >= severalQuestions && len(c.o.Packs) > 0 && c.intent() != ""
}

const severalQuestions = 2

// settledAt returns the turn in which the last matter was settled: a time was agreed on or moved, or the agent says that
// it is done. In a conversation that broke off it is not settled if the agent went on to ask what it needs. It returns -1
// if nothing was.
func (c *conversation) settledAt() int {
	at, asks := -1, -1
	for i, t := range c.r.Turns {
		if !t.Caller() && c.asksOn(t) {
			asks = i
		}
	}
	for _, a := range c.acts {
		last := -1
		if a.Kind == recaller.ActSettled || a.Kind == recaller.ActMoved {
			for _, said := range a.Said {
				last = max(last, c.place(said.Turn))
			}
		}
		if last > at && !(c.o.Broke && asks >= last) {
			at = last
		}
	}
	for i, t := range c.r.Turns {
		if t.Caller() || !t.Heard() || len(c.words[i]) > speech.Aloud {
			continue
		}
		for _, s := range t.Sentences {
			if ws := speech.Words(s.Text); !s.Question && dones.In(ws) && !supposed(ws) {
				at = max(at, i)
			}
		}
	}
	if at >= 0 && c.o.Broke && slices.ContainsFunc(c.asks[max(at, len(c.asks)-closing):], asked.any) {
		return -1
	}
	return at
}

// supposed reports whether words speak of what is not done yet.
func supposed(ws []speech.Word) bool {
	return slices.ContainsFunc(ws, func(w speech.Word) bool {
		return unless[w.Text] || strings.HasSuffix(w.Text, "'ll") && !strings.HasPrefix(w.Text, "you")
	})
}

// place returns where the turn with a number stands; 0 if there is none.
func (c *conversation) place(number int) int {
	return max(0, slices.IndexFunc(c.r.Turns, func(t reading.Turn) bool { return t.Number == number }))
}

// tail are the last turns of the conversation.
func (c *conversation) tail(n int) []reading.Turn { return c.r.Turns[max(0, len(c.r.Turns)-n):] }

// saidGoodbye reports whether the two parted.
func (c *conversation) saidGoodbye() bool {
	last := c.tail(closing)
	for i, t := range last {
		ws := speech.Words(t.Text)
		if farewells.In(ws) || t.Caller() && enoughs.In(ws) {
			return true
		}
		if t.Caller() && i == len(last)-1 && thanksLast(t) && (i == 0 || !c.asksOn(last[i-1])) {
			return true
		}
	}
	return false
}

// thanksLast reports whether a turn ends with thanks: "No, that's lovely. Thank you."
func thanksLast(t reading.Turn) bool {
	if len(t.Sentences) == 0 {
		return false
	}
	ws := speech.Words(t.Sentences[len(t.Sentences)-1].Text)
	return len(ws) > 0 && len(ws) <= 6 && slices.ContainsFunc(ws, func(w speech.Word) bool { return thanks[w.Text] })
}

// willReturn reports whether the caller says, towards the end, that he will come back to the matter.
func (c *conversation) willReturn() bool {
	if c.done >= len(c.r.Turns)-2*closing && c.done >= 0 {
		return false
	}
	return slices.ContainsFunc(c.tail(2*closing), func(t reading.Turn) bool {
		return t.Caller() && t.Heard() && returns.In(speech.Words(t.Text))
	})
}

// endedWell reports whether a conversation that took up a matter is through with it.
func (c *conversation) endedWell() bool {
	if c.willReturn() {
		return false
	}
	if c.done >= 0 {
		m, ok := c.matter()
		return !ok || !m.Ails && !m.Wants
	}
	return !c.o.Broke && c.saidGoodbye()
}

// wrongNumber reports whether somebody says so.
func (c *conversation) wrongNumber() bool {
	return slices.ContainsFunc(c.words, func(ws []speech.Word) bool { return wrongNumbers.In(ws) })
}

// calledOff reports whether the caller says that a matter needs no doing any more.
func (c *conversation) calledOff() bool {
	return slices.ContainsFunc(c.r.Turns, func(t reading.Turn) bool {
		return t.Caller() && t.Heard() && slices.ContainsFunc(t.Sentences, func(s speech.Sentence) bool {
			return !s.Question && offs.In(speech.Words(s.Text))
		})
	})
}

// takesUp reports whether the conversation comes back to what stood unfinished before: somebody says so at its
// beginning, or it has words of it.
func (c *conversation) takesUp(before recaller.Checkpoint) bool {
	if before.Completed() {
		return false
	}
	known := terms(before.Summary + " " + strings.Join(values(before.StagingData), " "))
	shared := map[string]bool{}
	for i, t := range c.r.Turns {
		ws := c.words[i]
		if i < opening {
			if t.Caller() && elses.In(ws) {
				return false
			}
			if resumes.In(ws) {
				return true
			}
		}
		for term := range terms(t.Text) {
			if known[term] {
				shared[term] = true
			}
		}
	}
	return len(shared) >= leastShared
}

// leastShared is how many words that say something two conversations about one matter have in common.
const leastShared = 2

// terms are the words of a text that say something.
func terms(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range speech.Words(text) {
		if term := token.Term(w.Text); term != "" && w.Text != "caller" && w.Text != "agent" && !speech.NamesDay(w.Text) && !dull[w.Text] {
			out[term] = true
		}
	}
	return out
}

// dull are words that any two calls have in common.
var dull = speech.Set(`need needs want wants call calls called calling like help please thanks thank hello morning afternoon today tomorrow yes okay name number phone speak
	got get getting know think going come time day days week appointment book booking one two three four five six seven eight nine ten`)

// values are the texts of an object.
func values(object []byte) []string {
	var fields map[string]any
	if json.Unmarshal(object, &fields) != nil {
		return nil
	}
	var out []string
	for _, v := range fields {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	slices.Sort(out)
	return out
}
