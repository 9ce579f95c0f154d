package bridge

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/recallerhq/recaller/internal/realtime"
)

// deepgramWire is the wire of Deepgram's voice agent: audio is binary, and what is said has no ids.
type deepgramWire struct {
	Provider
	reads *realtime.Deepgram
}

func newDeepgramWire(p Provider, n int) *deepgramWire {
	return &deepgramWire{p, realtime.NewDeepgram(fmt.Sprintf("s%d_", n))}
}

// What is written.
type (
	settings struct {
		Type  string        `json:"type"`
		Flags settingsFlags `json:"flags"`
		Audio settingsAudio `json:"audio"`
		Agent settingsAgent `json:"agent"`
	}
	settingsFlags struct {
		History bool `json:"history"` // it tells again what was said
	}
	settingsAudio struct {
		Input  settingsForm `json:"input"`
		Output settingsForm `json:"output"`
	}
	settingsForm struct {
		Encoding  string `json:"encoding"`
		Rate      int    `json:"sample_rate"`
		Container string `json:"container,omitempty"`
	}
	settingsAgent struct {
		Context  *settingsContext `json:"context,omitempty"`
		Listen   provided         `json:"listen"`
		Think    settingsThink    `json:"think"`
		Speak    provided         `json:"speak"`
		Greeting string           `json:"greeting,omitempty"`
	}
	settingsContext struct {
		Messages []settingsSaid `json:"messages"`
	}
	settingsSaid struct {
		Type    string `json:"type"`
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	settingsThink struct {
		provided
		Prompt    string             `json:"prompt"`
		Functions []settingsFunction `json:"functions,omitempty"`
	}
	settingsFunction struct {
		function
		// Defer holds a call back until it is sure that the caller has finished: what is remembered is not taken back.
		Defer bool `json:"defer_until_eot"`
	}
	provided struct {
		Provider settingsProvider `json:"provider"`
	}
	settingsProvider struct {
		Type     string   `json:"type"`
		Version  string   `json:"version,omitempty"`
		Model    string   `json:"model"`
		Language string   `json:"language,omitempty"`
		Hints    []string `json:"language_hints,omitempty"`
	}
	promptUpdate struct {
		Type   string `json:"type"`
		Prompt string `json:"prompt"`
	}
	userMessage struct {
		Type    string `json:"type"`
		Content string `json:"content"`
	}
	callResponse struct {
		Type    string `json:"type"`
		ID      string `json:"id"`
		Name    string `json:"name"`
		Content string `json:"content"`
	}
	control struct {
		Type string `json:"type"`
	}
)

// habits implements wire.
func (*deepgramWire) habits() habits { return habits{answers: true, interrupts: true, goesOn: true} }

// read implements wire.
func (w *deepgramWire) read(raw []byte, binary bool) ([]realtime.Event, error) {
	return w.reads.Read(raw, binary)
}

// open implements wire.
func (w *deepgramWire) open(o opening) any {
	s := settings{Type: "Settings", Audio: settingsAudio{
		settingsForm{"mulaw", 8000, ""}, settingsForm{"mulaw", 8000, "none"},
	}}
	a := &s.Agent
	a.Listen.Provider, a.Think.Provider, a.Think.Prompt = w.listener(), w.thinker(), o.instructions
	a.Speak.Provider = settingsProvider{Type: "deepgram", Model: w.Voice}
	for _, f := range o.tools {
		a.Think.Functions = append(a.Think.Functions, settingsFunction{f, true})
	}
	if len(o.history) == 0 {
		a.Greeting = o.greeting
		return s
	}
	a.Context = &settingsContext{}
	for _, turn := range o.history {
		a.Context.Messages = append(a.Context.Messages, settingsSaid{"History", string(turn.Speaker), turn.Text})
	}
	return s
}

// listener is what hears the caller. Flux takes languages as hints, and only where it knows several.
func (w *deepgramWire) listener() settingsProvider {
	p := settingsProvider{Type: "deepgram", Version: "v1", Model: w.Transcriber, Language: w.Language}
	if strings.HasPrefix(w.Transcriber, "flux-") {
		p.Version, p.Language = "v2", ""
		if w.Language != "" && strings.HasSuffix(w.Transcriber, "-multi") {
			p.Hints = []string{w.Language}
		}
	}
	return p
}

// thinker is what thinks.
func (w *deepgramWire) thinker() settingsProvider {
	maker, model, ok := strings.Cut(w.Model, "/")
	if !ok {
		return settingsProvider{Type: "open_ai", Model: w.Model}
	}
	return settingsProvider{Type: maker, Model: model}
}

// refresh implements wire.
func (*deepgramWire) refresh(instructions string) any {
	return promptUpdate{"UpdatePrompt", instructions}
}

// resume implements wire: the settings have it.
func (*deepgramWire) resume([]realtime.Turn) []any { return nil }

// audio implements wire. It is empty for what is no base64.
func (*deepgramWire) audio(payload string) message {
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(payload, "="))
	if err != nil {
		return message{}
	}
	return message{text: raw, binary: true}
}

// What the agent is told in the caller's name, who says nothing of the kind.
const (
	beginText = "(The call has just begun. Greet the caller in a few words.)"
	speakText = "(The caller waits for an answer.)"
)

// note implements wire. There is no other way to tell something than to say it in the caller's name.
func (w *deepgramWire) note(text string) any {
	w.reads.Hide(text)
	return userMessage{"InjectUserMessage", text}
}

// ask implements wire. The greeting is said without being asked for.
func (w *deepgramWire) ask(c cue, _ opening) any {
	switch c {
	case greet:
		return nil
	case begin:
		return w.note(beginText)
	case goOn:
		return w.note("(" + goOnText + ")")
	case speak, speakOnly:
	}
	return w.note(speakText)
}

// answer implements wire.
func (*deepgramWire) answer(c realtime.Call, output string) any {
	return callResponse{"FunctionCallResponse", c.ID, c.Name, output}
}

// cut implements wire: the server knows what it has sent, and cannot be told what was heard of it.
func (*deepgramWire) cut(string, int) any { return nil }

// stop implements wire.
func (*deepgramWire) stop() any { return nil }

// commit implements wire.
func (*deepgramWire) commit() any { return control{"ForceEndTurn"} }

// alive implements wire.
func (*deepgramWire) alive() any { return control{"KeepAlive"} }
