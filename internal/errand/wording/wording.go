// Package wording writes what a caller is told about a reminder: in a text, by a sentence that is spoken, on an answering
// machine, and as an agent's first words. It is in his language, where we have it: German, English, Spanish, French,
// Italian, Portuguese and Dutch. What an agent is told of how he is reached is in English.
//
// It is pure. What to remind of stands in its own words, behind a colon: nothing is made of it, but that days are told by
// their names where it counts them from the day on which it was said.
package wording

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/token"
	"github.com/recallerhq/recaller/internal/when"
)

// Matter is what a caller is told, and by whom.
type Matter struct {
	Tenant recaller.Tenant
	Name   string // the caller's; empty: it is not known
	Words  string // what to remind of
	// Heard is what the caller said when it was set: his language is told by it. It may be empty.
	Heard []string
	Due   time.Time // when it came due, in his zone
	Now   time.Time
}

// Bounds of what is told.
const (
	maxName  = 60
	maxWords = 400 // so that a text stays one of few segments
	late     = time.Hour
	tooLate  = 6 * 24 * time.Hour // for the name of its day
)

// Text is a text with what to remind of.
func (m Matter) Text() string {
	v, _ := m.voice()
	return m.reminder(v, m.business(), m.words(v), m.lateness(v), v.stop)
}

// Discreet is a text that says nothing of the matter.
func (m Matter) Discreet() string {
	v, _ := m.voice()
	return m.reminder(v, m.business(), v.back, v.stop)
}

// Spoken is what whoever picked up is told, with what to remind of, and the language that it is in.
func (m Matter) Spoken() (text, language string) {
	v, tag := m.voice()
	return together(m.hello(v), m.reminder(v, "", m.words(v), m.lateness(v), v.bye)), tag
}

// Neutral says who rings, and nothing of the matter: for answering machines, and for what is private.
func (m Matter) Neutral() (text, language string) {
	v, tag := m.voice()
	return together(m.hello(v), v.about, v.back, v.bye), tag
}

// Opening are an agent's first words to whoever picked up. They say nothing of the matter: it may be somebody else.
func (m Matter) Opening() (text, language string) {
	v, tag := m.voice()
	about, ask, whom := v.about, v.moment, m.whom(v)
	if whom != "" {
		ask = fill(v.who, gaps{"whom": whom})
		if m.business() != "" {
			about = ""
		}
	}
	return together(m.hello(v), about, ask), tag
}

func (m Matter) hello(v voice) string { return ended(fill(v.hello, gaps{"us": m.business()})) }

// reminder is sentences behind the word that it is a reminder, from whom, and for whom.
func (m Matter) reminder(v voice, from string, sentences ...string) string {
	return together(fill(v.reminder, gaps{"us": from, "whom": m.whom(v)}), together(sentences...))
}

// gaps are what stands in the gaps of a sentence.
type gaps map[string]string

var gap = regexp.MustCompile(`\[[^]]*\]|\{[a-z]+\}`)

// fill puts what there is into the gaps of a sentence of ours: "{us}". What stands in brackets is left out where there is
// nothing for its gap.
func fill(sentence string, with gaps) string {
	return gap.ReplaceAllStringFunc(sentence, func(part string) string {
		inner := part[1 : len(part)-1]
		if part[0] == '{' {
			return with[inner]
		}
		if _, name, _ := strings.Cut(inner, "{"); with[name[:strings.IndexByte(name, '}')]] == "" {
			return ""
		}
		return fill(inner, with)
	})
}

// together is sentences after one another, without those that are empty.
func together(sentences ...string) string {
	return strings.Join(slices.DeleteFunc(sentences, func(s string) bool { return s == "" }), " ")
}

// voice is what there is in the caller's language, and that language as BCP 47 has it.
func (m Matter) voice() (voice, string) {
	base, tag := m.language()
	v, ok := voices[base]
	if !ok {
		base, v = token.English, voices[token.English]
	}
	if own, _, _ := strings.Cut(tag, "-"); !strings.EqualFold(own, base.String()) {
		tag = v.tag
	}
	return v, tag
}

// told is how many words tell that somebody speaks English: a few names and nouns of any language may be taken for it.
const told = 8

// language is the caller's: of what he said, else of what to remind of, else what the tenant has his calls spoken in, else
// that of most in the tenant's country.
func (m Matter) language() (token.Language, string) {
	own := m.Tenant.Telephone.Language
	for _, texts := range [][]string{m.Heard, {m.Words}} {
		var d token.Detector
		n := 0
		for _, text := range texts {
			d.Add(text)
			n += len(strings.Fields(text))
		}
		if l := d.Language(); l != token.Unknown && (l != token.English || n >= told) {
			return l, own
		}
	}
	tag, err := language.Parse(own)
	if err != nil {
		tag = language.Make("und-" + m.Tenant.DefaultRegion)
	}
	base, _ := tag.Base()
	for l := range voices {
		if l.String() == base.String() {
			return l, own
		}
	}
	return token.English, own
}

// business is by what name the tenant rings; empty: it has none.
func (m Matter) business() string {
	if b := line(m.Tenant.Profile.Business, maxName); b != "" {
		return b
	}
	if name := line(m.Tenant.Name, maxName); !strings.EqualFold(name, "default") {
		return name
	}
	return ""
}

// whom is the caller, as he is called in our sentences; empty: it is not known.
func (m Matter) whom(v voice) string {
	name := line(m.Name, maxName)
	if rest, ok := strings.CutPrefix(name, "Herr "); ok && v.tag == "de-DE" { // none of them names him as their subject
		return "Herrn " + rest
	}
	return name
}

// words is what to remind of, as a sentence that is true whenever it is told: "tomorrow" was meant of another day.
func (m Matter) words(v voice) string {
	words := line(when.Retold(m.Words, m.Now, func(f when.Found) string {
		on := gaps{"day": v.days[f.At.Weekday()], "date": f.At.Format(v.date)}
		if f.Clock {
			on["time"] = f.At.Format(v.clock)
		}
		return fill(v.on, on)
	}), maxWords)
	if words == "" {
		return ""
	}
	return ended(words)
}

// ended is a text that ends as a sentence does. A link at its end is left as it is.
func ended(text string) string {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text, `"'”“’»«」)`))
	if strings.ContainsRune(".!?…。！？", last) || strings.Contains(text[strings.LastIndexByte(text, ' ')+1:], "://") {
		return text
	}
	return strings.TrimRight(text, ",;: ") + "."
}

// lateness says when it came due, if that is a while ago: nobody takes it for what is due now. A day is told by its name.
func (m Matter) lateness(v voice) string {
	if ago := m.Now.Sub(m.Due); m.Due.IsZero() || ago < late || ago > tooLate {
		return ""
	}
	return fill(v.late, gaps{"day": v.days[m.Due.Weekday()], "time": m.Due.Format(v.clock)})
}

// line is a text on one line, without what is not shown, of so many characters at most.
func line(text string, most int) string {
	var b strings.Builder
	n := 0
	for _, field := range strings.Fields(strings.Map(shown, text)) {
		length := len([]rune(field)) + 1
		if n+length > most {
			if n == 0 {
				b.WriteString(string([]rune(field)[:most-1]))
			}
			b.WriteString("…")
			break
		}
		if n > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(field)
		n += length
	}
	return b.String()
}

// shown is a character as it is shown: none, for those that only say how others are shown. Joiners make one of several.
func shown(r rune) rune {
	switch {
	case unicode.IsControl(r):
		return ' '
	case unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d':
		return -1
	}
	return r
}
