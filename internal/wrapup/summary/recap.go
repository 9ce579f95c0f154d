package summary

import "strings"

// An agent who sums up what the caller told him has done half of the work already: his recap is told as it is.

// recapCues begin what an agent repeats of the caller's words; what stands after them is told.
var recapCues = phrases(`you mentioned that|you mentioned|you said that|you said|you've said|you've mentioned|you told me that|you told me|you were saying|
	just to summarise|just to summarize|to summarise|to summarize|to resummarise|to resummarize|just to recap|to recap|just to confirm|to confirm|
	so you're saying|if i understand correctly|let me read that back|based on your story|based on everything you mentioned|from what you've told me|from what you told me`)

// longestRecap is how many words of a recap are told.
const longestRecap = 20

// recapLines are what the agents summed up, as statements about the caller.
func (c *composer) recapLines() []candidate {
	var out []candidate
	for i, u := range c.units {
		if u.caller() || u.weak || u.idle || u.essay {
			continue
		}
		from := c.lx.recapStart(u.words)
		if from == 0 {
			continue
		}
		ws := append([]word{}, u.words[from:c.lx.clauseEnd(u.words, from, longestRecap)]...)
		ws = c.lx.trim(ws)
		if n := len(ws); n > 0 && n < longestRecap/2 && i+1 < len(c.units) {
			ws = c.withFragment(ws, c.units[i+1])
		}
		if len(ws) < 4 || c.lx.hedges(ws) || c.lx.dangles(ws) || !c.lx.hasVerb(ws) {
			continue
		}
		told, ok := c.lx.aboutCaller(ws, false)
		if !ok {
			continue
		}
		text := capital(render(told))
		out = append(out, candidate{in: inFacts, text: text, size: size(text), stems: c.s.of(ws), bonus: 1.2, plus: 0.5, turn: u.turn})
	}
	return out
}

// recapStart returns the place after the last words that introduce a recap, 0 if there are none.
func (lx *lexicon) recapStart(ws []word) int {
	from := 0
	for i := 0; i < len(ws) && i < from+6; i++ {
		for _, p := range recapCues[ws[i].low] {
			if matchAt(ws, i, p) {
				from = i + len(p)
				break
			}
		}
	}
	for from > 0 && from < len(ws) && (lx.lead[ws[from].low] || lx.intensifier[ws[from].low] || lx.filler[ws[from].low]) {
		from++
	}
	for i := from + 1; from > 0 && i < min(len(ws), from+6); i++ {
		if ws[i].low == "that" && strings.HasPrefix(ws[i-1].low, "note") { // "you've mentioned in our notes that …"
			from = i + 1
			break
		}
	}
	if from >= len(ws) {
		return 0
	}
	return from
}

// withFragment adds what the agent goes on with after a short recap, if it is no sentence of its own.
func (c *composer) withFragment(ws []word, next *unit) []word {
	if next.caller() || next.ask || next.idle || c.lx.hasVerb(next.words) || len(ws)+len(next.words) > longestRecap {
		return ws
	}
	out := append([]word{}, ws...)
	out[len(out)-1].comma = true
	return append(out, next.words...)
}
