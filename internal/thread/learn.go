package thread

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/guard"
	"github.com/recallerhq/recaller/internal/recall/token"
	"github.com/recallerhq/recaller/internal/tag"
	"github.com/recallerhq/recaller/internal/when"
	"github.com/recallerhq/recaller/internal/wrapup/evidence"
)

// This file reads what a model wants to have learnt, without a clock or a store.

// mostWords is how many words a learnt fact has at most (L2).
const mostWords = 15

// fact is something to be learnt.
type fact struct {
	kind  recaller.MemoryType
	key   string
	value string
}

// Why something is not learnt, or not forgotten.
const (
	ReasonLong    = "more than 15 words"
	ReasonEmpty   = "says nothing"
	ReasonQuoted  = "words of somebody else's, which the message quotes"
	ReasonEchoed  = "a tag in the message"
	ReasonTaught  = "a tag of the instructions, which says nothing"
	ReasonSecret  = "a secret"
	ReasonUnclear = "several may be meant"
	ReasonUnknown = "nothing of it is remembered"
)

// read returns a fact as it is kept, or why it is not. said are the user's own words that it comes from.
func read(text, said string, now time.Time) (fact, string) {
	value, ok := short(text)
	if !ok {
		return fact{}, ReasonLong
	}
	if masked, _ := guard.Mask(value, ""); masked != value {
		return fact{}, ReasonSecret
	}
	if name := nameIn(value); name != "" {
		return fact{kind: recaller.Fact, key: "caller_name", value: name}, ""
	}
	key := keyOf(value)
	if key == "" {
		return fact{}, ReasonEmpty
	}
	return fact{kind: kindOf(value, said, now), key: key, value: value}, ""
}

// short returns a text of at most mostWords words. Of a longer one it is what stands before the last mark, or the last
// word that begins a clause, that leaves so few: it holds without what follows, unless a word like "unless" takes some of
// it back.
func short(text string) (string, bool) {
	words := strings.Fields(text)
	if len(words) <= mostWords {
		return trimmed(strings.Join(words, " ")), len(words) > 0
	}
	if slices.ContainsFunc(words, func(w string) bool { return restricts[bare(w)] }) {
		return "", false
	}
	for n := mostWords; n >= 3; n-- {
		last := words[n-1]
		if strings.ContainsAny(last[len(last)-1:], ".;,") || clauses[bare(words[n])] {
			return trimmed(strings.Join(words[:n], " ")), true
		}
	}
	return "", false
}

// trimmed returns a text without the marks at its end. The point of "am 3.12." is of the date.
func trimmed(text string) string {
	out := strings.TrimRight(text, " .;,")
	if rest := text[len(out):]; strings.HasPrefix(rest, ".") && dayMonth(out) {
		return out + "."
	}
	return out
}

// dayMonth reports whether a text ends in the numbers of a day and a month with a point between them.
func dayMonth(text string) bool {
	day, month, ok := strings.Cut(text[strings.LastIndexByte(text, ' ')+1:], ".")
	number := func(s string) bool { return len(s) > 0 && len(s) < 3 && strings.Trim(s, "0123456789") == "" }
	return ok && number(day) && number(month)
}

func bare(word string) string { return strings.ToLower(strings.Trim(word, ",.;:!?")) }

// restricts are words that take back some of what stands before them.
var restricts = setOf(`unless except but only if although though however not without until aber außer nur wenn obwohl pero
	excepto salvo solo si aunque mais sauf seulement ma tranne se`)

// clauses are words that begin a clause which may be left away.
var clauses = setOf(`because since which who whom where while and weil da die der das und während porque ya que donde y mientras
	parce car qui où et perché poiché che dove e`)

// keyWords is how many words make the key of a fact.
const keyWords = 5

// keyOf makes the key of a fact of its first words that say something.
func keyOf(value string) string {
	var d token.Detector
	d.Add(value)
	lang := d.Language()
	var said, all []string
	var scan token.Scanner
	for scan.Reset(value); scan.Next(); {
		word := string(scan.Bytes())
		if subjects[word] && len(said) == 0 {
			continue
		}
		all = append(all, word)
		if !lang.Stop(word) && !token.Stop(word) {
			said = append(said, word)
		}
	}
	if len(said) == 0 {
		said = all
	}
	return strings.Join(said[:min(len(said), keyWords)], "_")
}

// subjects are the words by which a model names whom it talks with.
var subjects = setOf(`user users client customer caller nutzer nutzerin benutzer kunde kundin usuario usuaria cliente utilisateur
	utilisatrice utente the der die el la le l s`)

