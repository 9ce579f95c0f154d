package when

import "github.com/recallerhq/recaller/internal/speech"

// repairs marks the dates that their speaker takes back for the next one: "Saturday, no wait, Sunday".
func (p *parser) repairs(found []Found) {
	if len(found) < 2 {
		return
	}
	for _, r := range speech.Repairs(p.text) {
		for k := range found {
			taken := found[k].Start >= r.From && found[k].Start < r.Marker
			if taken && k+1 < len(found) && found[k+1].Start >= r.Marker && found[k+1].Start < r.To {
				found[k].Retracted = true
			}
		}
	}
}
