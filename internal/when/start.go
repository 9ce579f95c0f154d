package when

// starters are the words that a phrase can begin with, besides numbers, weekdays, months, seasons and days in the
// plural: a cheap test that spares most words the matchers.
var starters = set("starters")

// starts reports whether a phrase may begin at token i.
func (p *parser) starts(i int) bool {
	t := p.tok[i]
	if t.kind != word {
		return t.kind == number
	}
	if starters[t.w] || weekdays[t.w] != 0 || manyDays[t.w] || cardinals[t.w] != 0 || ordinals[t.w] != 0 {
		return true
	}
	_, season := seasons[t.w]
	return season || p.month(i) != 0
}
