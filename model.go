package recaller

import (
	"encoding/json"
	"time"
)

// Ask is one question to a language model: what it is told, and the form of the answer.
type Ask struct {
	System string  // instructions; ours or the tenant's, never a caller's words
	Text   string  // the data to work on, which may hold anything that people said
	Images []Image // shown before the text; not every model takes them
	// Schema is that of the JSON that the answer should be; nil: free text. An endpoint that knows no schemas answers
	// as it likes.
	Schema      *Schema
	Temperature float64
	MaxTokens   int           // of the answer; 0: the client's default
	Timeout     time.Duration // of the whole, retries included; 0: the client's default
}

// Image is a picture for a model.
type Image struct {
	Type string // its media type: "image/jpeg"
	Data []byte
}

// Schema is a JSON schema with the name that the providers ask for.
type Schema struct {
	Name string // letters, digits, underscores
	JSON json.RawMessage
}

// Answer is what the model said.
type Answer struct {
	Text  string
	Calls []ModelCall // of a Dialogue: what the model called after it said Text, in its order
	// Thought is what some providers want back with the Calls. It is for nobody else.
	Thought string
	Cut     bool // it ran into MaxTokens: Text, or the last call, is not whole
	Cost    Cost
}

// Cost is what work with a model took (B12). Costs add up; the zero value is none.
type Cost struct {
	Calls     int // requests sent, failed ones included
	TokensIn  int // as the provider told
	TokensOut int
	Took      time.Duration
}

// Plus returns the sum of two costs.
func (c Cost) Plus(d Cost) Cost {
	return Cost{c.Calls + d.Calls, c.TokensIn + d.TokensIn, c.TokensOut + d.TokensOut, c.Took + d.Took}
}
