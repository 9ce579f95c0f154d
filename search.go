package recaller

import "time"

// Embedding is what a text means to an embedder, as a direction: texts that mean alike point alike.
type Embedding struct {
	Model  string    // the embedder that made it; those of different models cannot be compared
	Vector []float32 // of length 1, as wide as the model makes them
}

// Indexing asks for what one conversation is found by, among all of the tenant's, to be replaced in one commit.
type Indexing struct {
	Conversation ConversationID
	Caller       CallerID
	// Stems are the stems that were said, with how often. The store keeps blind tokens of them. nil: leave those that
	// are there.
	Stems map[string]int
	// Embeddings are all by one model. A long conversation has several, one for each stretch of it. nil: leave those
	// that are there.
	Embeddings []Embedding
	// Only has the embeddings by other models deleted: something of the caller was forgotten, and they may still tell
	// of it. Without Embeddings it has no effect.
	Only bool
	At   time.Time
}

// SearchFilter narrows a search over a tenant's conversations. Zero fields do not filter.
type SearchFilter struct {
	Caller    CallerID
	Channel   Channel
	Intent    string
	Sentiment string
	Outcome   string
	After     time.Time // those that started then or later
	Before    time.Time // those that started earlier
}

// Near is a conversation that one leg of a search came up with.
type Near struct {
	Conversation ConversationID
	Score        float64 // cosine similarity, or how well the stems match; scores of different legs cannot be compared
}

// Embeddable asks for a page of the ended conversations that need an embedding by a model.
type Embeddable struct {
	Model string
	Step  Step           // that embeds
	After ConversationID // where the page begins; empty: the first
	Limit int            // 1 to 1000
}

// Found is a conversation that a search over a tenant's conversations came up with (P7).
type Found struct {
	Conversation Conversation
	Excerpt      string  // the words that fit best, whole turns, one a line; empty where no words are kept
	Similarity   float64 // cosine, −1 to 1; 0 where the conversation has no embedding yet
	Score        float64 // what the results are ordered by
	Why          *Why    // what the score is made of
}

// Talk is a conversation with what was said in it, as a search ranks it.
type Talk struct {
	Conversation Conversation
	Turns        []Turn // in order; none where the retention keeps them elsewhere
	// Forgotten has every version of each forgotten memory of the caller. What they said is neither found nor shown.
	Forgotten []Memory
	Damaged   bool // its words cannot be read
	Locked    bool // nothing of it can be read, because its caller's key is missing
}
