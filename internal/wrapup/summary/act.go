package summary

import "strings"

// deed is something done, promised, advised or concluded in the conversation.
type deed struct {
	unit *unit
	kind deedKind
	text string // as a summary tells it
	told []word // its words, for weighing
	late bool   // said in the last third
}

type deedKind int

const (
	promised  deedKind = iota // the agent will do it
	pledged                   // the caller will do it
	advised                   // the agent told the caller to do it
	done                      // the agent did it in the conversation
	concluded                 // what the agent made of the matter
	chosen                    // what the caller settled on
)

// cue is a way of speaking that shows a deed. What follows the cue is told.
type cue struct {
	words []string
	kind  deedKind
	whole bool // the cue's own words are part of what is told
	keep  int  // how many of the cue's last words are part of what is told
}

func cues(kind deedKind, whole bool, text string) []cue {
	var out []cue
	for _, list := range phrases(text) {
		for _, p := range list {
			out = append(out, cue{words: p, kind: kind, whole: whole})
		}
	}
	return out
}

func kept(n int, list []cue) []cue {
	for i := range list {
		list[i].keep = n
	}
	return list
}

// cueTable holds cues by their first word.
type cueTable map[string][]cue

func newCueTable(lists ...[]cue) cueTable {
	table := cueTable{}
	for _, list := range lists {
		for _, c := range list {
			table[c.words[0]] = append(table[c.words[0]], c)
		}
	}
	return table
}

func agentCues() cueTable {
	return newCueTable(
		cues(promised, false, `i'll|i will|we'll|we will|i'm going to|i am going to|we're going to|we are going to|i'm gonna|we're gonna|i'm happy to|i'd be happy to|what i'll do is|what we'll do is|i can arrange to`),
		cues(promised, true, `someone will|somebody will|a technician will|the technician will|the team will|our team will|an engineer will|a plumber will|the plumber will|my colleague will|they will|you'll receive|you will receive|you'll get|you will get|you should receive|you should get|you should be able to|you'll be able to|you will be able to`),
		cues(advised, false, `you should|you need to|you'll need to|you will need to|you have to|you must|i want you to|i'd like you to|i would like you to|make sure you|make sure to|make sure that you|remember to|don't forget to|
			i'd recommend|i would recommend|i recommend|i'd suggest|i would suggest|i suggest|i'd advise|i would advise|i advise|i would advise you to|i'd advise you to|i also advise you to|you can try|you could try|please|it's worth|it's also worth|it's definitely worth|you can take|i'd ask you to`),
		kept(1, cues(advised, false, `do come|do give|do call|do let|do keep|do ring|do try|do use|do take`)),
		cues(done, false, `i have|i've|we have|we've`),
		cues(done, true, `has been|have been|is booked|is scheduled|are booked|you're booked|you are booked|you're all set|is confirmed|is now`),
		cues(concluded, true, `sounds like|seems like|looks like|it is likely|most likely|more likely|is likely|could be|might be|may be|consistent with|what we call|is called|called something|caused by|due to|suffering from|this is probably|it's probably|i wonder whether|i do wonder whether|i wonder if|you probably have|probably do have|you have got|suggestive of|diagnosis|i think you have|i think you've got|i think this is|i think it's|i suspect|the problem is|the reason is|that means`),
	)
}

func callerCues() cueTable {
	return newCueTable(
		cues(pledged, false, `i'll|i will|i'm going to|i am going to|i'm gonna|we'll|we will`),
		cues(chosen, false, `let's go with|let's do|let's book|let's make it|i've decided to|i have decided to|we decided to|we've decided to|i'd prefer|i would prefer|i'd rather|make it|i'll take|i'll go with|i'll go for|i'll have|we'll take|we'll go with`),
	)
}

// longestDeed is how many words of a deed are told.
const longestDeed = 16

