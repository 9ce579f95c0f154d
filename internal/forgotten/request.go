package forgotten

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory/likeness"
)

// Request is a caller's wish, said in words, that something he told be forgotten.
type Request struct {
	At    time.Time
	Turns []int // the one that asks, and the agent's answer where it confirms

	names [][]string // what it names: the stems of each phrase
}

// Requests returns what the caller asks in a conversation to have forgotten, in the order of asking. "Forget it" as a way to
// say no, and forgetting that nobody asks for ("don't forget the keys"), is none.
func Requests(turns []recaller.Turn) []Request {
	var out []Request
	for i, t := range turns {
		if t.Speaker != recaller.User {
			continue
		}
		said := flat(t.Text)
		how := said.asked()
		if how == noAsk {
			continue
		}
		r := Request{At: t.At, Turns: []int{t.Number}, names: said.phrases()}
		confirmed := false
		if i+1 < len(turns) && turns[i+1].Speaker == recaller.Assistant {
			answer := flat(turns[i+1].Text)
			if confirmed = answer.any(promises) || words(turns[i+1].Text).asks(); confirmed {
				r.Turns = append(r.Turns, turns[i+1].Number)
				r.names = append(r.names, answer.phrases()...)
			}
		}
		told := said.any(records) || said.told() >= 0
		if told && (confirmed || len(r.names) > 0 || how == surely) || confirmed && (how == softly || len(r.names) > 0 && said.any(owners)) ||
			len(r.names) > 0 && said.owned() {
			out = append(out, r)
		}
	}
	return out
}

// Named are the phrases that a request names, as recaller.Forgetting keeps them.
func (r Request) Named() []string {
	out := make([]string, len(r.names))
	for i, phrase := range r.names {
		out[i] = strings.Join(phrase, " ")
	}
	return out
}

// OwnName reports whether a request is about the caller's own name, which is called, if it is known: "forget my name".
func (r Request) OwnName(called string) bool {
	own := words(called).content()
	return slices.ContainsFunc(r.names, func(phrase []string) bool {
		return slices.ContainsFunc(phrase, func(stem string) bool { return naming[stem] }) &&
			!slices.ContainsFunc(phrase, func(stem string) bool { return !naming[stem] && !slices.Contains(own, stem) })
	})
}

// Unkept is the memory, with an id, that is made of a turn to be forgotten with it: nothing else was kept of that.
func Unkept(conv recaller.ConversationID, t recaller.Turn, id string) recaller.Memory {
	return recaller.Memory{
		ID: recaller.MemoryID(id), Type: recaller.History, Key: "taken_back_" + strings.ToLower(id), Value: t.Text, Confidence: t.Confidence,
		Provenance: recaller.Provenance{Conversation: conv, Turns: []int{t.Number}}, CreatedAt: t.At,
	}
}

// Means returns those of a caller's active memories that a request in a conversation is about: all that it names, or where it
// only points back, the last that was told in the turns before it. What was said after it is not meant.
func (r Request) Means(conv recaller.ConversationID, active []recaller.Memory) []recaller.Memory {
	var out []recaller.Memory
	for _, m := range active {
		if !r.before(conv, m) {
			continue
		}
		if len(r.names) > 0 {
			if r.named(m) {
				out = append(out, m)
			}
			continue
		}
		at := last(m.Provenance)
		if m.Provenance.Conversation != conv || at < r.Turns[0]-reach || len(out) > 0 && at < last(out[0].Provenance) {
			continue
		}
		out = []recaller.Memory{m}
	}
	return out
}

// Tells reports whether a turn is one in which the caller told what the request names: before it, in any conversation. What has no
// name of its own ("that number") is meant only in the conversation in which it is asked, which is here.
func (r Request) Tells(t recaller.Turn, here bool) bool {
	if t.Speaker != recaller.User || here && len(r.Turns) > 0 && t.Number >= r.Turns[0] || !here && !t.At.Before(r.At) {
		return false
	}
	return r.abroad(here).named(recaller.Memory{Value: t.Text}) || r.shaped(t.Text)
}

