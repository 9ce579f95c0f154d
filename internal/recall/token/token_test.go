package token_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller/internal/recall/token"
)

func scan(text string) []string {
	var got []string
	sc := token.Scanner{}
	for sc.Reset(text); sc.Next(); {
		got = append(got, string(sc.Bytes()))
	}
	return got
}

func TestWordsAreCutAsTheyAreSaid(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ about, text, want string }{
		{"case and marks", "Hello, World! (really)", "hello world really"},
		{"accents", "Café Zürich naïve Đorđe Łódź", "cafe zurich naive dorde lodz"},
		{"an accent on its own", "cafe\u0301", "cafe"},
		{"a possessive", "John's dog, the dogs' bowls", "john dog the dogs bowls"},
		{"contractions", "don't I've we’ll they're", "dont i we they"},
		{"a name with an apostrophe", "O'Brien", "obrien"},
		{"thousands", "$1,800.50 and 1,000,000", "1800.50 and 1000000"},
		{"a list of numbers is no number", "1,2 and 12,34", "1 2 and 12 34"},
		{"numbers with letters", "5K run, EOS 80D, 7th", "5k run eos 80d 7th"},
		{"a day", "2023-05-20", "2023 05 20"},
		{"hyphens part words", "three-day trip", "three day trip"},
		{"but not single letters", "e-mail T-shirt", "email tshirt"},
		{"an ampersand inside", "AT&T & R&B", "at&t r&b"},
		{"German", "Straße", "strasse"},
		{"Russian", "Привет, мир", "привет мир"},
		{"Greek", "Καλημέρα", "καλημερα"},
		{"Vietnamese", "Nguyễn", "nguyen"},
		{"Hindi keeps its vowels", "नमस्ते दुनिया", "नमस्ते दुनिया"},
		{"Chinese by pairs", "我喜欢茶", "我喜 喜欢 欢茶"},
		{"a single character", "茶 tea", "茶 tea"},
		{"Japanese with Latin", "東京Tower", "東京 tower"},
		{"Korean by pairs", "안녕하", "안녕 녕하"},
		{"full-width", "ＡＢＣ１２", "abc12"},
		{"nothing", " \t…—", ""},
		{"broken bytes", "a\xffb", "a b"},
	} {
		if got := strings.Join(scan(c.text), " "); got != c.want {
			t.Errorf("%s: got %q, want %q", c.about, got, c.want)
		}
	}
}

func TestTokensTellWhereTheyBegin(t *testing.T) {
	t.Parallel()
	sc := token.Scanner{}
	var got []int
	for sc.Reset("in  May, 茶 ok"); sc.Next(); {
		got = append(got, sc.Start())
	}
	if diff := cmp.Diff([]int{0, 4, 9, 13}, got); diff != "" {
		t.Errorf("starts (-want +got):\n%s", diff)
	}
}

func TestFormsOfAWordAreOneTerm(t *testing.T) {
	t.Parallel()
	for _, forms := range [][]string{
		{"appointment", "appointments", "appt"},
		{"buy", "bought", "buying"},
		{"child", "children", "kids"},
		{"doctor", "dr", "doctors"},
		{"visit", "visited", "visiting"},
		{"spend", "spent"},
		{"mother", "mom", "mum"},
	} {
		for _, f := range forms[1:] {
			if got, want := token.Term(f), token.Term(forms[0]); got != want {
				t.Errorf("term of %q: got %q, want %q as of %q", f, got, want, forms[0])
			}
		}
	}
}

func TestNumbersAndOtherScriptsStayAsTheyAre(t *testing.T) {
	t.Parallel()
	for _, tok := range []string{"1800.50", "80d", "привет", "我喜", "at&t"} {
		if got := token.Term(tok); got != tok {
			t.Errorf("got %q, want %q", got, tok)
		}
	}
}

func TestStopWordsHaveNoTermButMonthsAndNamesHave(t *testing.T) {
	t.Parallel()
	for _, w := range []string{"the", "dont", "what", "s"} {
		if got := token.Term(w); got != "" {
			t.Errorf("term of stop word %q: got %q, want none", w, got)
		}
	}
	for _, w := range []string{"may", "will", "mark"} {
		if token.Term(w) == "" {
			t.Errorf("%q has no term", w)
		}
	}
}

func FuzzScanner(f *testing.F) {
	for _, s := range []string{"Hello, it's 1,800.50 at O'Brien's", "我喜欢茶ー", "a\u0301\u0301", "\xff'\xfe", "x-", "１’s"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		sc := token.Scanner{}
		last := -1
		for sc.Reset(text); sc.Next(); {
			tok := sc.Bytes()
			if len(tok) == 0 || len(tok) > token.MaxBytes+utf8.UTFMax {
				t.Fatalf("a token of %d bytes", len(tok))
			}
			if !utf8.Valid(tok) {
				t.Fatalf("token %q is no valid text", tok)
			}
			if sc.Start() <= last {
				t.Fatalf("token at %d after one at %d", sc.Start(), last)
			}
			last = sc.Start()
			_ = token.Term(string(tok))
		}
	})
}
