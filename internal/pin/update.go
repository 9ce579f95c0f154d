package pin

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/embed/static"
	"github.com/recallerhq/recaller/internal/speech"
)

// update returns a topic as it is after a conversation, and whether that touches it.
func (r *reader) update(t Topic, c talk) (Topic, bool) {
	acts := r.acts(t, c)
	if !r.touches(t, c) && len(acts) == 0 {
		return t, false
	}
	lines := append(r.lines(c, t), acts...)
	if len(lines) == 0 {
		return t, false
	}
	t.Seen, t.Last, t.Latest = t.Seen+1, append(slices.Clone(t.Last), c.ID), c.StartedAt
	return t.tell(lines, c), true
}

// touches reports whether the caller speaks of a topic: of what it is recognised by, or of two other things of it. A
// word that means much the same as its title counts beside one of them ("heating", "surgery").
func (r *reader) touches(t Topic, c talk) bool {
	if len(c.together(t.Lead...)) > 0 || slices.ContainsFunc(t.Also, func(lead []string) bool { return len(c.together(lead...)) > 0 }) {
		return true
	}
	title := sync.OnceValue(func() []float32 { return static.Vector(t.Title) })
	count := map[int]int{} // of its terms, by turn
	for _, term := range append(slices.Clone(t.With), t.Lead...) {
		for _, at := range c.said[term] {
			if count[at]++; count[at] > 1 || c.means(at, t, title) {
				return true
			}
		}
	}
	return false
}

// alike is how like two words are that may mean the same thing. Others of one kind ("dog", "cat") are as like.
const alike = 0.5

// means reports whether something that the caller says in a turn is much like a topic, in another word.
func (t talk) means(turn int, topic Topic, title func() []float32) bool {
	for term, u := range t.uses {
		if _, said := slices.BinarySearch(t.said[term], turn); !said || topic.has(term) || u.noun < definiteThing {
			continue
		}
		if cosine(static.Vector(most(u.forms, func(string) bool { return true })), title()) >= alike {
			return true
		}
	}
	return false
}

// definiteThing is how surely a noun is used of a thing that both know of.
const definiteThing = 0.5

// acts returns the words with which a time that was agreed on about a topic was moved, called off or told as past.
func (r *reader) acts(t Topic, c talk) []line {
	var out []line
	for _, a := range c.Acts {
		if a.Kind == recaller.ActSettled || a.Kind == recaller.ActHeld {
			continue
		}
		for _, of := range a.Of {
			if slices.ContainsFunc(t.Agreed, func(s recaller.Stretch) bool { return s.From.Before(of.To) && of.From.Before(s.To) }) {
				out = append(out, said(a, c)...)
				break
			}
		}
	}
	return out
}

func said(a recaller.Act, c talk) []line {
	var out []line
	for _, s := range a.Said {
		if s.Text == "" {
			continue
		}
		at := c.StartedAt
		if s.Turn < len(c.Turns) && !c.Turns[s.Turn].At.IsZero() {
			at = c.Turns[s.Turn].At.In(c.StartedAt.Location())
		}
		out = append(out, line{
			Quote:  Quote{Conversation: c.ID, Turn: s.Turn, Speaker: s.Speaker, Text: "“" + trimMarks(s.Text) + "”", At: at},
			caller: s.Speaker == recaller.User, named: true, ahead: true, said: make([]string, 6),
		})
	}
	return out
}

// tell takes what a conversation says of a topic into it.
func (t Topic) tell(lines []line, c talk) Topic {
	was := t.Settled
	t.Settled = settled(lines, was)
	if was && t.Settled && !slices.ContainsFunc(lines, func(l line) bool { return l.settles }) {
		return t // it was mentioned, and nothing changed
	}
	t.Now, t.Worded = short(best(lines, mostNow)), nil
	t.Agreed = agreed(t.Agreed, lines, c)
	change := Change{Quote: short(best(lines, 1))[0]}
	switch {
	case t.Settled && !was:
		change.Kind = Settled
		if i := slices.IndexFunc(lines, func(l line) bool { return l.settles }); i >= 0 {
			change.Quote = short([]Quote{lines[i].Quote})[0]
		}
	case was && !t.Settled:
		change.Kind = Reopened
	}
	t.History = append(slices.Clone(t.History), change)
	t.Actions = actions(t, lines, c.StartedAt)
	return t.bounded()
}

