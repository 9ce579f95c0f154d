package when

import (
	"embed"
	"strings"

	"github.com/recallerhq/recaller/internal/speech"
)

// lists are the words of this package: sets.txt has a line of each set, its name and the words; the others one of each
// word of English for days, dates and hours, and those of their language that mean it.
//
//go:embed words
var lists embed.FS

func list(name string) string {
	text, _ := lists.ReadFile("words/" + name + ".txt")
	return string(text)
}

var sets = func() map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for line := range strings.Lines(list("sets")) {
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
