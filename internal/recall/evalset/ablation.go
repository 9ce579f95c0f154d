package evalset

import "github.com/recallerhq/recaller/internal/recall/index"

// Variant is a ranking with one ingredient changed.
type Variant struct {
	Name    string
	Weights index.Weights
}

// Ablations returns w with each of its ingredients left out in turn.
func Ablations(w index.Weights) []Variant {
	var all []Variant
	without := func(name string, change func(*index.Weights)) {
		v := w
		change(&v)
		all = append(all, Variant{Name: name, Weights: v})
	}
	without("- conversation's words", func(w *index.Weights) { w.Session = 0 })
	without("- who spoke", func(w *index.Weights) { w.Assistant, w.SessionAssistant, w.AskedAssistant = 1, 1, 1 })
	without("- asks for the agent's", func(w *index.Weights) { w.AskedAssistant = w.Assistant })
	without("- framing words", func(w *index.Weights) { w.Frame = 1 })
	without("- dates", func(w *index.Weights) { w.Date = 0 })
	without("- making room", func(w *index.Weights) { w.Spent = 1 })
	without("- repeats", func(w *index.Weights) { w.Repeat = 1 })
	without("- length", func(w *index.Weights) { w.B, w.SessionB = 0, 0 })
	return all
}
