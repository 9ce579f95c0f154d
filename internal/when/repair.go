package when

// repairs marks the dates that their speaker takes back for the next one: "Saturday, no wait, Sunday".
func (p *parser) repairs(found []Found) {
	for k := 1; k < len(found); k++ {
		from, to := found[k-1].after, found[k].token
		for i := from; i < to && i < from+6; i++ {
			if p.is(i, "no", "wait") || p.is(i, "wait", "no") || p.is(i, "i", "mean") || p.is(i, "i", "meant") || p.is(i, "or", "rather") ||
				p.is(i, "scratch", "that") || p.is(i, "no", "sorry") || p.w(i) == "sorry" && to-i <= 3 || p.w(i) == "no" && to-i <= 2 {
				found[k-1].Retracted = true
			}
		}
	}
}
