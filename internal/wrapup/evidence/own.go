package evidence

import (
	"regexp"
	"strings"

	"github.com/recallerhq/recaller"
)

// minHeard is the recogniser's confidence under which a turn was hardly heard (B10).
const minHeard = 0.5

// The length of a run of words that is recalled text and no coincidence. A script without spaces is counted in pairs of
// characters, which say less.
const (
	runWords = 6
	runPairs = 15
)

// Own returns of a conversation what may be believed, in order and with its numbers: the caller's turns without those
// that were cut off or hardly heard (B10), and without what only came back of what was recalled (B11): notes of a
// briefing, and sentences that repeat a recalled text word for word; and the agent's turns as they are, since an answer
// is understood by its question. Nil where nothing of the caller's is left. Its result is what Window, Script and
// Supports are for.
func Own(turns []recaller.Turn, recalled []string) []recaller.Turn {
	known := recall(recalled)
	out := make([]recaller.Turn, 0, len(turns))
	callers := 0
	for _, t := range turns {
		if t.Speaker == recaller.User {
			if t.Interrupted || t.Confidence < minHeard {
				continue
			}
			if t.Text = known.without(strings.TrimSpace(notes.ReplaceAllString(t.Text, " "))); t.Text == "" {
				continue
			}
			callers++
		}
		out = append(out, t)
	}
	if callers == 0 {
		return nil
	}
	return out
}

// notes are the blocks of a text that are marked as a briefing's. One that is not closed goes on to the end.
var notes = regexp.MustCompile(`(?is)<notes>.*?(?:</notes>|\z)`)

// recollection holds the runs of words of recalled texts.
type recollection struct{ runs map[string]bool }

func recall(texts []string) recollection {
	r := recollection{map[string]bool{}}
	for _, text := range texts {
		ws := read(text)
		for i := 0; i+runWords <= len(ws); i++ {
			r.runs[run(ws[i:i+runWords])] = true
		}
	}
	return r
}

// run makes a key of words.
func run(ws []word) string {
	var b strings.Builder
	for _, w := range ws {
		b.WriteString(w.tok)
		b.WriteByte(' ')
	}
	return b.String()
}

// without takes out of a text the sentences that repeat what was recalled: whole where that is most of them, else the
// run of words.
func (r recollection) without(text string) string {
	if len(r.runs) == 0 {
		return text
	}
	ws := read(text)
	repeats := r.repeats(ws)
	if repeats == nil {
		return text
	}
	var b strings.Builder
	for from := 0; from < len(ws); {
		to := from + 1
		for to < len(ws) && !ws[to].first {
			to++
		}
		end := len(text)
		if to < len(ws) {
			end = ws[to].start
		}
		r.sentence(&b, text[:end], ws[from:to], repeats[from:to])
		from = to
	}
	return strings.TrimSpace(b.String())
}

// sentence writes what is left of one.
func (r recollection) sentence(b *strings.Builder, text string, ws []word, repeats []bool) {
	again := 0
	for _, is := range repeats {
		if is {
			again++
		}
	}
	if again*2 >= len(ws) {
		return
	}
	for i, w := range ws {
		end := len(text)
		if i+1 < len(ws) {
			end = ws[i+1].start
		}
		if !repeats[i] {
			b.WriteString(text[w.start:end])
		}
	}
}

// repeats marks the words that are part of a run that was recalled; nil: none.
func (r recollection) repeats(ws []word) []bool {
	var out []bool
	for i := 0; i+runWords <= len(ws); i++ {
		if !r.runs[run(ws[i:i+runWords])] {
			continue
		}
		end := i + runWords
		for end < len(ws) && r.runs[run(ws[end-runWords+1:end+1])] {
			end++
		}
		if pairs(ws[i:end])*2 > end-i && end-i < runPairs {
			continue
		}
		if out == nil {
			out = make([]bool, len(ws))
		}
		for k := i; k < end; k++ {
			out[k] = true
		}
		i = end - 1
	}
	return out
}

func pairs(ws []word) int {
	n := 0
	for _, w := range ws {
		if w.pair {
			n++
		}
	}
	return n
}
