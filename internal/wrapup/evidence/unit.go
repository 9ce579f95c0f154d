package evidence

import (
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/speech"
	"github.com/recallerhq/recaller/internal/when"
)

// unit is one turn of the caller with the question that it answers.
type unit struct {
	own      said
	question *said // of the turn just before, if the agent said it and was heard; nil: none
	answer   answerKind
}

// said is what one turn says.
type said struct {
	turn    int
	at      time.Time
	text    string
	words   []word
	terms   map[string]way
	toks    map[string]way
	amounts speech.Amounts
	denied  []bool
}

// way is how something was said: affirmed, denied, or both in different places.
type way int

const (
	affirmed way = 1 << iota
	denial
)

// listen reads a turn.
func listen(t recaller.Turn) said {
	s := said{turn: t.Number, at: t.At, text: t.Text, words: read(t.Text), terms: map[string]way{}, toks: map[string]way{}}
	s.denied = denials(s.words)
	for i, w := range s.words {
		how := affirmed
		if s.denied[i] {
			how = denial
		}
		s.toks[w.tok] |= how
		if w.term != "" {
			s.terms[w.term] |= how
		}
	}
	s.letters()
	s.amounts = speech.AmountsOf(toks(s.words))
	return s
}

// letters joins a word that was spelled: "S A R A H".
func (s *said) letters() {
	var run strings.Builder
	flush := func() {
		if run.Len() > 2 {
			s.toks[run.String()] |= affirmed
			s.terms[run.String()] |= affirmed
		}
		run.Reset()
	}
	for _, w := range s.words {
		if len(w.tok) == 1 && w.tok[0] >= 'a' {
			run.WriteString(w.tok)
			continue
		}
		flush()
	}
	flush()
}

// unitOf returns the unit of the caller's turn at i.
func unitOf(turns []recaller.Turn, i int) unit {
	u := unit{own: listen(turns[i])}
	if i > 0 && turns[i-1].Speaker != recaller.User && !turns[i-1].Interrupted {
		q := turns[i-1]
		q.Text = ending(q.Text)
		asked := listen(q)
		u.question = &asked
		u.answer = answerOf(u.own.words)
	}
	return u
}

// maxAsked bounds, in words, how much of what the agent said an answer is understood by.
const maxAsked = 60

// ending returns the last two sentences of a turn: where the question is.
func ending(text string) string {
	if far := len(text) - maxAsked*40; far > 0 { // no need to read more than has so many words
		text = text[far:]
		text = text[strings.IndexByte(text, ' ')+1:]
	}
	ws := read(text)
	begun := 0
	for i := len(ws) - 1; i > 0; i-- {
		if ws[i].first {
			begun++
		}
		if begun == 2 || len(ws)-i == maxAsked {
			return text[ws[i].start:]
		}
	}
	return text
}

// dates returns the dates that are named in what was said.
func (s said) dates() []when.Found {
	if s.at.IsZero() {
		return nil
	}
	return when.Find(s.text, s.at)
}

// coveredDates marks the words of a value that name a date which some of the units named, in whatever words.
func coveredDates(value string, ws []word, units []unit) []bool {
	covered := make([]bool, len(ws))
	for _, u := range units {
		if u.own.at.IsZero() {
			continue
		}
		found := when.Find(value, u.own.at)
		if len(found) == 0 {
			continue
		}
		told := u.own.dates()
		if u.question != nil {
			told = append(told, when.Find(u.question.text, u.own.at)...)
		}
		for _, f := range found {
			if f.Known() && anySame(f, told) {
				for i, w := range ws {
					covered[i] = covered[i] || w.start >= f.Start && w.start < f.End
				}
			}
		}
	}
	return covered
}

// slack is how far two readings of one day may lie apart: turns carry their time, not their zone.
const slack = 24 * time.Hour

func anySame(f when.Found, told []when.Found) bool {
	for _, t := range told {
		if !t.Known() {
			continue
		}
		if !f.At.Before(t.At.Add(-slack)) && f.At.Before(t.Until.Add(slack)) {
			return true
		}
	}
	return false
}
