package name

import (
	_ "embed"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/recallerhq/recaller/internal/speech"
)

// Closed lists, in small letters: common first names, and words that are never part of a name.
var (
	//go:embed first.txt
	firstText string
	//go:embed common.txt
	commonText string

	firstNames = speech.Set(firstText)
	common     = speech.Set(commonText)
	particles  = speech.Set(`van von der den de la las los del della di da dos du al bin ibn el ter ten te zu mac st ó ní nic ua`)
	relations  = speech.Set(`wife wife's wifes husband husband's husbands mother mother's father father's mom mom's mum mum's mam dad
		dad's dads son son's daughter daughter's brother brother's sister sister's boss boss's partner partner's friend neighbour
		neighbour's landlord tenant behalf his her their hija hijo esposa esposo madre padre papá mamá hermano hermana abuela abuelo marido mujer tochter sohn mutter vater mann frau's bruder schwester`)
	// polite are words of thanks, greetings and the like, which are no name where no other word is with them. Those of
	// beside may be one, alone: "Natale", "Sera".
	polite = speech.Set(`thanks thank welcome birthday christmas wishes regards worries problem sounds cheers pardon
		dank danke vielen viele herzlichen herzliche schönen schönes schöne guten gute guter tag abend nacht tagchen grüße grüßen gruß wochenende feiertage weihnachten kein keine keinen ahnung entschuldigen entschuldigung verzeihung bitte bis pas alles wiederhören
		gracias muchas muchísimas mil por favor nada navidad gusto disculpe perdone perdón hasta luego pronto saludos
		merci beaucoup bonne bonjour bonsoir journée soirée nuit après-midi très je vous prie plaît problème revoir madame monsieur mademoiselle
		grazie molte tante buongiorno buonasera buon buona giorno giornata serata notte nessun nessuna problema favore tanti cordiali saluti arrivederci prego scusi signora signore
		muito muita obrigado obrigada obrigadão tarde noite sem licença desculpe até logo tudo
		bedankt dankjewel dankuwel hartelijk hartelijke goede goeden goedemorgen goedemiddag goedenavond goedendag middag avond geen probleem prettige fijne ziens alsjeblieft alstublieft groeten groetjes mevrouw meneer`)
	beside = speech.Set("besten best kind per mille sera natale natal auguri bien bene good morning day au voir wel tot tak va mit bon feliz merry bom boa dia dag morgen happy")
	titles = speech.Set(`mr mrs ms miss mister misses missus herr frau herrn señor señora señorita don doña sir madam`)
)

// word is one word of a turn, or letters that were spelled.
type word struct {
	low, text string
	spelled   string // the letters, in small; low and text are empty
	pause     byte   // the mark behind it: ',' for any inside a sentence, '.' for one that ends it, '?' for a question, 0 for none
}

func (w word) ends() bool { return w.pause == '.' || w.pause == '?' }

// wordsOf reads a text as words, with what is spelled taken together: "P-U-R-C-E-L-L", "n for november a t h y".
func wordsOf(text string) []word {
	raw := speech.Words(text)
	out := make([]word, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if letters, next := spelled(text, raw, i); letters != "" {
			out = append(out, word{spelled: letters, pause: pauseAfter(text, raw, next-1)})
			i = next - 1
			continue
		}
		end := i
		for end+1 < len(raw) && text[raw[end].End:raw[end+1].Start] == "-" {
			end++
		}
		t := strings.ReplaceAll(text[raw[i].Start:raw[end].End], "’", "'")
		out = append(out, word{low: strings.ToLower(t), text: t, pause: pauseAfter(text, raw, end)})
		i = end
	}
	return out
}

func pauseAfter(text string, raw []speech.Word, i int) byte {
	end := len(text)
	if i+1 < len(raw) {
		end = raw[i+1].Start
	}
	gap := text[raw[i].End:end]
	switch {
	case strings.ContainsAny(gap, "?"):
		return '?'
	case strings.ContainsAny(gap, ".!;\n…") && !titles[raw[i].Text] && raw[i].Text != "dr":
		return '.'
	case strings.ContainsAny(gap, ",:()–—\"“”") || strings.Contains(gap, " - "):
		return ','
	}
	return 0
}

// leastSpelled is how many letters in a row are a spelling, and not initials or a slip.
const leastSpelled = 3

// mostSpelled is about how many words a spelling takes: more are no name.
const mostSpelled = 60

