package summary

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// word is one spoken word without the punctuation around it.
type word struct {
	text  string // as written
	low   string // lower case, plain apostrophes
	comma bool   // a short pause follows
}

var (
	// tags are what recognisers write for sounds that are no words.
	tags  = regexp.MustCompile(`(?i)[\[<(](?:noise|laughter|laughs|unk|inaudible|unintelligible|crosstalk|music|silence|breath|breathing|cough|coughs|sigh|sighs|pause|unsure|background[^\])>]*)[\]>)]`)
	glued = regexp.MustCompile(`([a-z])([.?!])([A-Z])`) // two sentences without a space
	// listNumber is the number of an item in a written list.
	listNumber = regexp.MustCompile(`^\d{1,2}[.)]$`)
	abbrev     = words("dr mr mrs ms st no vs prof jr sr approx ext dept e.g i.e a.m p.m")
)

// sentence is a piece of a turn between full stops.
type sentence struct {
	words    []word
	question bool // it ended with a question mark
	closed   bool // it ended with a mark of its own, not with the turn
}

// sentences splits the text of a turn at its punctuation. Text without any gives one sentence that is not closed.
func sentences(text string) []sentence {
	text = tags.ReplaceAllString(strings.ReplaceAll(text, "’", "'"), " ")
	var out []sentence
	var cur sentence
	flush := func(mark rune) {
		cur.question, cur.closed = mark == '?', mark != 0
		if len(cur.words) > 0 {
			out = append(out, cur)
		}
		cur = sentence{}
	}
	for _, f := range strings.Fields(spaceWideMarks(text)) {
		if len(cur.words) == 0 && listNumber.MatchString(f) {
			continue
		}
		w, mark := splitWord(f)
		if w.text != "" {
			cur.words = append(cur.words, w)
		} else if n := len(cur.words); n > 0 && w.comma {
			cur.words[n-1].comma = true
		}
		if mark != 0 {
			flush(mark)
		}
	}
	flush(0)
	return out
}

// spaceWideMarks puts a space after the full stops of scripts that write none.
func spaceWideMarks(s string) string {
	s = glued.ReplaceAllString(s, "$1$2 $3")
	if !strings.ContainsAny(s, "。！？…") {
		return s
	}
	return strings.NewReplacer("。", ". ", "！", "! ", "？", "? ", "…", "... ").Replace(s)
}

// splitWord takes the punctuation off a field; mark is the mark that ends a sentence, 0 if none.
func splitWord(field string) (w word, mark rune) {
	core := strings.TrimLeftFunc(field, isOuterMark)
	trimmed := strings.TrimRightFunc(core, isOuterMark)
	end := core[len(trimmed):]
	low := strings.ToLower(trimmed)
	switch {
	case strings.Contains(end, "?"):
		mark = '?'
	case strings.Contains(end, "!"):
		mark = '!'
	case strings.Contains(end, ".") && !abbrev[low] && !(utf8.RuneCountInString(low) == 1 && low != "i"):
		mark = '.'
	}
	if strings.HasSuffix(end, "-") || strings.HasSuffix(end, "—") || strings.HasSuffix(end, "–") {
		if utf8.RuneCountInString(trimmed) <= 3 && trimmed != "" {
			return word{comma: true}, 0 // a word broken off
		}
	}
	comma := mark == 0 && strings.ContainsAny(end, ",;:-–—)")
	if trimmed == "" {
		return word{comma: strings.ContainsAny(field, ",;-–—")}, mark
	}
	if abbrev[low] && strings.HasPrefix(end, ".") && (low == "a.m" || low == "p.m" || low == "e.g" || low == "i.e") {
		trimmed, low = trimmed+".", low+"."
	}
	return word{text: trimmed, low: low, comma: comma}, mark
}

func isOuterMark(r rune) bool {
	if r == '$' || r == '£' || r == '€' || r == '%' || r == '+' || r == '#' || r == '°' {
		return false
	}
	return unicode.IsPunct(r) || unicode.IsSymbol(r)
}

// tidy removes what is speech but not content: fillers, stutters, false starts.
func (lx *lexicon) tidy(in []word) []word {
	ws := lx.dropFillers(in)
	ws = dropRepeats(ws)
	ws = lx.dropFalseStarts(ws)
	ws = lx.dropFillers(ws) // what a repeat held apart may be a filler now
	return dropRepeats(ws)
}

func (lx *lexicon) dropFillers(in []word) []word {
	out := make([]word, 0, len(in))
	for i := 0; i < len(in); {
		n := lx.fillerAt(in, i, out)
		if n == 0 {
			out = append(out, in[i])
			i++
			continue
		}
		if len(out) > 0 && (in[i+n-1].comma || (i > 0 && in[i-1].comma)) {
			out[len(out)-1].comma = true
		}
		i += n
	}
	return out
}

