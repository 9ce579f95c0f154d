package relay

import (
	"encoding/json"
	"slices"
	"testing"
)

// Frames as the platforms send them are read, with what they have more or otherwise.
func TestFrames(t *testing.T) {
	t.Parallel()
	read := func(data string) frame {
		t.Helper()
		f, err := readFrame([]byte(data))
		if err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		return f
	}
	f := read(`{"type":"setup","sessionId":"VX1","callSid":"CA1","customParameters":{"token":"abc","person":"p"},"callType":"PSTN"}`)
	if f.Type != typeSetup || !slices.Equal(f.calls(), []string{"CA1"}) || f.token() != "abc" {
		t.Errorf("got %+v", f)
	}
	f = read(`{"type":"setup","callControlId":"v3:a","callSessionId":"s","callLegId":"l","callStatus":"active","customParameters":{"token":5}}`)
	if !slices.Equal(f.calls(), []string{"v3:a", "l", "s"}) || f.token() != "" {
		t.Errorf("got %+v", f)
	}
	if f = read(`{"type":"prompt","voicePrompt":"hi","lang":"en-US","last":true}`); f.partial() || f.language() != "en-US" || f.Prompt != "hi" {
		t.Errorf("got %+v", f)
	}
	if f = read(`{"type":"prompt","voicePrompt":"hi","lang":"multi","last":false}`); !f.partial() || f.language() != "" {
		t.Errorf("got %+v", f)
	}
	if f = read(`{"type":"prompt","voicePrompt":"hi"}`); f.partial() {
		t.Error("a prompt of a platform without partial ones is partial")
	}
	for _, ms := range []string{`460`, `"460"`, `null`} {
		if f = read(`{"type":"interrupt","utteranceUntilInterrupt":"Last week","durationUntilInterruptMs":` + ms + `}`); f.Heard != "Last week" {
			t.Errorf("%s: got %+v", ms, f)
		}
	}
	for _, data := range []string{``, `[]`, `"setup"`, `{"type":1}`, `{"type":"prompt","voicePrompt":{}}`, "{\"type\":\"prompt\"", "\xff"} {
		if f, err := readFrame([]byte(data)); err == nil {
			t.Errorf("%q: read as %+v", data, f)
		}
	}
}

func FuzzFrame(f *testing.F) {
	f.Add([]byte(`{"type":"setup","callSid":"CA1","customParameters":{"token":"abc"}}`))
	f.Add([]byte(`{"type":"prompt","voicePrompt":"hi","lang":"en-US","last":true}`))
	f.Add([]byte(`{"type":"interrupt","utteranceUntilInterrupt":"Last week","durationUntilInterruptMs":"460"}`))
	f.Add([]byte(`{"type":"dtmf","digit":"1"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := readFrame(data)
		if err != nil {
			return
		}
		if len(in.calls()) > 4 || len(in.language()) > 35 || in.partial() && in.Last == nil {
			t.Errorf("read as %+v", in)
		}
		_ = in.token()
		// What of it is sent back is one frame.
		out, err := json.Marshal(text{Type: "text", Token: in.Prompt, Lang: in.language()})
		var back text
		if err != nil || json.Unmarshal(out, &back) != nil || back.Token != in.Prompt {
			t.Errorf("%q was written as %s, %v", in.Prompt, out, err)
		}
	})
}
