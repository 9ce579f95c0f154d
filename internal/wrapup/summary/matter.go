package summary

import (
	"slices"

	"github.com/recallerhq/recaller/internal/speech"
	"github.com/recallerhq/recaller/internal/wrapup/quote"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// Matter is what a caller is about, in his own words.
type Matter struct {
	Lines string // quotations, with who said them before each
	Issue string // the words that say best what is wrong or wanted, without quotation marks
	Turn  int    // that says them: its place in the conversation
	Ails  bool   // they say what does not work
	Wants bool   // the caller wants something to be done
	Asks  bool   // he asks something
	Asked bool   // they answer the question what is wrong
	Has   bool   // they say what the caller has: "I have had this headache for days"
}

// MatterOf returns what the caller wants, as he opened with it or answered when he was asked what is wrong. It returns
// false if he said nothing of the kind.
func MatterOf(r reading.Reading) (Matter, bool) {
	c := newChooser(r, Options{}, nil)
	p, ok := c.wanted()
	if !ok {
		return Matter{}, false
	}
	said := slices.DeleteFunc(slices.Clone(p.units), func(u *unit) bool { return !u.caller })
	best, asked := c.issue(said)
	if best == nil {
		return Matter{}, false
	}
	m := Matter{Turn: best.turn, Issue: c.issueText(best), Asked: asked, Has: best.possesses() && best.weight >= leastWeight}
	for _, u := range append(said, best) {
		m.Ails, m.Wants = m.Ails || complains(u) || u.ails && !complaintless.In(u.words), m.Wants || u.wants && (!u.s.Question || u.times || requests.In(u.words)) || pleas.In(u.words)
		m.Asks = m.Asks || u.s.Question
	}
	for len(p.units) > 0 && !p.units[len(p.units)-1].caller { // what was said to it
		p.units = p.units[:len(p.units)-1]
	}
	if !slices.Contains(p.units, best) {
		p.units = append(p.units, best)
	}
	m.Lines = c.lines([]passage{p})
	return m, m.Issue != ""
}

// openingIssues is how many turns of the caller's are looked at for what is wrong.
const openingIssues = 6

// issue is the sentence that says best what the matter is: of those that say what does not work the first, else the
// answer to the question what is wrong, else the wish, else the first of what was chosen.
func (c *chooser) issue(chosen []*unit) (best *unit, asked bool) {
	var answer *unit
	seen := 0
	for i, us := range c.turns {
		if len(us) == 0 || !us[0].caller || seen >= openingIssues {
			continue
		}
		asked := i > 0 && slices.ContainsFunc(c.turns[i-1], func(u *unit) bool { return !u.caller && u.s.Question && troubled.In(u.words) })
		for _, u := range c.opening(i) {
			if u.idle || len(u.words) < 2 {
				continue
			}
			if complains(u) {
				return u, false
			}
			if u.s.Question || c.names(u) {
				continue
			}
			if asked && answer == nil && u.weight >= leastWeight {
				answer = u
			}
		}
		seen++
	}
	if answer != nil {
		return answer, true
	}
	for _, says := range []func(*unit) bool{
		func(u *unit) bool { return u.wants || pleas.In(u.words) },
		func(u *unit) bool { return u.ails && !complaintless.In(u.words) },
	} {
		if at := slices.IndexFunc(chosen, says); at >= 0 {
			return chosen[at], false
		}
	}
	if len(chosen) > 0 {
		return chosen[0], false
	}
	return nil, false
}

// complains reports whether a sentence says what is wrong.
func complains(u *unit) bool { return plaints.In(u.words) && !complaintless.In(u.words) }

// issueText is a sentence with the pieces that belong to it, as long as a brief has room for.
func (c *chooser) issueText(u *unit) string {
	whole := c.sentence(u)
	words := 0
	for _, p := range whole {
		words += len(p.words)
	}
	if words > wantedWords {
		whole = []*unit{u}
	}
	return quote.Body(c.r.Turns[u.turn], whole[0].s.Start, whole[len(whole)-1].s.End)
}

var (
	// requests are questions that want something done: "Can you send somebody?"
	requests = speech.PhrasesOf(`can you|could you|would you|can i|could i|can we|could we|may i|is it possible|können sie|könnten sie|kann ich|könnte ich|puede|podría|puedo`)
	// pleas ask for something to be done, beside wishes.
	pleas = speech.PhrasesOf(`please send|please book|please cancel|please change|please move|please come|please call|please have|please put|send someone|send somebody|send a|sign me up|set me up|bitte schicken|por favor mande|por favor envíe`)
	// troubled are words of an agent's who asks what is wrong.
	troubled = speech.PhrasesOf(`the problem|the issue|the matter|the trouble|going on|happening|wrong|symptoms|what's up|describe|look like|das problem|el problema|qué pasa|qué le pasa|was fehlt`)
	// plaints say what is wrong, beside troubles: of houses and machines, bodies, bills and what was ordered.
	plaints = speech.PhrasesOf(`leak|leaking|leaks|dripping|drips|water coming|flooding|flooded|no heating|no hot water|no power|no signal|no internet|won't turn on|won't start|won't open|won't close|won't load|won't charge|
		won't connect|doesn't turn on|doesn't start|doesn't work|does not work|isn't working|is not working|stopped working|stopped|keeps crashing|keeps cutting|keeps dropping|keeps tripping|keeps freezing|crashed|crashes|frozen|broken|broke|broken down|
		broke down|grinding|racket|squeaking|squeak|rattling|making a noise|making this|making noises|a noise|smells|smell of|burning|blocked|clogged|overflowing|cracked|crack in|snapped|chipped|jammed|stuck|locked out|locked myself out|lost my|stolen|
		scratched|dented|hit my|drove into|backed into|crashed into|ran into my|bumped into my|rear-ended|rear ended|smashed|broke into|broken into|burgled|robbed|been hit|an accident|hurts|hurting|aching|in pain|a pain|painful|swollen|bleeding|a rash|a fever|a cough|done my|sprained|twisted|pulled|threw up|throwing up|dizzy|infected|ran out|run out|running out|charged twice|charged me|charged us|charge me twice|
		overcharged|double charged|wrong amount|wrong size|wrong item|wrong one|didn't arrive|hasn't arrived|hasn't come|hasn't eaten|hasn't been eating|won't eat|isn't eating|not eating|won't drain|won't flush|won't move|won't budge|won't heat|isn't heating|isn't cooling|isn't charging|not charging|limping|haven't received|never received|never came|never arrived|not arrived|never got|missing|damaged|an error|error message|
		the wheel is|a hole in|can't log in|cannot log in|can't get in|can't access|can't get into|forgot my password|got hacked|doesn't fit|the wrong|is gone|went pop|tripped|no longer works|out of order|faulty|a problem with|
		problems with|trouble with|an issue with|issues with|nobody came|nobody rang|nobody called|didn't come|didn't show|no show|nicht angekommen|nicht gekommen|nicht geliefert|undicht|kaputt|tropft|geht nicht|funktioniert nicht|verstopft|ausgefallen|tut weh|schmerzen|verloren|gestohlen|
		fuga|gotea|no funciona|se rompió|roto|rota|atascado|me duele|perdí|no llegó|no ha llegado|me cobraron|vazamento|não funciona|quebrou|quebrado|dói|perdi|não chegou`)
	// complaintless are words of trouble that tell of none.
	complaintless = speech.PhrasesOf(`can't complain|no problem|not a problem|can't wait|can't believe|can't thank|i can't remember|can't hear|i can't hear|i can't think|gotta|instead of|cut off|got cut|rate this call`)
)
