package relay

import (
	"strings"
	"testing"
	"time"
)

// What was heard is what both begin with, up to a whole word; it is never more than was sent.
func TestWhatWasHeard(t *testing.T) {
	t.Parallel()
	const sent = "Last week we agreed on Tuesday, at nine. Don't forget!"
	for name, c := range map[string]struct{ sent, until, want string }{
		"up to a word":               {sent, "Last week we", "Last week we"},
		"up to a comma":              {sent, "Last week we agreed on Tuesday,", "Last week we agreed on Tuesday"},
		"within a word":              {sent, "Last week we agr", "Last week we"},
		"all":                        {sent, sent, sent},
		"all, as a voice is told it": {sent, "last week we agreed on tuesday at nine   don’t forget", sent},
		"nothing":                    {sent, "", ""},
		"something else":             {sent, "Hello there", ""},
		"something else later":       {sent, "Last week they agreed", "Last week"},
		"more than was sent":         {"Last week", sent, "Last week"},
		"nothing was sent":           {"", sent, ""},
		"a number said otherwise":    {"It is $5 now", "It is five dollars", "It is"},
		"punctuation alone":          {"…", "…", ""},
		"no spaces":                  {"先週は火曜日", "先週は火", "先週は火"},
		"accents":                    {"Él dijo que sí.", "ÉL DIJO", "Él dijo"},
	} {
		if got := heard(c.sent, c.until); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// Where only the time says what was heard, it is whole words, and rather too few.
func TestWhatCanHaveBeenHeard(t *testing.T) {
	t.Parallel()
	o := Options{Speed: 10}.withDefaults()
	const text = "one two three four" // 18 characters: 1.8 s, and half a second before
	for said, want := range map[time.Duration]string{
		0: "", 400 * time.Millisecond: "", 800 * time.Millisecond: "one", 1200 * time.Millisecond: "one two", 2200 * time.Millisecond: "one two three",
		2300 * time.Millisecond: text, time.Hour: text,
	} {
		if got := o.audible(text, said); got != want {
			t.Errorf("after %v: got %q, want %q", said, got, want)
		}
	}
	if o.spokenIn("") != 0 || o.audible("", 0) != "" {
		t.Error("nothing takes time to say")
	}
}

func FuzzHeard(f *testing.F) {
	f.Add("Last week we agreed", "Last week w")
	f.Add("先週は火曜日", "先週")
	f.Add("a\xffb c", "A\xffB")
	o := Options{}.withDefaults()
	f.Fuzz(func(t *testing.T, sent, until string) {
		got := heard(sent, until)
		if !strings.HasPrefix(sent, got) {
			t.Fatalf("%q is not what %q begins with", got, sent)
		}
		if again := heard(got, until); again != got {
			t.Errorf("of %q, %q was heard", got, again)
		}
		if all := heard(sent, sent); all != sent && all != "" {
			t.Errorf("of all of %q, %q was heard", sent, all)
		}
		for _, said := range []time.Duration{-time.Second, 0, time.Second, time.Hour} {
			if !strings.HasPrefix(sent, o.audible(sent, said)) {
				t.Fatalf("what was audible of %q is not its beginning", sent)
			}
		}
	})
}
