package sms_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"github.com/recallerhq/recaller/internal/sms"
	"github.com/recallerhq/recaller/internal/worktest"
)

func TestSegments(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text string
		want int
	}{
		{"", 0},
		{"Hello", 1},
		{strings.Repeat("a", 160), 1},
		{strings.Repeat("a", 161), 2},
		{strings.Repeat("a", 306), 2},
		{strings.Repeat("a", 307), 3},
		{strings.Repeat("a", 459), 3},
		{strings.Repeat("a", 460), 4},
		{strings.Repeat("€", 80), 1}, // two places each
		{strings.Repeat("€", 81), 2},
		{strings.Repeat("a", 152) + "€" + strings.Repeat("a", 153), 3}, // no segment ends within the €
		{"Grüße aus Köln, ñ und Ω", 1},
		{strings.Repeat("ж", 70), 1},
		{strings.Repeat("ж", 71), 2},
		{strings.Repeat("ж", 134), 2},
		{strings.Repeat("ж", 135), 3},
		{strings.Repeat("🙂", 35), 1},
		{strings.Repeat("🙂", 36), 2},
		{strings.Repeat("🙂", 66), 2}, // 33 go in each of several
		{strings.Repeat("🙂", 67), 3},
		{strings.Repeat("a", 70) + "’", 2}, // one quotation mark makes it all wide
	} {
		if got := sms.Segments(test.text); got != test.want {
			t.Errorf("%q: got %d, want %d", test.text, got, test.want)
		}
	}
}

func TestWhatIsWrittenPlainly(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"“Of course” – we’re open…": `"Of course" - we're open...`,
		"10 Uhr – „gern“":           `10 Uhr - "gern"`,
		"“Of course” 🙂":             "\"Of course\" 🙂", // another part of it may have no emoji
		"«Привет»":                  "«Привет»",
		"9:00–17:00":                "9:00-17:00",
	} {
		if got := sms.Plain(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestLongTextsArePartedWhereAReaderWould(t *testing.T) {
	t.Parallel()
	sentence := "The boiler man comes on Tuesday between nine and eleven. "
	link := "https://example.com/book?" + strings.Repeat("x=1&", 200)
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"short":   {"  Hello there.\n", []string{"Hello there."}},
		"nothing": {" \n ", nil},
		"sentences": {strings.Repeat(sentence, 10), []string{
			strings.TrimSpace(strings.Repeat(sentence, 8)), strings.TrimSpace(strings.Repeat(sentence, 2)),
		}},
		"a paragraph before a sentence": {strings.Repeat(sentence, 5) + "\n\n" + strings.Repeat(sentence, 5), []string{
			strings.TrimSpace(strings.Repeat(sentence, 5)), strings.TrimSpace(strings.Repeat(sentence, 5)),
		}},
		"words": {strings.Repeat("word ", 100), []string{
			strings.TrimSpace(strings.Repeat("word ", 91)), strings.TrimSpace(strings.Repeat("word ", 9)),
		}},
		"no sentence ends at the number of an item, nor at an abbreviation": {
			strings.Repeat("1. Tuesday at nine with Dr. Weber, who brings the part\n", 9), []string{
				strings.TrimSpace(strings.Repeat("1. Tuesday at nine with Dr. Weber, who brings the part\n", 8)), "1. Tuesday at nine with Dr. Weber, who brings the part",
			},
		},
		"nor at a street, at what is abbreviated in German, or at a saint": {
			strings.Repeat(sentence, 7) + "Bring something, z.B. Brot, Montag bzw. Dienstag, to Bahnhofstr. 5, bus No. 5, near St. James, ask for Fr. Weber.", []string{
				strings.TrimSpace(strings.Repeat(sentence, 7)), "Bring something, z.B. Brot, Montag bzw. Dienstag, to Bahnhofstr. 5, bus No. 5, near St. James, ask for Fr. Weber.",
			},
		},
		"a link is not parted":     {strings.Repeat("word ", 80) + "https://example.com/" + strings.Repeat("a", 100) + " ok", []string{strings.TrimSpace(strings.Repeat("word ", 80)), "https://example.com/" + strings.Repeat("a", 100) + " ok"}},
		"a long link goes alone":   {"See " + link + " for it.", []string{"See", link, "for it."}},
		"a word without end":       {strings.Repeat("a", 1000), []string{strings.Repeat("a", 459), strings.Repeat("a", 459), strings.Repeat("a", 82)}},
		"an emoji of several":      {strings.Repeat("👩‍👩‍👧‍👦", 20), []string{strings.Repeat("👩‍👩‍👧‍👦", 18), strings.Repeat("👩‍👩‍👧‍👦", 2)}},
		"flags":                    {strings.Repeat("🇩🇪", 60), []string{strings.Repeat("🇩🇪", 49), strings.Repeat("🇩🇪", 11)}},
		"a writing without spaces": {strings.Repeat("我们星期二上午九点开门。", 20), []string{strings.Repeat("我们星期二上午九点开门。", 16), strings.Repeat("我们星期二上午九点开门。", 4)}},
	} {
		if got := sms.Split(test.text, sms.MaxSegments); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %d parts %q, want %q", name, len(got), got, test.want)
		}
	}
	long := strings.Repeat(sentence, 50)
	if got := sms.Split(long, 0); len(got) != 2 || len(got[0]) > sms.MaxBytes {
		t.Errorf("of a chat: got %d parts", len(got))
	}
	if got := sms.Split(strings.Repeat("👍", 500), 0); len(got) != 2 || len(got[0]) > sms.MaxBytes { // 500 characters, of 4 bytes each
		t.Errorf("of emoji: got %d parts", len(got))
	}
}

