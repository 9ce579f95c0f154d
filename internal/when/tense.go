package when

import "strings"

// Words that tell whether a clause looks back or ahead. Only words that are seldom anything else.
var (
	backward = set(`was were did had went came saw met got took made said told gave bought found felt left lost won ate drank
		ran wrote read began started finished visited moved lived stayed worked happened ended became fell broke heard thought knew
		spent sent paid sold built drove flew hurt held kept brought taught caught slept sat stood woke ago been died passed
		graduated retired married attended arrived called tried used since`)
	forward = set(`will going gonna shall plan planning plans want wants hope hoping need needs should would could can might
		coming visiting visit is am are have has 'll let due see arriving leaving starting meeting book schedule`)
)

func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// behind reports whether a date at token i that could lie either way lies in the past: the nearest word before it in
// its sentence that tells is in the past tense, or, with none before it, the first one after.
func (p *parser) behind(i int) bool {
	if p.lean == nil {
		p.lean = p.tenses()
	}
	return i < len(p.lean) && p.lean[i]
}

func (p *parser) tenses() []bool {
	const none, back, ahead = 0, 1, 2
	mark := make([]byte, len(p.tok))
	for i, t := range p.tok {
		switch {
		case t.kind != word:
		case forward[t.w] || strings.HasSuffix(t.w, "'ll") || strings.HasSuffix(t.w, "'re") || t.w == "i'm":
			mark[i] = ahead
		case backward[t.w], len(t.w) > 4 && strings.HasSuffix(t.w, "ed") && t.w != "need":
			mark[i] = back
		}
	}
	lean := make([]bool, len(p.tok))
	state := byte(none)
	for i := range p.tok {
		if p.sentenceEnd(i) {
			state = none
		} else if mark[i] != none {
			state = mark[i]
		}
		lean[i] = state == back
		if state == none {
			mark[i] = none
		} else {
			mark[i] = 3 // settled by what came before
		}
	}
	p.leanBackwards(lean, mark)
	return lean
}

// leanBackwards settles the tokens that have no telling word before them by the first one after them.
func (p *parser) leanBackwards(lean []bool, mark []byte) {
	state := false
	for i := len(p.tok) - 1; i >= 0; i-- {
		switch {
		case p.sentenceEnd(i):
			state = false
		case mark[i] == 3:
			state = lean[i]
		default:
			lean[i] = state
		}
	}
}

func (p *parser) sentenceEnd(i int) bool {
	return p.tok[i].kind == punct && p.any(i, ".", "!", "?", "\n", ";")
}
