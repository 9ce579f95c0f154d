package unfinished

import (
	"strings"

	"github.com/recallerhq/recaller/internal/speech"
)

// run is a number that was read out, in digits or in words.
type run struct {
	digits   string // with a "+" before them, if one was said
	from, to int    // words
	unsure   bool   // part of it was taken back, and it is not clear which
}

// count is how many digits there are.
func (r run) count() int { return len(strings.TrimPrefix(r.digits, "+")) }

// leastRun is how many digits make a number that was read out.
const leastRun = 3

// runs returns the numbers that are read out in a text: "555-0132", "oh seven seven double oh, nine hundred one two".
// What the speaker takes back is taken back.
func runs(text string, ws []speech.Word) []run {
	var out []run
	for i := 0; i < len(ws); {
		if w := ws[i].Text; w[0] > '9' && !begins[w] {
			i++
			continue
		}
		best := run{from: i, to: i}
		for _, lang := range languages {
			if r := readRun(text, ws, i, lang); r.to > best.to || r.to == best.to && r.count() > best.count() {
				best = r
			}
		}
		if best.to == i {
			i++
			continue
		}
		if best.count() >= leastRun {
			out = append(out, best)
		}
		i = best.to
	}
	return out
}

var languages = []*speech.Language{
	speech.English, speech.German, speech.Spanish, speech.French, speech.Portuguese, speech.Italian, speech.Dutch,
}

// begins are the words with which a number may begin, in any of the languages.
var begins = func() map[string]bool {
	out := map[string]bool{}
	for _, lang := range languages {
		for _, words := range []map[string]int{lang.Cardinals, lang.Repeats} {
			for w := range words {
				first, _, _ := strings.Cut(w, " ")
				out[first] = true
			}
		}
	}
	return out
}()

// readRun reads the number that begins with a word, by the words of one language. Without any, it ends where it begins.
func readRun(text string, ws []speech.Word, at int, lang *speech.Language) run {
	out := run{from: at, to: at}
	var phrases []string // what was said in one breath
	fresh := true        // what comes begins a new one
	fixing := -1         // from which phrase on it was corrected
	for i := at; i < len(ws); {
		if digits, n := group(ws, i, lang); n > 0 && !measured(ws, i+n) {
			if i > at && strings.ContainsAny(text[ws[i-1].End:ws[i].Start], ",.;–—-") {
				fresh = true
			}
			if fresh || len(phrases) == 0 {
				phrases = append(phrases, "")
			}
			phrases[len(phrases)-1] += digits
			fresh, i, out.to = false, i+n, i+n
			continue
		}
		skip := between(ws, i)
		if n := takesBack(ws, i); n > 0 && len(phrases) > 0 {
			out.unsure = out.unsure || fixing >= 0
			skip, fixing = n, len(phrases)
		}
		if len(phrases) == 0 || skip == 0 {
			break
		}
		fresh, i = true, i+skip
	}
	out.digits = strings.Join(phrases, "")
	if fixing >= 0 && fixing < len(phrases) {
		out = out.fixed(phrases, fixing)
	}
	if out.to > at && (at > 0 && ws[at-1].Text == "plus" || ws[at].Start > 0 && text[ws[at].Start-1] == '+') {
		out.digits = "+" + out.digits
	}
	return out
}

// wholeNumber is how many digits a number has that is said anew from its beginning.
const wholeNumber = 7

// fixed puts what was said last in place of what it corrects: of the whole number, or of the last breath if it has as
// many digits.
func (r run) fixed(phrases []string, at int) run {
	before, after := phrases[:at], phrases[at:]
	again := strings.Join(after, "")
	switch whole := strings.Join(before, ""); {
	case len(again) >= wholeNumber && len(again) >= len(whole)-1, len(again) == len(whole):
		r.digits = again
	case len(after[0]) == len(before[at-1]):
		r.digits = strings.Join(before[:at-1], "") + again
	default:
		r.unsure = true
	}
	return r
}

// group reads one number of a run: digits, a digit said twice, a number below a hundred, or round hundreds.
func group(ws []speech.Word, i int, lang *speech.Language) (digits string, n int) {
	w := ws[i].Text
	if written := points.Replace(w); written != "" && strings.Trim(written, "0123456789") == "" {
		return written, 1
	}
	if times := lang.Repeats[w]; times > 0 && i+1 < len(ws) {
		if d, k := group(ws, i+1, lang); k == 1 && len(d) == 1 {
			return strings.Repeat(d, times), 2
		}
		return "", 0
	}
	word := func(k int) string {
		if k < len(ws) {
			return ws[k].Text
		}
		return ""
	}
	v, k := lang.Cardinal(word, i)
	if k == 0 {
		return "", 0
	}
	digits = decimal(v)
	switch {
	case v > 0 && v < 10 && word(i+k) == "hundred":
		return digits + "00", k + 1
	case v > 0 && word(i+k) == "thousand":
		return digits + "000", k + 1
	}
	return digits, k
}

var points = strings.NewReplacer(".", "", ",", "")

func decimal(v int) string {
	if v < 10 {
		return string(rune('0' + v))
	}
	return decimal(v/10) + string(rune('0'+v%10))
}

// between returns how many words from i on may stand inside a number and say nothing.
func between(ws []speech.Word, i int) int {
	if speech.Hesitation(ws[i].Text) || inside[ws[i].Text] {
		return 1
	}
	return 0
}

// takesBack returns how many words from i on take back what was read out before; 0: they do not.
func takesBack(ws []speech.Word, i int) int {
	n := 0
	for i+n < len(ws) && n < 4 && backs[ws[i+n].Text] {
		n++
	}
	if n == 0 || !strong[ws[i].Text] {
		return 0
	}
	return n
}

// measured reports whether a number before the word at i counts something: "two weeks", "nine pm".
func measured(ws []speech.Word, i int) bool { return i < len(ws) && units[ws[i].Text] }

var (
	inside = speech.Set("dash hyphen then area code mark strich guion")
	strong = speech.Set("no sorry wait actually correction scratch nein entschuldigung perdón")
	backs  = speech.Set("no sorry wait actually correction scratch that that's it's i mean make nein entschuldigung moment perdón")
	units  = speech.Set(`week weeks day days hour hours minute minutes month months year years am pm o'clock percent dollars pounds euros quid bucks people
		person kids miles kilometres degrees times of uhr jahre tage wochen stunden minuten euro años días horas minutos personas`)
)
