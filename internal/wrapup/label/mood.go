package label

// How much a mark of feeling says, and how much all must come to.
const (
	heavy      = 1.8
	shared     = 1.2 // of what the agent feels with the caller
	strong     = 1.2
	faint      = 0.5
	leastMood  = 1.0
	mostInLine = 2 // marks of a kind that count in one turn
)

// weights are what one phrase of a mark says for the one side and the other.
var weights = []struct {
	mark     mark
	up, down float64
}{{glad, strong, 0}, {nice, faint, 0}, {upset, 0, strong}, {sad, 0, heavy}}

// mood returns what the caller feels about his matter: what he says of it counts, later turns more, and nice words in the middle
// of what went wrong are meant the other way round. Words of a tenant's own packs count as clear ones.
func mood(ls []line, packs []Pack) string {
	own := newBook(feelings(packs))
	sum, callers, spoke := 0.0, 0, 0
	for _, l := range ls {
		if l.caller {
			callers++
		}
	}
	apology := false
	for _, l := range ls {
		if !l.caller {
			apology = l.is(refused | sorry)
			if spoke > 0 { // what he says before is for anybody
				sum += shared * (float64(b2i(l.is(cheer))) - float64(b2i(l.is(sorry))))
			}
			continue
		}
		spoke++
		up, down := 0.0, 0.0
		counted := map[mark]int{}
		for _, s := range l.said {
			for _, f := range weights {
				n := min(s.hits[f.mark], mostInLine-counted[f.mark])
				counted[f.mark] += n
				up, down = up+f.up*float64(n), down+f.down*float64(n)
			}
			for _, h := range own.find(s.tokens) {
				if f := feeling(h.rule == 0, negated(s.tokens, h)); f > 0 {
					up += strong * f
				} else {
					down -= strong * f
				}
			}
		}
		if hasAny(l, "but", "though", "aber", "pero", "except") {
			up /= 3
		}
		if up > 0 && (l.is(upset) || apology && sum-down < -leastMood/2) {
			up = -faint
		}
		sum += (up - down) * (0.7 + 0.6*float64(spoke)/float64(callers))
	}
	switch {
	case sum >= leastMood:
		return Positive
	case sum <= -leastMood:
		return Negative
	}
	return Neutral
}

// feelings are the words of feeling of packs: the first rule's are positive, the second's negative.
func feelings(packs []Pack) []rule {
	rules := make([]rule, 2)
	for _, p := range packs {
		rules[0].patterns = append(rules[0].patterns, p.positive...)
		rules[1].patterns = append(rules[1].patterns, p.negative...)
	}
	return rules
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func hasAny(l line, words ...string) bool {
	for _, s := range l.said {
		for _, w := range words {
			if s.has(w) {
				return true
			}
		}
	}
	return false
}
