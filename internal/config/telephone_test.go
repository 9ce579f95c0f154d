package config_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/config"
)

// Calls are bridged to the model whose endpoint is set, or to a provider whose key is. A key goes to its own endpoint only.
func TestTheModelThatCallsAreBridgedTo(t *testing.T) {
	const at = "https://models.example/v1/realtime"
	for name, c := range map[string]struct {
		env                map[string]string
		provider, url, key string // no provider: no call can be bridged
	}{
		"nothing":               {nil, "", "", ""},
		"OpenAI":                {map[string]string{"OPENAI_API_KEY": "o"}, "openai", "", "o"},
		"xAI before OpenAI":     {map[string]string{"OPENAI_API_KEY": "o", "XAI_API_KEY": "x"}, "xai", "", "x"},
		"by name":               {map[string]string{"OPENAI_API_KEY": "o", "XAI_API_KEY": "x", "RECALLER_REALTIME_PROVIDER": "openai"}, "openai", "", "o"},
		"with a key of its own": {map[string]string{"OPENAI_API_KEY": "o", "RECALLER_REALTIME_API_KEY": "r", "RECALLER_REALTIME_PROVIDER": "openai"}, "openai", "", "r"},
		"an endpoint":           {map[string]string{"OPENAI_API_KEY": "o", "RECALLER_REALTIME_URL": at}, "openai", at, ""},
		"with its key":          {map[string]string{"RECALLER_REALTIME_URL": at, "RECALLER_REALTIME_API_KEY": "r", "RECALLER_REALTIME_PROVIDER": "xai"}, "xai", at, "r"},
		"a name without a key":  {map[string]string{"OPENAI_API_KEY": "o", "RECALLER_REALTIME_PROVIDER": "xai"}, "", "", ""},
		"Deepgram":              {map[string]string{"DEEPGRAM_API_KEY": "d"}, "deepgram", "", "d"},
		"Deepgram by name":      {map[string]string{"OPENAI_API_KEY": "o", "DEEPGRAM_API_KEY": "d", "RECALLER_REALTIME_PROVIDER": "deepgram"}, "deepgram", "", "d"},
		"OpenAI before it":      {map[string]string{"OPENAI_API_KEY": "o", "DEEPGRAM_API_KEY": "d"}, "openai", "", "o"},
		"none":                  {map[string]string{"OPENAI_API_KEY": "o", "RECALLER_REALTIME_URL": at, "RECALLER_REALTIME_PROVIDER": "none"}, "", "", ""},
	} {
		cfg, err := config.Load(config.Options{Env: func(k string) (string, bool) { v, ok := c.env[k]; return v, ok }})
		if err != nil {
			t.Fatal(err)
		}
		got, ok := cfg.Realtime()
		if ok != (c.provider != "") || ok && (got.Provider != c.provider || got.URL != c.url || got.APIKey.Reveal() != c.key) {
			t.Errorf("%s: got %s at %q with %q, %v", name, got.Provider, got.URL, got.APIKey.Reveal(), ok)
		}
		warns := slices.ContainsFunc(cfg.Warnings(), func(w string) bool { return strings.Contains(w, "no call can be bridged") })
		if warns != (name == "a name without a key") {
			t.Errorf("%s: got %q", name, cfg.Warnings())
		}
	}
}

func TestTelephonePlatforms(t *testing.T) {
	from := func(values map[string]string) (config.Config, error) {
		return config.Load(config.Options{Env: func(k string) (string, bool) { v, ok := values[k]; return v, ok }})
	}
	const key = "6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw="
	c, err := from(map[string]string{"TWILIO_AUTH_TOKEN": "new, old", "TELNYX_PUBLIC_KEY": key + "," + key, "RECALLER_PUBLIC_URL": "https://memory.example.com"})
	if err != nil {
		t.Fatal(err)
	}
	if p := c.Telephone; len(p.TwilioTokens) != 2 || p.TwilioTokens[1].Reveal() != "old" || !slices.Equal(p.TelnyxKeys, []string{key, key}) {
		t.Errorf("got %+v, want two tokens and two keys", p)
	}
	if shown := setting(t, c, "twilio-auth-token").Value; strings.Contains(shown, "old") {
		t.Errorf("a token is shown: %s", shown)
	}
	for name, value := range map[string]string{"TELNYX_PUBLIC_KEY": key[:20], "RECALLER_TWILIO_FRAGMENT": "#rc=2", "TWILIO_ACCOUNT_SID": "SK123", "RECALLER_TWILIO_URL": "twilio", "RECALLER_TELNYX_URL": "telnyx"} {
		if _, err := from(map[string]string{name: value}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v, want an error that names it", name, err)
		}
	}
	c, err = from(map[string]string{"TWILIO_AUTH_TOKEN": "x"})
	if err != nil || !slices.ContainsFunc(c.Warnings(), func(w string) bool { return strings.Contains(w, "RECALLER_PUBLIC_URL") }) {
		t.Errorf("got %q, %v, want a warning that Twilio is refused without a public URL", c.Warnings(), err)
	}
}

// How the realtime model is spoken to can be set; what is no object is refused.
func TestHowTheRealtimeModelIsSpokenTo(t *testing.T) {
	from := func(turns string) (config.Config, error) {
		values := map[string]string{"OPENAI_API_KEY": "o", "RECALLER_REALTIME_BETA": "true", "RECALLER_REALTIME_TURNS": turns}
		return config.Load(config.Options{Env: func(k string) (string, bool) { v, ok := values[k]; return v, ok }})
	}
	const semantic = `{"type":"semantic_vad","eagerness":"low"}`
	c, err := from(semantic)
	if err != nil {
		t.Fatal(err)
	}
	if r, ok := c.Realtime(); !ok || !r.Beta || r.Turns != semantic {
		t.Errorf("got %+v, %v", r, ok)
	}
	for _, bad := range []string{"semantic_vad", "null", "[]", "{"} {
		if _, err := from(bad); err == nil || !strings.Contains(err.Error(), "expected a JSON object") {
			t.Errorf("%s: got %v", bad, err)
		}
	}
}
