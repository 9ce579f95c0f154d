package recaller

import (
	"encoding/json"
	"time"
)

// Dialogue asks a language model what it says next to somebody. The words come piece by piece, and the model may call
// tools.
type Dialogue struct {
	// System is what the model is told: instructions, ours or the tenant's. What people said stands in it between fences.
	System string
	Said   []Said // oldest first; none: the model speaks first
	Tools  []ModelTool
	// NoCalls: the tools are told, because Said holds calls of them, but the model is to answer without another call.
	NoCalls   bool
	MaxTokens int           // of the answer, arguments included; 0: the client's default
	Timeout   time.Duration // of the whole, retries included; 0: the client's default
	// Silence is how long is waited for the first piece, and for each after it. Before that, it is also how long is
	// waited until something can be sent. 0: the client's default.
	Silence time.Duration
}

// Said is what one side of a dialogue said, with what else it gave.
type Said struct {
	Speaker Speaker // User is who talks to the model
	Text    string
	Images  []Image      // of the user: before the text
	Calls   []ModelCall  // of the assistant: after the text
	Thought string       // of the assistant: as the Answer had it
	Results []CallResult // of the user: of all calls before it, before the text
}

// ModelTool is a tool as a model is told of it.
type ModelTool struct {
	Name        string // letters, digits, underscores, hyphens
	Description string
	Parameters  json.RawMessage // the JSON schema of an object
}

// ModelCall is a call of a tool by a model.
type ModelCall struct {
	ID   string // unique in its answer
	Name string // it may be no tool that the model was told of
	// Arguments are a JSON object. They need not fit the tool's schema.
	Arguments json.RawMessage
	Broken    bool            // what came as arguments is no JSON object, so that Arguments are {}
	Extra     json.RawMessage // what the provider wants back with the call; nil: nothing
}

// CallResult is what came of a call.
type CallResult struct {
	ID     string // the call's
	Text   string // data: it may hold anything that people said
	Failed bool
}
