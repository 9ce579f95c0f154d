package extract

import (
	"regexp"
	"slices"
	"strings"

	"github.com/recallerhq/recaller/internal/speech"
)

// keyWords bounds how many words of a piece its key has.
const keyWords = 3

// keys returns the key of a draft, and another one for where it is taken; "" where there can be but one.
func (x *extractor) keys(d draft) (key, other string) {
	var w []string
	if d.asked >= 0 { // what was asked for names the matter
		w = append(w, x.lang.read(x.asked(d.asked))...)
	}
	w = append(w, x.pieces(d.turn)[d.core].w...)
	for i, v := range w {
		if d.asked < 0 && (x.lang.self[v] || x.lang.own[v]) && len(x.lang.content(w[i:])) > 1 { // greetings and names stand before
			w = w[i:]
			break
		}
	}
	if d.about.whose == "" && bodily[d.about.key] && x.others(d) {
		d.about.whose = somebody
	}
	topical := d.about.key
	if d.asked < 0 && d.about.weight < heavy && vague[topical] {
		topical = ""
	}
	rare := slices.DeleteFunc(x.lang.content(w), func(v string) bool {
		return kin[v] == d.about.whose && d.about.whose != "" || topicOf[v] != nil && topicOf[v].key == topical
	})
	var parts []string
	for _, part := range []string{d.about.whose, topical} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		if len(rare) == 0 {
			rare = slices.DeleteFunc(w, func(v string) bool { return len(v) < 3 })
		} else if i := slices.Index(w, rare[0]); d.asked < 0 && i > 0 {
			before := w[max(0, i-2):i]
			no := slices.IndexFunc(before, func(v string) bool { return x.lang.denial[v] })
			if no >= 0 && !strings.HasPrefix(strings.ToLower(x.ss[d.turn][d.core].Text), before[no]+",") { // "never_lived_halsted", but not "No, Sundays"
				rare = slices.Insert(rare, 0, before[no])
			}
		}
		return slug(rare[:min(len(rare), keyWords)]), ""
	}
	key = slug(parts)
	switch {
	case d.about.single, d.about.key == "address" && has(w, moving): // what one has but once
		return key, ""
	case len(rare) == 0:
		return key, key + "_2"
	}
	return key, slug(append(parts, rare[:min(len(rare), 2)]...))
}

// others reports whether the words of a draft say that they are not about the caller: "Not me, him".
func (x *extractor) others(d draft) bool {
	return slices.ContainsFunc(x.pieces(d.turn)[d.from:d.to], func(p piece) bool {
		return near(p.w, func(i int) bool { return p.w[i] == "me" }, x.lang.denial, 1) || near(p.w, func(i int) bool { return x.lang.denial[p.w[i]] && (i+1 == len(p.w) || he[p.w[i+1]]) }, selves, 1)
	})
}

var selves = speech.Set("yo ich")

// vague are topics that say less of a matter than its own words: what broke in somebody's house is no "home".
var vague = speech.Set("home money interest reference study")

// moving are words of a new address, which holds in place of the old one.
var moving = speech.Set("moved new neue umgezogen nueva mudado mudamos")

func slug(words []string) string {
	var out []string
	for _, w := range words {
		w = strings.Map(func(r rune) rune {
			if r == '\'' || r == '.' || r == ',' || r == ':' {
				return -1
			}
			return r
		}, w)
		if w != "" {
			out = append(out, w)
		}
	}
	return strings.Join(out, "_")
}

// readings are the numbers and names that are spelled in a text, as they are written: " [2014] [HX7 4KD]".
func readings(text string) string {
	var out strings.Builder
	for _, s := range slices.Concat(spelled(text), years(text), []string{mailed(text)}) {
		if s != "" {
			out.WriteString(" [" + s + "]")
		}
	}
	return out.String()
}

// Spelled returns what is spelled in a text, as it is written: "H X seven, four K D" is HX74KD.
func Spelled(text string) []string { return spelled(text) }

// Mailed returns the address of mail that is said in a text: "jo at lamp dot example"; "" if there is none.
func Mailed(text string) string { return mailed(text) }

// mailed is the address of mail in a text, as it is written or said: "jo at lamp dot example"; "" if there is none.
func mailed(text string) string {
	if strings.Contains(text, "@") {
		return ""
	}
	var words []string
	for _, w := range speech.Words(text) {
		words = append(words, w.Text)
	}
	found := mail.FindString(strings.Join(words, " "))
	if strings.Contains(found, " the dot") { // "at nine on the dot"
		return ""
	}
	return mailMarks.Replace(found)
}

var (
	mail      = regexp.MustCompile(`[\pL\pN]+(?: (?:dot|underscore) [\pL\pN]+)* at [\pL\pN]+(?: [\pL\pN]+){0,2}?(?: dot [\pL\pN]+)+`)
	mailMarks = strings.NewReplacer(" at ", "@", " dot ", ".", " underscore ", "_", " ", "")
)

// leastSpelled is how many letters and digits in a row are spelled, and not said.
const leastSpelled = 3

