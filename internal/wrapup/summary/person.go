package summary

// Speech is in the first person; a summary is about somebody. In English "I" and "they" take the same verbs except for am
// and was, so that the caller's words can be told about the caller without any grammar beyond a table. Where the table does
// not suffice the words stay as they are, in quotation marks.

var firstPerson = map[string]string{
	"i": "they", "me": "them", "my": "their", "mine": "theirs", "myself": "themselves",
	"i'm": "they're", "i've": "they've", "i'll": "they'll", "i'd": "they'd", "im": "they're", "ive": "they've",
	"we": "they", "us": "them", "our": "their", "ours": "theirs", "ourselves": "themselves",
	"we're": "they're", "we've": "they've", "we'll": "they'll", "we'd": "they'd",
}

var secondPerson = map[string]string{
	"your": "their", "yours": "theirs", "yourself": "themselves",
	"you're": "they're", "you've": "they've", "you'll": "they'll", "you'd": "they'd",
}

// aboutCaller tells the words of a side about the caller: the caller's "I" and the agent's "you" become "they". ok is false
// where a person stays unclear; then the words come back unchanged.
func (lx *lexicon) aboutCaller(ws []word, byCaller bool) (out []word, ok bool) {
	out = make([]word, 0, len(ws))
	for i, w := range ws {
		switch {
		case byCaller && firstPerson[w.low] != "":
			w = retext(w, firstPerson[w.low])
		case byCaller && (w.low == "am" || w.low == "was") && i > 0 && ws[i-1].low == "i":
			w = retext(w, map[string]string{"am": "are", "was": "were"}[w.low])
		case byCaller && (w.low == "am" || w.low == "was") && i+1 < len(ws) && ws[i+1].low == "i":
			return ws, false
		case byCaller && isSecondPerson(w.low):
			return ws, false
		case !byCaller && w.low == "you":
			w = retext(w, lx.theyOrThem(ws, i))
		case !byCaller && secondPerson[w.low] != "":
			w = retext(w, secondPerson[w.low])
		case !byCaller && isFirstPerson(w.low):
			return ws, false
		}
		out = append(out, w)
	}
	return out, true
}

func retext(w word, to string) word {
	w.text, w.low = to, to
	return w
}

func isSecondPerson(low string) bool { return low == "you" || secondPerson[low] != "" }

func isFirstPerson(low string) bool {
	return firstPerson[low] != ""
}

// theyOrThem decides by the neighbours whether a "you" does something or has it done.
func (lx *lexicon) theyOrThem(ws []word, i int) string {
	next := ""
	if i+1 < len(ws) && !ws[i].comma {
		next = ws[i+1].low
	}
	if i == 0 || ws[i-1].comma {
		return "they"
	}
	prev := ws[i-1].low
	if lx.aux[next] && prev != "to" && prev != "for" && prev != "with" && prev != "of" {
		return "they"
	}
	switch prev {
	case "to", "for", "with", "from", "of", "about", "give", "giving", "send", "sending", "tell", "call", "help", "see", "show", "ask", "get", "let", "offer", "email", "text", "book", "on", "at", "by", "sent", "gave", "put", "wish", "refer", "reach", "want", "advise", "like", "booked", "called", "told":
		return "them"
	}
	if lx.aux[next] || lx.tail[prev] || lx.wh[prev] || lx.negator[next] || prev == "that" || prev == "if" || prev == "what" || prev == "as" || prev == "before" || prev == "until" || prev == "once" || prev == "unless" || prev == "after" || prev == "thing" || lx.aux[prev] {
		return "they"
	}
	if next == "" || lx.stop[next] && !lx.aux[next] && !wordsAfterThey[next] {
		return "them"
	}
	return "they"
}

var wordsAfterThey = words(`get got take took need want know think feel said say mentioned like use used put try tried keep start started stop call called go went come find notice also ever still just already`)

// says renders words as a statement about the caller, or in quotation marks where that cannot be done.
func (lx *lexicon) says(ws []word, byCaller bool) string {
	told, ok := lx.aboutCaller(ws, byCaller)
	if !ok {
		told, ok = lx.aboutAgent(ws, byCaller)
	}
	if !ok {
		return "“" + capital(render(ws)) + "”"
	}
	return capital(render(told))
}