// settled tells whether a topic is over after what was said of it. One that is over comes back if the caller names it,
// and wants or complains of something.
func settled(lines []line, was bool) bool {
	is := was
	for _, l := range lines {
		switch {
		case l.settles:
			is = true
		case is && was && l.caller && l.named && (l.opens || l.question),
			is && l.caller && !l.question && l.opens && troubles(l):
			is, was = false, false
		}
	}
	return is
}

func troubles(l line) bool { return trouble.In(bareWords(l.words)) }

// actions are the promises and tasks that are still open: those of this conversation, and earlier ones that nothing
// said in it is likely to have done.
func actions(t Topic, lines []line, now time.Time) []Quote {
	if t.Settled {
		return nil
	}
	var open []Quote
	for i, l := range lines {
		again := func(o line) bool { return o.vows && l.same(o) }
		if l.vows && len(l.said) > 3 && !slices.ContainsFunc(lines[:i], again) {
			open = append(open, l.Quote)
		}
	}
	done := slices.ContainsFunc(lines, func(l line) bool { return !l.question && finished.In(bareWords(l.words)) && !l.undone() })
	done = done || answered(lines)
	for _, q := range t.Actions {
		if !done && len(open) == 0 && now.Sub(q.At) < actionsLast && !t.came(q, lines) && !t.stale(q, lines) {
			open = append(open, q)
		}
	}
	return short(newest(open, mostActions))
}

// answered reports whether the caller asks about a topic and is told yes.
func answered(lines []line) bool {
	asked := false
	for _, l := range lines {
		switch {
		case l.caller:
			asked = l.question && l.named
		case asked && !l.question && !l.vows && yeses[l.said[0]]:
			return true
		}
	}
	return false
}

// mostSilent is in how many later conversations about a topic nobody comes back to a promise that is still open.
const mostSilent = 2

// stale reports whether a promise was made so many conversations about the topic ago that it was kept, or forgotten by
// all: the caller does not complain of anything that was not done.
func (t Topic) stale(q Quote, lines []line) bool {
	later := len(t.Last) - 1 - slices.Index(t.Last, q.Conversation)
	return later >= mostSilent && !slices.ContainsFunc(lines, func(l line) bool {
		return l.caller && (troubles(l) || slices.ContainsFunc(l.said, isUndone))
	})
}

// came reports whether the caller tells of what was promised: "the spray works", of "I'll ask about a spray".
func (t Topic) came(q Quote, lines []line) bool {
	thing := map[string]bool{}
	for _, w := range speech.Words(trimMarks(q.Text)) {
		if f := w.Text; len(f) > 3 && !verbs[f] && !vague[f] && !generic[f] && !qualities[f] && !people[f] && !speech.NamesDay(f) && !strings.Contains(f, "'") {
			thing[f] = true
		}
	}
	for _, l := range lines {
		if !l.caller || l.question || l.undone() {
			continue
		}
		for _, w := range l.words[:min(l.clause(), len(l.words))] {
			if thing[w.Text] && w.term != "" && !slices.Contains(t.Lead, w.term) {
				return true
			}
		}
	}
	return false
}

// clause is how many words a sentence has before a "but".
func (l line) clause() int {
	if to := slices.IndexFunc(l.said, func(w string) bool { return buts[w] }); to >= 0 {
		return to
	}
	return len(l.said)
}

// undone reports whether a sentence says, before a "but", that something was not done.
func (l line) undone() bool { return slices.ContainsFunc(l.said[:l.clause()], isUndone) }

func isUndone(w string) bool { return undone[w] }

// agreed returns the times ahead that belong to a topic.
func agreed(before []recaller.Stretch, lines []line, c talk) []recaller.Stretch {
	out := slices.DeleteFunc(slices.Clone(before), func(s recaller.Stretch) bool { return s.To.Before(c.StartedAt) })
	for _, a := range c.Acts {
		if a.At.IsZero() || !slices.ContainsFunc(lines, func(l line) bool { return l.agrees(a) }) {
			continue
		}
		to := a.At.Add(time.Minute)
		if a.Day {
			to = a.At.AddDate(0, 0, 1)
		}
		out = append(out, recaller.Stretch{From: a.At, To: to})
	}
	return out[max(0, len(out)-mostLast):]
}

// agrees reports whether a sentence is of the words of an act, or names its day.
func (l line) agrees(a recaller.Act) bool {
	return slices.ContainsFunc(a.Said, func(s recaller.Saying) bool { return s.Turn == l.Quote.Turn }) ||
		slices.ContainsFunc(l.days, func(d time.Time) bool { return d.Format(time.DateOnly) == a.At.Format(time.DateOnly) })
}
