package extract

import (
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/speech"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// turn chooses what is worth keeping of one turn: pieces that weigh enough, with those beside them that lean on them;
// of a short turn what stands between its first words of any weight and its last.
func (x *extractor) turn(i int) []draft {
	ps := x.pieces(i)
	var out []draft
	taken := 0
	if d, ok := x.answer(i); ok {
		x.owner(&d)
		if from, to := x.within(d, 0); from == 0 && x.words(i, 0, to) <= maxQuote {
			x.reach(&d, 0, to)
		}
		x.whole(&d)
		out = append(out, d)
		taken = d.to
	}
	for k := taken; k < len(ps); k++ {
		if ps[k].bar || ps[k].score < enough {
			continue
		}
		d := draft{asked: -1, turn: i, from: k, to: k + 1, core: k, about: ps[k].about, score: ps[k].score, sure: ps[k].sure}
		x.widen(&d, taken)
		x.owner(&d)
		x.whole(&d)
		if x.words(i, d.from, d.to) > maxQuote {
			continue
		}
		k, taken = d.to-1, d.to
		x.settle(&d)
		out = append(out, d)
	}
	return out
}

// owner takes up whose a weighty matter is from the few words behind it: "Allergic. My wife, I mean."
func (x *extractor) owner(d *draft) {
	ps, next := x.pieces(d.turn), d.core+1
	if d.about.whose == "" && d.about.weight >= heavy && !has(ps[d.core].w, x.lang.self) && next < len(ps) && len(ps[next].w) <= fewWords {
		d.about.whose = ps[next].about.whose
	}
}

// widen takes up what stands around a piece and says something, as far as there is room, first what is behind it.
func (x *extractor) widen(d *draft, least int) {
	first, last := x.within(*d, least)
	from, to := d.from, d.to
	for to < last && x.words(d.turn, from, to+1) <= maxQuote {
		to++
	}
	for from > first && x.words(d.turn, from-1, to) <= maxQuote {
		from--
	}
	x.reach(d, from, to)
}

// within is the turn of a draft without what may be spared at its ends.
func (x *extractor) within(d draft, from int) (int, int) {
	to := len(x.pieces(d.turn))
	for from < d.from && x.idle(d.turn, from) {
		from++
	}
	for to > d.to && x.idle(d.turn, to-1) {
		to--
	}
	return from, to
}

// reach takes up what stands around a draft, as far as it joins.
func (x *extractor) reach(d *draft, from, to int) {
	own := *d
	for k := d.from - 1; k >= from && x.joins(k, own); k-- {
		x.take(d, k)
	}
	for k := d.to; k < to && x.joins(k, own); k++ {
		x.take(d, k)
	}
}

// whole adds what turns the last sentence of a draft: "Well. A little bit.", "Sorry, I have hay fever."
func (x *extractor) whole(d *draft) {
	ps := x.pieces(d.turn)
	for d.to < len(ps) && speech.Turns(ps[d.to].w) && !ps[d.to].asks {
		d.to++
		if w := ps[d.to-1].w; len(w) > 1 {
			return
		}
		if d.to < len(ps) && len(ps[d.to].w) <= 5 && !ps[d.to].asks {
			d.to++
		}
	}
}

// joins reports whether a piece of a short turn is quoted with a draft: not where it says something of another matter.
func (x *extractor) joins(k int, d draft) bool {
	p := x.pieces(d.turn)[k]
	if x.offered(d.turn) && x.dated(d.turn, k) && len(p.w) <= shortDay && !has(x.pieces(d.turn)[d.core].w, then) {
		return false // it says which day will do
	}
	other := p.about.key != d.about.key || p.about.whose != d.about.whose
	if p.score >= enough && other && p.about.key+p.about.whose != "" && d.about.key+d.about.whose != "" {
		return false
	}
	corrects := k > 0 && speech.Turns(x.pieces(d.turn)[k-1].w)
	return (!p.bar || p.asks) && (p.score > -1 || len(p.w) < 4 || corrects)
}

// shortDay is how many words it takes at most to choose a day that was offered.
const shortDay = 6

// then are words that mean the time that was named before them.
var then = speech.Set("that then dann danach eso entonces")

// take adds a piece to a draft.
func (x *extractor) take(d *draft, k int) {
	p := x.pieces(d.turn)[k]
	d.from, d.to = min(d.from, k), max(d.to, k+1)
	d.score = max(d.score, p.score)
	d.sure = min(d.sure, p.sure)
	if p.about.weight > d.about.weight && !p.asks {
		d.about, d.core = p.about, k
	}
}

// idle reports whether a piece at the edge of a turn says nothing: greetings and the name with them, thanks, agreement.
func (x *extractor) idle(i, k int) bool {
	p := x.pieces(i)[k]
	said := slices.DeleteFunc(x.lang.content(p.w), func(w string) bool { return assents[w] || k == 0 && x.names[w] && !x.dated(i, k) })
	return p.bar || len(said) == 0 && !slices.ContainsFunc(p.w, speech.IsNumber) && (len(p.w) == 1 || !has(p.w, x.lang.denial))
}

// assents are words by which the caller agrees, greets or thanks.
var assents = speech.Set(`perfect lovely brilliant awesome fine grand thanks thank cheers smashing bye goodbye hello deal excellent wonderful
	appreciate prima perfekt wunderbar danke tschüss perfecto vale gracias adiós`)

// words counts those of some sentences.
func (x *extractor) words(i, from, to int) int {
	n := 0
	for _, p := range x.pieces(i)[from:to] {
		n += len(p.w)
	}
	return n
}

// settle gives a draft its type where its topic did not.
func (x *extractor) settle(d *draft) {
	wants := slices.ContainsFunc(x.pieces(d.turn)[d.from:d.to], func(p piece) bool { return x.lang.wants(p.w) || x.lang.command(p.w) >= 2 })
	switch {
	case (d.about.kind == "" || d.about.kind == recaller.Context) && wants:
		d.about.kind = recaller.Preference
	case d.about.kind == "":
		d.about.kind = recaller.Context
	}
}

// wants reports whether words tell what somebody would have: "like" is that behind whoever likes, and a filler
// elsewhere.
func (l *tongue) wants(w []string) bool {
	for i, v := range w {
		if wanting[v] && (v != "like" || l.self[at(w, i-1)] || at(w, i-1) == "not" || at(w, i-1) == "would" || at(w, i-1) == "really") {
			return true
		}
	}
	return false
}

var wanting = speech.Set("prefer want rather hate hates love loves like likes favourite favorite lieber hasse mag prefiero gusta")

// answer reads the beginning of a turn as the answer to the agent's question. The two are quoted together where the
// question is about something that lasts and the answer alone does not say it.
func (x *extractor) answer(i int) (draft, bool) {
	q := x.asker(i)
	ps := x.pieces(i)
	if q < 0 || len(ps) == 0 || x.ss[i][0].Question {
		return draft{}, false
	}
	text := x.asked(q)
	ask, a := x.askedAbout(q)
	to := 1
	for to < len(ps) && x.words(i, 0, to) <= 3 && !x.ss[i][to].Question {
		to++
	}
	spelt := spelled(x.r.Turns[i].Text[:x.ss[i][to-1].End])
	score := a.weight + 1
	switch {
	case secret(ask), len(spelt) > 0 && has(ask, theirs):
		return draft{}, false
	case len(spelt) > 0 && names(ask) && !strings.ContainsAny(spelt[0], "0123456789"):
		a = about{key: "name_spelling", kind: recaller.Fact, single: true, weight: 3}
		score = 4
	case len(spelt) > 0 && !strings.ContainsAny(spelt[0], "0123456789"):
		return draft{}, false // it corrects a name, and answers nothing
	case len(spelt) > 0 && a.key != "":
		score = 4.5
	case denies(ps[0].w, ask) && (!deniable[a.key] || slices.Contains(ps[0].w, "mine")), a.key == "reference" && len(spelt) == 0, schedules(text, x.r.Turns[q]), talk[a.key]:
		return draft{}, false
	case ps[0].score >= enough && ps[0].about.weight >= a.weight, has(ps[0].w, x.lang.unreal):
		return draft{}, false // it speaks for itself
	case nodding(ps[0].w, x.lang):
		if has(ps[0].w, x.lang.denial) && !deniable[a.key] || !polar(ask) {
			return draft{}, false
		}
	case len(x.lang.content(ps[0].w)) == 0 && !slices.ContainsFunc(ps[0].w, speech.IsNumber):
		return draft{}, false
	default:
		score += 0.5
	}
	told := slices.ContainsFunc(ps[0].w, speech.IsNumber) || len(x.lang.content(ps[0].w)) > 1
	if a.key+a.whose == "" && told && details.In(speech.Words(text)) {
		score = answers
	} else if score < answers || a.key == "" && a.whose == "" {
		return draft{}, false
	}
	if x.words(i, 0, to) > maxQuote {
		return draft{}, false
	}
	d := draft{asked: q, turn: i, from: 0, to: to, about: a, score: score, sure: 0.85}
	for k := 1; k < to; k++ {
		x.take(&d, k)
	}
	x.settle(&d)
	return d, true
}

// leaningOn is the turn of the question that is quoted with a draft: the one that it answers, or on which its first
// words lean, where they are the first that are said to it; -1: none.
func (x *extractor) leaningOn(d draft) int {
	q := x.asker(d.turn)
	if from, _ := x.within(d, 0); d.asked >= 0 || q < 0 || from < d.from {
		return d.asked
	}
	w, ask := x.pieces(d.turn)[d.from].w, x.asked(q)
	if d.core > d.from && len(w) > 1 && !slices.ContainsFunc(w, speech.IsNumber) { // what counts leans on the words before it
		return -1
	}
	short := len(w) <= fewWords && (len(x.lang.content(w)) <= 1 || has(w, pronouns))
	n := len(strings.Fields(ask))
	if !short && !yes[w[0]] && !x.lang.denial[w[0]] || n < 3 || n > maxQuote/2 || d.about.single && d.about.weight >= heavy || schedules(ask, x.r.Turns[q]) {
		return -1
	}
	return q
}

// fewWords is how many words a sentence has that may say little without the question before it.
const fewWords = 10

var pronouns = speech.Set("it ones them those mine yours es das die davon ihn lo la los las ese esa")

// askedAbout are the words of the last question of a turn, and what it is about.
func (x *extractor) askedAbout(q int) ([]string, about) {
	ask, at := x.lang.read(x.asked(q)), place{turn: q, asked: true}
	a := x.about(lastAsked(ask), at)
	if a.key+a.whose == "" {
		a = x.about(ask, at)
	}
	if slices.Contains(ask, "your") && a.whose != "" && a.key == "" { // "is your daughter …" is about her
		a.weight = 2
	}
	return ask, a
}

// details are ways to ask for one thing of a matter.
var details = speech.PhrasesOf(`which|whose|where|how long|how many|how old|how big|how far|how often|how tall|what size|what kind|what type|what
	sort|what model|what make|what year|what colour|what color|what room|what floor|what number|her name|his name|its name|welche|welcher|welches|
	welchen|welchem|wie lange|wie viele|wie alt|wie groß|wo|cuál|cuáles|cuántos|cuántas|cuánto tiempo|dónde|qué tipo|qué talla|qué modelo`)

// denies reports whether an answer says "no …" of a thing that was asked for, that there is none, or that it is
// another's.
func denies(w, ask []string) bool {
	for i := 1; i < len(w); i++ {
		none := i < 4 && (w[i-1] == "have" && at(w, i+1) == "got" || w[i-1] == "do" && at(w, i+1) == "have")
		if w[i-1] == "no" && len(w[i]) > 3 && slices.Contains(ask, w[i]) || w[i] == "not" && (none || at(w, i+1) == "mine") {
			return true
		}
	}
	return false
}

// lastAsked is the last question of several that stand in a row without a mark between them.
func lastAsked(ask []string) []string {
	for i := len(ask) - 2; i > 0; i-- {
		if inverted[ask[i]] && addressees[ask[i+1]] {
			return ask[i:]
		}
	}
	return ask
}

var (
	inverted   = speech.Set("do are is was were have has did can could would will does")
	addressees = speech.Set("you your the he she it there they")
)

// deniable are the topics of which a "no" says something.
var deniable = func() map[string]bool {
	out := map[string]bool{}
	for _, t := range topics {
		out[t.key] = t.denied
	}
	return out
}()

// nodding reports whether words say yes or no and nothing else.
func nodding(w []string, l *tongue) bool {
	said := false
	for _, v := range w {
		if !l.prelude[v] && !l.denial[v] && !nods[v] {
			return false
		}
		said = said || l.denial[v] || yes[v]
	}
	return said
}

var yes = speech.Set("yes yeah yep yup correct right sure exactly definitely ja genau sí claro")

var nods = speech.Set("yep yup correct right i do am have can that know of aware really at all any think it is was sir ma'am exactly")

// polar reports whether a question can be answered by yes or no: it does not ask what, or for something to be told.
func polar(ask []string) bool {
	return !has(ask, speech.Set("what which who where when how")) && !slices.Contains(ask, "confirm") && !slices.Contains(ask, "tell")
}

// asker returns the turn of the agent whose question a turn answers; -1: none.
func (x *extractor) asker(i int) int {
	for k := i - 1; k >= max(0, i-3); k-- {
		t := x.r.Turns[k]
		if t.Speaker == recaller.Assistant && !t.Interrupted && x.asks(k) {
			return k
		}
		if t.Speaker == recaller.Assistant && len(strings.Fields(t.Text)) > 3 || t.Speaker == recaller.User && len(strings.Fields(t.Text)) > 2 {
			return -1
		}
	}
	return -1
}

// question returns the pieces of the last question of a turn, which may be cut in the middle; 0, 0: it asks nothing.
func (x *extractor) question(i int) (from, to int) {
	t := x.r.Turns[i]
	for k := len(t.Sentences) - 1; k >= max(0, len(t.Sentences)-2); k-- {
		if !t.Sentences[k].Question {
			continue
		}
		from = k
		for from > 0 && !strings.ContainsAny(t.Text[t.Sentences[from-1].End-1:t.Sentences[from].Start], ".?!") && k-from < 2 {
			from--
		}
		return from, k + 1
	}
	return 0, 0
}

// asks reports whether a turn asks something.
func (x *extractor) asks(i int) bool {
	_, to := x.question(i)
	return to > 0
}

// asked is the text of the last question of a turn.
func (x *extractor) asked(i int) string {
	from, to := x.question(i)
	t := x.r.Turns[i]
	return t.Text[t.Sentences[from].Start:t.Sentences[to-1].End]
}

// talk are the topics of a call's own talk: questions about them are about this call.
var talk = speech.Set("availability contact_preference money interest")

// offers begin what the agent asks about the call, and not about the caller.
var offers = strings.Split(`anything else|how can i|how may i|what can i|how could i|would you like|shall i|should i|do you want me|is that all|
that work|that okay|that alright|that all right|how about|what about|what day|which day|what time|what date|how are you|how's your day|
would you prefer|what works|who am i|is this about|is there anything|can you hear|are you still|are you there|could you say|could you repeat|does that|will that|can i help|may i help|kann ich|darf ich|puedo ayudar|en qué`, "|")

// schedules reports whether a question is one of the call itself: an offer, a day, whether there is anything else.
func schedules(ask string, q reading.Turn) bool {
	if contains(ask, offers) {
		return true
	}
	for _, f := range q.Dates {
		if f.Exact() && strings.Contains(ask, f.Phrase) && f.At.After(q.At) {
			return true
		}
	}
	return false
}

// secret reports whether a question asks for what opens a door or an account: that is no memory.
func secret(ask []string) bool {
	for i, v := range ask {
		switch v {
		case "pin", "password", "passcode", "passwort", "contraseña", "clave", "cvv":
			return true
		case "code":
			return !has(ask[max(0, i-2):i], speech.Set("confirmation booking reference post zip area reservation order"))
		}
	}
	return false
}

// names reports whether a question asks for a name or spells one.
func names(w []string) bool {
	letters := 0
	for _, v := range w {
		if v == "name" || v == "surname" || v == "spell" || v == "spelled" || v == "spelling" || v == "heißen" || v == "nombre" || v == "apellido" {
			return true
		}
		if len([]rune(v)) == 1 {
			letters++
		}
	}
	return letters >= 3
}
