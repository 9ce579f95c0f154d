// Package wording writes what a caller is told about a reminder: in a text, by a sentence that is spoken, on an answering
// machine, and as an agent's first words. It is in his language, where we have it: German, English, Spanish, French,
// Italian, Portuguese and Dutch.
//
// It is pure. What to remind of stands in its own words, behind a colon: nothing is made of it.
package wording

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/language"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/token"
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
)

// Text is a text with what to remind of.
func (m Matter) Text() string {
	v, _ := m.voice()
	return v.text + m.from(v.by) + m.whom(v) + v.colon + m.words() + m.lateness(v) + " " + v.stop
}

// Spoken is a sentence for whoever picked up, with what to remind of, and the language that it is in.
func (m Matter) Spoken() (text, language string) {
	v, tag := m.voice()
	with := ". " + v.text
	if here := m.here(v); here != "" {
		with = here + v.with
	}
	return v.hello + with + m.whom(v) + v.colon + m.words() + m.lateness(v) + " " + v.bye, tag
}

// Neutral is a sentence that says who rings, and nothing of the matter: for answering machines, and for what is private.
func (m Matter) Neutral() (text, language string) {
	v, tag := m.voice()
	return v.hello + m.here(v) + ". " + v.about + " " + v.back + " " + v.bye, tag
}

// Opening are an agent's first words to whoever picked up. They say nothing of the matter: it may be somebody else.
func (m Matter) Opening() (text, language string) {
	v, tag := m.voice()
	open := v.hello + m.here(v) + ". "
	if m.here(v) == "" {
		open += v.about + " "
	}
	if name := line(m.Name, maxName); name != "" {
		return open + fmt.Sprintf(v.who, name), tag
	}
	if m.here(v) != "" {
		open += v.about + " "
	}
	return open + v.moment, tag
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

func (m Matter) from(by string) string {
	if b := m.business(); b != "" {
		return fmt.Sprintf(by, b)
	}
	return ""
}

// here says who rings.
func (m Matter) here(v voice) string {
	if b := m.business(); b != "" {
		return v.here + b
	}
	return ""
}

func (m Matter) whom(v voice) string {
	name := line(m.Name, maxName)
	if name == "" {
		return ""
	}
	if rest, ok := strings.CutPrefix(name, "Herr "); ok && v.whom == " für " {
		name = "Herrn " + rest
	}
	return v.whom + name
}

// words is what to remind of, as a sentence.
func (m Matter) words() string {
	words := line(m.Words, maxWords)
	if words == "" || strings.ContainsAny(words[len(words)-1:], ".!?") || strings.HasSuffix(words, "…") {
		return words
	}
	return strings.TrimRight(words, ",;: ") + "."
}

// lateness says when it came due, if that is a while ago: nobody takes it for what is due now.
func (m Matter) lateness(v voice) string {
	if m.Due.IsZero() || m.Now.Sub(m.Due) < late {
		return ""
	}
	return " " + fmt.Sprintf(v.due, v.days[m.Due.Weekday()], m.Due.Format(v.clock))
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

func shown(r rune) rune {
	if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
		return ' '
	}
	return r
}

// Discreet is a text that says nothing of the matter.
func (m Matter) Discreet() string {
	v, _ := m.voice()
	return v.text + m.from(v.by) + m.whom(v) + v.colon + v.back + " " + v.stop
}
