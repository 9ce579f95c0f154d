package extract

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/recallerhq/recaller/internal/recall/token"
	"github.com/recallerhq/recaller/internal/speech"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// somebody is whose key a matter has that is of a person of whom nothing else is known.
const somebody = "somebody"

// place is where words stand.
type place struct {
	turn, sentence int
	asked          bool // they are the agent's, of the caller
}

// mention is somebody of the caller's in a sentence.
type mention struct {
	who      string
	sentence int
}

// holder tells whose the matter is that the word at n names: the key of somebody of the caller's, somebody, or "" for
// his own. What stands right before says it ("my mom's knee", "his teeth"), else the nearest subject ("my wife takes
// insulin"), else he for whom is called.
func (x *extractor) holder(w []string, n int, t *topic, p place) string {
	personal, right := !things[t.key], true
	for i := n - 1; i >= 0; i-- {
		k, v := x.mentioned(w, i), bare(w[i])
		right = right && i >= n-3
		switch {
		case right && (x.lang.own[v] || v == "me" || yours[v] && p.asked):
			return x.mentioned(w, n)
		case right && theirs[v], he[v] && personal:
			return x.third(w, i, p)
		case x.lang.self[v] && t.key == "medication":
			return x.served(w)
		case x.lang.self[v], x.lang.mine[v], p.asked && yours[v]:
			return ""
		case k != "" && (possessive(w[i]) || at(w, i+1) == "who" || !x.led(w, i) && (personal || has(w[i+1:min(len(w), i+3)], keeps))):
			return k
		case x.names[v] && (right && possessive(w[i]) || personal && (possessive(w[i]) || p.asked || does[at(w, i+1)])):
			return v
		}
		right = right && !token.Stop(w[i]) && kin[w[i]] == ""
	}
	if !personal || has(w, x.lang.self) || has(w, x.lang.own) || p.asked && has(w, yours) || x.lang.language != token.English && has(w, x.lang.mine) {
		return ""
	}
	for i := n + 1; i < len(w); i++ {
		if k := x.mentioned(w, i); k != "" {
			return k
		}
		if he[w[i]] && bodily[t.key] && (p.asked || joins[w[i-1]]) { // "Which foot is it, and is she limping?"
			if k := x.third(w, i, p); k != somebody || t.weight >= heavy {
				return k
			}
		}
	}
	switch {
	case p.asked && slices.ContainsFunc(w, func(v string) bool { return x.names[bare(v)] }):
		return x.third(w, n, p)
	case bodily[t.key]:
		return x.client[p.turn]
	}
	return ""
}

var (
	bodily = speech.Set("health condition medication allergy mobility mood sleep_quality diet") // told of him for whom is called
	things = speech.Set("home access contact_preference reference appointment money email name_spelling spelling")
	theirs = speech.Set("his her their him hers")
	he     = speech.Set("he she er él ella")
	keeps  = speech.Set("has have had keeps is hat haben tiene tienen")
	does   = speech.Set("is was has had does did can will would could died passed takes gets needs works lives got")
	led    = speech.Set("for with to from at of by like than about für mit zu von bei wie para con de como told tell ask call")
	on     = speech.Set("for about of regarding für wegen para")
	// thinks are verbs of those whose words or thoughts are told, which tell nothing of them.
	thinks   = speech.Set("thinks think says said say told tell tells reckons believes wants asked keeps glaubt meint sagt denkt cree dice piensa quiere if and")
	compared = speech.Set("like as than")
	skipped  = speech.Set("the old late la el der dem den")
	articles = speech.Set("a an my")
	joins    = speech.Set("when if because that so and but wenn weil cuando si porque")
	clitics  = speech.Set("la lo le las los les")
	female   = speech.Set("wife mother daughter sister aunt niece granddaughter grandmother girlfriend")
	male     = speech.Set("husband father son brother uncle nephew grandson grandfather boyfriend")
)

// led reports whether what the word at i names is no subject: "with my mother", "tell my daughter".
func (x *extractor) led(w []string, i int) bool {
	if x.lang.language == token.Spanish && clitics[at(w, i+1)] { // "a mi madre la operan"
		return false
	}
	for i--; i >= 0 && (x.lang.own[w[i]] || skipped[w[i]]); i-- {
	}
	if i > 0 && at(w, i) == "and" {
		return kin[bare(w[i-1])] != "" && x.led(w, i-1) // "with my wife and my mother", but not "it rained, and my mother …"
	}
	return pets[kin[at(w, i)]] || led[at(w, i)] || at(w, i) == "a" && x.lang.language == token.Spanish
}

