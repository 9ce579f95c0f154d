package bridge

import (
	"cmp"
	"encoding/json"
	"log/slog"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/tool"
)

// Maker says whose realtime API it is.
type Maker string

// The makers.
const (
	OpenAI Maker = "openai"
	XAI    Maker = "xai"
)

// Provider is the model that speaks. Empty fields are the maker's own, or what was usual in 2026.
type Provider struct {
	Maker       Maker // empty: OpenAI
	Beta        bool  // OpenAI's older names are written; both are read
	URL         string
	Key         string // never in a log
	Model       string
	Voice       string
	Transcriber string // the model that writes down what the caller says
	Language    string // of the caller, as a hint: "en"; empty: none
	// TurnDetection is written as it is; empty: the server listens for pauses, answers by itself, and stops when it is
	// spoken over. Where create_response or interrupt_response is false in it, the bridge does that.
	TurnDetection json.RawMessage
}

// LogValue keeps the key out of logs.
func (p Provider) LogValue() slog.Value {
	return slog.GroupValue(slog.String("maker", string(p.Maker)), slog.String("model", p.Model))
}

func (p Provider) withDefaults() Provider {
	p.Maker = cmp.Or(p.Maker, OpenAI)
	detection := openDetection
	if p.Maker == XAI {
		p.URL = cmp.Or(p.URL, "wss://api.x.ai/v1/realtime")
		p.Model, p.Voice = cmp.Or(p.Model, "grok-voice-latest"), cmp.Or(p.Voice, "eve")
		p.Transcriber, detection = cmp.Or(p.Transcriber, "grok-transcribe"), `{"type":"server_vad"}`
	}
	p.URL = cmp.Or(p.URL, "wss://api.openai.com/v1/realtime")
	p.Model, p.Voice = cmp.Or(p.Model, "gpt-realtime"), cmp.Or(p.Voice, "marin")
	p.Transcriber = cmp.Or(p.Transcriber, "gpt-4o-transcribe")
	if len(p.TurnDetection) == 0 {
		p.TurnDetection = json.RawMessage(detection)
	}
	return p
}

const openDetection = `{"type":"server_vad","threshold":0.5,"prefix_padding_ms":300,"silence_duration_ms":500,"create_response":true,"interrupt_response":true}`

// interrupts reports whether the server stops by itself when it is spoken over. Of xAI's that is not known.
func (p Provider) interrupts() bool { return p.Maker != XAI && p.detects("interrupt_response") }

// answers reports whether the server answers by itself when the caller pauses.
func (p Provider) answers() bool { return p.detects("create_response") }

func (p Provider) detects(what string) bool {
	is := gjson.GetBytes(p.TurnDetection, what)
	return !is.Exists() || is.Bool()
}

// What is written to a model. Fields that are empty are left out, so that an update changes only what it names.
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
		Type        string          `json:"type"`
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
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

var (
	// stop ends the response that is being made.
	stop = json.RawMessage(`{"type":"response.cancel"}`)
	// commit makes an item of what the caller is saying.
	commit = json.RawMessage(`{"type":"input_audio_buffer.commit"}`)
)

// pcmu is μ-law at 8 kHz, as telephones have it.
const pcmu = "audio/pcmu"

// opening is how a session begins: all that the model is told, and the form of the audio.
func (p Provider) opening(instructions string, tools []functionWire) sessionUpdate {
	hears := transcriber{p.Transcriber, p.Language}
	s := sessionWire{Instructions: instructions, Tools: tools, Choice: "auto"}
	switch {
	case p.Maker == XAI:
		s.Voice, s.Detection, s.Choice = p.Voice, p.TurnDetection, ""
		s.Audio = &audioWire{inputWire{Format: format{pcmu}, Transcribes: hears}, outputWire{Format: format{pcmu}}}
	case p.Beta:
		s.Modalities = []string{"audio", "text"}
		s.Voice, s.Detection, s.Transcribes = p.Voice, p.TurnDetection, &hears
		s.InputFormat, s.OutputFormat = "g711_ulaw", "g711_ulaw"
	default:
		s.Type, s.OutputOf = "realtime", []string{"audio"}
		s.Audio = &audioWire{inputWire{format{pcmu}, hears, p.TurnDetection}, outputWire{format{pcmu}, p.Voice}}
	}
	return sessionUpdate{"session.update", s}
}

// refresh changes the instructions of a session, and nothing else (W8).
func (p Provider) refresh(instructions string) sessionUpdate {
	s := sessionWire{Instructions: instructions}
	if p.Maker == OpenAI && !p.Beta {
		s.Type = "realtime"
	}
	return sessionUpdate{"session.update", s}
}

// said is a turn of before, for a session that goes on where another broke.
func (p Provider) said(id string, speaker recaller.Speaker, text string) itemCreate {
	kind := "input_text"
	switch {
	case speaker == recaller.Assistant && p.Beta:
		kind = "text"
	case speaker == recaller.Assistant:
		kind = "output_text"
	}
	return itemCreate{"conversation.item.create", itemWire{
		ID: id, Type: "message", Role: string(speaker), Content: []contentWire{{kind, text}},
	}}
}

// told is something that the model should know and nobody said.
func told(text string) itemCreate {
	return itemCreate{"conversation.item.create", itemWire{
		Type: "message", Role: "system", Content: []contentWire{{"input_text", text}},
	}}
}

// answered is the result of a call.
func answered(call, output string) itemCreate {
	return itemCreate{"conversation.item.create", itemWire{Type: "function_call_output", CallID: call, Output: output}}
}

// functions are the definitions of the tools as realtime models take them.
func functions(want []recaller.Tool) []functionWire {
	var out []functionWire
	for _, d := range tool.Definitions() {
		if want == nil || slices.Contains(want, d.Name) {
			out = append(out, functionWire{"function", string(d.Name), d.Description, d.Parameters})
		}
	}
	return append(out, functionWire{"function", endCall, endText, json.RawMessage(endSchema)})
}
