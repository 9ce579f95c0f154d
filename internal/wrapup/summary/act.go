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
			i'd recommend|i would recommend|i recommend|i'd suggest|i would suggest|i suggest|i'd advise|i would advise|i advise|i would advise you to|i'd advise you to|i also advise you to|i recommend that you|i would recommend you to|please|it's worth|it's also worth|it's definitely worth|it may be worth|it might be worth|i'd ask you to`),
		kept(1, cues(advised, false, `do come|do give|do call|do let|do keep|do ring|do try|do use|do take|you can try|you could try|you can take|you can also take|you can use`)),
		cues(done, false, `i have|i've|we have|we've`),
		cues(done, true, `has been|have been|is booked|is scheduled|are booked|you're booked|you are booked|you're all set|is confirmed|is now`),
		cues(concluded, true, `sounds like|seems like|looks like|sounds to me like|looks to me like|it is likely|most likely|more likely|this is likely|it's likely|this could be|it could be|could possibly be|it might be|this might be|this may be|it may be|consistent with|suffering from|this is probably|it's probably|probably just|
			i wonder whether|i do wonder whether|i wonder if|you probably have|probably do have|you might have|you may have|you could have|suggestive of|diagnosis is|i think you have|i think you've got|i think this is|i think it's|i suspect|the problem is|the cause is|known as`),
	)
}

func callerCues() cueTable {
	return newCueTable(
		cues(pledged, false, `i'll|i will|i'm going to|i am going to|i'm gonna|we'll|we will`),
		cues(chosen, false, `let's go with|let's do|let's book|let's make it|i've decided to|i have decided to|we decided to|we've decided to|i'd prefer|i would prefer|i'd rather|i'll take|i'll go with|i'll go for|i'll have|we'll take|we'll go with`),
	)
}

// longestDeed is how many words of a deed are told.
const longestDeed = 16

// deeds finds what was done, promised, advised, concluded and chosen.
func (lx *lexicon) deeds(us []*unit, typed bool) []deed {
	var out []deed
	for i, u := range us {
		if u.weak || u.ask || u.idle || u.essay {
			continue
		}
		table := lx.agentCues
		if u.caller() {
			table = lx.callerCues
		}
		for _, d := range lx.deedsOf(u, table) {
			if typed && d.kind == done && !strings.HasPrefix(d.text, "Agent has") && !aboutYou(u.words) {
				continue // news of the world
			}
			if d.kind == concluded && len(us) > longCall && i*5 < len(us)*2 {
				continue // the matter is still being told
			}
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
		if !ok || lx.unreal(u.words, i) && !prefaces(u.words[i+len(c.words):]) || c.kind == concluded && lx.repeatsCaller(u.words) {
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

// aboutYou reports whether words speak to somebody.
func aboutYou(ws []word) bool {
	for _, w := range ws {
		if isSecondPerson(w.low) {
			return true
		}
	}
	return false
}

// repeatsCaller reports whether an agent says what the caller told him, which is no view of his own.
func (lx *lexicon) repeatsCaller(ws []word) bool {
	from := lx.recapStart(ws)
	return from > 0 && isSecondPerson(ws[from].low)
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
	rest := lx.skip(lx.skipPreface(u.words[start:stop]))
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
		rest = lx.viewOf(u.words, start)
		stop = max(start, i+1)
		d.text = lx.view(rest)
	default:
		if len(rest) == 0 || c.kind != advised && lx.idles(rest) || c.kind == advised && idleAdvice[rest[0].low] || lx.leans(rest[0].low) || len(rest) < 2 && c.kind != chosen || c.kind == done && (!participle(rest[0].low) || len(rest) < 3) {
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

// idles reports whether a promise ends with the call: "I'll have a look", "I'll ask you a few questions". To have something
// ready, or to tell or ask somebody else, is work to be done.
func (lx *lexicon) idles(rest []word) bool {
	low := rest[0].low
	if !lx.idleDeed[low] {
		return false
	}
	if low != "have" && low != "tell" && low != "ask" || len(rest) < 3 || isSecondPerson(rest[1].low) {
		return true
	}
	return !determiner[rest[1].low] || lx.emptyWords(rest[1:])
}

// idleAdvice are verbs of advice that asks for nothing to be done.
var idleAdvice = words(`be feel know worry understand wonder see expect say tell explain hear not have stop describe bear hold repeat confirm spell ask`)

// leans reports whether a word only leads up to another: nothing that is to be done begins with it.
func (lx *lexicon) leans(low string) bool {
	return lx.tail[low] || lx.negator[low] || low == "by" || low == "up" || low == "about" || low == "as" || low == "they" || low == "any" || low == "something" || low == "able" || low == "also" || low == "some"
}

var judgements = words(`happy lovely wonderful beautiful fun grand busy kind nice great brilliant sensible important helpful useful plan idea worth worthwhile good better difficult tricky confusing question`)

// judges reports whether a conclusion is only a compliment or a remark on what was said.
func (lx *lexicon) judges(ws []word) bool {
	for _, w := range ws {
		if judgements[w.low] {
			return true
		}
	}
	return false
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
		return agentTo + render(told)
	case pledged, advised:
		return callerTo + gerund(told) + render(told)
	case done:
		return "Agent has " + render(told)
	case chosen:
		return "Caller chose " + render(told)
	}
	return ""
}

// How an action item begins.
const (
	agentTo  = "Agent to "
	callerTo = "Caller to "
)

// gerund gives the verb that advice lacks which is put as a gerund: "it's worth using …".
func gerund(told []word) string {
	if low := told[0].low; strings.HasSuffix(low, "ing") && len(low) > 4 && low != "bring" && low != "during" && low != "thing" {
		return "consider "
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
	if len(ws) == 0 {
		return ""
	}
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

// prefaces reports whether words go on with what is to be done, after "what I'd like you to".
func prefaces(ws []word) bool { return len(ws) > 3 && ws[0].low == "do" && ws[1].low == "is" }

// skipPreface takes off what only announces what is to be done: "(what I'd like you to) do is maybe consider …".
func (lx *lexicon) skipPreface(ws []word) []word {
	if prefaces(ws) {
		ws = ws[2:]
		for len(ws) > 2 && (ws[0].low == "maybe" || ws[0].low == "to" || ws[0].low == "try" && ws[1].low == "and") {
			ws = ws[1+b2i(ws[0].low == "try"):]
		}
	}
	return ws
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
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
