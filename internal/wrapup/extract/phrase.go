package extract

import (
	"strings"
	"unicode"

	"github.com/recallerhq/recaller/internal/when"
)

// stops end a phrase: what follows begins another clause.
var stops = set(`because since so but which who that when where while if although though as i we you he she they it hoping wondering
	unless until or cause cos whose than once except however plus is are was were will can have has do does did due given thanks please also
	then would could should might actually`)

// object returns the end of the phrase that begins at from: at a mark, a stop word or after max words. An "and" ends it too,
// unless list is set and no new clause follows.
func (s sentence) object(from, max int, list bool) int {
	end := from
	for end < len(s.words) && end-from < max && end < s.ask {
		w := s.w(end)
		if stops[w] && end > from {
			break
		}
		if (w == "and" || w == "or") && (!list || s.newClause(end+1)) {
			break
		}
		end++
		if a := s.words[end-1].after; a != 0 && !(a == ',' && list && s.listGoesOn(end)) {
			break
		}
	}
	return s.trim(from, end)
}

// listGoesOn reports whether the word after a comma continues a list: an "and" comes within three words.
func (s sentence) listGoesOn(i int) bool {
	if stops[s.w(i)] || s.newClause(i) {
		return false
	}
	for k := i; k < i+4 && k < len(s.words); k++ {
		if s.w(k) == "and" && !s.newClause(k+1) {
			return true
		}
		if s.words[k].after == ',' && !s.newClause(k+1) && !stops[s.w(k+1)] {
			return true
		}
	}
	return false
}

func (s sentence) newClause(i int) bool {
	_, told := pastVerbs[s.w(i)]
	if told || stops[s.w(i)] || s.in(i, clauseHeads) || s.in(i, adverbs) || strings.HasSuffix(s.w(i), "ed") && len(s.w(i)) > 4 {
		return true
	}
	return s.is(i, "my") && !soleRelations[s.w(i+1)] && !manyRelations[s.w(i+1)] && !petNouns[s.w(i+1)]
}

var clauseHeads = set(`am was were been want need would could can will just really also now not the this these there what how looking trying going
	hoping planning thinking wondering wanted decided had got always love like enjoy make take have it i`)

// tails say nothing at the end of a phrase.
var tails = set(`and or the a an too also well now though lately recently currently anyway of in on at for with to as just really still
	so much lot today very already actually myself right before my then from by about like even if are is was only once into together`)

// trim takes empty words off the end of a phrase.
func (s sentence) trim(from, end int) int {
	for end > from && (s.in(end-1, tails) || s.is(end-2, "a", "lot") || s.is(end-2, "at", "all")) {
		end--
	}
	return end
}

// clean reports whether [from, to) is a phrase that means something without the words around it.
func (s sentence) clean(from, to int) bool {
	if from >= to {
		return false
	}
	for i := from; i < to; i++ {
		if s.in(i, vague) || s.w(i) == "me" || s.w(i) == "us" || s.w(i) == "not" {
			return false
		}
	}
	return true
}

// value writes words as a value: possessives of the caller dropped.
func (s sentence) value(from, to int) string {
	parts := make([]string, 0, to-from)
	for i := from; i < to && i < len(s.words); i++ {
		t := s.words[i]
		if t.low == "my" || t.low == "our" {
			continue
		}
		w := t.text
		if t.after == ',' && i+1 < to && !tails[t.low] {
			w += ","
		}
		parts = append(parts, w)
	}
	return strings.Join(parts, " ")
}

// slugWords is how many words a key is made of at most.
const slugWords = 3

// slug makes a key part of words: articles and amounts are dropped, and times too, unless nothing else is there.
func slug(text string) string {
	all := slugWordsOf(text)
	var named []string
	for _, w := range all {
		if !slugTimes[w] && !ordinal(w) {
			named = append(named, w)
		}
	}
	if len(named) == 0 {
		named = all
	}
	return strings.Join(named[:min(len(named), slugWords)], "_")
}

// slugWordsOf are the words of a text that may stand in a key.
func slugWordsOf(text string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' }) {
		if w = strings.ReplaceAll(strings.TrimSuffix(w, "'s"), "'", ""); w != "" && !slugless[w] {
			out = append(out, w)
		}
	}
	return out
}

