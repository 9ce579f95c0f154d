package fence

import (
	"strings"
	"testing"
)

func TestNothingThatEndsAFenceIsLeft(t *testing.T) {
	for _, r := range "<>`\"＜＞﹤﹥⟨⟩〈〉｀＂“”„‟" {
		if got := Harmless(r); strings.ContainsRune("<>`\"", got) || got == r {
			t.Errorf("%q becomes %q", r, got)
		}
	}
	for _, r := range "aé漢()[]{}#*'" {
		if got := Harmless(r); got != r {
			t.Errorf("%q becomes %q, want it left alone", r, got)
		}
	}
}

func TestWhatCannotBeSeenIsHidden(t *testing.T) {
	for name, r := range map[string]rune{
		"a zero-width space": '\u200B', "a right-to-left override": '\u202E', "a tag": '\U000E0041', "a variation selector": '\uFE0F',
		"a control character": '\u0007', "broken UTF-8": '\uFFFD', "private use": '\uE000', "a soft hyphen": '\u00AD',
	} {
		if !Hidden(r) {
			t.Errorf("%s can be seen", name)
		}
	}
	for _, r := range "aZ9é漢ا€👍" {
		if Hidden(r) {
			t.Errorf("%q is hidden", r)
		}
	}
}

func TestLettersThatAreDrawnAsNothingAreSpace(t *testing.T) {
	for _, r := range " \t\n\u00A0\u3164\u2800\uFFA0\u115F" {
		if !Space(r) {
			t.Errorf("%U is no space", r)
		}
	}
	if Space('x') || Space('漢') {
		t.Error("a letter is space")
	}
}

func TestMarksAreCountedLetterByLetter(t *testing.T) {
	count, most := 0, 0
	for _, r := range "e\u0301\u0302\u0303\u0304a\u0301" {
		count = Marks(count, r)
		most = max(most, count)
	}
	if most != 4 || count != 1 {
		t.Errorf("got at most %d and %d at the end, want 4 and 1", most, count)
	}
}
