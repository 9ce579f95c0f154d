package token

import "strings"

// korean returns what a pair of Hangul is searched by: its first syllable where the second is a particle, so that
// "약을" (medicine, as the object) meets "약이" and "약".
func korean(tok string) string {
	if len(tok) != 6 {
		return tok
	}
	switch tok[3:] {
	case "은", "는", "이", "가", "을", "를", "에", "의", "도", "로", "와", "과", "만", "으":
		return tok[:3]
	}
	return tok
}

// arabicLetters writes letters that are often written for one another as one, and drops vowel marks and tatweel.
var arabicLetters = strings.NewReplacer(
	"أ", "ا", "إ", "ا", "آ", "ا", "ٱ", "ا", "ى", "ي", "ة", "ه", "ؤ", "و", "ئ", "ي", "ـ", "",
	"\u064b", "", "\u064c", "", "\u064d", "", "\u064e", "", "\u064f", "", "\u0650", "", "\u0651", "", "\u0652", "", "\u0670", "",
)

// arabic returns a word without marks, article and the endings that do not change what it means: a light stem.
func arabic(tok string) string {
	w := arabicLetters.Replace(tok)
	if w == "" {
		return tok
	}
	for _, p := range []string{"وال", "بال", "كال", "فال", "ال", "لل"} {
		if rest, ok := strings.CutPrefix(w, p); ok && len(rest) >= 6 {
			w = rest
			break
		}
	}
	for _, s := range []string{"ها", "ان", "ات", "ون", "ين", "يه", "ه", "ي"} {
		if rest, ok := strings.CutSuffix(w, s); ok && len(rest) >= 6 {
			return rest
		}
	}
	return w
}

// hebrew returns a word without vowel marks; one that is nothing else stays.
func hebrew(tok string) string {
	w := strings.Map(func(r rune) rune {
		if r >= 0x0591 && r <= 0x05C7 {
			return -1
		}
		return r
	}, tok)
	if w == "" {
		return tok
	}
	return w
}
