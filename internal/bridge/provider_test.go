package bridge

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/realtime"
)

// The forms are those of the wire notes, section 6.
func TestHowSessionsAreOpened(t *testing.T) {
	t.Parallel()
	const tools = `"tools":[{"type":"function","name":"end_call",`
	tests := []struct {
		name     string
		provider Provider
		want     string // up to the tools
		choice   string
		refresh  string
	}{
		{
			"OpenAI",
			Provider{Language: "en", Voice: "cedar"},
			`{"type":"session.update","session":{"type":"realtime","instructions":"Be kind.","output_modalities":["audio"],` +
				`"audio":{"input":{"format":{"type":"audio/pcmu"},"transcription":{"model":"gpt-4o-transcribe","language":"en"},"turn_detection":` + openDetection + `},` +
				`"output":{"format":{"type":"audio/pcmu"},"voice":"cedar"}},`,
			`"tool_choice":"auto"}}`,
			`{"type":"session.update","session":{"type":"realtime","instructions":"Be kind."}}`,
		},
		{
			"OpenAI's older names",
			Provider{Beta: true, TurnDetection: json.RawMessage(`{"type":"semantic_vad"}`)},
			`{"type":"session.update","session":{"instructions":"Be kind.","modalities":["audio","text"],"input_audio_format":"g711_ulaw","output_audio_format":"g711_ulaw",` +
				`"input_audio_transcription":{"model":"gpt-4o-transcribe"},"voice":"marin","turn_detection":{"type":"semantic_vad"},`,
			`"tool_choice":"auto"}}`,
			`{"type":"session.update","session":{"instructions":"Be kind."}}`,
		},
		{
			"xAI",
			Provider{Maker: XAI},
			`{"type":"session.update","session":{"instructions":"Be kind.","voice":"eve","turn_detection":{"type":"server_vad"},` +
				`"audio":{"input":{"format":{"type":"audio/pcmu"},"transcription":{"model":"grok-transcribe"}},"output":{"format":{"type":"audio/pcmu"}}},`,
			`}]}}`,
			`{"type":"session.update","session":{"instructions":"Be kind."}}`,
		},
	}
	for _, test := range tests {
		w := test.provider.withDefaults().wire(1)
		got, err := json.Marshal(w.open(opening{instructions: "Be kind.", tools: functions([]recaller.Tool{})}))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(got), test.want+tools) || !strings.HasSuffix(string(got), test.choice) {
			t.Errorf("%s: got\n%s\nwant\n%s%s…%s", test.name, got, test.want, tools, test.choice)
		}
		if got, err := json.Marshal(w.refresh("Be kind.")); err != nil || string(got) != test.refresh {
			t.Errorf("%s: got %s, %v, want %s", test.name, got, err, test.refresh)
		}
	}
}

func TestTheToolsOfACall(t *testing.T) {
	t.Parallel()
	names := func(list []function) (out []string) {
		for _, f := range list {
			if !json.Valid(f.Parameters) || f.Description == "" {
				t.Errorf("%s is not well defined", f.Name)
			}
			out = append(out, f.Name)
		}
		return out
	}
	if got := names(functions(nil)); len(got) != len(recaller.Tools())+1 || got[len(got)-1] != endCall {
		t.Errorf("all: got %q", got)
	}
	if got := names(functions([]recaller.Tool{recaller.ToolRecall})); strings.Join(got, " ") != "recall end_call" {
		t.Errorf("one: got %q", got)
	}
}

func TestWhatTheModelIsTold(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ prompt, briefing, want string }{
		{"", "", ""}, {"a", "", "a"}, {"", "b", "b"}, {"a", "b", "a\n\nb"},
	} {
		if got := (Call{Prompt: test.prompt, Briefing: test.briefing}).instructions(); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
	for want, p := range map[string]Provider{"text": {Beta: true}, "output_text": {}} {
		got := p.wire(1).resume([]realtime.Turn{{Speaker: recaller.Assistant, Text: "x"}})[0].(itemCreate)
		if got.Item.Content[0].Type != want || got.Item.ID != historyID+"1_0" {
			t.Errorf("got %+v, want %s", got, want)
		}
	}
}

// The forms are those of the wire notes, section 7.
func TestHowSessionsWithDeepgramAreOpened(t *testing.T) {
	t.Parallel()
	const audio = `"audio":{"input":{"encoding":"mulaw","sample_rate":8000},"output":{"encoding":"mulaw","sample_rate":8000,"container":"none"}},`
	before := []realtime.Turn{{Speaker: recaller.User, Text: "Hello"}, {Speaker: recaller.Assistant, Text: "Hi"}}
	tests := []struct {
		name       string
		provider   Provider
		history    []realtime.Turn
		want, tail string
	}{
		{
			"as usual",
			Provider{Language: "de"},
			nil,
			`{"type":"Settings","flags":{"history":false},` + audio + `"agent":{"listen":{"provider":{"type":"deepgram","version":"v1","model":"nova-3","language":"de"}},` +
				`"think":{"provider":{"type":"open_ai","model":"gpt-4o-mini"},"prompt":"Be kind.","functions":[{"name":"end_call",`,
			`"defer_until_eot":true}]},"speak":{"provider":{"type":"deepgram","model":"aura-2-thalia-en"}},"greeting":"Hello."}}`,
		},
		{
			"where another broke, and as it was set",
			Provider{Language: "de", Model: "anthropic/claude-sonnet-4-5", Voice: "aura-2-julius-de", Transcriber: "flux-general-multi"},
			before,
			`{"type":"Settings","flags":{"history":false},` + audio + `"agent":{"context":{"messages":[{"type":"History","role":"user","content":"Hello"},{"type":"History","role":"assistant","content":"Hi"}]},` +
				`"listen":{"provider":{"type":"deepgram","version":"v2","model":"flux-general-multi","language_hints":["de"]}},` +
				`"think":{"provider":{"type":"anthropic","model":"claude-sonnet-4-5"},"prompt":"Be kind.",`,
			`"speak":{"provider":{"type":"deepgram","model":"aura-2-julius-de"}}}}`,
		},
	}
	for _, test := range tests {
		test.provider.Maker = Deepgram
		w := test.provider.withDefaults().wire(1)
		got, err := json.Marshal(w.open(opening{instructions: "Be kind.", tools: functions([]recaller.Tool{}), greeting: "Hello.", history: test.history}))
		if err != nil || !strings.HasPrefix(string(got), test.want) || !strings.HasSuffix(string(got), test.tail) {
			t.Errorf("%s: got\n%s, %v\nwant\n%s…%s", test.name, got, err, test.want, test.tail)
		}
	}
	to, header, err := Provider{Maker: Deepgram, Key: "k"}.request()
	if err != nil || to != "wss://agent.deepgram.com/v1/agent/converse" || header.Get("Authorization") != "Token k" {
		t.Errorf("got %s, %v, %v", to, header, err)
	}
}
