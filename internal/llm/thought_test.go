package llm

import (
	"strings"
	"testing"
)

func TestThoughtsAreTakenOut(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"":                                    "",
		"plain":                               "plain",
		"<think>a</think>b":                   "b",
		"<think></think>\n\nb":                "b",
		" \n<think>a</think> b ":              "b ",
		"<think>a</think><think>b</think>c":   "c",
		"<thinking>a</thinking>b":             "b",
		"[THINK]a[/THINK]b":                   "b",
		"<think>never ends":                   "",
		"<think>":                             "",
		"<think":                              "<think",
		"<thin ice>":                          "<thin ice>",
		"a thought that came open</think>\nb": "b",
		"a<think>b</think>":                   "a<think>b</think>", // the answer has begun: it is about thoughts
		`{"v":"</think>"}`:                    `{"v":"</think>"}`,
		`Here: {"v":"x</think>[1]"}`:          `Here: {"v":"x</think>[1]"}`,
		`<think>{"v":1}</think>{"v":2}`:       `{"v":2}`,
	}
	for in, want := range tests {
		if got := aloud(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// However an answer is cut into pieces, the same of it is said; and without marks all of it is, but for leading spaces.
func FuzzThoughts(f *testing.F) {
	for _, s := range []string{"<think>a</think>b", "[THINK]x[/THINK] y", "<thought>", "a</think>b", "<think><think></think>x"} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, text string, at int) {
		var whole, cut thoughts
		want := whole.pass(text) + whole.rest()
		at = max(0, min(at, len(text)))
		got := cut.pass(text[:at]) + cut.pass(text[at:]) + cut.rest()
		if got != want {
			t.Errorf("cut at %d: got %q, want %q", at, got, want)
		}
		if !strings.HasSuffix(text, want) {
			t.Errorf("%q is not the end of %q", want, text)
		}
		if !strings.ContainsAny(text, "<[") && want != strings.TrimLeft(text, spaces) {
			t.Errorf("got %q of %q", want, text)
		}
		if said := aloud(text); !strings.HasSuffix(text, said) {
			t.Errorf("%q is not the end of %q", said, text)
		}
	})
}
