package evidence

import (
	"regexp"
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/speech"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// Trim takes out of a summary the lines, and of its prose the sentences, that the conversation does not carry: with
// names, days or numbers that nobody said; with things that most of were not said near each other; told as done where
// they were only asked, planned or denied; told of the side that did not say them; with the agent's name for the
// caller's; that ask; and all that speak as one of the two ("my name is Jennifer"). dropped counts them. A brief of
// which nothing is left is empty.
func Trim(s recaller.Summary, r reading.Reading) (out recaller.Summary, dropped int) {
	t := trimmer{talk: talkOf(r)}
	out = s
	out.Brief = t.prose(s.Brief)
	out.Topics = t.lines(s.Topics, t.touched)
	out.Decisions, out.Actions, out.Facts = t.lines(s.Decisions, t.told), t.lines(s.Actions, t.told), t.lines(s.Facts, t.told)
	out.Next = t.prose(s.Next)
	return out, t.dropped
}

type trimmer struct {
	talk    talk
	dropped int
}

func (t *trimmer) lines(list []string, holds func(string) bool) []string {
	var out []string
	for _, l := range list {
		if !holds(l) {
			t.dropped++
			continue
		}
		out = append(out, l)
	}
	return out
}

// prose keeps the sentences of a text that were told. One that goes takes along those after it that only say "he" or
// "it" of whom or what it told.
func (t *trimmer) prose(text string) string {
	var all []string
	from := 0
	for _, s := range speech.Sentences(text) {
		one := text[from:s.End]
		if ended := strings.LastIndexAny(one, ".!?。！？…") >= len(one)-3; ended && strings.Count(one, "“") == strings.Count(one, "”") && strings.Count(one, `"`)%2 == 0 {
			rest := len(text[s.End:]) - len(strings.TrimLeft(text[s.End:], "”\"»"))
			all = append(all, strings.TrimSpace(text[from:s.End+rest]))
			from = s.End + rest
		}
	}
	if rest := strings.TrimSpace(text[from:]); rest != "" {
		all = append(all, rest)
	}
	lost := false
	return strings.Join(t.lines(all, func(s string) bool {
		lost = lost && leans(s) || !t.told(s)
		return !lost
	}), " ")
}

// leans reports whether a sentence begins with a word that stands for somebody or something told before it.
func leans(sentence string) bool {
	first, _, _ := strings.Cut(strings.ToLower(sentence), " ")
	switch strings.TrimRight(first, ",") {
	case "he", "she", "it", "they", "his", "her", "its", "their", "this", "that", "these", "those", "er", "sie", "es", "él", "ella":
		return true
	}
	return false
}

// touched reports whether a topic was spoken of: its names and numbers, and half of its words.
func (t *trimmer) touched(line string) bool {
	ws := read(line)
	covered, known := t.talk.dates(line, ws)
	parts := claimOf(ws, covered).parts
	found := 0
	for _, p := range parts {
		switch said := t.talk.says(p); {
		case said:
			found++
		case p.kind != ordinary:
			return false
		}
	}
	return known && len(parts) > 0 && found*2 >= len(parts) && !t.talk.borrowed(ws)
}

// told reports whether a sentence holds: what it quotes to the letter, and each of its clauses by words that stand near
// each other.
func (t *trimmer) told(line string) bool {
	quotes := quoted.FindAllString(line, -1)
	rest := quoted.ReplaceAllString(line, " ")
	for _, q := range quotes {
		if !t.talk.verbatim(q, sideOf(read(rest), 0)) {
			return false
		}
	}
	ws := read(rest)
	line = rest
	covered, known := t.talk.dates(line, ws)
	if !known || strings.Contains(rest, "?") || selfish(ws) || t.talk.borrowed(ws) || t.talk.turned(ws) {
		return false
	}
	clauses := clausesOf(ws, claimOf(ws, covered))
	for _, c := range clauses {
		if !t.talk.carries(c) {
			return false
		}
	}
	return len(clauses)+len(quotes) > 0 || slices.Contains(covered, true)
}

// quoted finds what a line quotes.
var quoted = regexp.MustCompile(`“[^”]*”|"[^"]*"|«[^»]*»`)

// clause is a part of a line that must have been said at one place.
type clause struct {
	claim
	who     side
	settled bool // it says that somebody confirmed or agreed to the rest of it
	open    bool // its line leaves a choice
}

// side is whom a clause tells of.
type side int

const (
	either side = iota
	byCaller
	byAgent
)

// clausesOf parts a claim where its sentence is parted. A clause that hardly says anything goes with the one before it,
// and one that names nobody tells of whom that one does.
func clausesOf(ws []word, c claim) []clause {
	var out []clause
	at, who := -1, either
	slices.SortStableFunc(c.parts, func(a, b part) int { return a.at - b.at })
	for _, p := range c.parts {
		if telling(p) {
			continue
		}
		if n := ws[p.at].clause; n != at {
			at = n
			named := sideOf(ws, n)
			fresh := named != either && named != who
			if named != either {
				who = named
			}
			if last := len(out) - 1; last < 0 || fresh || len(out[last].parts) > 1 {
				out = append(out, clause{claim: claim{foreign: c.foreign}, who: who, open: slices.ContainsFunc(ws, choice)})
			}
		}
		last := &out[len(out)-1]
		if frames(p.tok) {
			last.settled = true
			continue
		}
		last.parts = append(last.parts, p)
	}
	for i := range out {
		exact := slices.ContainsFunc(out[i].parts, func(p part) bool { return p.kind != ordinary })
		out[i].parts = slices.DeleteFunc(out[i].parts, func(p part) bool { return exact && labels(p.term) })
	}
	return slices.DeleteFunc(out, func(c clause) bool { return len(c.parts) == 0 })
}

// telling reports whether a part only says that somebody spoke: "the agent will explain".
func telling(p part) bool {
	switch p.term {
	case "agent", "assist", "repres", "will", "ask", "want", "wish", "request", "inquir", "enquir", "speak", "spoke", "discuss", "explain", "contact",
		"would", "back", "regard", "concern", "convers":
		return true
	}
	return false
}

// labels reports whether a term only says what a name or number is: "Phone: 555-0123".
func labels(term string) bool {
	switch term {
	case "phone", "number", "email", "address", "date", "time", "contact", "detail", "inform":
		return true
	}
	return false
}

// sideOf is whom a clause begins with: "the caller asked", and the agent where the caller "was told".
func sideOf(ws []word, clause int) side {
	who := either
	for i, w := range ws {
		if w.clause != clause {
			continue
		}
		switch w.tok {
		case "caller", "customer", "client", "patient", "guest", "user":
			if who == either {
				who = byCaller
			}
		case "agent", "assistant", "representative", "receptionist", "staff", "operator":
			if who == either {
				who = byAgent
			}
		case "told", "informed", "advised", "offered", "given", "quoted", "reminded", "assured", "asked":
			if passive := i > 0 && slices.Contains([]string{"was", "were", "been", "is"}, ws[i-1].tok); passive && who == byCaller {
				return byAgent
			}
		}
	}
	return who
}

// frames reports whether a word says that the rest was settled between the two.
func frames(tok string) bool {
	switch tok {
	case "confirmed", "confirms", "confirm", "agreed", "agrees", "agree", "accepted", "accepts", "verified", "assured", "clarified":
		return true
	}
	return false
}

// selfish reports whether a line speaks as one of the two sides.
func selfish(ws []word) bool {
	return slices.ContainsFunc(ws, func(w word) bool {
		switch w.tok {
		case "i", "im", "ive", "my", "me", "mine", "we", "our", "us", "you", "your", "youre", "youll", "weve",
			"ich", "mein", "meine", "meinen", "wir", "unser", "unsere", "yo", "mi", "mis", "nosotros", "je", "mon", "nous", "eu", "meu", "minha":
			return true
		}
		return false
	})
}
