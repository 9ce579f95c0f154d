package cli_test

import (
	"strings"
	"testing"
	"unicode"
)

// What a caller said, how he is called and what was typed reaches the terminal without anything that it would obey, or
// that turns words around, through every verb.
func TestNoVerbWritesControls(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const said = "My name is \u202eMaria\u202c \u009b31mLopez and the \u2066boiler\u2069 leaks \u0085 every \u200fmorning\x1b]0;x\x07."
	transcript := "Assistant: Lakeside Plumbing\u202e, how can I help?\nUser: " + said + "\nAssistant: I see \u009c.\n"
	if r := b.typing(transcript, "replay", "-", "--phone", maria); r.code != 0 {
		t.Fatalf("replay: exit %d\n%s", r.code, r.err)
	}
	const odd = "x\u202ey\u009b1m\x1b[31m"
	id := strings.Fields(b.must("search", "boiler", "--json"))
	if len(id) == 0 {
		t.Fatal("nothing was found")
	}
	for _, args := range [][]string{
		{"briefing", maria},
		{"briefing", maria, "--json"},
		{"recall", maria, "boiler", "--explain"},
		{"recall", maria, "boiler", "--json"},
		{"recall", maria, odd},
		{"search", "boiler"},
		{"search", "boiler", "--json"},
		{"search", odd},
		{"memories", maria},
		{"memories", maria, "--json"},
		{"export", maria},
		{"transcript", odd},
		{"briefing", odd},
		{"memories", "ext:" + odd},
		{"receipt", odd},
		{"replay", odd},
		{odd},
		{"--" + odd},
		{"config"},
		{"config", "--set", odd + "=1"},
		{"--data", odd + "/none", "doctor"},
		{"--server", "http://" + odd, "memories", maria},
		{"erase", maria, "--yes"},
	} {
		r := b.run(args...)
		for name, text := range map[string]string{"stdout": r.out, "stderr": r.err} {
			if i := strings.IndexFunc(text, unsafe); i >= 0 {
				t.Errorf("%q: %s has %q", args, name, text[max(0, i-20):min(len(text), i+20)])
			}
		}
	}
}

func unsafe(r rune) bool {
	return unicode.Is(unicode.Bidi_Control, r) || unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r'
}
