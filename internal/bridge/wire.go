package bridge

import "github.com/recallerhq/recaller/internal/realtime"

// wire is how a session with one maker's model is led: what is written to it, and what comes of it. What a maker has no
// word for is nil, and is not sent. A wire is of one session, and used by the loop alone.
type wire interface {
	// read reads what the model sent.
	read(raw []byte, binary bool) ([]realtime.Event, error)

	// open begins the session; it goes on where another broke if there is a history.
	open(o opening) any
	// resume tells of the history once the session is open, where open could not.
	resume(history []realtime.Turn) []any
	// refresh changes the instructions, and nothing else (W8).
	refresh(instructions string) any
	// audio is what the caller says: a payload in base64.
	audio(payload string) message
	// note tells something that nobody said.
	note(text string) any
	// ask asks for a response.
	ask(c cue, o opening) any
	// answer is the result of a call.
	answer(c realtime.Call, output string) any
	// cut tells how much of an item was heard before it was cut off.
	cut(item string, ms int) any
	// stop ends the response that is being made.
	stop() any
	// commit makes an item of what the caller is saying.
	commit() any
	// alive keeps a session open over which nothing goes.
	alive() any

	habits() habits
}

// habits say what a maker's server does by itself.
type habits struct {
	answers    bool // when the caller pauses
	interrupts bool // it stops when it is spoken over
	goesOn     bool // it speaks of results, and of what it is told
}

// opening is what a model is told at the beginning.
type opening struct {
	instructions string
	tools        []function
	greeting     string // to be said first; empty: none
	history      []realtime.Turn
}

// cue says what a response is for.
type cue int

const (
	speak     cue = iota // of what it knows now
	speakOnly            // the same, without calls
	greet                // with the greeting
	begin                // in words of its own
	goOn                 // where a session broke
)

// What a model is told for one response.
const (
	greetText = "Begin the call now with this greeting, in these words, and say nothing else: "
	goOnText  = "The line to you was away for a moment, in the middle of the conversation. " +
		"Go on where it was; answer the caller's last words if nobody has."
)
