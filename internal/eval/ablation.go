package eval

import (
	"github.com/recallerhq/recaller/internal/recall"
	"github.com/recallerhq/recaller/internal/recall/index"
)

// ingredient is a part of the ranking, and how it is left out.
type ingredient struct {
	name  string
	leave func(*index.Weights)
}

// ingredients are all that an ablation leaves out in turn. A new one is a line here.
func ingredients() []ingredient {
	return []ingredient{
		{"the conversation's words", func(w *index.Weights) { w.Session = 0 }},
		{"who spoke", func(w *index.Weights) { w.Assistant, w.SessionAssistant, w.AskedAssistant = 1, 1, 1 }},
		{"questions for the agent's words", func(w *index.Weights) { w.AskedAssistant = w.Assistant }},
		{"framing words", func(w *index.Weights) { w.Frame = 1 }},
		{"meaning", func(w *index.Weights) { w.Meaning, w.SessionMeaning, w.Exchange, w.Fit = 0, 0, 0, 0 }},
		{"the conversation's meaning", func(w *index.Weights) { w.SessionMeaning = 0 }},
		{"the time that is meant", func(w *index.Weights) { w.Time = 0 }},
		{"recency", func(w *index.Weights) { w.Recency = 0 }},
		{"the event that is named", func(w *index.Weights) { w.Event = 0 }},
		{"dates", func(w *index.Weights) { w.Date = 0 }},
		{"speakers' names", func(w *index.Weights) { w.Speaker = 0 }},
		{"making room for other conversations", func(w *index.Weights) { w.Spent = 1 }},
		{"folding of repeats", func(w *index.Weights) { w.Repeat = 1 }},
		{"the turn that is answered", func(w *index.Weights) { w.Exchange, w.Answered = 0, 0 }},
		{"what the query asks for", func(w *index.Weights) { w.Thing = 0 }},
		{"what a turn does", func(w *index.Weights) { w.Caller, w.Asking, w.Greeting = 0, 0, 0 }},
		{"length", func(w *index.Weights) { w.B, w.SessionB = 0, 0 }},
	}
}

// Ablations returns recall with each of its ingredients left out in turn.
func Ablations(opts recall.Options) []Method {
	var all []Method
	for _, in := range ingredients() {
		without := opts
		if without.Weights == (index.Weights{}) {
			without.Weights = index.DefaultWeights()
		}
		in.leave(&without.Weights)
		all = append(all, Recall(in.name, without))
	}
	return all
}
