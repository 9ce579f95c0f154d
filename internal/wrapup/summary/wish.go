package summary

// requestKind says how a caller puts a wish.
type requestKind int

const (
	wishTo  requestKind = iota // "I'd like to …"
	wishFor                    // "I need a …"
	askThat                    // "can you …"
	askTo                      // "can I …"
	ringFor                    // "I'm calling about …"
)

type requestCue struct {
	words []string
	kind  requestKind
}

func requestCues() map[string][]requestCue {
	table := map[string][]requestCue{}
	add := func(kind requestKind, text string) {
		for first, list := range phrases(text) {
			for _, p := range list {
				table[first] = append(table[first], requestCue{p, kind})
			}
		}
	}
	add(wishTo, `i would like to|i'd like to|i want to|i wanted to|i need to|i'm calling to|i am calling to|i'm trying to|i am trying to|i was hoping to|i'm hoping to|i'm looking to|i am looking to|we'd like to|we want to|i wanna|i have to|i'm ringing to|i called to|we need to|i just want to|i just wanted to|i'd love to`)
	add(wishFor, `i would like|i'd like|i want|i need|i'm looking for|i am looking for|we need|i wanted|we'd like`)
	add(ringFor, `i'm calling about|i am calling about|i'm calling for|i'm ringing about|i am ringing about|i have a question about|i'm calling because of|it's about|i'm calling regarding`)
	add(askThat, `i was wondering if you can|i was wondering if you could|wondering if you can|wondering if you could|i was hoping you could|i was hoping that you could|can you|could you|would you|will you|can someone|could someone|is it possible for you to|please`)
	add(askTo, `i was wondering if i can|i was wondering if i could|can i|could i|may i|is it possible to|would it be possible to|am i able to|how do i|how can i`)
	return table
}

// wish is what a caller wants, in words that follow "Caller".
type wish struct {
	words []word
	kind  requestKind
}

// imperatives are verbs that a sentence begins with which tells the agent to do something.
var imperatives = words(`write create give summarize summarise rewrite make generate explain list translate draft continue show find suggest recommend tell
	describe compare help act design plan calculate convert fix improve cancel send book change update add remove check`)

// command reads "Write me a poem": a sentence that begins with its verb.
func (lx *lexicon) command(ws []word) (wish, bool) {
	if len(ws) < 3 || !imperatives[ws[0].low] || lx.be[ws[1].low] || lx.aux[ws[1].low] {
		return wish{}, false
	}
	rest := lx.skipAdverbs(ws[:lx.clauseEnd(ws, 0, 16)])
	if len(rest) == 0 || lx.emptyWords(rest[1:]) {
		return wish{}, false
	}
	rest = append([]word{}, rest...)
	rest[0] = retext(rest[0], rest[0].low)
	return wish{rest, askThat}, true
}

// request finds the wish in a caller's sentence.
func (lx *lexicon) request(ws []word) (wish, bool) {
	if w, ok := lx.command(ws); ok {
		return w, true
	}
	for i := range min(len(ws), 12) {
		var best requestCue
		for _, c := range lx.requests[ws[i].low] {
			if len(c.words) > len(best.words) && matchAt(ws, i, c.words) {
				best = c
			}
		}
		n := i + len(best.words)
		if len(best.words) == 0 || n >= len(ws) || lx.unreal(ws, i) || best.words[0] == "please" && i > 0 {
			continue
		}
		rest := lx.skipAdverbs(ws[n:lx.clauseEnd(ws, n, 16)])
		if len(rest) == 0 || best.kind == askThat && lx.idleRequest(rest) || lx.emptyWords(rest) && len(rest) < 4 {
			continue
		}
		if best.kind == wishFor && (lx.subject(rest[0].low) || rest[0].low == "to" || rest[0].low == "you") {
			continue
		}
		return wish{rest, best.kind}, true
	}
	return wish{}, false
}

func (lx *lexicon) skipAdverbs(ws []word) []word {
	for len(ws) > 0 && (lx.intensifier[ws[0].low] || ws[0].low == "please" || ws[0].low == "also") {
		ws = ws[1:]
	}
	for len(ws) > 1 && (ws[len(ws)-1].low == "please" || ws[len(ws)-1].low == "today" || ws[len(ws)-1].low == "thanks") {
		ws = ws[:len(ws)-1]
	}
	return lx.trim(ws)
}

func (lx *lexicon) idleRequest(rest []word) bool {
	switch rest[0].low {
	case "hear", "see", "repeat", "say", "hold", "wait", "speak", "explain":
		return true
	}
	return false
}

func (lx *lexicon) tellWish(w wish) string {
	byCaller := true
	told, ok := lx.aboutCaller(w.words, byCaller)
	if !ok {
		return ""
	}
	switch w.kind {
	case wishTo:
		return "Caller wanted to " + render(told)
	case wishFor:
		return "Caller wanted " + render(told)
	case ringFor:
		return "Caller got in touch about " + render(told)
	case askThat:
		return "Caller asked the agent to " + render(told)
	default:
		return "Caller asked to " + render(told)
	}
}
