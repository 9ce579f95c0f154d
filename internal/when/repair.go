package when

import "github.com/recallerhq/recaller/internal/speech"

// repairs marks the dates that their speaker takes back for the next one: "Saturday, no wait, Sunday".
func (p *parser) repairs(found []Found) {
	if len(found) < 2 {
		return
	}
	k := 0
	for _, r := range speech.Repairs(p.text) {
		for k < len(found) && found[k].Start < r.From {
			k++
		}
		for ; k+1 < len(found) && found[k].Start < r.Marker; k++ {
			if next := found[k+1].Start; next >= r.Marker && next < r.To {
				found[k].Retracted = true
			}
		}
	}
}