// spelled are the runs of single letters and digits of a text, with what was taken back taken back: "four Q, no, not Q,
// four K D" is 4KD.
func spelled(text string) []string {
	ws := speech.Words(text)
	var out, run []string
	again := false // what comes stands for what was said
	mixed := false // digits stand beside a number of another kind: "double oh nine hundred four one two"
	flush := func() {
		if s := joined(run); len(s) >= leastSpelled && !(mixed && strings.Trim(s, "0123456789") == "") {
			out = append(out, s)
		}
		run, again, mixed = nil, false, false
	}
	for i := 0; i < len(ws); i++ {
		w := ws[i].Text
		if len(run) > 1 && between(text, ws, i) == ". " && between(text, ws, i-1) != ". " {
			if w == "no" && i+1 < len(ws) && speech.IsNumber(ws[i+1].Text) {
				run = nil // "four oh two. No, four twelve"
			}
			flush() // a sentence ends
		}
		var mark string
		mark, i = markAt(text, ws, i, len(run) > 0)
		switch {
		case mark != "" && again && slices.Contains(run, mark):
			for run[len(run)-1] != mark {
				run = run[:len(run)-1]
			}
			again = false
		case mark != "" && len(run) == 0 && i > 0 && ws[i-1].Text == "not" && len(out) > 0: // "with a U, not F, O, R, D"
			i = spelledTo(ws, i)
		case mark != "":
			if again {
				run = run[:len(run)-1]
			}
			run, again = append(run, mark), false
		case len(run) > 0 && (w == "no" || w == "sorry" || w == "wait"):
			again = true
		case again && w == "not":
			i++
		case len(run) > 0 && (w == "dash" || w == "hyphen"):
			run = append(run, "-")
		case len(run) > 0 && (w == "as" || w == "for") && i+1 < len(ws) && (w == "for" || speech.Is(ws, i+1, "in")):
			i++
			if w == "as" {
				i++
			}
		case len(run) > 0 && w == "single": // what was said before it is taken back
			run, again = nil, false
		default:
			number := speech.IsNumber(w)
			mixed = mixed || number
			flush()
			mixed = number
		}
	}
	flush()
	return out
}

// markAt is the letter or digit that is spelled at i, and the last of its words; "" for none. within: others stand
// before it.
func markAt(text string, ws []speech.Word, i int, within bool) (mark string, last int) {
	w := ws[i].Text
	switch {
	case w == "double" && spells(ws, i+1):
		mark, _ = markAt(text, ws, i+1, within)
		return mark + mark, i + 1
	case single(w) && (w != "i" && w != "a" || lettered(text, ws, i, within)):
		return strings.ToUpper(w), i
	}
	return digit[w], i
}

// spelledTo is the last of the words behind one that spell.
func spelledTo(ws []speech.Word, i int) int {
	for i+1 < len(ws) && spells(ws, i+1) {
		i++
	}
	return i
}

// joined is a run of letters and digits as it is written.
func joined(run []string) string {
	if len(run) > leastSpelled && run[0] == "1" && !strings.ContainsAny(strings.Join(run[1:], ""), "0123456789") {
		run = run[1:] // "the right one, E F R E"
	}
	if len(run) == leastSpelled && digits(run[0]) && !digits(run[1]) && digits(run[2]) {
		return "" // "one C, two Ls"
	}
	return strings.Join(run, "")
}

func digits(mark string) bool { return mark[0] >= '0' && mark[0] <= '9' }

func single(w string) bool { return len([]rune(w)) == 1 && (w < "0" || w > "9") }

// between is what stands before the word at i, behind the one before it.
func between(text string, ws []speech.Word, i int) string { return text[ws[i-1].End:ws[i].Start] }

// lettered reports whether an "a" or "i" that stands alone is spelled: one among others, or the last of them. "With a
// D, H" has an article.
func lettered(text string, ws []speech.Word, i int, within bool) bool {
	if within {
		return i+1 == len(ws) || single(ws[i+1].Text) || digit[ws[i+1].Text] != "" || strings.ContainsRune(".,-", rune(text[ws[i].End]))
	}
	return spells(ws, i+1) && (ws[i].Text == "i" || text[ws[i].Start] == 'A' || i == 0 || !articled[ws[i-1].Text])
}

// articled are words that have an article behind them.
var articled = speech.Set("with is it's has have like not want need got and or for")

// spells reports whether a letter or digit alone stands at i.
func spells(ws []speech.Word, i int) bool {
	return i < len(ws) && (len([]rune(ws[i].Text)) == 1 && ws[i].Text != "i" && ws[i].Text != "a" || digit[ws[i].Text] != "")
}

var digit = func() map[string]string {
	out := map[string]string{"oh": "0"}
	for i, w := range strings.Fields("zero one two three four five six seven eight nine") {
		out[w] = string(rune('0' + i))
	}
	return out
}()

// years are the numbers of three digits and more that were said in words.
func years(text string) []string {
	var ws []string
	for _, w := range speech.Words(text) {
		ws = append(ws, strings.ReplaceAll(w.Text, "-", " "))
	}
	var out []string
	for _, n := range speech.Numbers(ws) {
		if n.Written() || n.To < len(ws) && strings.HasPrefix(ws[n.To], "percent") {
			continue
		}
		if v := n.Values(); len(v) == 1 && len(v[0]) >= 3 && !strings.Contains(v[0], ".") {
			out = append(out, v[0])
		}
	}
	return out
}
