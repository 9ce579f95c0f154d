package evidence

import "strings"

// reach is how many words after a denial it still denies.
const reach = 5

// denials returns for each word whether it stands in the reach of a denial: "does not [smoke]", "no [known allergies]",
// "used to [play]".
func denials(ws []word) []bool {
	out := make([]bool, len(ws))
	for i, w := range ws {
		if w.pair && deniesIn(w.tok) {
			for k := max(0, i-reach); k <= min(len(ws)-1, i+reach); k++ {
				out[k] = true
			}
			continue
		}
		if !denies(ws, i) {
			continue
		}
		for k := i; k < len(ws) && k <= i+reach && ws[k].clause == w.clause; k++ {
			out[k] = true
		}
		if after(w.tok) { // "isst kein Fleisch", "ne fume pas": what is denied may stand before
			for k := i - 1; k >= 0 && k >= i-2 && ws[k].clause == w.clause; k-- {
				out[k] = true
			}
		}
	}
	return out
}

// denies reports whether the word at i denies what follows it.
func denies(ws []word, i int) bool {
	next := ""
	if i+1 < len(ws) {
		next = ws[i+1].tok
	}
	switch ws[i].tok {
	case "not", "cant", "dont", "cannot", "wont", "couldnt", "why", "havent":
		switch next {
		case "only", "wait", "just", "mention", "know", "mind", "forget", "believe", "sure", "worry", "help": // "I can't wait to see Ann"
			return false
		}
		return ws[i].tok != "why"
	case "no":
		if next == "problem" || next == "worries" || next == "doubt" || next == "idea" || next == "matter" || next == "wonder" {
			return false
		}
		return !(ws[i].first && pronoun(next)) // "no I have a dog" is an answer
	case "used":
		return next == "to"
	case "gave", "given":
		return next == "up"
	case "never", "none", "nobody", "nothing", "without", "neither", "nor", "doesnt", "didnt", "isnt", "arent", "wasnt", "werent", "wouldnt",
		"shouldnt", "hasnt", "hadnt", "aint", "quit", "stopped", "former", "formerly", "hate", "hates", "dislike", "dislikes",
		"nicht", "kein", "keine", "keinen", "keiner", "nie", "ohne", "pas", "jamais", "aucun", "aucune", "sans", "nunca", "sin", "ninguno", "ninguna",
		"non", "mai", "senza", "nessuno", "nessuna", "nao", "sem", "niet", "geen", "nooit", "zonder", "не", "нет", "без":
		return true
	}
	return false
}

// after reports whether a denial may stand behind what it denies.
func after(tok string) bool {
	return tok == "nicht" || tok == "pas" || tok == "niet" || tok == "jamais"
}

// deniesIn reports whether two characters of a script without spaces hold a denial.
func deniesIn(pair string) bool {
	return strings.ContainsAny(pair, "不没沒無无未") || strings.Contains(pair, "ない") || strings.Contains(pair, "せん") || strings.Contains(pair, "안")
}

func pronoun(tok string) bool {
	switch tok {
	case "i", "im", "ive", "we", "it", "its", "thats", "that", "he", "she", "they", "my", "just", "but", "and", "thank", "thanks", "":
		return true
	}
	return false
}

// answerKind is how a turn answers what was asked.
type answerKind int

const (
	other answerKind = iota
	yes
	no
)

// answerOf reads the first words of a turn.
func answerOf(ws []word) answerKind {
	i := 0
	for i < len(ws) && hesitates(ws[i].tok) {
		i++
	}
	if i == len(ws) {
		return other
	}
	next, third := "", ""
	if i+1 < len(ws) {
		next = ws[i+1].tok
	}
	if i+2 < len(ws) {
		third = ws[i+2].tok
	}
	switch ws[i].tok {
	case "yes", "yeah", "yep", "yup", "yea", "ya", "aye", "correct", "right", "exactly", "sure", "absolutely", "definitely", "certainly", "indeed", "true",
		"mhm", "uhhuh", "ja", "jawohl", "genau", "stimmt", "si", "claro", "correcto", "exacto", "oui", "exactement", "esatto", "sim", "isso", "klopt", "да", "tak", "evet":
		return denied(next)
	case "that's", "thats", "that", "it", "its":
		if next == "right" || next == "correct" || next == "true" || next == "is" && (third == "right" || third == "correct" || third == "true" || third == "") {
			return yes
		}
	case "of":
		if next == "course" {
			return denied(third)
		}
	case "i", "we":
		if (next == "do" || next == "am" || next == "have" || next == "did" || next == "are") && (third == "" || third == "yes" || third == "yeah") {
			return yes
		}
		if next == "dont" || next == "didnt" || next == "havent" || next == "never" || next == "am" && third == "not" || next == "do" && third == "not" {
			return no
		}
	case "uh", "mm", "mmm":
		if next == "huh" || next == "hmm" {
			return yes
		}
	case "im":
		if next == "not" {
			return no
		}
	case "no", "nope", "nah", "never", "not", "none", "nothing", "nein", "non", "nee", "nao", "нет", "nie":
		return no
	case "はい", "ええ", "うん", "是的", "是", "对", "對", "对的", "没错", "네", "예", "ใช":
		return yes
	case "いい", "いえ", "不是", "没有", "不", "没", "아니":
		return no
	}
	return other
}

// denied is yes, unless the word behind it takes it back.
func denied(next string) answerKind {
	if next == "but" || next == "no" || next == "not" {
		return other
	}
	return yes
}

func hesitates(tok string) bool {
	switch tok {
	case "um", "uh", "erm", "er", "oh", "ah", "well", "so", "noise", "laughter", "okay", "ok", "hmm", "like", "you", "ohh":
		return true
	}
	return false
}
