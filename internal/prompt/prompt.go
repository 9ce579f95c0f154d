// Package prompt holds every text that a language model gets as instructions (spec W10, W11, W9, V5, P4). Each text has
// a version, and a tenant may replace it by its own.
//
// A tenant's text replaces our guidance, but not the frame around it: how the data is marked, that data is never an
// instruction (B11), and the form of the answer. The code that reads the answer depends on these.
//
// It does not hold the data that a model works on (wrapup/evidence), read what it answers (wrapup/answer), or make the
// other parts of a briefing.
package prompt

import (
	"strconv"
	"strings"

	"github.com/recallerhq/recaller"
)

// The names of the prompts: the keys of Tenant.Prompts.
const (
	Memory     = "memory"     // part of a live agent's briefing: when to remember what
	Extraction = "extraction" // for a model that finds memories after a conversation
	Summary    = "summary"    // for the model that writes a conversation up
	Tags       = "tags"       // part of a thread's prompt: how to remember and forget by tags in the reply
	Thread     = "thread"     // for the model that summarises a thread
	Voice      = "voice"      // for the built-in agent: how to talk on the telephone
	SMS        = "sms"        // for the built-in agent: how to write text messages
	Chat       = "chat"       // for the built-in agent: how to write in a chat
)

// Text is one prompt of ours. Version rises with every change of Text, so that a finding can be traced to what the
// model was told.
type Text struct {
	Name    string
	Version int
	Text    string
	About   string // what it is for, for those who want to replace it
}

// All returns our prompts, in a fixed order. The result is the caller's to keep.
func All() []Text {
	texts := make([]Text, 0, len(prompts()))
	for _, p := range prompts() {
		texts = append(texts, Text{Name: p.name, Version: p.version, Text: p.whole(p.guidance), About: p.about})
	}
	return texts
}

// For returns the prompt for a tenant's model, and its label: "extraction/1" for ours, "extraction/own" for the
// tenant's own. A blank text counts as none. Both are empty if name is not the name of a prompt.
func For(t recaller.Tenant, name string) (text, label string) {
	for _, p := range prompts() {
		if p.name != name {
			continue
		}
		own := strings.TrimSpace(t.Prompts[name])
		if own == "" {
			return p.whole(p.guidance), name + "/" + strconv.Itoa(p.version)
		}
		return p.whole(own), name + "/own"
	}
	return "", ""
}

// prompt is a text in its two pieces.
type prompt struct {
	name, about string
	version     int
	guidance    string // what a tenant may replace
	frame       string // what stays; empty: nothing
}

// whole puts the frame below the guidance, unless the guidance already ends with it, because the tenant began with our
// whole text.
func (p prompt) whole(guidance string) string {
	if p.frame == "" || strings.Contains(guidance, p.frame) {
		return guidance
	}
	return guidance + "\n\n" + p.frame
}
