package ears

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/bridge"
	"github.com/recallerhq/recaller/internal/utterance"
)

// Recogniser is Deepgram's streaming recogniser.
type Recogniser struct {
	URL   string // of the API: "https://api.deepgram.com"
	Key   string // never in a log
	Model string // one whose name begins with "flux-" has another API
}

func (r Recogniser) isFlux() bool { return strings.HasPrefix(r.Model, "flux-") }

// Dial returns a Dialer that connects through a client of HTTP.
func (r Recogniser) Dial(client *http.Client) Dialer {
	return func(ctx context.Context, language string) (bridge.Conn, error) {
		to, err := r.address(language)
		if err != nil {
			return nil, err
		}
		header := http.Header{}
		if r.Key != "" {
			header.Set("Authorization", "Token "+r.Key)
		}
		return bridge.Open(ctx, client, to, header, utterance.MaxMessage)
	}
}

// address is where a session is opened. Words come as they are said, so that it is known that somebody speaks; a pause of
// 300 ms ends an utterance, and where noise hides it, a second without words.
func (r Recogniser) address(language string) (string, error) {
	u, err := url.Parse(r.URL)
	if err != nil || u.Host == "" {
		return "", recaller.InvalidField("url", "must be that of an API")
	}
	q := url.Values{"model": {r.Model}, "encoding": {"mulaw"}, "sample_rate": {"8000"}}
	if r.isFlux() {
		if language != "" && strings.HasSuffix(r.Model, "-multi") {
			q.Set("language_hint", language)
		}
		return u.JoinPath("/v2/listen").String() + "?" + q.Encode(), nil
	}
	if language == "" && strings.HasPrefix(r.Model, "nova-3") {
		language = "multi"
	}
	if language != "" {
		q.Set("language", language)
	}
	for name, value := range map[string]string{
		"channels": "1", "interim_results": "true", "endpointing": "300", "utterance_end_ms": "1000", "smart_format": "true",
	} {
		q.Set(name, value)
	}
	return u.JoinPath("/v1/listen").String() + "?" + q.Encode(), nil
}

// Wire is what a session is written beside audio.
type Wire struct {
	Flush string   // have all that was said so far written down
	Close []string // the same, and nothing more comes
	Alive string   // nothing is said; empty: silence is sent instead
}

// Wire returns it.
func (r Recogniser) Wire() Wire {
	if r.isFlux() {
		end := `{"type":"ForceEndTurn"}`
		return Wire{Flush: end, Close: []string{end, `{"type":"CloseStream"}`}}
	}
	return Wire{Flush: `{"type":"Finalize"}`, Close: []string{`{"type":"CloseStream"}`}, Alive: `{"type":"KeepAlive"}`}
}
