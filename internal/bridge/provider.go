package bridge

import (
	"cmp"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/recallerhq/recaller"
)

// Maker says whose realtime API it is.
type Maker string

// The makers.
const (
	OpenAI   Maker = "openai"
	XAI      Maker = "xai"
	Deepgram Maker = "deepgram"
)

// Provider is the model that speaks. Empty fields are the maker's own, or what was usual in 2026.
type Provider struct {
	Maker Maker // empty: OpenAI
	Beta  bool  // OpenAI's older names are written; both are read
	URL   string
	Key   string // never in a log
	// Model is what thinks. Deepgram has others' think: "anthropic/claude-sonnet-4-5"; without a name before it, it is
	// OpenAI's.
	Model       string
	Voice       string
	Transcriber string // the model that writes down what the caller says
	Language    string // of the caller, as a hint: "en"; empty: none
	// TurnDetection is written as it is; empty: the server listens for pauses, answers by itself, and stops when it is
	// spoken over. Where create_response or interrupt_response is false in it, the bridge does that. Deepgram has none.
	TurnDetection json.RawMessage
}

// LogValue keeps the key out of logs.
func (p Provider) LogValue() slog.Value {
	return slog.GroupValue(slog.String("maker", string(p.Maker)), slog.String("model", p.Model))
}

// usual are the makers' own.
var usual = map[Maker]Provider{
	OpenAI: {
		URL: "wss://api.openai.com/v1/realtime", Model: "gpt-realtime", Voice: "marin", Transcriber: "gpt-4o-transcribe",
		TurnDetection: json.RawMessage(openDetection),
	},
	XAI: {
		URL: "wss://api.x.ai/v1/realtime", Model: "grok-voice-latest", Voice: "eve", Transcriber: "grok-transcribe",
		TurnDetection: json.RawMessage(`{"type":"server_vad"}`),
	},
	Deepgram: {
		URL: "wss://agent.deepgram.com/v1/agent/converse", Model: "open_ai/gpt-4o-mini", Voice: "aura-2-thalia-en",
		Transcriber: "nova-3",
	},
}

const openDetection = `{"type":"server_vad","threshold":0.5,"prefix_padding_ms":300,"silence_duration_ms":500,"create_response":true,"interrupt_response":true}`

func (p Provider) withDefaults() Provider {
	p.Maker = cmp.Or(p.Maker, OpenAI)
	u := usual[p.Maker]
	p.URL, p.Model = cmp.Or(p.URL, u.URL), cmp.Or(p.Model, u.Model)
	p.Voice, p.Transcriber = cmp.Or(p.Voice, u.Voice), cmp.Or(p.Transcriber, u.Transcriber)
	if len(p.TurnDetection) == 0 {
		p.TurnDetection = u.TurnDetection
	}
	return p
}

// request returns where a session is opened, and with what headers.
func (p Provider) request() (string, http.Header, error) {
	p = p.withDefaults()
	u, err := url.Parse(p.URL)
	if err != nil || u.Host == "" || !strings.Contains(" ws wss http https ", " "+u.Scheme+" ") {
		return "", nil, recaller.InvalidField("provider.url", "must be a URL of a WebSocket")
	}
	header, scheme := http.Header{}, "Bearer "
	if p.Maker == Deepgram {
		scheme = "Token "
	} else if q := u.Query(); !q.Has("model") {
		q.Set("model", p.Model)
		u.RawQuery = q.Encode()
	}
	if p.Key != "" {
		header.Set("Authorization", scheme+p.Key)
	}
	if p.Beta {
		header.Set("OpenAI-Beta", "realtime=v1")
	}
	return u.String(), header, nil
}

// wire returns how a session is led. n is its number, which makes ids of one session other than another's.
func (p Provider) wire(n int) wire {
	if p.Maker == Deepgram {
		return newDeepgramWire(p, n)
	}
	return openWire{p, n}
}
