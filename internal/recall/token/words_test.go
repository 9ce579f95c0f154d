package token

import (
	"strings"
	"testing"
)

// A word that the scanner would never yield can never be met.
func TestListedWordsAreAsTheScannerYieldsThem(t *testing.T) {
	t.Parallel()
	var sc Scanner
	for l := range languages {
		for _, list := range []string{stopWords(l), tellingWords(l), irregularForms(l)} {
			for _, w := range strings.Fields(list) {
				sc.Reset(w)
				if !sc.Next() || string(sc.Bytes()) != w {
					t.Errorf("%v: %q is listed, and the scanner yields %q", l, w, sc.Bytes())
				}
			}
		}
	}
}

// A stop word is dropped before its plain form is looked for.
func TestNoIrregularFormIsAStopWord(t *testing.T) {
	t.Parallel()
	for l := range languages {
		for _, w := range strings.Fields(irregularForms(l)) {
			if l.Stop(w) {
				t.Errorf("%v: %q has a plain form, and is a stop word", l, w)
			}
		}
	}
}

func TestAnIrregularFormHasOnePlainForm(t *testing.T) {
	t.Parallel()
	for l := range languages {
		plain := map[string]string{}
		for _, line := range strings.Split(irregularForms(l), "\n") {
			for i, w := range strings.Fields(line) {
				if of, met := plain[w]; met {
					t.Errorf("%v: %q is a form of %q and of %q", l, w, of, strings.Fields(line)[0])
				}
				plain[w] = strings.Fields(line)[0]
				if i > 0 && l.Term(w) != l.Term(plain[w]) {
					t.Errorf("%v: %q has term %q, and its plain form %q has %q", l, w, l.Term(w), plain[w], l.Term(plain[w]))
				}
			}
		}
	}
}

func TestNounsOfKoreanThatLookLikeOneWithAParticleStayWhole(t *testing.T) {
	t.Parallel()
	for _, w := range strings.Fields("나이 아이 사과 치과 가을 마을 효과 노을 회의 종이 휴가 포도 지도 도로 불만 결과 안과 요가 기와 수도") {
		if got := Korean.Term(w); got != w {
			t.Errorf("term of the noun %q: got %q", w, got)
		}
	}
	for pair, want := range map[string]string{
		"약은": "약", "약을": "약", "약이": "약", "약과": "약", "약으": "약", "차는": "차", "차가": "차", "차를": "차", "차와": "차",
		"집에": "집", "집의": "집", "집도": "집", "집만": "집", "물로": "물",
	} {
		if got := Korean.Term(pair); got != want {
			t.Errorf("term of %q, a noun and its particle: got %q, want %q", pair, got, want)
		}
	}
	for w := range koreanNouns {
		if len(w) != 6 {
			t.Errorf("%q is no pair, and so never met", w)
		}
	}
}

func TestEnglishStopWordsTellEnglish(t *testing.T) {
	t.Parallel()
	for _, w := range strings.Fields(englishWords) {
		if !Stop(w) {
			t.Errorf("%q is listed as an English stop word and is none", w)
		}
	}
}

// The forms of six languages are in a file; a language whose section is missing would have none.
func TestSixLanguagesHaveIrregularForms(t *testing.T) {
	t.Parallel()
	n := 0
	for l := range languages {
		if irregularForms(l) != "" {
			n++
		}
	}
	if n != 6 {
		t.Errorf("got irregular forms of %d languages, want 6", n)
	}
}
