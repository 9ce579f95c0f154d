package guard

import (
	"strings"

	"github.com/recallerhq/recaller/internal/speech"
)

// ask is what one side asked the other for.
type ask uint16

const (
	askCard ask = 1 << iota
	askCode
	askExpiry
	askID
	askWord  // a password
	askPIN   // a PIN or a one-time code
	askOther // another number, or an amount
	askLast  // the last four digits only
	toldCard // no question: a card number was told, which may be said back
	toldID
)

func (a ask) has(b ask) bool { return a&b != 0 }

// secret are the asks for what is masked.
const secret = askCard | askCode | askExpiry | askID | askWord | askPIN

// maxAsked is how much of what was said counts: a question stands at the end.
const maxAsked = 400

// asks tells what a text asks for.
func asks(text string) ask {
	if text == "" {
		return 0
	}
	toks := tokenize(tail(text))
	var a ask
	for _, t := range toks {
		if t.kind == mark {
			a |= told(t.s)
		}
	}
	found := labels(toks)
	for i := 0; i < len(toks); {
		j := i + 1
		for j < len(toks) && !endsSentence(toks, j) {
			j++
		}
		if isAsking(toks[i:j]) {
			a |= askedIn(toks, i, j, found)
		}
		i = j
	}
	return a
}

// tail is the end of a text, from a word on.
func tail(text string) string {
	if len(text) <= maxAsked {
		return text
	}
	text = text[len(text)-maxAsked:]
	return text[max(strings.IndexByte(text, ' '), 0):]
}

func told(m string) ask {
	switch {
	case m == idMark:
		return toldID
	case m == cardMark, strings.HasPrefix(m, cardEndingMark):
		return toldCard
	}
	return 0
}

// cues tell that a sentence asks for something.
var cues = speech.Set(`please what whats which need needs give tell read provide enter say confirm verify require spell repeat
	bitte wie welche brauche benotige nennen sagen geben por favor cual necesito digame diga indique quel quelle donnez
	qual preciso informe dica`)

func isAsking(sentence []token) bool {
	for i, t := range sentence {
		switch {
		case t.s == "?" || t.kind == word && cues[t.s]:
			return true
		case (t.s == "can" || t.s == "could" || t.s == "may") && i+1 < len(sentence): // recognisers write no question marks
			if next := sentence[i+1].s; next == "i" || next == "you" || next == "we" {
				return true
			}
		}
	}
	return len(sentence) <= 4 // "Card number." "And your PIN"
}

// askedIn tells what the sentence from token i to j asks for.
func askedIn(toks []token, i, j int, found []label) ask {
	var a ask
	card := false
	for _, l := range found {
		if l.first < i || l.last >= j {
			continue
		}
		card = card || l.class == cardWord
		switch {
		case l.class == secretWord && !wantsWord(toks[i:j]):
		case l.class == cardExpiry && toks[l.first].s == "exp":
		default:
			a |= byClass[l.class]
		}
	}
	if card && a&^askLast == 0 { // "could you read me the card?", "which card would you like to use?"
		for _, t := range toks[i:j] {
			if readOut[t.s] {
				a |= askCard
			}
		}
	}
	if a.has(askLast) {
		a &^= askCard
	}
	return a
}

var readOut = speech.Set("read number numbers digits digit details give spell enter nummer numero digitos cifras chiffres cifre ziffern lesen")

// wantsWord reports whether a sentence about a password asks for it: "what is", "may I have", "tell me".
func wantsWord(sentence []token) bool {
	wants := len(sentence) <= 4
	for i, t := range sentence {
		switch {
		case troubles[t.s]:
			return false
		case demands[t.s]:
			wants = true
		case t.s == "what" && i+1 < len(sentence):
			next := sentence[i+1].s
			wants = wants || next == "is" || next == "'s" || next == "was"
		case (t.s == "have" || t.s == "get") && i > 0 && (sentence[i-1].s == "i" || sentence[i-1].s == "we"):
			wants = true
		}
	}
	return wants
}

var (
	demands  = speech.Set("give tell provide confirm verify enter say spell whats need wie lautet nennen sagen cual dime diga quel donnez qual diga")
	troubles = speech.Set("wrong problem problems issue issues happened happens track manage manager remember forgot forget reset resetting change changing create creating")
)

var byClass = map[class]ask{
	cardNumber: askCard, cardCode: askCode, cardExpiry: askExpiry, stateID: askID, secretWord: askWord, secretPIN: askPIN, oneTime: askPIN,
	other: askOther, lastFour: askLast,
}

// nods are the words of who only says that he listens, or says digits back.
var nods = speech.Set(`mhm mm hmm uh huh um okay ok k yes yeah yep yup right got it go on ahead and then next the rest please thanks thank you great perfect good alright all
	sure continue more so that is 's it was four three two five six numbers number digits digit last first remaining group one moment sorry again
	ja genau gut danke weiter und si vale bueno gracias oui d 'accord merci et apres sim certo obrigado va bene grazie ah oh cool fine i heard said say repeat
	did could can me to with`)

// isNod reports whether a turn leaves the question before it standing: it has only such words, digits and marks.
func isNod(toks []token) bool {
	if len(toks) > 40 {
		return false
	}
	for _, t := range toks {
		if t.kind == word && !nods[t.s] && !nods[strings.TrimPrefix(t.s, "'")] && numberWords[t.s].in == 0 {
			return false
		}
	}
	return true
}
