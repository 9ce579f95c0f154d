package bridge

import (
	"encoding/json"
	"fmt"

	"github.com/tidwall/gjson"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/realtime"
)

// openWire is the wire of OpenAI's realtime API, in both generations, and of xAI's.
type openWire struct {
	Provider
	n int
}

// What is written. Fields that are empty are left out, so that an update changes only what it names.
type (
	sessionUpdate struct {
		Type    string      `json:"type"`
		Session sessionWire `json:"session"`
	}
	sessionWire struct {
		Type         string          `json:"type,omitempty"` // OpenAI's present form
		Instructions string          `json:"instructions"`
		OutputOf     []string        `json:"output_modalities,omitempty"`
		Modalities   []string        `json:"modalities,omitempty"` // the older form, as the next ones are
		InputFormat  string          `json:"input_audio_format,omitempty"`
		OutputFormat string          `json:"output_audio_format,omitempty"`
		Transcribes  *transcriber    `json:"input_audio_transcription,omitempty"`
		Voice        string          `json:"voice,omitempty"` // the older form, and xAI's, as the next one is
		Detection    json.RawMessage `json:"turn_detection,omitempty"`
		Audio        *audioWire      `json:"audio,omitempty"`
		Tools        []functionWire  `json:"tools,omitempty"`
		Choice       string          `json:"tool_choice,omitempty"`
	}
	audioWire struct {
		Input  inputWire  `json:"input"`
		Output outputWire `json:"output"`
	}
	inputWire struct {
		Format      format          `json:"format"`
		Transcribes transcriber     `json:"transcription"`
		Detection   json.RawMessage `json:"turn_detection,omitempty"`
	}
	outputWire struct {
		Format format `json:"format"`
		Voice  string `json:"voice,omitempty"`
	}
	format struct {
		Type string `json:"type"`
	}
	transcriber struct {
		Model    string `json:"model"`
		Language string `json:"language,omitempty"`
	}
	functionWire struct {
		Type string `json:"type"`
		function
	}
	itemCreate struct {
		Type string   `json:"type"`
		Item itemWire `json:"item"`
	}
	itemWire struct {
		ID      string        `json:"id,omitempty"`
		Type    string        `json:"type"`
		Role    string        `json:"role,omitempty"`
		Content []contentWire `json:"content,omitempty"`
		CallID  string        `json:"call_id,omitempty"`
		Output  string        `json:"output,omitempty"`
	}
	contentWire struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	truncate struct {
		Type    string `json:"type"`
		ItemID  string `json:"item_id"`
		Content int    `json:"content_index"`
		EndMS   int    `json:"audio_end_ms"`
	}
	responseCreate struct {
		Type     string        `json:"type"`
		Response *responseWire `json:"response,omitempty"`
	}
	responseWire struct {
		Instructions string `json:"instructions,omitempty"`
		Choice       string `json:"tool_choice,omitempty"`
	}
)

// pcmu is μ-law at 8 kHz, as telephones have it.
const pcmu = "audio/pcmu"

// habits implements wire. Of xAI's server it is not known whether it stops.
func (w openWire) habits() habits {
	return habits{answers: w.detects("create_response"), interrupts: w.Maker != XAI && w.detects("interrupt_response")}
}

func (w openWire) detects(what string) bool {
	is := gjson.GetBytes(w.TurnDetection, what)
	return !is.Exists() || is.Bool()
}

// read implements wire.
func (w openWire) read(raw []byte, binary bool) ([]realtime.Event, error) {
	if binary {
		return nil, recaller.InvalidField("event", "must be text")
	}
	e, ok, err := realtime.Read(raw)
	if err != nil || !ok {
		return nil, err
	}
	return []realtime.Event{e}, nil
}

// open implements wire.
func (w openWire) open(o opening) any {
	hears := transcriber{w.Transcriber, w.Language}
	s := sessionWire{Instructions: o.instructions, Choice: "auto"}
	for _, f := range o.tools {
		s.Tools = append(s.Tools, functionWire{"function", f})
	}
	switch {
	case w.Maker == XAI:
		s.Voice, s.Detection, s.Choice = w.Voice, w.TurnDetection, ""
		s.Audio = &audioWire{inputWire{Format: format{pcmu}, Transcribes: hears}, outputWire{Format: format{pcmu}}}
	case w.Beta:
		s.Modalities = []string{"audio", "text"}
		s.Voice, s.Detection, s.Transcribes = w.Voice, w.TurnDetection, &hears
		s.InputFormat, s.OutputFormat = "g711_ulaw", "g711_ulaw"
	default:
		s.Type, s.OutputOf = "realtime", []string{"audio"}
		s.Audio = &audioWire{inputWire{format{pcmu}, hears, w.TurnDetection}, outputWire{format{pcmu}, w.Voice}}
	}
	return sessionUpdate{"session.update", s}
}

// refresh implements wire.
func (w openWire) refresh(instructions string) any {
	s := sessionWire{Instructions: instructions}
	if w.Maker != XAI && !w.Beta {
		s.Type = "realtime"
	}
	return sessionUpdate{"session.update", s}
}

// resume implements wire: a turn is an item of the conversation.
func (w openWire) resume(history []realtime.Turn) (out []any) {
	for i, turn := range history {
		kind := "input_text"
		switch {
		case turn.Speaker == recaller.Assistant && w.Beta:
			kind = "text"
		case turn.Speaker == recaller.Assistant:
			kind = "output_text"
		}
		out = append(out, itemCreate{"conversation.item.create", itemWire{
			ID: fmt.Sprintf("%s%d_%d", historyID, w.n, i), Type: "message", Role: string(turn.Speaker),
			Content: []contentWire{{kind, turn.Text}},
		}})
	}
	return out
}

// audio implements wire. Payloads are base64, so a message with audio needs no escaping.
func (openWire) audio(payload string) message {
	const head, tail = `{"type":"input_audio_buffer.append","audio":"`, `"}`
	text := make([]byte, 0, len(head)+len(payload)+len(tail))
	text = append(text, head...)
	text = append(text, payload...)
	return message{text: append(text, tail...)}
}

// note implements wire.
func (openWire) note(text string) any {
	return itemCreate{"conversation.item.create", itemWire{
		Type: "message", Role: "system", Content: []contentWire{{"input_text", text}},
	}}
}

// ask implements wire.
func (openWire) ask(c cue, o opening) any {
	out := responseCreate{Type: "response.create"}
	switch c {
	case greet:
		out.Response = &responseWire{Instructions: o.instructions + "\n\n" + greetText + o.greeting}
	case goOn:
		out.Response = &responseWire{Instructions: o.instructions + "\n\n" + goOnText}
	case speakOnly:
		out.Response = &responseWire{Choice: "none"}
	case begin, speak:
	}
	return out
}

// answer implements wire.
func (openWire) answer(c realtime.Call, output string) any {
	return itemCreate{"conversation.item.create", itemWire{Type: "function_call_output", CallID: c.ID, Output: output}}
}

// cut implements wire.
func (openWire) cut(item string, ms int) any {
	return truncate{"conversation.item.truncate", item, 0, ms}
}

// stop implements wire.
func (openWire) stop() any { return json.RawMessage(`{"type":"response.cancel"}`) }

// commit implements wire.
func (openWire) commit() any { return json.RawMessage(`{"type":"input_audio_buffer.commit"}`) }

// alive implements wire.
func (openWire) alive() any { return nil }
