package summary

// A view is what the agent makes of a matter: "it sounds like a chest infection", "I think you might have something called
// dermatitis". It is told as what it names, without the words that lead up to it.

// leadUps may stand between the words that show a view and what it names.
var leadUps = words(`to me like that this it its it's you you've got have has had might may could would should possibly probably perhaps be is are been
	called something described as most more very likely just quite actually simply do does suffering from having going on with what whether if i we think suspect
	wonder you're they're there's here known know consistent suggestive due caused by because touch of case bit some`)

// longestView is how many words of a view are told.
const longestView = 12

// viewOf returns what is named from start on, nil if it names nothing: a compliment, an act, a remark on what was said.
func (lx *lexicon) viewOf(ws []word, start int) []word {
	for start < len(ws) && leadUps[ws[start].low] && !(ws[start].low == "it" && start+1 < len(ws) && lx.be[ws[start+1].low]) {
		start++
	}
	if start >= len(ws) || lx.negator[ws[start].low] {
		return nil
	}
	named := lx.trim(ws[start:lx.viewEnd(ws, start)])
	if len(named) == 0 || lx.emptyWords(named) || lx.judges(named) {
		return nil
	}
	first := named[0].low
	if lx.wh[first] || lx.pronoun[first] && !determiner[first] && first != "this" || isFirstPerson(first) && !determiner[first] || lx.subject(first) && !determiner[first] {
		return nil
	}
	return named
}

// viewEnd is where the name of a view ends: before a relative clause, a reason, or a clause of its own.
func (lx *lexicon) viewEnd(ws []word, start int) int {
	end := lx.clauseEnd(ws, start, longestView)
	for i := start + 1; i < end; i++ {
		switch ws[i].low {
		case "which", "that", "given", "really", "if", "when", "because", "basically", "then", "unless", "after", "although":
			return i
		}
	}
	return end
}