// shaped reports whether a text has what a request names, and people tell without naming it: a telephone number, a mail address.
func (r Request) shaped(said string) bool {
	return slices.ContainsFunc(r.names, func(phrase []string) bool {
		of := func(kind map[string]bool) bool {
			return !slices.ContainsFunc(phrase, func(stem string) bool { return !kind[stem] })
		}
		digits := 0
		for _, c := range said {
			if unicode.IsDigit(c) {
				digits++
			}
		}
		return of(phoning) && digits >= phoneDigits || of(mailing) && strings.Contains(said, "@")
	})
}

// phoneDigits is how many digits a telephone number has at least.
const phoneDigits = 6

// abroad is a request as far as it counts outside of its conversation: without phrases that have no name of their own.
func (r Request) abroad(here bool) Request {
	names := slices.DeleteFunc(slices.Clone(r.names), func(phrase []string) bool {
		own := slices.ContainsFunc(phrase, func(stem string) bool { return !common[stem] })
		return !here && !own
	})
	return Request{names: names}
}

// reach is how many turns back "forget that" points.
const reach = 4

func (r Request) before(conv recaller.ConversationID, m recaller.Memory) bool {
	if m.Provenance.Conversation == conv && len(m.Provenance.Turns) > 0 {
		return last(m.Provenance) <= r.Turns[0]
	}
	return m.CreatedAt.Before(r.At)
}

// named reports whether a memory has most of the words of a phrase.
func (r Request) named(m recaller.Memory) bool {
	said := words(strings.ReplaceAll(m.Key, "_", " ") + ". " + m.Value)
	return slices.ContainsFunc(r.names, func(phrase []string) bool {
		if !slices.ContainsFunc(phrase, func(stem string) bool { return !naming[stem] }) {
			return likeness.OfName(m.Key) // his own: not that of his dog
		}
		covered := 0
		for _, stem := range phrase {
			if said.has(stem) || slices.ContainsFunc(kinds[stem], said.has) {
				covered++
			}
		}
		return 3*covered >= 2*len(phrase)
	})
}

// line is what was said as one run of words: a recogniser writes no sentences. Its sentences are parted by words without text.
type line []word

func flat(s string) line {
	var out line
	for _, sentence := range words(strings.ReplaceAll(s, "’", "'")).sentences {
		out = append(append(out, sentence...), word{})
	}
	return out
}

func (l line) at(i int) string {
	if i < 0 || i >= len(l) {
		return ""
	}
	return l[i].text
}

func (l line) any(of map[string]bool) bool {
	for i, w := range l {
		if of[w.text] || of[w.text+" "+l.at(i+1)] || of[w.text+" "+l.at(i+1)+" "+l.at(i+2)] {
			return true
		}
	}
	return false
}

// plainness is how plainly words ask to forget.
type plainness int

const (
	noAsk  plainness = iota
	barely           // a verb that is also said of taps and orders: remove
	softly           // forget, which is also said of plans
	surely           // strike it out, don't write it down
)

// asked tells how plainly the words ask to forget.
func (l line) asked() plainness {
	how := noAsk
	for i, w := range l {
		switch {
		case l.unasked(i):
		case plainly[w.text] || plainly[w.text+" "+l.at(i+1)] || plainly[w.text+" "+l.at(i+2)] && pointers[l.at(i+1)]:
			how = surely
		case soft[w.text]:
			how = max(how, softly)
		case bare[w.text]:
			how = max(how, barely)
		}
		if (w.text == "written" || w.text == "write" || w.text == "note") && l.refused(i) {
			how = surely
		}
	}
	return how
}

// unasked reports whether a verb is of somebody who forgets, or is not to.
func (l line) unasked(i int) bool {
	if l.at(i-1) == "to" || l.at(i-1) == "zu" {
		return !wanting[l.at(i-2)]
	}
	if l.at(i-1) == "you" && lapses[l.at(i-2)] || lapses[l.at(i-1)] || l.at(i-1) == "t" && lapses[l.at(i-2)] {
		return true // "did you forget", "in case you forget", "you've forgotten"
	}
	return forgetters[l.at(i-1)] || l[i].text == "vergessen" && (l.at(i-1) == "nicht" || l.at(i+1) == "sie" && l.at(i+2) == "nicht")
}

