package extract

import (
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/speech"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// What a piece must weigh to be chosen by itself, and beside one that was.
const (
	enough  = 1.5
	answers = 2.5 // with the question
	beside  = 1.0
	idling  = 1.0
	heavy   = 2.5 // of a topic that counts whoever is meant
)

// piece is a sentence of the caller's with what it weighs.
type piece struct {
	w     []string // its words, contractions written out
	own   bool     // it speaks of the caller or his people
	bar   bool     // it is nothing that may be kept
	asks  bool
	score float64
	sure  float64
	about about
}

// pieces reads the sentences of a turn.
func (x *extractor) pieces(i int) []piece {
	if x.ps[i] == nil {
		x.ps[i] = make([]piece, len(x.ss[i]))
		for k := range x.ss[i] {
			x.ps[i][k] = x.piece(i, k)
		}
	}
	return x.ps[i]
}

func (x *extractor) piece(i, k int) piece {
	t, s := x.r.Turns[i], x.ss[i][k]
	p := piece{w: wordsOf(s.Text), sure: 0.9}
	p.asks = s.Question && !tagged(p.w)
	p.bar = p.asks || len(p.w) == 0 || x.lang.barred(p.w)
	shape, own := x.lang.shape(p.w)
	p.own = own
	p.about = x.about(p.w)
	x.exact(&p, s.Text)
	p.score = shape + x.aboutWeight(p, shape)
	x.weighTime(&p, t, s, i)
	if has(p.w, x.lang.lasting) {
		p.score += 0.75
	}
	if slices.Contains(p.w, "every") {
		p.score += 0.75
	}
	if has(p.w, x.lang.moment) {
		p.score--
	}
	if has(p.w, x.lang.hedge) {
		p.score -= 0.5
		p.sure = 0.7
	}
	if slices.ContainsFunc(p.w, speech.IsNumber) {
		p.score += 0.5
	}
	if len(x.lang.content(p.w)) < 2 && p.about.weight < 1.5 {
		p.score -= 0.75
	}
	if x.recited(i, p) {
		p.bar = true
	}
	return p
}

// exact takes up what is said letter by letter or digit by digit: a name, a number, an address of mail.
func (x *extractor) exact(p *piece, text string) {
	runs := spelled(text)
	switch {
	case mailed(text) != "":
		p.about, p.bar = about{key: "email", kind: recaller.Fact, single: true, weight: 3}, false
	case len(runs) == 0:
	case !strings.ContainsAny(runs[0], "0123456789") && len(runs[0]) > leastSpelled:
		p.about = about{key: "name_spelling", kind: recaller.Fact, single: true, weight: 3}
	case p.about.key == "reference" || p.about.key == "address" || p.about.key == "insurance":
		p.about.weight = 3
	}
}

// tagged reports whether a question only asks to be agreed with: "he's allergic to penicillin, you have that, right?"
func tagged(w []string) bool {
	last := w[len(w)-1]
	return len(w) > 4 && (last == "right" || last == "okay" || last == "ok" || last == "eh" || last == "gell" || last == "oder" || last == "verdad") &&
		!topicalQuestion[w[0]]
}

var topicalQuestion = speech.Set("is are do does did can could would will what when where who which how why have has shall so")

// barred reports whether words say nothing that may be kept: conditions, wishes, what others are quoted to have said.
func (l *tongue) barred(w []string) bool {
	first := 0
	for first < len(w)-1 && l.prelude[w[first]] {
		first++
	}
	if asking[w[first]] || l.cond[w[first]] || has(w, l.unreal) || has(w, l.forget) || unwritten(w) {
		return true
	}
	for i, v := range w {
		if l.cond[v] && slices.Contains(w, "would") || v == "would" && i > 1 && l.self[w[i-1]] && follows[w[i-2]] {
			return true
		}
		if i > 0 && l.told[v] && !l.self[w[i-1]] && (v != "like" || w[i-1] == "was") && !(i > 1 && l.self[w[i-2]]) {
			if !ownAfter(l, w[i:]) {
				return true
			}
		}
	}
	return false
}

// unwritten reports whether words only say that something is not to be written down: that is no memory, and would tell that there
// was something.
func unwritten(w []string) bool {
	return has(w, noted) && slices.Contains(w, "down") || slices.Contains(w, "record") && slices.Contains(w, "off")
}

var noted = speech.Set("written write writing jotted jot noted")

// follows begin what would come of something: "the second is their wedding, so I'd be divorced".
var follows = speech.Set("so then or otherwise else")

var asking = speech.Set("what how why where which who wie warum wo wer welche qué cómo cuándo dónde")

// ownAfter reports whether the caller speaks for himself again: "he said I could, but I'm not doing it".
func ownAfter(l *tongue, w []string) bool {
	for i := 1; i < len(w); i++ {
		if l.self[w[i]] && (w[i-1] == "but" || w[i-1] == "aber" || w[i-1] == "pero") {
			return true
		}
	}
	return false
}

// about finds the topic of words, and whose matter it is.
func (x *extractor) about(w []string) about {
	var a about
	var best *topic
	named := 0 // where its word is
	for i, v := range w {
		v = strings.TrimSuffix(v, "'s")
		if k := kin[v]; k != "" && a.whose == "" && (x.lang.owned(w, i) || pets[k] && has(w, possessing)) && !strings.HasSuffix(at(w, i-1), "'s") {
			a.whose = k
			if at(w, i+1) == "in" && strings.HasPrefix(at(w, i+2), "law") {
				a.whose = "in_laws"
			}
		}
		if t := topicOf[v]; t != nil && (best == nil || t.weight > best.weight) && x.lang.fits(t, w, i) {
			best, named = t, i
		}
	}
	if best != nil && best.key == "contact_preference" && x.lang.command(w) == 0 && !has(w, x.lang.denial) && !has(w, wanting) && !slices.Contains(w, "better") {
		best = nil
	}
	switch {
	case addressed(w):
		best = topicOf["address"]
	case (best == nil || best.weight < heavy) && x.lang.command(w) > 0 && slices.ContainsFunc(w, reaching):
		best = topicOf["call"]
	case alone(w):
		best = topicOf["alone"]
	case best == nil || best.weight < 2.5:
		if t := x.lang.stated(w); t != nil {
			best = t
		}
	}
	if best != nil && bodily[best.key] && a.whose == "" && !has(w, x.lang.self) && !has(w, x.lang.own) && !has(w, x.lang.mine) && has(w[:named], others) {
		best = nil // it is somebody's of whom is told
	}
	if best != nil {
		a.key, a.kind, a.single, a.weight = best.key, best.kind, best.single, best.weight
	}
	if a.whose != "" && a.weight < 1.5 {
		a.key, a.kind, a.weight, a.single = "", recaller.Fact, 0.75, false
		if passers[a.whose] {
			a.weight = 0.25
		}
	}
	return a
}

// bodily are the topics that are of one person.
var bodily = speech.Set("health condition medication mobility mood sleep_quality")

var others = speech.Set("his her their he she they him them er ihm él ella ellos")

// alone reports whether words hold "on my own" or "on your own".
func alone(w []string) bool {
	i := slices.Index(w, "own")
	return i > 1 && w[i-2] == "on" && (w[i-1] == "my" || w[i-1] == "your")
}

// reaching reports whether a word is a way to reach somebody.
func reaching(w string) bool { return topicOf[w] != nil && topicOf[w].key == "contact_preference" }

var (
	worked     = topic{key: "work", kind: recaller.Context, weight: 2}
	age        = topic{key: "age", kind: recaller.Fact, weight: 2, single: true}
	occupation = topic{key: "occupation", kind: recaller.Fact, weight: 2, single: true}
	trades     = speech.Set("nurse cook chef pilot clerk student mechanic plumber electrician mailman teacher lawyer vet guard")
	noTrades   = speech.Set(`beginner newcomer member customer lover believer reader learner user owner father mother brother sister daughter number
		smoker sleeper eater fighter little former other another better newer older never bother matter winter summer computer minor major
		neighbor man woman christian vegetarian`)
)

// stated is what the caller says that he is: so old, or of a trade.
func (l *tongue) stated(w []string) *topic {
	for i := 0; i+2 < len(w); i++ {
		if w[i] != "i" || w[i+1] != "am" && w[i+1] != "work" && w[i+1] != "was" {
			continue
		}
		if n := i + 2; w[i+1] == "am" && ageWord(w[n]) && (n+1 == len(w) || !unitWords[w[n+1]]) {
			return &age
		}
		if k := i + 3; (w[i+2] == "a" || w[i+2] == "an" || w[i+2] == "as") && (tradeAt(w, k) || tradeAt(w, k+1) && !tradeAt(w, k)) {
			return &occupation
		}
	}
	if i := slices.Index(w, "work"); i > 0 && l.self[w[i-1]] && at(w, i+1) != "on" && at(w, i+1) != "out" {
		return &worked
	}
	return nil
}

func ageWord(w string) bool { return speech.IsNumber(w) && w != "one" && w != "half" && w != "first" }

var unitWords = speech.Set("minutes minute hours hour days weeks miles percent months mins km kilometres blocks pounds kg of out")

// tradeAt reports whether a word may name a line of work.
func tradeAt(w []string, i int) bool {
	v := at(w, i)
	if noTrades[v] || len(v) < 4 {
		return false
	}
	for _, end := range []string{"er", "or", "ist", "ian", "man", "ant"} {
		if strings.HasSuffix(v, end) {
			return true
		}
	}
	return trades[v]
}

// passers are people whose doings are told more often than they matter.
var passers = speech.Set("boss landlord friend neighbour cousin roommate")

var (
	possessing = speech.Set("have has had got perro hund gato katze tengo tenemos habe haben")
	streets    = speech.Set(`street road avenue lane court drive terrace boulevard rise crescent grove straße strasse gasse calle avenida`)
	doors      = speech.Set("apartment apt flat unit")
	amounts    = speech.Set("both half couple twice twin twins") // no house has them for a number
)

// addressed reports whether words name a house: a number before a street, or behind a door.
func addressed(w []string) bool {
	for i, v := range w {
		if doors[v] && i+1 < len(w) && speech.IsNumber(w[i+1]) {
			return true
		}
		for k := i - 1; streets[v] && k >= max(0, i-3); k-- {
			if speech.IsNumber(w[k]) && !amounts[w[k]] {
				return true
			}
		}
	}
	return false
}

// owned reports whether the word at i is said to be the caller's: "my wife", "our old dog".
func (l *tongue) owned(w []string, i int) bool {
	for k := i - 1; k >= max(0, i-3); k-- {
		if l.own[w[k]] || w[k] == "me" && k == i-1 {
			return true
		}
	}
	return false
}

// aboutWeight is what its topic adds to a piece: all of it where the caller speaks of himself or of his people.
func (x *extractor) aboutWeight(p piece, shape float64) float64 {
	switch {
	case p.own || p.about.whose != "" || shape > 0 || p.about.weight >= heavy && len(p.w) <= 14:
		return p.about.weight
	case has(p.w, x.lang.mine):
		return p.about.weight * 0.75
	}
	return p.about.weight * 0.5
}

// weighTime weighs what happened on a day, or is to be on one.
func (x *extractor) weighTime(p *piece, t reading.Turn, s speech.Sentence, i int) {
	past := has(p.w, x.lang.existed) || slices.ContainsFunc(p.w, func(w string) bool { return len(w) > 4 && strings.HasSuffix(w, "ed") })
	for _, f := range t.Dates {
		if f.Start < s.Start || f.End > s.End || f.Retracted || !f.Exact() {
			continue
		}
		switch {
		case past && f.At.Before(t.At):
			p.score += 1.5
			if p.about.kind == "" || p.about.kind == recaller.Context || p.about.kind == recaller.Wellbeing {
				p.about.kind = recaller.History
			}
		case f.At.After(t.At.Add(-24*time.Hour)) && (p.own || p.about.whose != ""):
			p.score += 0.5
			switch {
			case x.offered(i): // one day in a negotiation
				p.score -= 2
			case p.about.kind != recaller.Fact && !has(p.w, x.lang.denial) && !has(p.w, x.lang.lasting):
				p.about.kind = recaller.FollowUp
			}
		}
		return
	}
}

// offered reports whether the agent's turn before names a day: what follows weighs it.
func (x *extractor) offered(i int) bool {
	if i == 0 || x.r.Turns[i-1].Speaker != recaller.Assistant {
		return false
	}
	for _, f := range x.r.Turns[i-1].Dates {
		if f.Known() {
			return true
		}
	}
	return false
}

// longReply is how many characters of an agent's turn are compared: a page of text has all words.
const longReply = 600

// agent are the words of a turn of the agent's that say something.
func (x *extractor) agent(k int) []string {
	if x.theirs[k] == nil && len(x.r.Turns[k].Text) <= longReply {
		x.theirs[k] = x.lang.content(wordsOf(x.r.Turns[k].Text))
	}
	return x.theirs[k]
}

// recited reports whether the agent said it before (B11).
func (x *extractor) recited(i int, p piece) bool {
	mine := x.lang.content(p.w)
	if len(mine) < 3 {
		return false
	}
	for k := max(0, i-4); k < i; k++ {
		if x.r.Turns[k].Speaker != recaller.Assistant {
			continue
		}
		theirs, n := x.agent(k), 0
		for _, w := range mine {
			if slices.Contains(theirs, w) {
				n++
			}
		}
		if n*5 >= len(mine)*4 {
			return true
		}
	}
	return false
}