// spelled reads letters said one by one, each perhaps with a word that it begins. Where commas part them a full stop
// ends them.
func spelled(text string, raw []speech.Word, i int) (letters string, next int) {
	for start := i; i < len(raw) && i-start < mostSpelled; {
		if i > start+1 && pauseAfter(text, raw, i-1) == '.' && pauseAfter(text, raw, i-2) == ',' {
			break
		}
		twice := raw[i].Text == "double" && letters != "" && i+1 < len(raw)
		if twice {
			i++
		}
		w := raw[i].Text
		if utf8.RuneCountInString(w) != 1 || !unicode.IsLetter([]rune(w)[0]) {
			break
		}
		letters += w
		if twice {
			letters += w
		}
		i++
		switch {
		case i+2 < len(raw) && speech.Is(raw, i, "as", "in") && strings.HasPrefix(raw[i+2].Text, w):
			i += 3
		case i+1 < len(raw) && (raw[i].Text == "for" || raw[i].Text == "like" || raw[i].Text == "wie") && strings.HasPrefix(raw[i+1].Text, w):
			i += 2
		}
	}
	if utf8.RuneCountInString(letters) < leastSpelled {
		return "", 0
	}
	return letters, i
}

// nameLike reports whether a word can be part of a name, in a text with capitals or without.
func (w word) nameLike(cased bool) bool {
	if utf8.RuneCountInString(w.low) < 2 || common[w.low] || speech.IsNumber(w.low) || !cased && (w.low == "will" || w.low == "may") {
		return false
	}
	for _, r := range w.low {
		if !unicode.IsLetter(r) && r != '\'' && r != '-' {
			return false
		}
	}
	if _, end, ok := strings.Cut(w.low, "'"); ok && len(end) < 3 { // it's, Bob's
		return false
	}
	return !cased || unicode.IsUpper([]rune(w.text)[0]) && !w.abbreviates()
}

// abbreviates reports whether a compound begins with an abbreviation, as no name does: "HIV-positiv".
func (w word) abbreviates() bool {
	head, rest, ok := strings.Cut(w.text, "-")
	return ok && shouted(head) && !shouted(rest)
}

// lone reports whether of a name there is but one word, and that is no common first name.
func lone(parts []word) bool {
	names := slices.DeleteFunc(slices.Clone(parts), func(p word) bool { return particles[p.low] })
	return len(names) < 2 && !slices.ContainsFunc(names, func(p word) bool { return firstNames[p.low] })
}

// civilAt reports whether such words, or their first, stand at i.
func civilAt(s []word, i int) bool {
	return !last(s, i) && (polite[s[i].low] || beside[s[i].low] && i+1 < len(s) && (polite[s[i+1].low] || beside[s[i+1].low]))
}

// civil reports whether words are those of thanks, of a greeting or the like, and no others.
func civil(parts []word) bool {
	some := false
	for _, p := range parts {
		if !polite[p.low] && !beside[p.low] {
			return false
		}
		some = some || polite[p.low]
	}
	return some || len(parts) > 1
}

// unlikely are endings of words that are rarely names.
func unlikely(w string) bool {
	ends := func(end string) bool { return strings.HasSuffix(w, end) }
	return !firstNames[w] && slices.ContainsFunc(strings.Fields("ing ed ly ous able ible ful less tion ment ness"), ends)
}

// written puts a name into its usual letters: "siobhan o'leary" is Siobhan O'Leary.
func written(parts []word) string {
	out := make([]string, len(parts))
	for i, p := range parts {
		out[i] = p.text
		if mixed := p.text != p.low && !shouted(p.text); !mixed {
			out[i] = title(p.low)
		}
		if i < len(parts)-1 && particles[p.low] && (p.text == p.low || i > 0 && particles[parts[i-1].low]) {
			out[i] = p.low
		}
	}
	return strings.Join(out, " ")
}

// shouted reports two capitals in a row: "TETLOW", "TetLOW".
func shouted(text string) bool {
	rs := []rune(text)
	for i := 1; i < len(rs); i++ {
		if unicode.IsUpper(rs[i-1]) && unicode.IsUpper(rs[i]) {
			return true
		}
	}
	return false
}

func title(low string) string {
	rs := []rune(low)
	up := true
	for i, r := range rs {
		if up {
			rs[i] = unicode.ToUpper(r)
		}
		up = r == '-' || r == '\'' || i == 1 && rs[0] == 'M' && r == 'c' && len(rs) > 4
	}
	return string(rs)
}

// near reports whether two spellings are of one word, as recognisers write it.
func near(a, b string) bool {
	if a == b {
		return true
	}
	x, y := []rune(a), []rune(b)
	return distance(x, y) <= max(1, min(len(x), len(y))/3)
}

func distance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			change := diagonal
			if x != y {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// Given reports whether a word, in lower case, is among the common given names.
func Given(w string) bool { return firstNames[w] }