// dropFalseStarts removes a subject that the speaker took back for another one ("I, it's", "I I've"), and the pauses that
// fillers leave behind after words that lean on the next.
func (lx *lexicon) dropFalseStarts(in []word) []word {
	out := make([]word, 0, len(in))
	for i, w := range in {
		if i+1 < len(in) && falseStart[w.low] && falseStart[in[i+1].low] && (w.comma || w.low[:1] == in[i+1].low[:1]) {
			continue
		}
		if i+1 < len(in) && determiner[w.low] && determiner[in[i+1].low] {
			continue
		}
		if w.comma && lx.tail[w.low] && w.low != "that" && w.low != "it" {
			w.comma = false
		}
		out = append(out, w)
	}
	return out
}

var determiner = words(`a an the my your his their our`)

var falseStart = words(`you've you'll i i'm i've i'll i'd it it's we we've we're they they're he he's she she's you you're there there's that's`)

// fillerAt returns how many words from i are filler, 0 if none.
func (lx *lexicon) fillerAt(in []word, i int, before []word) int {
	low := in[i].low
	prev, next := "", ""
	if len(before) > 0 {
		prev = before[len(before)-1].low
	}
	if i+1 < len(in) {
		next = in[i+1].low
	}
	switch {
	case lx.filler[low]:
		return 1
	case low == "like" && lx.fillerLike(in, i, prev, next):
		return 1
	}
	for _, p := range lx.fillerPhrase[low] {
		if matchAt(in, i, p) && !lx.meant(p, prev, in, i+len(p)) {
			return len(p)
		}
	}
	return 0
}

// meant reports whether a phrase that is mostly filler carries its own sense here.
func (lx *lexicon) meant(p []string, prev string, in []word, after int) bool {
	next := ""
	if after < len(in) && !in[after-1].comma {
		next = in[after].low
	}
	switch p[0] {
	case "you":
		if len(p) == 2 && p[1] == "know" {
			return lx.wh[next] || asksKnow[prev] || next == "about" || next == "that" || next == "if" || prev == "let" || prev == "as"
		}
		return len(p) == 2 && p[1] == "see" && (lx.aux[prev] || prev == "if" || next != "") || p[1] == "said" && prev == "what"
	case "i":
		return prev == "what" || prev == "do" || (p[1] == "guess" || p[1] == "suppose") && next == "that"
	case "kind", "sort":
		return prev == "a" || prev == "what" || prev == "this" || prev == "that" || prev == "any" || prev == "some" || prev == "of" || prev == "the" || prev == "same" || prev == "which"
	case "alright", "all":
		return lx.be[prev] || lx.aux[prev]
	case "a":
		return len(p) == 2 && next == "of" && prev == "every"
	case "in":
		return false
	}
	return false
}

var asksKnow = words("do did don't didn't would will can to")

func (lx *lexicon) fillerLike(in []word, i int, prev, next string) bool {
	if next == "" {
		return !lx.keepLikeAfter[prev]
	}
	if in[i].comma || (i > 0 && in[i-1].comma) {
		return true
	}
	if prev == "this" && lx.intensifier[next] {
		return true
	}
	if lx.keepLikeAfter[prev] || prev == "" || strings.HasSuffix(prev, "'d") {
		return false
	}
	if lx.be[prev] && (next == "a" || next == "an" || next == "the" || next == "when" || next == "someone") {
		return false
	}
	return true
}

func matchAt(in []word, i int, p []string) bool {
	if i+len(p) > len(in) {
		return false
	}
	for k, w := range p {
		if in[i+k].low != w {
			return false
		}
	}
	return true
}

// longestRepeat is the most words that a speaker is taken to have said twice by stuttering.
const longestRepeat = 6

// dropRepeats removes words and runs of words that are said twice in a row; the later saying stays. Numbers and spelled
// letters are left alone: "zero zero one" is no stutter.
func dropRepeats(in []word) []word {
	out := slices.Clone(in)
	for n := longestRepeat; n >= 1; n-- {
		kept := out[:0:0]
		for i := 0; i < len(out); {
			if i+2*n <= len(out) && sameRun(out[i:i+n], out[i+n:i+2*n]) {
				i += n
				continue
			}
			kept = append(kept, out[i])
			i++
		}
		out = kept
	}
	return out
}

func sameRun(a, b []word) bool {
	for i := range a {
		if a[i].low != b[i].low || isNumberWord(a[i].low) || (len(a[i].low) == 1 && a[i].low != "i" && a[i].low != "a") {
			return false
		}
	}
	return true
}

func lows(ws []word) []string {
	out := make([]string, len(ws))
	for i, w := range ws {
		out[i] = w.low
	}
	return out
}

// render writes words out as one line without a full stop.
func render(ws []word) string {
	var b strings.Builder
	for i, w := range ws {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch {
		case w.low == "i":
			b.WriteString("I")
		case strings.HasPrefix(w.low, "i'"):
			b.WriteString("I" + w.text[1:])
		default:
			b.WriteString(w.text)
		}
		if w.comma && i < len(ws)-1 {
			b.WriteByte(',')
		}
	}
	return b.String()
}

// capital makes the first letter a capital one.
func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}
