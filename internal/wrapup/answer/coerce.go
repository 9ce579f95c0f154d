package answer

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/recallerhq/recaller"
)

// sureByDefault is the confidence of an entry that tells none that can be read.
const sureByDefault = 0.7

// confidence reads a number from 0 to 1, also as a text, in percent, out of ten or out of a hundred, or in words.
func confidence(v value) float64 {
	s := strings.ToLower(strings.TrimSpace(v.text))
	if f, err := strconv.ParseFloat(s, 64); err == nil && v.kind == bare && f >= 0 && f <= 1 {
		return f
	}
	if f, ok := confidenceWord(s); ok {
		return f
	}
	s = strings.ReplaceAll(s, ",", ".")
	amount, of := s, 0.0
	if before, after, ok := strings.Cut(s, "/"); ok {
		amount = before
		of, _ = strconv.ParseFloat(strings.TrimSpace(after), 64)
	} else if before, ok := strings.CutSuffix(s, "%"); ok {
		amount, of = before, 100
	}
	f, err := strconv.ParseFloat(strings.TrimSpace(amount), 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) || f < 0 {
		return sureByDefault
	}
	return scaled(f, of)
}

// scaled brings a confidence that is out of something to 0 to 1. of is 0 where that was not said.
func scaled(f, of float64) float64 {
	switch {
	case of > 0:
		f /= of
	case f >= 2 && f <= 10:
		f /= 10
	case f > 10 && f <= 100:
		f /= 100
	}
	if f > 100 {
		return sureByDefault
	}
	return min(f, 1)
}

func confidenceWord(s string) (float64, bool) {
	switch s {
	case "very high", "certain", "definite", "explicit":
		return 0.95, true
	case "high", "sure", "confident":
		return 0.9, true
	case "medium", "moderate", "likely", "probable":
		return 0.6, true
	case "low", "unsure", "uncertain", "possible", "inferred":
		return 0.3, true
	case "very low":
		return 0.1, true
	}
	return 0, false
}

// turns reads the numbers of turns: from numbers, texts ("turn 3"), ranges ("3-5") and lists of them.
func turns(v value) []int {
	out := appendTurns(nil, v)
	slices.Sort(out)
	out = slices.Compact(out)
	if len(out) > MaxTurns {
		out = out[:MaxTurns]
	}
	return out
}

func appendTurns(out []int, v value) []int {
	switch v.kind {
	case bare, text:
		if n, err := strconv.Atoi(v.text); err == nil && n >= 0 && v.kind == bare {
			return append(out, n)
		}
		return appendNumbers(out, v.text)
	case array:
		for _, e := range v.list {
			out = appendTurns(out, e)
		}
	case object:
		for _, f := range v.fields {
			if name := plainName(f.name); strings.HasPrefix(name, "turn") || name == "number" || name == "id" {
				out = appendTurns(out, f.value)
			}
		}
	}
	return out
}

// appendNumbers appends the whole numbers that stand in a text, and those between two that a dash or "to" joins.
func appendNumbers(out []int, s string) []int {
	from, joined := -1, false
	for len(s) > 0 && len(out) < MaxTurns {
		i := strings.IndexFunc(s, isDigit)
		if i < 0 {
			break
		}
		between := strings.TrimSpace(s[:i])
		joined = from >= 0 && (between == "-" || between == "–" || between == "—" || between == "to")
		negative := from < 0 && strings.HasSuffix(s[:i], "-")
		s = s[i:]
		end := strings.IndexFunc(s, func(r rune) bool { return !isDigit(r) })
		if end < 0 {
			end = len(s)
		}
		n, err := strconv.Atoi(s[:end])
		s = strings.TrimPrefix(s[end:], ".0")
		if err != nil || n > 1<<20 || negative {
			from = -1
			continue
		}
		if joined && n-from <= MaxTurns {
			for k := from + 1; k < n; k++ {
				out = append(out, k)
			}
		}
		out = append(out, n)
		from = n
	}
	return out
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

// typeWords are other names of the types, as models give them, in small letters without spaces.
var typeWords = map[recaller.MemoryType]string{
	recaller.Fact: `fact facts personal personalinfo personalinformation personalfact personaldetail identity name names family relationship relationships
		demographic demographics biographical biography profile contact contactinfo location pet pets information info detail details
		occupation job work tatsache fakt hecho dato fait fatto feit`,
	recaller.Preference: `preference preferences preferred like likes dislike dislikes interest interests hobby hobbies habit habits favorite favorites
		favourite favourites opinion opinions taste vorliebe vorlieben preferencia preferencias préférence préférences preferenza voorkeur`,
	recaller.FollowUp: `followup followups followupitem todo todos task tasks action actions actionitem reminder reminders appointment appointments
		event events plan plans upcoming upcomingevent upcomingevents future goal goals intention seguimiento nachfassen wiedervorlage suivi`,
	recaller.Context: `context contexts contextual living livingsituation situation environment lifestyle routine routines home household
		circumstance circumstances kontext contexto contexte contesto`,
	recaller.History: `history histories historical past pastexperience experience experiences story stories lifestory background career lifeevent
		lifeevents event_past geschichte historia histoire storia`,
	recaller.Wellbeing: `wellbeing wellness health healthinfo mood moods emotion emotions emotional feeling feelings energy sleep physical
		mental mentalhealth wohlbefinden bienestar bienêtre benessere`,
}

// memoryType returns the type that a word means. Of several words the first that means one counts.
func memoryType(word string) (recaller.MemoryType, bool) {
	word = strings.ToLower(clip(word, 100))
	letters := func(r rune) bool { return !unicode.IsLetter(r) }
	words := strings.FieldsFunc(word, letters)
	if len(words) == 0 {
		return "", false
	}
	for _, w := range append([]string{strings.Join(words, "")}, words...) {
		for _, t := range recaller.MemoryTypes() {
			for other := range strings.FieldsSeq(typeWords[t]) {
				if other == w {
					return t, true
				}
			}
		}
	}
	return "", false
}
