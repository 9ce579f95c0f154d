package agreement

import (
	"slices"
	"strings"

	"github.com/recallerhq/recaller/internal/speech"
	"github.com/recallerhq/recaller/internal/when"
)

// reachYes is how far into a sentence its yes or no may stand, in words, and answers how far into a turn, in sentences.
const (
	reachYes = 10
	answers  = 3
)

// consent returns whether a sentence says yes (1) or no (-1) to an offer, or neither (0). A question says neither. The
// last word counts, unless it is a no to something else: "yes, and don't ring the bell".
func (s sentence) consent() int {
	if s.Question {
		return 0
	}
	said, at := 0, 0
	words := first(s.words, reachYes)
	for i := 0; i < len(words); i++ {
		if n := accepts.at(words, i); n > 0 && s.means(words, i, n) {
			said, at = 1, i
			i += n - 1
			continue
		}
		if said > 0 && buts.at(words, i) > 0 && own.in(last(first(words, i+2), 1)) {
			said = 0 // "great, but I'm at work then"
		}
		if n := refuses.at(words, i); n > 0 && (said == 0 || i-at < 2 || buts.in(words[at:i])) {
			said, at = -1, i
			i += n - 1
		}
	}
	return said
}

// means reports whether the n words at i mean a yes: "works", but not "the works", "that was fine" or "good morning".
func (s sentence) means(words []string, i, n int) bool {
	before, after := "", ""
	if i > 0 {
		before = words[i-1]
	}
	if i+n < len(words) {
		after = words[i+n]
	}
	switch w := strings.Join(words[i:i+n], " "); {
	case undone[before], greets[after], negates[after], after == "out" || after == "off":
		return false
	case stray[w]:
		return i == 0 || leans[before] || speech.NamesDay(strings.TrimSuffix(before, "'s")) ||
			speech.IsNumber(before) || i+n == len(s.words)
	case w == "please":
		return i+n == len(s.words) && i < 3
	}
	return true
}

// consent returns what the first sentences of a turn say to an offer. The last of them that says anything counts.
func (l *line) consent() int {
	if k := l.answering(); k < len(l.sentences) {
		return l.sentences[k].consent()
	}
	return 0
}

// answering returns the sentence that answers: the first that says yes or no, or a later one that begins with a no.
func (l *line) answering() int {
	k := -1
	for i, s := range l.sentences {
		c := s.consent()
		if k < 0 && c != 0 && i < answers ||
			k >= 0 && c < 0 && denies.in(first(s.words, 1)) && l.sentences[k].consent() > 0 {
			k = i
		}
	}
	return max(k, 0)
}

// answeringTo returns the sentence that takes an offer: the one that says yes, else the first that repeats its numbers.
func (l *line) answeringTo(o day) int {
	if l.consent() <= 0 {
		for i, s := range l.sentences {
			if repeats(s, o) > 0 {
				return i
			}
		}
	}
	return l.answering()
}

// takes reports whether the caller takes a day by naming it, alone or with words for having it. A day that he asks
// about, or says something else of, is not taken: "the ninth is my birthday".
func (l *line) takes(d day) bool {
	s := d.in()
	switch {
	case s.Question:
		return false
	case s.consent() > 0, free.in(first(d.trail, 6)) && !own.in(first(d.trail, 1)), takings.in(s.words):
		return true
	}
	return d.alone() || len(d.lead) == 0 && len(d.trail) > 0 && links[d.trail[0]]
}

// alone reports whether a day stands in its sentence with hardly anything else.
func (d day) alone() bool { return besides(append(slices.Clone(d.lead), d.trail...)) == 0 }

// bare reports whether a sentence says yes, hardly anything but a time, or a time first.
func (s sentence) bare() bool {
	words := slices.DeleteFunc(slices.Clone(s.words), speech.Hesitation)
	n := slices.IndexFunc(words, speech.IsNumber)
	first := n == 0
	for n >= 0 && n < len(words) && speech.IsNumber(words[n]) {
		n++
	}
	if n > 0 && n < len(words) && own.in(words[n:n+1]) {
		return s.consent() > 0 // "half seven I'm still in the shed"
	}
	if own.in(s.words[:min(1, len(s.words))]) && !free.in(s.words) && !takings.in(s.words) {
		return s.consent() > 0 // "I'm at the dentist at three"
	}
	return s.consent() > 0 || besides(s.words) <= 3 || first
}

// besides counts the words that have no part in naming a time.
func besides(words []string) int {
	n := 0
	for _, w := range words {
		if !speech.IsNumber(w) && !speech.NamesDay(w) && !speech.Hesitation(w) && !fillers[w] {
			n++
		}
	}
	return n
}

// taken reports whether the caller says that something of his own is on a day: "I've got the children here all day
// today".
func (d day) taken() bool {
	return len(d.lead) > 3 && own.in(d.lead[:1]) && !free.in(d.lead) && !accepts.in(d.lead) && !promises.in(d.lead[:1])
}

// conditional reports whether words make something depend on what may be: "if the parts come in", but not "if that
// suits you".
func conditional(words []string) bool {
	for i := range words {
		if ifs.at(words, i) > 0 && polite.at(words, i) == 0 {
			return true
		}
	}
	return false
}

// namesDays reports whether a turn names any day, known or not.
func (l *line) namesDays() bool {
	return slices.ContainsFunc(l.Dates, func(f when.Found) bool { return !f.Recurring && (f.Exact() || !f.Known()) })
}

// refusesFirst reports whether a turn begins with a no to what was said, and not to something else: "no vicar".
func (l *line) refusesFirst() bool {
	i := denies.find(first(l.words, 2))
	if i < 0 {
		return false
	}
	s := l.sentences[0].words
	return i+1 >= len(s) || objects[s[i+1]] || speech.NamesDay(s[i+1]) || speech.IsNumber(s[i+1])
}

// namesake reports whether the caller takes a day by its weekday although it is not sure which date he means.
func (l *line) namesake(d day) bool {
	for _, f := range l.Dates {
		if f.Known() || f.Recurring || !sameWeekday(f.Phrase, d.Phrase) {
			continue
		}
		for _, s := range l.sentences {
			if f.Start >= s.Start && f.Start < s.End && !s.Question && (s.consent() > 0 || besides(s.words) == 0) {
				return true
			}
		}
	}
	return false
}

// sameWeekday reports whether two phrases share the name of a day.
func sameWeekday(a, b string) bool {
	has := plain(speech.Words(b))
	return slices.ContainsFunc(plain(speech.Words(a)), func(w string) bool {
		w = strings.TrimSuffix(w, "'s")
		return speech.NamesDay(w) && slices.Contains(has, w)
	})
}