// deeds finds what was done, promised, advised, concluded and chosen.
func (lx *lexicon) deeds(us []*unit) []deed {
	var out []deed
	for i, u := range us {
		if u.weak || u.ask || u.idle {
			continue
		}
		table := lx.agentCues
		if u.caller() {
			table = lx.callerCues
		}
		for _, d := range lx.deedsOf(u, table) {
			d.late = i*3 >= len(us)*2
			out = append(out, d)
		}
	}
	return out
}

func (lx *lexicon) deedsOf(u *unit, table cueTable) []deed {
	var out []deed
	end := 0
	for i := 0; i < len(u.words); i++ {
		if i < end {
			continue
		}
		c, ok := bestCue(table, u.words, i)
		if !ok || lx.unreal(u.words, i) {
			continue
		}
		d, stop := lx.deed(u, c, i)
		if d.text == "" {
			continue
		}
		out = append(out, d)
		end = stop
	}
	return out
}

func bestCue(table cueTable, ws []word, i int) (cue, bool) {
	var best cue
	for _, c := range table[ws[i].low] {
		if len(c.words) > len(best.words) && matchAt(ws, i, c.words) {
			best = c
		}
	}
	return best, len(best.words) > 0
}

// unreal reports whether the words before i make what follows a condition or somebody's question.
func (lx *lexicon) unreal(ws []word, i int) bool {
	for k := i - 1; k >= max(0, i-3); k-- {
		switch ws[k].low {
		case "if", "when", "whether", "unless", "what", "how", "why", "which":
			return true
		}
		if ws[k].comma {
			return false
		}
	}
	return false
}

// deed tells the deed that a cue at i shows; stop is the place after its words.
func (lx *lexicon) deed(u *unit, c cue, i int) (deed, int) {
	start := i + len(c.words) - c.keep
	if start >= len(u.words) {
		if !c.whole {
			return deed{}, 0
		}
		start = len(u.words)
	}
	stop := lx.clauseEnd(u.words, start, longestDeed)
	d := deed{unit: u, kind: c.kind}
	rest := lx.skip(u.words[start:stop])
	switch {
	case c.kind == done && c.whole, c.kind == promised && c.whole:
		from := lx.subjectStart(u.words, i)
		rest = u.words[from:stop]
		if last := c.words[len(c.words)-1]; last == "been" && (start >= len(u.words) || !participle(u.words[start].low)) {
			return deed{}, 0
		}
		if d.text = lx.says(lx.trim(rest), false); strings.Contains(d.text, "“") {
			return deed{}, 0
		}
	case c.kind == concluded:
		from := lx.conclusionStart(u.words, i)
		rest = lx.trim(u.words[from:stop])
		d.text = lx.view(rest)
	default:
		if len(rest) == 0 || c.kind != advised && lx.idleDeed[rest[0].low] || c.kind == advised && idleAdvice[rest[0].low] || lx.leans(rest[0].low) || len(rest) < 2 && c.kind != chosen || c.kind == done && (!participle(rest[0].low) || len(rest) < 3) {
			return deed{}, 0
		}
		d.text = lx.tellDeed(c.kind, rest, u.caller())
	}
	d.told = rest
	if lx.emptyWords(rest) && !(c.kind == promised && c.whole && len(rest) > 3) || c.kind == concluded && lx.judges(rest) {
		return deed{}, 0
	}
	return d, stop
}

// idleAdvice are verbs of advice that asks for nothing to be done.
var idleAdvice = words(`be feel know worry understand wonder see expect say tell explain hear not have stop describe bear hold repeat confirm spell ask`)

// leans reports whether a word only leads up to another: nothing that is to be done begins with it.
func (lx *lexicon) leans(low string) bool {
	return lx.tail[low] || lx.negator[low] || low == "by" || low == "up" || low == "about" || low == "as" || low == "they" || low == "any" || low == "something" || low == "able" || low == "also" || low == "some"
}

var judgements = words(`sensible important helpful useful plan idea worth worthwhile good better difficult tricky confusing question`)

