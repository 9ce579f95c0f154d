package speech

import (
	"slices"
	"strings"
)

// Repair is a place where the speaker takes words back.
type Repair struct {
	From, Marker, To int // bytes: text[From:Marker] is taken back, by a marker that begins at Marker
	Instead          int // text[Instead:To] is said instead; From is Marker if it is unclear what is taken back
}

// Repairs returns where a speaker takes words back, in order: "Thursday, no wait, Friday", "at ten, I mean eleven", "am
// Montag, nein, Dienstag". "No" and "sorry" alone count only between two values of one kind: days, months, numbers,
// letters.
func Repairs(text string) []Repair {
	ws := Words(text)
	var out []Repair
	for _, r := range repairs(text, ws) {
		out = append(out, Repair{ws[r.from].Start, ws[r.marker].Start, ws[r.to-1].End, ws[r.instead].Start})
	}
	return out
}

// span is a repair in words; to is the first word after it.
type span struct{ from, marker, instead, to int }

// How far a repair reaches, in words.
const (
	reachBack = 12
	reachOn   = 8
	keepOn    = 3  // of what follows, if there is no value in it
	chain     = 16 // markers and hesitations one after another: "no, uh, no wait, sorry"
)

func repairs(text string, ws []Word) []span {
	var out []span
	for i := 1; i < len(ws); i++ {
		n, strong := marker(ws, i)
		if n == 0 || i+n >= len(ws) {
			continue
		}
		if r, ok := repair(text, ws, i, n, strong); ok {
			out = append(out, r)
			i = r.instead - 1
		}
	}
	return out
}

// repair reads what a marker of n words at i takes back.
func repair(text string, ws []Word, i, n int, strong bool) (span, bool) {
	instead := i + n
	for instead < min(len(ws)-1, i+chain) {
		if k, s := marker(ws, instead); k > 0 && instead+k < len(ws) {
			instead, strong = instead+k, strong || s
			continue
		}
		if !fillers[ws[instead].Text] {
			break
		}
		instead++
	}
	denied := denies[ws[instead].Text] // "no, not Q, four K D"
	for j := instead; j < min(len(ws), instead+reachOn); j++ {
		if !strong && j > instead && pauses(text, ws, j-1) && !denied {
			break
		}
		k := kindOf(ws[j].Text)
		if k == 0 || denied && j < instead+4 && j > instead && denies[ws[j-1].Text] {
			continue
		}
		for b := i - 1; b >= max(0, i-reachBack); b-- {
			if kindOf(ws[b].Text) != k {
				continue
			}
			for b > 0 && kindOf(ws[b-1].Text) == k && k != day {
				b--
			}
			to := j + 1
			for to < len(ws) && kindOf(ws[to].Text) != 0 && !pauses(text, ws, to-1) {
				to++
			}
			return span{b, i, instead, to}, true
		}
		if !strong {
			break
		}
	}
	return span{i - 1, i, instead, min(len(ws), instead+keepOn)}, strong
}

func pauses(text string, ws []Word, i int) bool {
	return strings.ContainsAny(text[ws[i].End:ws[i+1].Start], ".?!;\n")
}

// marker returns how many words from i on take something back, the most possible, and whether they do so by themselves.
func marker(ws []Word, i int) (n int, strong bool) {
	for _, m := range markers[ws[i].Text] {
		if Is(ws, i, m.words...) && len(m.words) > n {
			n, strong = len(m.words), m.strong
		}
	}
	return n, strong
}

type mark struct {
	words  []string
	strong bool
}

var (
	denies  = Set("not nicht kein keine pas não niet non")
	markers = func() map[string][]mark {
		out := map[string][]mark{}
		add := func(strong bool, list string) {
			for p := range strings.SplitSeq(list, "|") {
				words := strings.Fields(p)
				out[words[0]] = append(out[words[0]], mark{words, strong})
			}
		}
		add(true, `no wait|wait no|nah sorry|nah wait|no no no|no no wait|no hang on|hang on no|no hold on|hold on no|or rather|scratch that|strike that|actually no|no actually|i
			tell a lie|no scratch that|no sorry|sorry no|i meant|no i mean|no i meant|oh wait|wait sorry|correction|nein warte|nein moment|moment
			nein|ach nein|oder besser|besser gesagt|vielmehr|quatsch|no espera|no perdón|perdón no|mejor dicho|o mejor|quise decir|quero
			dizer|ou melhor|não espera|nee wacht|wacht nee|of liever|ik bedoel|enfin non|non attends|ou plutôt|anzi|volevo dire`)
		add(false, `no|sorry|wait|i mean|rather|actually|make that|make it|nein|entschuldigung|ich meine|moment|perdón|digo|perdona|não|digo|desculpe|nee|non|pardon|je
			veux dire|scusi`)
		return out
	}()
)

// Denial reports whether a word, in lower case, denies: "no", "never", "nicht".
func Denial(w string) bool { return denials[w] }

// Objection reports whether a word, in lower case, objects at the beginning of a sentence: "but", "wait", "sorry",
// "aber".
func Objection(w string) bool { return objections[w] }

// Turns reports whether a sentence, given by its words in lower case, reverses what was said before, so that the two
// must not be separated: "but not on Mondays", "No, wait", "It's at my shop, though". "Well" alone announces that.
func Turns(ws []string) bool {
	for len(ws) > 1 && (fillers[ws[0]] || ws[0] == "oh" || ws[0] == "well") {
		ws = ws[1:]
	}
	if len(ws) == 0 {
		return false
	}
	return objections[ws[0]] || denials[ws[0]] || ws[0] == "except" || ws[0] == "doch" || ws[0] == "well" ||
		slices.Contains(ws, "though") || slices.Contains(ws, "although")
}
