package summary

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/recallerhq/recaller/internal/recall/token"
	"github.com/recallerhq/recaller/internal/speech"
	"github.com/recallerhq/recaller/internal/when"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// unit is a sentence of the conversation with what tells whether it is worth quoting.
type unit struct {
	turn, n int // n: which sentence of its turn
	s       speech.Sentence
	caller  bool
	heard   bool
	words   []speech.Word
	said    []string // the words alone
	terms   []string
	days    []string // of this year or to come that are named for sure, but for the one on which they talk
	ahead   bool     // one of them lies ahead
	times   bool     // it names a day or an hour, sure or not
	numbers []string
	weight  float64 // what its terms say together
	idle    bool    // a greeting, thanks, an acknowledgement
	wants   bool    // it says what the speaker wants of the other side
	ails    bool    // it says what does not work
	vows    bool    // somebody says what he will do, or has done
	pledges bool    // the speaker says what his side will do afterwards
	denies  bool
	own     bool // it tells of who speaks
}

// units reads the sentences of a conversation, by turn.
func units(r reading.Reading) [][]*unit {
	v := vocabulary{lang: language(r)}
	out := make([][]*unit, len(r.Turns))
	for i, t := range r.Turns {
		for n, s := range t.Sentences {
			out[i] = append(out[i], v.unit(t, i, n, s))
		}
	}
	return out
}

func language(r reading.Reading) token.Language {
	var d token.Detector
	for _, t := range r.Turns {
		d.Add(t.Text)
	}
	return d.Language()
}

func (v *vocabulary) unit(t reading.Turn, turn, n int, s speech.Sentence) *unit {
	u := &unit{turn: turn, n: n, s: s, caller: t.Caller(), heard: t.Heard(), words: speech.Words(s.Text), terms: v.terms(s.Text)}
	for _, f := range t.Dates {
		if f.Start < s.Start || f.End > s.End || f.Recurring {
			continue
		}
		u.times = true
		if day := when.Day(f.At); f.Exact() && !f.Retracted && day != when.Day(t.At) && f.At.After(t.At.AddDate(-1, 0, 0)) {
			u.days = append(u.days, day)
			u.ahead = u.ahead || f.At.After(t.At)
		}
	}
	for _, w := range u.words {
		u.said = append(u.said, w.Text)
		u.denies = u.denies || speech.Denial(w.Text) || strings.HasSuffix(w.Text, "n't")
		u.own = u.own || firstPerson[w.Text]
		if v.lang != token.English && speech.NamesDay(w.Text) { // not all of whose dates are read
			u.times, u.ahead = true, true
		}
	}
	for _, num := range speech.Numbers(u.said) {
		if said := strings.Join(u.said[num.From:num.To], " "); num.To-num.From > 1 || num.Written() || len(u.said) <= 3 && said != "oh" {
			u.numbers = append(u.numbers, said)
		}
	}
	seen := map[string]bool{}
	for _, term := range u.terms {
		if !seen[term] && !speech.IsNumber(term) {
			u.weight += rarity(term)
		}
		seen[term] = true
	}
	u.wants, u.ails, u.vows = wishes.In(u.words), troubles.In(u.words), vows.In(u.words)
	u.pledges = u.pledgesSomething()
	u.idle = len(u.words) == 0 || u.weight < 0.4 && len(u.numbers) == 0 && !u.times && !(u.caller && u.wants) || chatter(u)
	return u
}

// chatter reports whether a sentence only opens or closes the talk.
func chatter(u *unit) bool {
	if !u.caller && !u.s.Question && !u.times && len(u.numbers) == 0 && procedures.In(u.words) && !u.pledges && len(u.words) <= 16 {
		return true
	}
	if !u.caller && len(u.words) > 0 && len(u.words) <= fewWords && thanks[u.words[0].Text] {
		return true
	}
	if len(u.words) <= fewWords+2 && len(u.numbers) == 0 && !u.times && (u.unsure() || moods.In(u.words)) {
		return true
	}
	return len(u.words) <= 12 && linecheck.In(u.words) || len(u.words) <= 12 && (!u.wants || !u.caller) && len(u.numbers) == 0 && pleasantries.In(u.greeted())
}

// greeted are the words of a sentence, of a caller's without the greeting that it begins with if it goes on to a matter:
// "Good morning, the dishwasher leaks."
func (u *unit) greeted() []speech.Word {
	if !u.caller || len(u.words) < 2+fewestAfter || !greetings.In(u.words[:2]) || introductions.In(u.words) {
		return u.words
	}
	said := 0
	for _, w := range u.words[2:] {
		if !idleWords[w.Text] && !sounds[w.Text] {
			said++
		}
	}
	if said < fewestAfter {
		return u.words
	}
	return u.words[2:]
}

// fewestAfter is how many words after a greeting tell a matter.
const fewestAfter = 3

// unsure reports whether a short sentence says that one cannot tell.
func (u *unit) unsure() bool { return len(u.words) <= fewWords+2 && ignorance.In(u.words) }

// dictates reports whether a sentence is nothing but digits and letters.
func (u *unit) dictates() bool {
	for _, w := range u.words {
		if !speech.IsNumber(w.Text) && utf8.RuneCountInString(w.Text) > 1 && !idleWords[w.Text] {
			return false
		}
	}
	return len(u.numbers) > 0
}

