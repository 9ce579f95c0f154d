package config_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/config"
)

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
	for name, value := range map[string]string{"TELNYX_PUBLIC_KEY": key[:20], "RECALLER_TWILIO_FRAGMENT": "#rc=2", "RECALLER_TELNYX_URL": "telnyx"} {
		if _, err := from(map[string]string{name: value}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v, want an error that names it", name, err)
		}
	}
	c, err = from(map[string]string{"TWILIO_AUTH_TOKEN": "x"})
	if err != nil || !slices.ContainsFunc(c.Warnings(), func(w string) bool { return strings.Contains(w, "RECALLER_PUBLIC_URL") }) {
		t.Errorf("got %q, %v, want a warning that Twilio is refused without a public URL", c.Warnings(), err)
	}
}