func FuzzSplit(f *testing.F) {
	for _, s := range []string{"Hello.", strings.Repeat("Ab cd. ", 100), strings.Repeat("👩‍👧 ", 90), "https://x.y/" + strings.Repeat("z", 2000), "e\u0301" + strings.Repeat("\u0301", 3000), "\xff\xfe"} {
		f.Add(s, 3)
		f.Add(s, 0)
	}
	f.Fuzz(func(t *testing.T, text string, segments int) {
		if segments = segments & 7; !utf8.ValidString(text) || len(text) > 20_000 {
			return
		}
		parts := sms.Split(text, segments)
		bare := func(s string) string {
			return strings.Map(func(r rune) rune {
				if unicode.IsSpace(r) {
					return -1
				}
				return r
			}, s)
		}
		if got, want := bare(strings.Join(parts, "")), bare(text); got != want {
			t.Fatalf("the parts say %q, want %q", got, want)
		}
		for _, p := range parts {
			isLink := strings.Contains(p, "://") || strings.Contains(p, "www.")
			if n := utf8.RuneCountInString(p); p == "" || len(p) > sms.MaxBytes || segments > 0 && sms.Segments(p) > segments && !isLink && n > 1 {
				t.Fatalf("a part of %d characters in %d segments", n, sms.Segments(p))
			}
		}
	})
}

// What a reader sees as one character is in one part.
func TestNoCharacterIsParted(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"👍🏽", "🇫🇷", "e\u0301", "👩‍🚀", "1️⃣", "한"} {
		for _, p := range sms.Split(strings.Repeat(unit, 500), sms.MaxSegments) {
			if got := uniseg.GraphemeClusterCount(p) * len(unit); got != len(p) || len(p)%len(unit) != 0 {
				t.Errorf("%q is parted: a part has %d bytes", unit, len(p))
			}
		}
	}
}

func TestCommands(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text, language string
		chat           bool
		want           sms.Command
	}{
		{"STOP", "", false, sms.Stop},
		{" stop. ", "", false, sms.Stop},
		{"“Stop!”", "de-DE", false, sms.Stop},
		{"Stop All", "", false, sms.Stop},
		{"UNSUBSCRIBE", "", true, sms.Stop},
		{"cancel", "", false, sms.Stop},
		{"cancel", "", true, sms.None}, // of an appointment, say
		{"END", "", false, sms.Stop},
		{"quit", "", true, sms.None},
		{"Opt-out", "", false, sms.Stop},
		{"Help", "", false, sms.Help},
		{"info", "", true, sms.None},
		{"YES", "", false, sms.Start},
		{"unstop", "", true, sms.Start},
		{"Stopp", "de", false, sms.Stop},
		{"Stopp", "en-US", false, sms.None},
		{"Aufhören", "de-AT", false, sms.Stop},
		{"HILFE!", "de", false, sms.Help},
		{"Baja", "es-MX", false, sms.Stop},
		{"Sí", "es", false, sms.Start},
		{"Arrêt", "fr-FR", false, sms.Stop},
		{"oui", "fr", false, sms.Start},
		{"afmelden", "nl", false, sms.Stop},
		{"Stop by at nine", "", false, sms.None},
		{"Please stop", "", false, sms.None},
		{"I need help", "", false, sms.None},
		{"the end", "", false, sms.None},
		{"🛑", "", false, sms.None},
		{"", "", false, sms.None},
		{"STOP" + strings.Repeat(" ", 100), "", false, sms.None},
	} {
		if got := sms.CommandOf(test.text, test.language, test.chat); got != test.want {
			t.Errorf("%q in %q, chat %v: got %q, want %q", test.text, test.language, test.chat, got, test.want)
		}
	}
}

func TestWorkIsLinear(t *testing.T) {
	for _, unit := range []string{"https://x.y/ ", "http://", "\u0301", "👩‍", "\n\n", ". "} {
		worktest.Check(t, unit, work)
	}
	worktest.Linear(t, work, ".")
}

func FuzzWork(f *testing.F) { worktest.Fuzz(f, work, ".") }

func work(text string) {
	sms.Split(text, sms.MaxSegments)
	sms.Split(text, 0)
	sms.CommandOf(text, "de", false)
	sms.Plain(text)
}