// lapses are words behind which somebody forgets, or may, or must not.
var lapses = set(`did have case you've youve shouldn't shouldnt shouldn mustn't mustnt mustn`)

// refused reports whether one of the words before says no.
func (l line) refused(i int) bool {
	for k := max(0, i-10); k < i; k++ {
		if l[k].text == "not" || strings.HasPrefix(l[k].text, "don") || l[k].text == "never" {
			return slices.ContainsFunc(l[k:], func(w word) bool { return w.text == "down" })
		}
	}
	return false
}

// owned reports whether what is said to be forgotten is the caller's own: "forget my address", "vergessen Sie bitte meine Adresse".
func (l line) owned() bool {
	for i, w := range l {
		if !soft[w.text] && !kept[w.text] || l.unasked(i) {
			continue
		}
		for k := l.politely(i + 1); k < min(len(l), i+6) && l[k].text != ""; k++ {
			if owners[l[k].text] {
				return true
			}
		}
	}
	return false
}

// politely is where a phrase begins behind words of courtesy.
func (l line) politely(i int) int {
	for i < len(l) && polite[l[i].text] {
		i++
	}
	return i
}

// told is where the words speak of what was told before; -1 if they do not.
func (l line) told() int {
	for i := range l {
		if telling[l.at(i)] && (tellers[l.at(i-1)] || tellers[l.at(i-2)] || telling[l.at(i-1)] || l.at(i+1) == "habe") {
			return i
		}
		if telling[l.at(i)+" "+l.at(i+1)] {
			return i
		}
	}
	return -1
}

// phrases are what the words name: behind "about", before "business", behind the verb.
func (l line) phrases() [][]string {
	var out [][]string
	for i, w := range l {
		var names []string
		switch {
		case abouts[w.text] || abouts[w.text+" "+l.at(i+1)]:
			names = l.named(i+1, i+8)
		case soft[w.text] && !l.unasked(i), bare[w.text] && !l.unasked(i):
			if from := l.politely(i + 1); !abouts[l.at(from)] && !telling[l.at(from)] {
				names = l.named(from, from+5)
			}
		case things[w.text] || l.begins(i):
			names = l.named(l.opening(i), i)
		}
		if len(names) > 0 {
			out = append(out, names)
		}
	}
	return out
}

// begins reports whether "I told you" begins, of what stands before it: "that number I gave you".
func (l line) begins(i int) bool {
	return tellers[l.at(i)] && (telling[l.at(i+1)] || telling[l.at(i+2)]) && l.opening(i) < i-1
}

// opening is where a short phrase before a word begins, with "that" or "the"; the word itself where none does.
func (l line) opening(i int) int {
	for k := i - 1; k >= max(0, i-4); k-- {
		if pointers[l[k].text] || owners[l[k].text] || l[k].text == "the" {
			return k
		}
	}
	return i
}

// named are the stems of a phrase, up to where another clause begins.
func (l line) named(from, to int) []string {
	var out []string
	for i := from; i < min(to, len(l)); i++ {
		w := l[i]
		if w.text == "" || ends[w.text] {
			break
		}
		if w.stem != "" && !hollow[w.text] && !slices.Contains(out, w.stem) {
			out = append(out, w.stem)
		}
	}
	return out
}

// stemSet is the stems of the words of a list.
func stemSet(list string) map[string]bool {
	out := map[string]bool{}
	for _, stem := range words(list).content() {
		out[stem] = true
	}
	return out
}

// stems gives each word of a list, and behind a colon what is of its kind, by their stems.
func stems(list ...string) map[string][]string {
	out := map[string][]string{}
	for _, entry := range list {
		kind, of, _ := strings.Cut(entry, ":")
		out[words(kind).content()[0]] = words(of).content()
	}
	return out
}

