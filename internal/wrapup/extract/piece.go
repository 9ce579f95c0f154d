package extract

import (
	"cmp"
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
	return x.ps.of(i, func() []piece {
		ps := make([]piece, len(x.ss[i]))
		for k := range ps {
			ps[k] = x.piece(i, k, ps[:k])
		}
		return ps
	})
}

// piece reads a sentence of a turn; before are those before it.
func (x *extractor) piece(i, k int, before []piece) piece {
	t, s := x.r.Turns[i], x.ss[i][k]
	p := piece{w: x.lang.read(s.Text), sure: 0.9}
	relative := x.relative(i, k, p.w)
	p.asks = s.Question && !tagged(p.w) && relative == 0
	p.bar = p.asks || len(p.w) == 0 || x.lang.barred(p.w[relative:])
	shape, own := x.lang.shape(p.w)
	p.own = own
	p.about = x.about(p.w, place{turn: i, sentence: k})
	for b := max(0, k-2); b < k && p.about.key == "medication" && len(p.w) <= fewWords && !has(p.w, taken); b++ {
		if same := before[b].about; same.key == "allergy" { // "He's allergic to penicillin. Me it's sulfa."
			p.about.key, p.about.kind, p.about.weight = same.key, same.kind, same.weight
		}
	}
	x.exact(&p, i, s.Text)
	p.score = shape + x.aboutWeight(p, shape)
	x.weighTime(&p, t, s, i)
	if has(p.w, x.lang.lasting) {
		p.score += 0.75
	}
	if slices.Contains(p.w, "every") {
		p.score += 0.75
	}
	if has(p.w, x.lang.moment) || near(p.w, func(i int) bool { return p.w[i] == "then" || p.w[i] == "now" }, till, 1) {
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
	if x.recited(i, p) || p.about.weight == 0 && amends(p.w) {
		p.bar = true
	}
	return p
}

// amends reports whether words only put others in the place of some that were said: "Oh sorry, I meant Tuesday".
func amends(w []string) bool {
	for i := range w {
		for _, p := range amending {
			if len(w) >= i+len(p) && slices.Equal(w[i:i+len(p)], p) && at(w, i+len(p)) != "to" {
				return true
			}
		}
	}
	return false
}

var amending = [][]string{{"i", "meant"}, {"i", "mean"}, {"meant", "to", "say"}, {"meinte", "ich"}, {"ich", "meinte"}, {"quería", "decir"}, {"quise", "decir"}}

// relative is 1 where a piece tells by its first word of him whom the one before it named: "my aunt | who has the
// keys".
func (x *extractor) relative(i, k int, w []string) int {
	if k == 0 || len(w) < 2 || !asking[w[0]] || strings.HasSuffix(x.ss[i][k].Text, "?") {
		return 0
	}
	if before := x.lang.read(x.ss[i][k-1].Text); len(before) > 0 && kin[before[len(before)-1]] != "" {
		return 1
	}
	return 0
}

// inscribed are words beside what is spelled and is nobody's name.
var inscribed = speech.Set("say says read reads city town village street road company firm brand sign stadt ort straße firma ciudad calle empresa")

// taken are verbs of medicines.
var taken = speech.Set("take takes taking took on use uses need needs nehme nimmt tomo toma")

// exact takes up what is said letter by letter or digit by digit: a name, a number, an address of mail.
func (x *extractor) exact(p *piece, i int, text string) {
	runs := spelled(text)
	switch {
	case mailed(text) != "":
		p.about, p.bar = about{key: "email", kind: recaller.Fact, single: true, weight: 3}, false
	case len(runs) == 0:
	case !strings.ContainsAny(runs[0], "0123456789") && len(runs[0]) > leastSpelled:
		p.about = about{key: "spelling", kind: recaller.Fact, weight: 3}
		for n := range p.w {
			p.about.whose = cmp.Or(p.about.whose, x.mentioned(p.w, n))
		}
		if q := x.asker(i); !has(p.w, inscribed) && (p.about.whose != "" || i < 4 || names(p.w) || has(p.w, x.lang.self) || q >= 0 && names(x.lang.read(x.asked(q)))) {
			p.about.key, p.about.single = "name_spelling", true
		}
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
	cleft := w[first] == "what" && (l.self[at(w, first+1)] || he[at(w, first+1)]) && slices.Contains(w, "is")   // "what he can't have is nuts"
	bidden := slices.Contains(w, "first") && slices.ContainsFunc(w, func(v string) bool { return commands[v] }) // "if it's more, ring first"
	if asking[w[first]] && !cleft || l.cond[w[first]] && !bidden || has(w, l.unreal) || has(w, l.forget) ||
		has(w, noted) && slices.Contains(w, "down") || slices.Contains(w, "record") && slices.Contains(w, "off") {
		return true
	}
	for i, v := range w {
		if l.cond[v] && slices.Contains(w, "would") || v == "would" && i > 1 && l.self[w[i-1]] && follows[w[i-2]] {
			return true
		}
		if i > 0 && l.told[v] && !l.self[w[i-1]] && w[i-1] != "be" && (v != "like" || w[i-1] == "was") && !(i > 1 && l.self[w[i-2]]) {
			if !near(w[i:], func(k int) bool { return l.self[w[i+k]] }, buts, 1) { // "he said I could, but I'm not doing it"
				return true
			}
		}
	}
	return false
}

// noted are words by which something is not to be written down: that is no memory, and would tell that there was
// something.
var noted = speech.Set("written write writing jotted jot noted")

// follows begin what would come of something: "the second is their wedding, so I'd be divorced".
var follows = speech.Set("so then or otherwise else")

var asking = speech.Set("what how why where which who wie warum wo wer welche qué cómo cuándo dónde")

// about finds the topic of words, and whose matter it is.
func (x *extractor) about(w []string, p place) about {
	w = literal(w)
	best, named := x.topic(w)
	var a about
	if best != nil {
		a = about{key: best.key, kind: best.kind, single: best.single, weight: best.weight, whose: x.holder(w, named, best, p)}
		switch {
		case best.key == "death" && a.whose == "" && !bereft[w[named]], a.whose == somebody && best.weight < heavy:
			a = about{} // it is no person's, or somebody's of whom is told
		case pets[a.whose] && !bodily[best.key] && best.key != "death" && best.key != "age":
			a.whose = ""
		}
	}
	if a.weight >= 1.5 || a.key == "contact_preference" {
		return a
	}
	if k := x.told(w); k != "" {
		a = about{kind: recaller.Fact, weight: 0.75, whose: k}
		if passers[k] {
			a.weight = 0.25
		}
	}
	return a
}

// topic is the heaviest of the topics that words name, and where; nil if they name none.
func (x *extractor) topic(w []string) (best *topic, place int) {
	for i, v := range w {
		if t := topicOf[bare(v)]; t != nil && (best == nil || t.weight > best.weight) && x.lang.fits(t, w, i) {
			best, place = t, i
		}
	}
	bidden := x.lang.command(w) > 0
	if best != nil && best.key == "contact_preference" && !bidden && !near(w, func(i int) bool { return reaching(w[i]) && !has(w[max(0, i-2):i], x.lang.self) }, x.lang.denial, 5) && !x.lang.wants(w) && !slices.Contains(w, "better") {
		best = nil
	}
	switch {
	case best != nil && best.key == "death":
	case bidden && near(w, func(i int) bool { return sides[w[i]] }, round, 1) && (best == nil || best.weight < heavy):
		return topicOf["door"], 0
	case addressed(w):
		return topicOf["address"], 0
	case (best == nil || best.weight < heavy) && bidden && slices.ContainsFunc(w, reaching):
		return topicOf["call"], slices.IndexFunc(w, reaching)
	case near(w, func(i int) bool {
		return w[i] == "own" && at(w, i-2) == "on" && len(x.lang.content(w[i+1:min(len(w), i+2)])) == 0
	}, mine, 1):
		return topicOf["alone"], slices.Index(w, "own")
	case best == nil && near(w, func(i int) bool { return w[i] == "have" || w[i] == "eat" }, x.lang.denial, 1) && near(w, func(i int) bool { return w[i] == "not" }, canned, 1):
		return topicOf["vegan"], slices.Index(w, "not")
	case best == nil || best.weight < heavy:
		if t, i := x.lang.stated(w); t != nil {
			return t, i
		}
	}
	return best, place
}

var (
	sides  = speech.Set("back side front rear") // of a house
	round  = speech.Set("the round")
	canned = speech.Set("can could")
	buts   = speech.Set("but aber pero")
	mine   = speech.Set("my your")
	till   = speech.Set("by till until right just")                                          // then or now
	bereft = speech.Set("widow widower widowed funeral witwe witwer beerdigung viuda viudo") // tell of a death without him who died
)

// near reports whether a word has one of a list at most n words before it.
func near(w []string, is func(i int) bool, before map[string]bool, n int) bool {
	for i := range w {
		if is(i) && has(w[max(0, i-n):i], before) {
			return true
		}
	}
	return false
}

// literal are words with those of idioms left blank: "over my dead body" tells of no death.
func literal(w []string) []string {
	w = slices.Clone(w)
	for i := range w {
		for k := range idioms.At(w, i) {
			w[i+k] = "-"
		}
	}
	return w
}

// idioms, by their first words.
var idioms = speech.PhrasesOf(`dead body|to die for|dying to|dead end|dead set|dead right|dead on|dead sure|dead easy|dead tired|pain in the neck|pain in the backside|pain in the arse|sick of|sick and
	tired|tired of|arm and a leg|growing legs|last legs|pull my leg|pulling my leg|break a leg|by heart|heart of|cold feet|my foot down|foot the bill|on foot|
	blind date|blind eye|blind spot|an eye on|eye to eye|all ears|deaf ears|by ear|back teeth|skin of my teeth|long in the tooth|sweet tooth|sore point|stroke of|heart attack over|on the house|open house|full house|key point|ring a bell|rings a bell|close call|call it|
	cats and dogs|like a dog|horse around|allergic to hard|allergic to waiting|allergic to mornings|allergic to paperwork|over meine leiche|am
	herzen|vom herzen|unter vier augen|ojo de la cara|hasta las narices|por encima de mi cadáver|muerta de|muerto de|nana's|breaks my heart|broke my heart|
	own eyes|able for it|have an actual stroke|am afraid i|am afraid not|am afraid so|am afraid it|am afraid we|am afraid he|am afraid she|am afraid there|am afraid that|am afraid you|blood out of|makes my blood|my blood boil`)

// reaching reports whether a word is a way to reach somebody.
func reaching(w string) bool { return topicOf[w] != nil && topicOf[w].key == "contact_preference" }

var (
	worked     = topic{key: "work", kind: recaller.Context, weight: 2}
	age        = topic{key: "age", kind: recaller.Fact, weight: 2, single: true}
	occupation = topic{key: "occupation", kind: recaller.Fact, weight: 2, single: true}
	trades     = speech.Set(`paramedic medic midwife dentist surgeon coach judge priest vicar smith nurse cook chef pilot clerk student mechanic vet guard`)
	noTrades   = speech.Set(`beginner newcomer member customer lover believer reader learner user owner father mother brother sister daughter number
		smoker sleeper eater fighter little former other another better newer older never bother matter winter summer computer minor major
		neighbor man woman christian vegetarian`)
)

// stated is what the caller says that he is, and where: so old, of a trade, or where he works.
func (l *tongue) stated(w []string) (*topic, int) {
	for i := 0; i+2 < len(w); i++ {
		if w[i] != "i" || w[i+1] != "am" && w[i+1] != "work" && w[i+1] != "was" {
			continue
		}
		if n := i + 2; w[i+1] == "am" && ageWord(w[n]) && (n+1 == len(w) || !unitWords[w[n+1]]) {
			return &age, n
		}
		if k := i + 3; (w[i+2] == "a" || w[i+2] == "an" || w[i+2] == "as") && (tradeAt(w, k) || tradeAt(w, k+1) && !tradeAt(w, k)) {
			return &occupation, k
		}
	}
	if i := slices.Index(w, "jobs"); i > 0 && w[i-1] == "changed" && has(w, l.self) {
		return &occupation, i
	}
	if i := slices.Index(w, "work"); i > 0 && l.self[w[i-1]] && at(w, i+1) != "on" && at(w, i+1) != "out" {
		return &worked, i
	}
	return nil, 0
}

func ageWord(w string) bool { return speech.IsNumber(w) && w != "one" && w != "half" && w != "first" }

var unitWords = speech.Set("minutes minute hours hour days weeks miles percent months mins km kilometres blocks pounds kg of out")

// tradeAt reports whether a word may name a line of work.
func tradeAt(w []string, i int) bool {
	v := at(w, i)
	if noTrades[v] || len(v) < 4 {
		return false
	}
	return trades[v] || ends(v, "er or ist ian man ant")
}

// ends reports whether a word has one of some endings, and more before it.
func ends(w, list string) bool {
	return slices.ContainsFunc(strings.Fields(list), func(end string) bool { return strings.HasSuffix(w, end) && len(w) > len(end)+1 })
}

// passers are people whose doings are told more often than they matter.
var passers = speech.Set("boss landlord friend neighbour cousin roommate")

var (
	possessing = speech.Set("have has had got perro hund gato katze tengo tenemos habe haben")
	streets    = speech.Set(`street road avenue lane court drive terrace boulevard rise crescent grove straße strasse gasse calle avenida`)
	doors      = speech.Set("apartment apt flat unit")
	rooms      = speech.Set("bed bedroom storey story room way person seater")
	amounts    = speech.Set("both half couple twice twin twins") // no house has them for a number
)

// addressed reports whether words name a house: a number before a street, behind one, or behind a door.
func addressed(w []string) bool {
	for i, v := range w {
		if doors[v] && i+1 < len(w) && speech.IsNumber(w[i+1]) {
			return true
		}
		for k := i - 1; streets[v] && k >= max(0, i-3); k-- {
			if speech.IsNumber(w[k]) && !amounts[w[k]] && !rooms[w[k+1]] {
				return true
			}
		}
		long := ends(v, "straße strasse gasse weg platz allee")
		for k := i + 1; (long && k < i+2 || v == "calle" && k < i+6) && k < len(w); k++ {
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
			case x.busy(*p) && f.At.Before(t.At.AddDate(0, 0, 9)):
				p.score -= 1.5
			case p.about.kind != recaller.Fact && !has(p.w, x.lang.denial) && !has(p.w, x.lang.lasting):
				p.about.kind = recaller.FollowUp
			}
		}
		return
	}
}

// busy reports whether a piece only says when the caller can or can not: it holds for that week, and neither tells what
// he does nor what is to be on the day.
func (x *extractor) busy(p piece) bool {
	slight := p.about.weight < 1.5 || p.about.key == "availability" || p.about.key == "vehicle"
	return slight && p.about.whose == "" && (has(p.w, x.lang.self) || has(p.w, x.lang.denial)) && !has(p.w, planned)
}

var planned = speech.Set(`appointment flight flying fly trip travelling traveling wedding visiting visits visit moving move exam test interview birthday party funeral
	surgery operation holiday vacation concert scan treatment chemo starts start starting born due umzug prüfung hochzeit flug reise urlaub operation
	termin viaje boda mudanza examen vuelo cita coming comes arrives opening closing`)

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

// dated reports whether a piece names a day or an hour.
func (x *extractor) dated(i, k int) bool {
	for _, f := range x.r.Turns[i].Dates {
		if s := x.ss[i][k]; f.Start >= s.Start && f.End <= s.End {
			return true
		}
	}
	return false
}

// longReply is how many characters of an agent's turn are compared: a page of text has all words.
const longReply = 600

// agent are the words of a turn of the agent's that say something.
func (x *extractor) agent(k int) []string {
	if len(x.r.Turns[k].Text) > longReply {
		return nil
	}
	return x.theirs.of(k, func() []string { return x.lang.content(x.lang.read(x.r.Turns[k].Text)) })
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