// nameIn returns the user's own name, if that is what a fact tells; else "".
func nameIn(value string) string {
	for _, lead := range []string{"the ", "user's ", "user ", "caller's ", "customer's ", "client's ", "their ", "his ", "her "} {
		value = cutLead(value, lead)
	}
	for _, lead := range namings {
		if rest := cutLead(value, lead); rest != value && len(strings.Fields(rest)) <= mostNames && capital(rest) {
			return rest
		}
	}
	return ""
}

// namings stand before a name, in the third person.
var namings = []string{
	"name is ", "name: ", "is called ", "is named ", "wants to be called ", "prefers to be called ", "goes by ",
	"name ist ", "heißt ", "heisst ", "se llama ", "nombre es ", "su nombre es ", "prefiere que le llamen ",
	"chama-se ", "se chama ", "nome é ", "s'appelle ", "si chiama ",
}

// mostNames is how many words a name has at most.
const mostNames = 4

func capital(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(r)
}

// cutLead returns a text without its beginning, whatever the case of that.
func cutLead(s, lead string) string {
	if len(s) > len(lead) && strings.EqualFold(s[:len(lead)], lead) {
		return s[len(lead):]
	}
	return s
}

// kindOf sorts a fact by its words: what comes is asked for later, what one likes is a preference.
func kindOf(value, said string, now time.Time) recaller.MemoryType {
	var scan token.Scanner
	liking, yearly := false, false
	for scan.Reset(value); scan.Next(); {
		word := scan.Bytes()
		liking, yearly = liking || likings[string(word)], yearly || yearlies[string(word)]
	}
	if !yearly && comes(value, said, now) {
		return recaller.FollowUp
	}
	if liking {
		return recaller.Preference
	}
	return recaller.Fact
}

// comes reports whether a fact tells of something to come. Models note it without a verb, which would tell that "dentist
// on Wednesday" lies ahead: then the words that it comes from decide.
func comes(value, said string, now time.Time) bool {
	ahead := func(f when.Found) bool { return f.Known() && !f.Recurring && f.At.After(now) }
	if slices.ContainsFunc(when.Find(value, now), ahead) {
		return true
	}
	told := when.Find(said, now)
	return slices.ContainsFunc(when.FindWith(value, now, when.Options{Lean: when.Ahead}), func(f when.Found) bool {
		return ahead(f) && slices.ContainsFunc(told, func(g when.Found) bool {
			return g.Exact() && g.At.Format(time.DateOnly) == f.At.Format(time.DateOnly)
		})
	})
}

var likings = setOf(`likes like loves love prefers prefer preferred enjoys enjoy hates hate dislikes dislike favourite favorite
	favourites favorites fan mag liebt hasst bevorzugt lieblings gusta encanta prefiere odia favorito favorita aime adore
	prefere prefère deteste déteste prefere piace preferisce adora odia`)

var yearlies = setOf(`birthday born anniversary geburtstag geboren hochzeitstag cumpleaños cumpleanos nació nacio aniversario
	anniversaire né nee nata nato compleanno`)

// foreignShare is how much of a fact's words must stand in quoted words, and not in the user's own, for it to be theirs.
const foreignShare = 0.6

// foreign tells why a fact is not the user's own: the message holds it as a tag, or quotes it.
func foreign(text string, m Message) string {
	own, quoted := parted(m)
	if holdsTag(m.Text+"\n"+m.Quoted, text) {
		return ReasonEchoed
	}
	theirs, his := evidence.Terms(quoted), evidence.Terms(own)
	said, alien := 0, 0
	for term := range evidence.Terms(text) {
		said++
		if theirs[term] && !his[term] {
			alien++
		}
	}
	if alien > 0 && float64(alien) >= foreignShare*float64(said) {
		return ReasonQuoted
	}
	return ""
}

// holdsTag reports whether something that was said holds a tag with this text.
func holdsTag(said, text string) bool {
	return slices.ContainsFunc(tagsIn(said), func(t tag.Tag) bool { return strings.EqualFold(t.Text, text) })
}

// tagsIn returns the tags that a message holds, wherever they stand: also in quotation marks.
func tagsIn(text string) []tag.Tag {
	_, tags := tag.Parse(strings.Map(func(r rune) rune {
		if strings.ContainsRune("\"'`“”«»„>\\~", r) {
			return ' '
		}
		return r
	}, text))
	return tags
}

// parted parts the user's own words from those that the message quotes: lines behind ">", and what came as quoted.
func parted(m Message) (own, quoted string) {
	var mine, theirs strings.Builder
	theirs.WriteString(m.Quoted)
	for line := range strings.Lines(m.Text) {
		if strings.HasPrefix(strings.TrimSpace(line), ">") {
			theirs.WriteString("\n" + line)
		} else {
			mine.WriteString(line)
		}
	}
	return mine.String(), theirs.String()
}

func setOf(list string) map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		out[word] = true
	}
	return out
}
