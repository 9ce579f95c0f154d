package transcript

import (
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/worktest"
)

func TestWorkIsLinear(t *testing.T) { worktest.Linear(t, work, ".") }

func FuzzWork(f *testing.F) { worktest.Fuzz(f, work, ".") }

// work reads a text as every format, and as what stands inside one.
func work(text string) {
	for _, f := range Formats() {
		for _, whole := range []string{text, "Caller: " + text, `[{"turns":[{"speaker":"user","text":"` + text} {
			for _, err := range Parse(strings.NewReader(whole), Options{Format: f}) {
				if err != nil {
					break
				}
			}
		}
	}
	_, _ = Detect("x", []byte(text))
}