// breaks reports whether a sentence breaks off before its matter: "and sometimes it's quite".
func (u *unit) breaks() bool {
	return len(u.words) > 0 && !u.ends() && dangling[u.words[len(u.words)-1].Text]
}

// possesses reports whether a sentence says what somebody has, had, takes or took, whatever adverb is between: "I just
// had mumps".
func (u *unit) possesses() bool {
	ws := slices.DeleteFunc(slices.Clone(u.words), func(w speech.Word) bool { return adverbs[w.Text] || sounds[w.Text] })
	return possessions.In(ws) && !chores.In(ws)
}

// short reports whether a sentence says little without what it answers.
func (u *unit) short() bool {
	return !u.full() && (u.weight < 1.2 || len(u.words) <= 4 || answers[u.words[0].Text] || u.words[0].Text == "not")
}

// full reports whether somebody tells of himself so that it can be read alone, whatever was asked: "Yes, I take tablets
// for my heart".
func (u *unit) full() bool {
	ws := u.words
	for len(ws) > 1 && (answers[ws[0].Text] || sounds[ws[0].Text]) {
		ws = ws[1:]
	}
	if u.contests() || !firstPerson[ws[0].Text] || slices.ContainsFunc(ws, func(w speech.Word) bool { return referring[w.Text] }) {
		return false
	}
	return u.possesses() && u.weight >= 0.5 || len(ws) > 4 && u.weight >= 1.2
}

// holds reports whether a sentence has all that another says: the other only takes it up, and neither affirms nor
// denies it.
func (u *unit) holds(other *unit) bool {
	return len(other.terms) > 0 && len(other.numbers) == 0 && !other.denies && !answers[other.words[0].Text] &&
		!slices.ContainsFunc(other.terms, func(t string) bool { return !slices.Contains(u.terms, t) })
}

// refuses reports whether a sentence says that something will not do.
func (u *unit) refuses() bool { return u.contests() || refusals.In(u.words) }

// offers reports whether a sentence leaves it to the other side.
func (u *unit) offers() bool { return u.s.Question || choices.In(u.words) }

// mute reports whether a sentence answers nothing: "Um", "Oh, sorry".
func (u *unit) mute() bool {
	return !slices.ContainsFunc(u.words, func(w speech.Word) bool { return !sounds[w.Text] })
}

// supposes reports whether a sentence begins with a condition: "so if it gets worse".
func (u *unit) supposes() bool {
	return slices.ContainsFunc(u.words[:min(3, len(u.words))], func(w speech.Word) bool { return cases[w.Text] })
}

// ends reports whether a mark says that what follows is another sentence.
func (u *unit) ends() bool {
	return strings.HasSuffix(u.s.Text, ".") || strings.HasSuffix(u.s.Text, "!") || strings.HasSuffix(u.s.Text, "?")
}

// contests reports whether a sentence objects to what was said before it.
func (u *unit) contests() bool {
	for _, w := range u.words[:min(3, len(u.words))] {
		if speech.Denial(w.Text) || speech.Objection(w.Text) {
			return true
		}
	}
	return false
}

// replied reports whether the first words of the other side answer a sentence. Any answer a question; what is only
// stated they take up: they agree, object, name a time, or a thing that was named.
func (u *unit) replied(first *unit) bool {
	if u.s.Question || first.idle || first.contests() || answers[first.words[0].Text] {
		return true
	}
	if opens[first.words[0].Text] {
		return false
	}
	return first.times || len(first.numbers) > 0 || len(first.words) <= 3 && !thanks[first.words[0].Text] || slices.ContainsFunc(first.terms, func(t string) bool { return slices.Contains(u.terms, t) })
}

// shares reports whether two sentences name a thing, a number or a time in common.
func (u *unit) shares(other *unit) bool {
	in := func(t string) bool { return slices.Contains(other.terms, t) }
	return slices.ContainsFunc(u.terms, in) || u.counts(other) || u.times && other.times
}

// counts reports whether two sentences have a number in common, or the beginning of one: "Twenty-five!", of twenty-five
// thousand.
func (u *unit) counts(other *unit) bool {
	return slices.ContainsFunc(u.numbers, func(n string) bool {
		return slices.ContainsFunc(other.numbers, func(o string) bool { return n == o || strings.HasPrefix(o, n+" ") || strings.HasPrefix(n, o+" ") })
	})
}

// misheard reports whether a reply has a word almost as a sentence has it: "Kowalsky, flat two." "KowalSKI."
func (u *unit) misheard(reply *unit) bool {
	return slices.ContainsFunc(reply.words, func(r speech.Word) bool {
		return len(r.Text) > 4 && slices.ContainsFunc(u.words, func(w speech.Word) bool {
			return len(w.Text) > 4 && w.Text != r.Text && w.Text[:3] == r.Text[:3]
		})
	})
}

// turns reports whether a sentence turns what was said before it, and is short enough to be quoted with it.
func (u *unit) turns() bool {
	if len(u.words) > mostTurned || u.s.Question || pleasantries.In(u.words) {
		return false
	}
	return speech.Turns(u.said)
}

// mostTurned is how many words of an objection are quoted with what it objects to.
const mostTurned = 24
