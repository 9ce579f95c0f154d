package summary

// clauseEnd returns where the clause that begins at start ends, at most limit words later.
func (lx *lexicon) clauseEnd(ws []word, start, limit int) int {
	for i := start + 2; i < len(ws); i++ {
		if i-start >= limit {
			return lx.softEnd(ws, start, start+limit)
		}
		if lx.newClause(ws, i) {
			return i
		}
	}
	return min(len(ws), start+limit)
}

// newClause reports whether a clause of its own begins at i.
func (lx *lexicon) newClause(ws []word, i int) bool {
	next := ""
	if i+1 < len(ws) {
		next = ws[i+1].low
	}
	subject := lx.subject(next) && (next != "my" && next != "this" && next != "that" || lx.hasVerb(ws[i+1:min(len(ws), i+6)]) && lx.hasVerb(ws[max(0, i-6):i]))
	switch ws[i].low {
	case "because", "cause", "'cause", "although", "though", "which":
		return true
	case "and", "but", "so", "or":
		return subject || ws[i].low == "but" || ws[i-1].comma && ws[i].low == "so" || ws[i].low == "and" && (next == "then" || next == "also" || next == "if")
	}
	return ws[i-1].comma && lx.subject(ws[i].low)
}

func (lx *lexicon) subject(low string) bool {
	switch low {
	case "i", "you", "we", "they", "he", "she", "it", "there", "that's", "it's", "i'm", "i've", "i'll", "i'd", "we'll", "we've", "we're", "you'll", "you're", "you've", "they're", "there's", "he's", "she's", "they'll", "my", "this", "if", "that", "someone", "somebody":
		return true
	}
	return false
}

// softEnd looks back from a hard limit for a place where the words can be cut without hurting.
func (lx *lexicon) softEnd(ws []word, start, limit int) int {
	for i := limit; i > start+4; i-- {
		if ws[i-1].comma {
			return i
		}
		switch ws[i].low {
		case "and", "or", "for", "with", "to", "in", "on", "at", "from", "when", "if", "by", "that", "until", "after", "before":
			return i
		}
	}
	return limit
}

// subjectStart looks back from a verb for the beginning of its clause.
func (lx *lexicon) subjectStart(ws []word, i int) int {
	for k := i; k > 0; k-- {
		if ws[k-1].comma || i-k >= 8 {
			return k
		}
		switch ws[k-1].low {
		case "and", "but", "so", "because", "that", "okay", "then":
			return k
		}
	}
	return 0
}