// mentioned is the person or animal of the caller's that the word at i names, with whose it is where it is not his:
// "neighbour_dog"; "" if there is none.
func (x *extractor) mentioned(w []string, i int) string {
	k := kin[bare(w[i])]
	switch before := at(w, i-1); {
	case w[i] == "door's" && before == "next":
		return "neighbour"
	case k == "" || compared[at(w, i-2)] && articles[before]:
		return ""
	case theirs[before]:
		return somebody + "_" + k
	case before == "ex":
		k = "ex_" + k
	case at(w, i+1) == "in" && strings.HasPrefix(at(w, i+2), "law"):
		k = "in_laws"
	case possessive(before) && kin[bare(before)] != "":
		return kin[bare(before)] + "_" + k
	case before == "door's":
		return "neighbour_" + k
	case possessive(before):
		return "" // of somebody who is not known
	}
	for j := i + 2; pets[k] && j < min(len(w), i+4); j++ { // "el gato de la vecina", "der Hund meiner Nachbarin"
		if o := kin[w[j]]; o != "" && (led[w[i+1]] || strings.HasPrefix(w[i+1], "de") || x.lang.own[w[i+1]]) {
			return o + "_" + k
		}
	}
	the, lacks := at(w, i-1) == "the", has(w[max(0, i-4):i], x.lang.denial)
	if x.lang.owned(w, i) || k == "neighbour" || the && (k == "wife" || k == "husband" || k == "children") ||
		pets[k] && (i == 0 || the || has(w, possessing) && !lacks) {
		return k
	}
	return ""
}

func possessive(w string) bool { return strings.HasSuffix(w, "'s") }

func bare(w string) string { return strings.TrimSuffix(w, "'s") }

// third is whom "he" or "she" at i means: who is named beside it, or was last; somebody, if nobody was.
func (x *extractor) third(w []string, i int, p place) string {
	she := w[i] == "she" || w[i] == "her" || w[i] == "hers" || w[i] == "ella"
	fits := func(k string) bool {
		last := k[strings.LastIndexByte(k, '_')+1:]
		return k != "" && !strings.HasPrefix(k, somebody) && !(she && male[last]) && (she || !female[last])
	}
	for j := range w { // those before it backwards, then those behind
		if j < i {
			j = i - 1 - j
		}
		if k := x.mentioned(w, j); fits(k) && (j < i || !possessive(w[j])) {
			return k
		}
	}
	for n := p.turn; n >= max(0, p.turn-2); n-- {
		for _, m := range slices.Backward(x.met[n]) {
			if fits(m.who) && (n < p.turn || m.sentence < p.sentence) {
				return m.who
			}
		}
		if k := x.client[p.turn]; fits(k) {
			return k
		}
	}
	return somebody
}

// meet finds in each turn who is mentioned, of whom the agent says "your", and for whom the caller calls.
func (x *extractor) meet() {
	who := ""
	for i := range x.r.Turns {
		for k, s := range x.ss[i] {
			w := x.lang.read(s.Text)
			for n := range w {
				m := x.mentioned(w, n)
				if m == "" && has(w[max(0, n-2):n], yours) {
					m = kin[bare(w[n])]
				}
				if m != "" {
					x.met[i] = append(x.met[i], mention{m, k})
				}
			}
			if x.own[i] {
				who = cmp.Or(x.served(w), who)
			}
		}
		x.client[i] = who
	}
}

// served is for whom words say that something is: "it's for my dad".
func (x *extractor) served(w []string) string {
	for n := 2; n < len(w); n++ {
		if on[w[n-2]] && x.lang.own[w[n-1]] && !possessive(w[n]) && (w[n-2] != "of" || at(w, n-3) == "behalf") && x.mentioned(w, n) != "" {
			return x.mentioned(w, n)
		}
	}
	return ""
}

// told is of whom words tell something: who does or has something, or is named.
func (x *extractor) told(w []string) string {
	for i := range w {
		k := x.mentioned(w, i)
		if k == "" || strings.HasPrefix(k, somebody) || pets[k] && at(w, i-1) == "the" && !has(w, possessing) {
			continue
		}
		if at(w, i+1) == "in" && at(w, i+2) == "law" {
			i += 2
		}
		next, led := at(w, i+1), x.led(w, i)
		switch {
		case possessive(w[i]):
			if token.Stop(next) || strings.HasSuffix(next, "ing") || strings.HasSuffix(next, "ed") || next != "" && speech.IsNumber(next) || len(w)-i > 4 && !led {
				return k
			}
		case led && !he[next] && next != "who" && !he[at(w, i+2)] && at(w, i+2) != "is":
		case at(w, i-2) == "is", x.lang.language != token.English, has(w[max(0, i-4):i], possessing) && !has(w[max(0, i-4):i], x.lang.denial),
			!thinks[next] && !modals[next] && next != "" && !thinks[at(w, i+2)]:
			return k
		}
	}
	return ""
}

// namesOf are the words that stand with a capital where no sentence begins, and nowhere without. German has capitals
// everywhere.
func namesOf(turns []reading.Turn) map[string]bool {
	out, small := map[string]bool{}, map[string]bool{}
	for _, t := range turns {
		ws := speech.Words(t.Text)
		for i, w := range ws {
			if !unicode.IsUpper([]rune(t.Text[w.Start:w.End])[0]) {
				small[w.Text] = true
			} else if i > 0 && len(w.Text) > 2 && !strings.ContainsAny(t.Text[ws[i-1].End:w.Start], ".?!…:;“\"") && !speech.NamesDay(bare(w.Text)) {
				out[bare(w.Text)] = true
			}
		}
	}
	for w := range small {
		delete(out, w)
	}
	return out
}