// judges reports whether a conclusion is only a compliment or a remark on what was said.
func (lx *lexicon) judges(ws []word) bool {
	for _, w := range ws {
		if judgements[w.low] {
			return true
		}
	}
	return len(ws) < 3
}

func (lx *lexicon) emptyWords(ws []word) bool {
	for _, w := range ws {
		if !lx.stop[w.low] {
			return false
		}
	}
	return true
}

func (lx *lexicon) tellDeed(kind deedKind, rest []word, byCaller bool) string {
	told, ok := lx.aboutCaller(rest, byCaller)
	if !ok {
		told, ok = lx.aboutAgent(rest, byCaller)
	}
	if !ok {
		return ""
	}
	switch kind {
	case promised:
		return "Agent: " + render(told)
	case pledged, advised:
		return "Caller: " + render(told)
	case done:
		return "Agent has " + render(told)
	case chosen:
		return "Caller chose " + render(told)
	}
	return ""
}

// aboutAgent tells an agent's words about the caller where the agent speaks of himself beside: "me" is the agent, "our" is
// the business's, and at an "I" or a "we" the words are cut off.
func (lx *lexicon) aboutAgent(ws []word, byCaller bool) ([]word, bool) {
	if byCaller {
		return ws, false
	}
	var rest []word
	for _, w := range ws {
		switch {
		case w.low == "my" || w.low == "our":
			w = retext(w, "the")
		case w.low == "me" || w.low == "us":
			w = retext(w, "the agent")
		case isFirstPerson(w.low):
			rest = lx.trim(rest)
			if len(rest) < 3 {
				return ws, false
			}
			return lx.aboutCaller(rest, false)
		}
		rest = append(rest, w)
	}
	return lx.aboutCaller(rest, false)
}

// view words a conclusion of the agent.
func (lx *lexicon) view(ws []word) string {
	told, ok := lx.aboutAgent(ws, false)
	if !ok || len(told) == 0 {
		return ""
	}
	return "Agent's view: " + render(told)
}

// skip takes adverbs off the front of what is to be done: "just", "also", "definitely".
func (lx *lexicon) skip(ws []word) []word {
	for len(ws) > 0 && (lx.intensifier[ws[0].low] || ws[0].low == "also" || ws[0].low == "then" || ws[0].low == "to" || ws[0].low == "that" || ws[0].low == "now" || ws[0].low == "you" && len(ws) > 1 && ws[1].low != "are" && ws[1].low != "have") {
		ws = ws[1:]
	}
	return lx.trim(ws)
}

var idleParticiple = words(`forgotten mentioned been needed wanted asked tried talked covered finished listened looked noticed received gotten happened explained discussed missed hidden seen spoken listen`)

func participle(low string) bool {
	n := len(low)
	if idleParticiple[low] {
		return false
	}
	if n > 3 && (low[n-2:] == "ed" || low[n-2:] == "en") {
		return true
	}
	switch low {
	case "sent", "made", "put", "set", "booked", "paid", "done", "cut", "shut", "order", "bought", "brought", "written":
		return true
	}
	return false
}

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
	subject := lx.subject(next)
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

// conclusionStart leaves out what only introduces a conclusion: "I think", "I do wonder whether".
func (lx *lexicon) conclusionStart(ws []word, i int) int {
	for k := i; k < min(len(ws)-2, i+3); k++ {
		if ws[k].low == "call" || ws[k].low == "called" {
			return k + 1
		}
	}
	for k := min(len(ws)-1, i+4); k >= i; k-- {
		switch ws[k].low {
		case "whether", "wonder", "think", "suspect":
			if k+1 < len(ws) {
				if ws[k+1].low == "whether" || ws[k+1].low == "if" {
					return min(k+2, len(ws)-1)
				}
				return k + 1
			}
		}
	}
	from := lx.subjectStart(ws, i)
	for k := from; k < i; k++ {
		if ws[k].low == "think" || ws[k].low == "guess" || ws[k].low == "you're" {
			return k + 1
		}
	}
	return from
}
