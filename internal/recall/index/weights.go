package index

// Weights are the ingredients of a score. An ingredient with the weight 0 is left out. DefaultWeights holds what was
// measured to be best; the zero value ranks nothing.
type Weights struct {
	K1, B float32 // BM25 of turns, memories and summaries: saturation of counts, and how much length counts

	Session          float32 // a conversation's BM25, as one document, for each of its docs
	SessionK1        float32
	SessionB         float32
	Assistant        float32 // the agent's words as against the caller's, which are 1
	SessionAssistant float32 // the same inside a conversation's BM25
	AskedAssistant   float32 // the agent's words, both, where the query asks for what the agent said
	Frame            float32 // words of a query that only frame it ("remind me what we discussed")
	Meaning          float32 // the cosine of a doc's vector with the query's
	SessionMeaning   float32 // the same of its conversation
	Sign             float32 // a number, a code, or a rare word or name that the query says, in a history that is not long
	Date             float32 // a date, month, weekday or year that the query names
	Time             float32 // how near it was said to the time that the query means ("three weeks ago")
	Event            float32 // how near it was said to what the query names the time by ("before the surgery")
	Recency          float32 // how lately it was said, a light prior: what is said later often holds what is so now
	Speaker          float32 // the name of who spoke
	Spent            float32 // what is left of a conversation's part after each hit from it; 1 is all
	Exchange         float32 // in a short history: the cosine of a turn together with the one that it answers
	Answered         float32 // the same of the words: the BM25 of the turn that it answers
	Thing            float32 // the same: it holds a thing of the kind that the query asks for
	Caller           float32 // the same: the caller said it
	Asking           float32 // the same: what is taken off where it ends in a question
	Greeting         float32 // the same: what is taken off where the agent opens the conversation with it
	Fit              float32 // in a long history: how well a turn answers the query, by a model that read it in its dialogue
	Repeat           float32 // what is left of a score for words that a better hit already says; 1 is all
}

// DefaultWeights returns the weights found on the development questions (docs/recall.md).
func DefaultWeights() Weights {
	return Weights{
		K1: 1.8, B: 0.7,
		Session: 0.6, SessionK1: 2, SessionB: 0.4,
		Assistant: 0.35, SessionAssistant: 0.7, AskedAssistant: 0.6,
		Frame: 0.4, Meaning: 20, SessionMeaning: 14,
		Sign: 40, Date: 0.5, Time: 8, Event: 3, Recency: 0.5, Speaker: 4,
		Exchange: 45, Answered: 1.3, Thing: 10, Caller: 7, Asking: 6, Greeting: 12, Fit: 10,
		Spent: 0.9, Repeat: 0.4,
	}
}