// ordinal reports whether a word is the number of a day: "22nd".
func ordinal(w string) bool {
	return len(w) > 2 && len(w) < 5 && digit(w[0]) && (strings.HasSuffix(w, "st") || strings.HasSuffix(w, "nd") || strings.HasSuffix(w, "rd") || strings.HasSuffix(w, "th"))
}

var (
	slugless  = set(`a an the my our of to in on at for with and or some very really own his her their about around s bit lot little just also from`)
	slugTimes = set(`soon late early upcoming today tomorrow yesterday tonight next last this coming past ago week weeks month months year years day days morning afternoon evening night
		weekend january february march april may june july august september october november december monday tuesday wednesday thursday friday
		saturday sunday`)
)

// title writes a name: first letters capital where the recogniser wrote none.
func title(name string) string {
	words := strings.Fields(name)
	for i, w := range words {
		if w == strings.ToLower(w) {
			r := []rune(w)
			r[0] = unicode.ToUpper(r[0])
			words[i] = string(r)
		}
	}
	return strings.Join(words, " ")
}

// article drops a leading article.
func (s sentence) article(i int) int {
	if s.is(i, "a") || s.is(i, "an") || s.is(i, "the") {
		return i + 1
	}
	return i
}

// third writes a verb as said of someone else: "have" → "has".
func third(verb string) string {
	switch {
	case verb == "have":
		return "has"
	case verb == "do" || verb == "go":
		return verb + "es"
	case strings.HasSuffix(verb, "ch"), strings.HasSuffix(verb, "sh"), strings.HasSuffix(verb, "ss"):
		return verb + "es"
	case strings.HasSuffix(verb, "y") && len(verb) > 2 && !strings.ContainsRune("aeiou", rune(verb[len(verb)-2])):
		return verb[:len(verb)-1] + "ies"
	}
	return verb + "s"
}

// dated makes the dates of a value absolute and returns the first that is one.
func (x *extractor) dated(text string) (string, *when.Found) {
	found := when.FindWith(text, x.u.at, when.Options{DayFirst: x.opts.DayFirst, Lean: when.Ahead})
	for _, f := range found {
		if !f.Known() || x.u.at.IsZero() {
			continue
		}
		abs := f.String()
		if abs == "" || strings.Contains(f.Phrase, abs) || digit(f.Phrase[len(f.Phrase)-1]) && strings.Contains(f.Phrase, f.At.Format("2006")) {
			return text, &f
		}
		return text[:f.End] + " (" + abs + ")" + text[f.End:], &f
	}
	return text, nil
}

// recurring reports whether a value names a habit: "on Sundays", "every morning".
func (x *extractor) recurring(text string) bool {
	for _, f := range when.Find(text, x.u.at) {
		if f.Recurring {
			return true
		}
	}
	return false
}

// upcoming reports whether a date lies ahead of what was said.
func (x *extractor) upcoming(f *when.Found) bool { return f != nil && f.Until.After(x.u.at) }

// clauseEnd returns the end of the clause that begins at from, its dates included.
func (s sentence) clauseEnd(from, max int) int {
	end := from
	for end < len(s.words) && end-from < max && end < s.ask {
		w := s.w(end)
		choice := w == "or" && (monthNames[s.w(end+1)] || dayNames[s.w(end+1)])
		if end > from && !choice && (clauseStops[w] || w == "as" && s.article(end+1) == end+1 || w == "and" && (s.newClause(end+1) || s.is(end+1, "my"))) {
			break
		}
		end++
		if a := s.words[end-1].after; a != 0 && !(a == ',' && s.dateGoesOn(end)) {
			break
		}
	}
	if end-from == max && !s.broken(end-1) { // cut off: end it where a phrase of it ends
		for k := end - 1; k > from+max/2; k-- {
			if s.in(k, prepositions) && !s.in(k-1, tails) {
				return s.trim(from, k)
			}
		}
	}
	return s.trim(from, end)
}

var prepositions = set(`in on at with for to about from of by into through during after before`)

var clauseStops = set(`because so but which who that when where while if although though i we you he she they it hoping wondering unless or cause cos
	whose`)

func (s sentence) dateGoesOn(i int) bool {
	return isNumber(s.w(i)) || dayNames[s.w(i)] || monthNames[s.w(i)] || s.is(i, "next") || s.is(i, "last") ||
		s.is(i, "at") && (isNumber(s.w(i+1)) || s.is(i+1, "half", "past") || s.is(i+1, "quarter"))
}