var (
	// Words are as token.Scanner folds them. soft ask to forget, and are said of plans too; bare are said of anything; plainly
	// are said of words only.
	soft = set(`forget forgotten forgets vergessen vergiss olvide olvida olvidelo olvidalo olvidar`)
	bare = set(`delete deleted deleting erase erased remove removed wipe wiped scrub strike loschen losche streichen streiche geloscht gestrichen
		borre borra borrelo borrar elimine elimina quite`)
	plainly = set(`strike_out strike_that strike_it take_out taken_out unsay off_record streichen_das streichen_es borrelo`)

	// forgetters stand before a verb that asks for nothing.
	forgetters = set(`i i'll ill we we'll he she they who never not don't dont didn't didnt can't cant won't wont always might will would you'll
		ever almost nearly ich wir er no me se nunca nie`)
	wanting = set(`you want like need prefer sie`)

	// telling and tellers speak of what was told; records of what is kept of it.
	telling = set(`said told tell mentioned gave shared saying gesagt erzahlt erwahnt dije conte conte comente mencione lo_de das_mit die_sache`)
	tellers = set(`i i've ive we we've ich wir le les lo you habe`)
	records = set(`written written_down write_down write_it_down write_that_down wrote_down note_down noted_down file your_notes record records aufgeschrieben akte notizen apuntado ficha notas`)

	promises = set(`gone forgotten take_out taken_out taken strike struck erased deleted removed wiped geloscht gestrichen vergessen streiche losche
		olvidado borrado borrada borro elimino eliminado quito tacho take_it_off take_that_off taking_out`)

	// kept are those of the bare ones that are said of what is kept of somebody.
	kept   = set(`delete erase losche loschen borre borra elimine`)
	polite = set(`sie bitte doch mal einfach please por favor just usted also auch`)

	pointers = set(`that this it those these what das dies es eso esto`)
	owners   = set(`my our mein meine meinen meinem meiner mi mis`)
	abouts   = set(`about regarding concerning das_mit sache_mit uber von wegen lo_de sobre`)
	// common are the stems of words that name something only where it was just spoken of.
	common = stemSet(`number name address phone email card detail thing stuff matter business order account
		nummer namen adresse telefon telefonnummer numero nombre direccion telefono correo`)
	// phoning and mailing are the stems that name a telephone number and a mail address.
	phoning = stemSet(`phone number telephone mobile cell telefon telefonnummer nummer handynummer telefono numero`)
	mailing = stemSet(`email mail address correo mailadresse`)

	// naming are the stems of words that say that something is a name.
	naming = stemSet(`name names surname called namen nachname nachnamen vorname vornamen nombre apellido`)
	things = set(`business thing things stuff bit number part matter sache geschichte`)

	// ends begin another clause.
	ends = set(`i he she it they we you because but before after since when would could will please that's just it's so if who bitte ich sie weil
		por que porque`)

	// hollow name nothing that was told: the asking itself, days, and what a business keeps for itself.
	hollow = set(`forget forgotten delete deleted deleting erase remove wipe strike take out off said told tell gave mention business thing things stuff bit part number
		matter um uh er dont write please okay ok actually really whole everything anything all written down file record records notes system again never
		monday tuesday wednesday thursday friday saturday sunday today tomorrow yesterday morning afternoon evening christmas week
		booking appointment order reservation account ticket discount entirely completely right now bitte sache geschichte mit das die der den dem
		mein meine meinen meinem meiner uber von wegen und de lo la el los las mi mis del eso favor le dije conte sobre gesagt erzahlt habe ihnen
		vergessen streichen loschen olvide borre`)

	// kinds are what people call by a wider name.
	kinds = stems(`money:dollars pounds euros loan loaned lent owe owes debt bucks grand quid`, `geld:euro schulden geliehen`, `dinero:euros pesos deuda presté`,
		`job:work works fired redundant sacked`, `health:ill diagnosed medication surgery`, `card:visa mastercard`, `debt:owe owes owed loan`,
		`adresse:address wohne`, `direccion:address vivo`, `telefonnummer:phone`, `telefon:phone`, `nummer:phone`, `telefono:phone`, `numero:phone`,
		`geburtstag:birthday geboren`, `cumpleaños:birthday nací`, `correo:email`)
)
