package when

import (
	_ "embed"
	"strings"

	"github.com/recallerhq/recaller/internal/speech"
)

// setsText is a line of each set of words: its name, then the words.
//
//go:embed words/sets.txt
var setsText string

var sets = func() map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for line := range strings.Lines(setsText) {
		name, words, _ := strings.Cut(line, ":")
		out[name] = speech.Set(words)
	}
	return out
}()

// set returns the set of words of this name; it panics where there is none.
func set(name string) map[string]bool {
	s := sets[name]
	if len(s) == 0 {
		panic("when: no set of words is called " + name)
	}
	return s
}
