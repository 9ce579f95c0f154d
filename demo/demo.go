// Package demo carries the conversations that `recaller demo` replays where no other data is at hand: eight calls of
// three people who do not exist, and questions about them with the turns that answer. README.md tells their stories.
//
// It is not for tests of other packages, and holds no code.
package demo

import _ "embed"

// Calls are the conversations, in Recaller's own format, oldest first.
//
//go:embed calls.jsonl
var Calls []byte

// Questions are what can be asked about them: a JSON array of people with their number and their questions.
//
//go:embed questions.json
var Questions []byte
