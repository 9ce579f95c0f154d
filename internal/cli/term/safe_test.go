package term

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
)

func TestWhatReachesATerminal(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"plain\ttext\r\n":                    "plain\ttext\r\n",
		"a\u202eb\u2066c\u200fd":             `a\u202eb\u2066c\u200fd`,
		"\u009b31m\u0085\u009d0;title\u009c": `\u009b31m\u0085\u009d0;title\u009c`,
		"\x1b[1mbold\x1b[0m":                 "\x1b[1mbold\x1b[0m",
		"\x1b]0;title\x07 \x1b[2J \x1b[?25l": `\u001b]0;title\u0007 \u001b[2J \u001b[?25l`,
		"\x1b[1;1;1;1;1;1;1;1m":              `\u001b[1;1;1;1;1;1;1;1m`,
		"\r\x1b[Kyou: ":                      "\r\x1b[Kyou: ",
		"raw \x9b31m":                        "raw \ufffd31m",
		"Ünï ☎ 漢 😀":                          "Ünï ☎ 漢 😀",
	} {
		var whole, pieces bytes.Buffer
		(&safe{to: &whole, ours: true}).Write([]byte(given))
		cut := &safe{to: &pieces, ours: true}
		for i := range len(given) {
			if n, err := cut.Write([]byte(given[i : i+1])); n != 1 || err != nil {
				t.Fatalf("%q: wrote %d, %v", given, n, err)
			}
		}
		if whole.String() != want || pieces.String() != want {
			t.Errorf("%q: got %q, and byte by byte %q, want %q", given, whole.String(), pieces.String(), want)
		}
	}
	var plain bytes.Buffer
	(&safe{to: &plain}).Write([]byte("\x1b[1mbold"))
	if got := plain.String(); got != `\u001b[1mbold` {
		t.Errorf("where nobody watches: got %q", got)
	}
}

func TestJSONSaysTheSameOnATerminal(t *testing.T) {
	t.Parallel()
	const said = "a\u202eb\u009bc\x1bd\u2028"
	raw, err := json.Marshal(said)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	(&safe{to: &out}).Write(raw)
	var got string
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || got != said {
		t.Errorf("got %q, %v, want %q", got, err, said)
	}
}

func FuzzSafe(f *testing.F) {
	f.Add([]byte("\x1b[1m\u202e\x9b"), true)
	f.Fuzz(func(t *testing.T, given []byte, ours bool) {
		var out bytes.Buffer
		(&safe{to: &out, ours: ours}).Write(given)
		got := out.String()
		if ours {
			got = strings.ReplaceAll(got, "\x1b[", "")
		}
		if i := strings.IndexFunc(got, func(r rune) bool {
			return unicode.Is(unicode.Bidi_Control, r) || unicode.IsControl(r) && !strings.ContainsRune("\n\r\t", r)
		}); i >= 0 {
			t.Errorf("%q became %q", given, got)
		}
	})
}
