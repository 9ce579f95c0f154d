package token

import (
	"strings"
	"unicode/utf8"
)

// korean returns what a pair of Hangul is searched by. If the second syllable is a particle, it is the first, so that
// "약을" (medicine, as the object) meets "약이" and "약". Some particles follow only a syllable that ends in a consonant,
// and some only one that does not: 나이 (age) has no particle.
func korean(tok string) string {
	if len(tok) != 6 || koreanNouns[tok] {
		return tok
	}
	closed := closedSyllable(tok[:3])
	switch tok[3:] {
	case "에", "의", "도", "로", "만":
		return tok[:3]
	case "은", "이", "을", "과", "으":
		if closed {
			return tok[:3]
		}
	case "는", "가", "를", "와":
		if !closed {
			return tok[:3]
		}
	}
	return tok
}

// closedSyllable reports whether a syllable of Hangul ends in a consonant.
func closedSyllable(syllable string) bool {
	const first, last, finals = 0xAC00, 0xD7A3, 28 // none, and 27 consonants
	r, _ := utf8.DecodeRuneInString(syllable)
	return r >= first && r <= last && (r-first)%finals != 0
}

// koreanNouns are common nouns and some adverbs of two syllables, whose second would be taken for a particle. The map
// is never changed.
var koreanNouns = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`
		종이 놀이 길이 높이 깊이 먹이 넓이 맏이
		휴가 화가 추가 허가 요가 주가 시가 대가 처가 외가
		결과 학과 안과 통과 성과 경과 기와
		회의 강의 상의 주의 논의 합의 동의 문의 편의 예의 정의 하의 내의 호의 토의 건의 항의 질의 결의 성의 수의 의의 거의
		포도 지도 속도 온도 태도 정도 각도 파도 기도 제도 의도 시도 효도 수도 복도 독도 인도 철도 용도 고도 강도 밀도 습도 농도
		유도 검도 보도 반도 진도 완도 주도 절도 한도 빈도
		도로 진로 피로 경로 통로 미로 가로 세로 위로 난로 종로 활로 항로 서로 바로 새로 따로 별로
		불만 비만 낭만 대만 자만 오만 십만 백만 천만 이만 삼만 사만 육만 칠만 팔만 구만
	`) {
		m[w] = true
	}
	return m
}()

// arabicLetters replaces letters that are often written for one another by one of them, and drops vowel marks and
// tatweel.
var arabicLetters = strings.NewReplacer(
	"أ", "ا", "إ", "ا", "آ", "ا", "ٱ", "ا", "ى", "ي", "ة", "ه", "ؤ", "و", "ئ", "ي", "ـ", "",
	"\u064b", "", "\u064c", "", "\u064d", "", "\u064e", "", "\u064f", "", "\u0650", "", "\u0651", "", "\u0652", "",
	"\u0670", "",
)

// arabic returns a light stem: the word without marks, article, and endings that do not change its meaning.
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

// hebrew returns a word without vowel marks. A word of nothing but marks stays as it is.
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
