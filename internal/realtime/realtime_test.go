package realtime

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// step is an event of a session in OpenAI's present names, and how long after the one before it comes, in milliseconds.
type step struct {
	after int
	event string
}

// beta is the same event in the older names; "" where there was none.
func beta(event string) string {
	if strings.Contains(event, `"conversation.item.done"`) {
		return ""
	}
	return strings.NewReplacer(
		`"conversation.item.added"`, `"conversation.item.created"`, `"response.output_audio_transcript.`, `"response.audio_transcript.`,
		`"response.output_text.`, `"response.text.`, `"response.output_audio.`, `"response.audio.`, `"output_audio"`, `"audio"`, `"output_text"`, `"text"`,
		`"session":{"type":"realtime","audio":{"output":{"format":{"type":"audio/pcmu"}}}}`, `"session":{"output_audio_format":"g711_ulaw"}`,
	).Replace(event)
}

// play runs a session, and returns all that came of it.
func play(t *testing.T, steps []step, name func(string) string) Output {
	t.Helper()
	d, at := New(), noon
	var all Output
	for _, s := range steps {
		at = at.Add(time.Duration(s.after) * time.Millisecond)
		event := name(s.event)
		if event == "" {
			continue
		}
		out, err := d.event([]byte(event), at)
		if err != nil {
			t.Fatalf("%s: %v", event, err)
		}
		all = add(all, out)
	}
	all = add(all, d.Flush(at))
	if len(d.order) > 0 || d.bytes != 0 {
		t.Errorf("after the end %d items with %d bytes are held", len(d.order), d.bytes)
	}
	return all
}

func add(all, out Output) Output {
	all.Turns, all.Calls, all.Faults = append(all.Turns, out.Turns...), append(all.Calls, out.Calls...), append(all.Faults, out.Faults...)
	all.Ended = all.Ended || out.Ended
	return all
}

// lines writes turns as stories do; what was cut off ends in "—".
func lines(turns []Turn) []string {
	out := []string{}
	for _, t := range turns {
		line := string(t.Speaker) + ": " + t.Text
		if t.Interrupted {
			line += " —"
		}
		out = append(out, line)
	}
	return out
}

// The pieces of sessions.

const pcmu = `{"type":"session.updated","session":{"type":"realtime","audio":{"output":{"format":{"type":"audio/pcmu"}}}}}`

// speaks is a caller who speaks; the transcript comes on its own.
func speaks(id, previous string) []step {
	prev := "null"
	if previous != "" {
		prev = `"` + previous + `"`
	}
	return []step{
		{300, `{"type":"input_audio_buffer.speech_started","audio_start_ms":1,"item_id":"` + id + `"}`},
		{1500, `{"type":"input_audio_buffer.speech_stopped","audio_end_ms":2,"item_id":"` + id + `"}`},
		{1, `{"type":"input_audio_buffer.committed","previous_item_id":` + prev + `,"item_id":"` + id + `"}`},
		{1, `{"type":"conversation.item.added","previous_item_id":` + prev + `,"item":{"id":"` + id + `","type":"message","role":"user","content":[{"type":"input_audio","transcript":null}]}}`},
		{1, `{"type":"conversation.item.done","previous_item_id":` + prev + `,"item":{"id":"` + id + `","type":"message","role":"user","content":[{"type":"input_audio","transcript":null}]}}`},
	}
}

func transcript(id, text string) step {
	return step{100, `{"type":"conversation.item.input_audio_transcription.completed","item_id":"` + id + `","content_index":0,"transcript":"` + text + `"}`}
}

// answers is an agent that says a text, in ms of audio, to its end or (cancelled) until it is stopped.
func answers(id, previous, text string, ms int, status string) []step {
	item := func(state, content string) string {
		return `{"id":"` + id + `","type":"message","role":"assistant","status":"` + state + `","content":[` + content + `]}`
	}
	state := map[string]string{"completed": "completed"}[status]
	if state == "" {
		state = "incomplete"
	}
	whole := item(state, `{"type":"output_audio","transcript":"`+text+`"}`)
	half := len(text) / 2
	ids := `"response_id":"r-` + id + `","item_id":"` + id + `","output_index":0,"content_index":0`
	sound := base64.StdEncoding.EncodeToString(make([]byte, ms*8))
	return []step{
		{50, `{"type":"response.created","response":{"id":"r-` + id + `","conversation_id":"conv_1","status":"in_progress","output":[]}}`},
		{200, `{"type":"response.output_item.added","response_id":"r-` + id + `","item":` + item("in_progress", "") + `}`},
		{1, `{"type":"conversation.item.added","previous_item_id":"` + previous + `","item":` + item("in_progress", "") + `}`},
		{10, `{"type":"response.output_audio_transcript.delta",` + ids + `,"delta":"` + text[:half] + `"}`},
		{10, `{"type":"response.output_audio.delta",` + ids + `,"delta":"` + sound + `"}`},
		{10, `{"type":"response.output_audio_transcript.delta",` + ids + `,"delta":"` + text[half:] + `"}`},
		{10, `{"type":"response.output_audio.done",` + ids + `}`},
		{10, `{"type":"response.output_audio_transcript.done",` + ids + `,"transcript":"` + text + `"}`},
		{10, `{"type":"response.output_item.done","response_id":"r-` + id + `","item":` + whole + `}`},
		{1, `{"type":"conversation.item.done","previous_item_id":"` + previous + `","item":` + whole + `}`},
		{10, `{"type":"response.done","response":{"id":"r-` + id + `","conversation_id":"conv_1","status":"` + status + `","output":[` + whole + `],"usage":{"total_tokens":9}}}`},
	}
}

func join(parts ...[]step) []step { return slices.Concat(parts...) }

func one(event string) []step { return []step{{10, event}} }

func TestSessionsGiveTheSameTurnsInBothGenerations(t *testing.T) {
	tests := map[string]struct {
		steps []step
		want  []string
	}{
		"question and answer": {
			join(one(pcmu), answers("a0", "root", "Hello, how can I help?", 1500, "completed"), speaks("u1", "a0"), []step{transcript("u1", "What are your hours?")},
				answers("a1", "u1", "We are open from nine to five.", 2000, "completed")),
			[]string{"assistant: Hello, how can I help?", "user: What are your hours?", "assistant: We are open from nine to five. —"},
		},
		"a transcript after the answer": {
			join(one(pcmu), speaks("u1", ""), answers("a1", "u1", "We are open from nine to five.", 2000, "completed"),
				[]step{{2500, `{"type":"ping"}`}, transcript("u1", "What are your hours?")}),
			[]string{"user: What are your hours?", "assistant: We are open from nine to five."},
		},
		"a transcription that failed": {
			join(one(pcmu), speaks("u1", ""), answers("a1", "u1", "Sorry, say again?", 1000, "completed"),
				[]step{{2000, `{"type":"conversation.item.input_audio_transcription.failed","item_id":"u1","content_index":0,"error":{"type":"server_error","code":"audio_unintelligible"}}`}}),
			[]string{"assistant: Sorry, say again?"},
		},
		"cut off after half": {
			join(one(pcmu), speaks("u1", ""), []step{transcript("u1", "Tell me all.")}, answers("a1", "u1", "one two three four five six seven eight nine ten", 4000, "completed"),
				one(`{"type":"conversation.item.truncate","item_id":"a1","content_index":0,"audio_end_ms":2000}`),
				one(`{"type":"conversation.item.truncated","item_id":"a1","content_index":0,"audio_end_ms":2000}`),
				speaks("u2", "a1"), []step{transcript("u2", "Stop.")}),
			[]string{"user: Tell me all.", "assistant: one two three four five —", "user: Stop."},
		},
		"cut off before a word was heard": {
			join(one(pcmu), speaks("u1", ""), []step{transcript("u1", "Tell me.")}, answers("a1", "u1", "Certainly, with pleasure.", 3000, "cancelled"),
				one(`{"type":"conversation.item.truncate","item_id":"a1","content_index":0,"audio_end_ms":100}`),
				speaks("u2", "a1"), []step{transcript("u2", "No wait.")}),
			[]string{"user: Tell me.", "user: No wait."},
		},
		"cancelled": {
			join(one(pcmu), speaks("u1", ""), []step{transcript("u1", "Tell me.")}, answers("a1", "u1", "Certainly, the first", 900, "cancelled"),
				speaks("u2", "a1"), []step{transcript("u2", "No wait.")}),
			[]string{"user: Tell me.", "assistant: Certainly, the first —", "user: No wait."},
		},
		"out of tokens": {
			join(one(pcmu), answers("a1", "root", "Once upon a", 500, "incomplete"), []step{{3000, `{"type":"ping"}`}}),
			[]string{"assistant: Once upon a —"},
		},
		"written": {
			join(one(`{"type":"conversation.item.added","previous_item_id":null,"item":{"id":"u1","type":"message","role":"user","content":[{"type":"input_text","text":"Hi there"}]}}`),
				one(`{"type":"response.output_item.added","response_id":"r1","item":{"id":"a1","type":"message","role":"assistant","content":[]}}`),
				one(`{"type":"response.output_text.delta","response_id":"r1","item_id":"a1","content_index":0,"delta":"Hel"}`),
				one(`{"type":"response.output_text.done","response_id":"r1","item_id":"a1","content_index":0,"text":"Hello!"}`),
				one(`{"type":"response.done","response":{"id":"r1","status":"completed","output":[{"id":"a1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Hello!"}]}]}}`)),
			[]string{"user: Hi there", "assistant: Hello!"},
		},
		"a system message and a history are nobody's words": {
			join(one(`{"type":"conversation.item.added","previous_item_id":null,"item":{"id":"s1","type":"message","role":"system","content":[{"type":"input_text","text":"MEMORY"}]}}`),
				one(`{"type":"conversation.item.added","previous_item_id":"s1","item":{"id":"h1","type":"message","role":"assistant","content":[{"type":"output_text","text":"Last time."}]}}`),
				speaks("u1", "h1"), []step{transcript("u1", "Hello")}),
			[]string{"user: Hello"},
		},
		"deltas, where the rest was lost": {
			join(one(pcmu), one(`{"type":"response.output_audio_transcript.delta","response_id":"r1","item_id":"a1","content_index":0,"delta":"Good "}`),
				one(`{"type":"response.output_audio_transcript.delta","response_id":"r1","item_id":"a1","content_index":0,"delta":"morning"}`),
				speaks("u1", "a1"), []step{transcript("u1", "Morning"), {11000, `{"type":"ping"}`}}),
			[]string{"assistant: Good morning —", "user: Morning"},
		},
		"places, not arrival": {
			join(one(pcmu), answers("a1", "u1", "We are open.", 300, "completed"), speaks("u1", ""),
				one(`{"type":"conversation.item.added","previous_item_id":"a1","item":{"id":"u2","type":"message","role":"user","content":[{"type":"input_text","text":"And tomorrow?"}]}}`),
				one(`{"type":"conversation.item.added","previous_item_id":"u1","item":{"id":"t1","type":"message","role":"user","content":[{"type":"input_text","text":"typed between"}]}}`),
				[]step{transcript("u1", "Open?")}),
			[]string{"user: Open?", "user: typed between", "assistant: We are open.", "user: And tomorrow?"},
		},
		"an aside of the model's": {
			join(one(pcmu), answers("a0", "root", "Hello.", 500, "completed"),
				one(`{"type":"response.created","response":{"id":"rx","conversation_id":null,"status":"in_progress","output":[]}}`),
				one(`{"type":"response.output_text.done","response_id":"rx","item_id":"x","content_index":0,"text":"billing"}`),
				one(`{"type":"response.done","response":{"id":"rx","conversation_id":null,"status":"completed","output":[{"id":"x","type":"message","role":"assistant","content":[{"type":"output_text","text":"billing"}]}]}}`),
				speaks("u1", "a0"), []step{transcript("u1", "Hi")}),
			[]string{"assistant: Hello.", "user: Hi"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for generation, rename := range map[string]func(string) string{"now": strings.Clone, "beta": beta} {
				out := play(t, tt.steps, rename)
				if diff := cmp.Diff(tt.want, lines(out.Turns)); diff != "" {
					t.Errorf("%s: turns (-want +got):\n%s", generation, diff)
				}
				if !out.Ended {
					t.Errorf("%s: the end was not told", generation)
				}
			}
		})
	}
}

// Transcripts come whenever they are ready: the turns are the same for every order of arrival that the protocol allows.
func TestTheOrderOfTheConversationDoesNotDependOnWhenTranscriptsCome(t *testing.T) {
	session := join(one(pcmu), answers("a0", "root", "Hello.", 300, "completed"), speaks("u1", "a0"), answers("a1", "u1", "First answer.", 400, "completed"),
		speaks("u2", "a1"), speaks("u3", "u2"), answers("a3", "u3", "Second answer.", 400, "completed"))
	want := []string{"assistant: Hello.", "user: one", "assistant: First answer.", "user: two", "user: three", "assistant: Second answer."}
	committed := func(id string) int {
		return slices.IndexFunc(session, func(s step) bool {
			return strings.Contains(s.event, "committed") && strings.Contains(s.event, `"item_id":"`+id+`"`)
		}) + 1
	}
	said := map[string]string{"u1": "one", "u2": "two", "u3": "three"}
	random := rand.New(rand.NewPCG(1, 2))
	for range 250 {
		at := map[int][]string{}
		ids := []string{"u1", "u2", "u3"}
		random.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] }) // of those that come together any may be first
		for _, id := range ids {
			p := committed(id) + random.IntN(len(session)+1-committed(id))
			at[p] = append(at[p], id)
		}
		var steps []step
		for p := 0; p <= len(session); p++ {
			for _, id := range at[p] {
				steps = append(steps, transcript(id, said[id]))
			}
			if p < len(session) {
				steps = append(steps, session[p])
			}
		}
		steps = append(steps, step{3000, `{"type":"ping"}`})
		for _, rename := range []func(string) string{strings.Clone, beta} {
			if diff := cmp.Diff(want, lines(play(t, steps, rename).Turns)); diff != "" {
				t.Fatalf("transcripts at %v (-want +got):\n%s", at, diff)
			}
		}
	}
}

func TestAnAnswerWaitsForItsQuestionOnlySoLong(t *testing.T) {
	d, at := New(), noon
	say := func(after time.Duration, event string) []string {
		t.Helper()
		at = at.Add(after)
		out, err := d.event([]byte(event), at)
		if err != nil {
			t.Fatal(err)
		}
		return lines(out.Turns)
	}
	var got []string
	for _, s := range join(one(pcmu), speaks("u1", ""), answers("a1", "u1", "Yes.", 400, "completed")) {
		got = append(got, say(time.Duration(s.after)*time.Millisecond, s.event)...)
	}
	got = append(got, say(TranscriptWait-time.Second, `{"type":"ping"}`)...)
	if len(got) > 0 {
		t.Fatalf("got %q before the question was in", got)
	}
	at = at.Add(time.Second)
	if got := lines(d.Tick(at).Turns); !slices.Equal(got, []string{"assistant: Yes."}) {
		t.Errorf("after the wait: got %q, want the answer alone", got)
	}
	if got := say(time.Second, transcript("u1", "Late?").event); !slices.Equal(got, []string{"user: Late?"}) {
		t.Errorf("of a late transcript: got %q, want its turn after all", got)
	}
	if got := say(time.Second, transcript("u1", "Late?").event); len(got) > 0 {
		t.Errorf("of a repeated transcript: got %q, want nothing", got)
	}
}

func TestWhatTheAgentSaysIsToldOnceItHasBeenHeard(t *testing.T) {
	d, at := New(), noon
	for _, s := range join(one(pcmu), answers("a1", "root", "A long story, well told.", 5000, "completed")) {
		at = at.Add(time.Duration(s.after) * time.Millisecond)
		if out, err := d.event([]byte(s.event), at); err != nil || len(out.Turns) > 0 {
			t.Fatalf("%s: got %v, %v while it is still played", s.event, out.Turns, err)
		}
	}
	if out := d.Tick(noon.Add(4 * time.Second)); len(out.Turns) > 0 {
		t.Errorf("got %v while it is still played", out.Turns)
	}
	if got := lines(d.Tick(noon.Add(7 * time.Second)).Turns); !slices.Equal(got, []string{"assistant: A long story, well told."}) {
		t.Errorf("got %q once it was played", got)
	}
}

func TestXAITellsTranscriptsAnewEachTime(t *testing.T) {
	updated := func(text string) step {
		return step{50, `{"type":"conversation.item.input_audio_transcription.updated","item_id":"u1","transcript":"` + text + `"}`}
	}
	steps := join(one(`{"type":"conversation.created","conversation":{"id":"c"}}`), speaks("u1", ""), []step{updated("what"), updated("what are"), updated("what are your hours")})
	if got := lines(play(t, steps, strings.Clone).Turns); !slices.Equal(got, []string{"user: what are your hours"}) {
		t.Errorf("without an end: got %q", got)
	}
	steps = append(steps, transcript("u1", "What are your hours?"), updated("what"))
	if got := lines(play(t, steps, strings.Clone).Turns); !slices.Equal(got, []string{"user: What are your hours?"}) {
		t.Errorf("with an end: got %q", got)
	}
}

func TestHowMuchWasHeardIsToldByTheBestMeasureThereIs(t *testing.T) {
	text := strings.TrimSpace(strings.Repeat("word ", 20)) // 99 characters
	item := `{"id":"a1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_audio","transcript":"` + text + `"}]}`
	cut := func(ms int) []step {
		return one(fmt.Sprintf(`{"type":"conversation.item.truncated","item_id":"a1","content_index":0,"audio_end_ms":%d}`, ms))
	}
	done := func(usage string) []step {
		return one(`{"type":"response.done","response":{"id":"r","status":"completed","output":[` + item + `]` + usage + `}}`)
	}
	audio := func(bytes int) []step {
		return one(`{"type":"response.output_audio.delta","response_id":"r","item_id":"a1","delta":"` + base64.StdEncoding.EncodeToString(make([]byte, bytes)) + `"}`)
	}
	pcm := `{"type":"session.created","session":{"audio":{"output":{"format":{"type":"audio/pcm","rate":8000}}}}}`
	for name, tt := range map[string]struct {
		steps []step
		words int
	}{
		"audio at 8 bytes a millisecond":  {join(one(pcmu), audio(80_000), done(""), cut(5000)), 10},
		"audio at 16 bytes a millisecond": {join(one(pcm), audio(160_000), done(""), cut(5000)), 10},
		"audio of the usual form":         {join(audio(480_000), done(""), cut(5000)), 10},
		"the tokens that were counted":    {join(done(`,"usage":{"output_token_details":{"audio_tokens":200}}`), cut(5000)), 10},
		"the length of the text":          {join(done(""), cut(99*msPerChar/2)), 10},
		"cut before it was all there":     {join(one(pcmu), audio(80_000), cut(5000), done("")), 10},
		"cut at its end":                  {join(one(pcmu), audio(80_000), done(""), cut(10_000)), 20},
		"past its end":                    {join(one(pcmu), audio(80_000), done(""), cut(99_000)), 20},
		"the least of two":                {join(one(pcmu), audio(80_000), cut(5000), cut(2500), done("")), 5},
	} {
		turns := play(t, tt.steps, strings.Clone).Turns
		if len(turns) != 1 || !turns[0].Interrupted || len(strings.Fields(turns[0].Text)) != tt.words {
			t.Errorf("%s: got %q, want %d words, cut off", name, lines(turns), tt.words)
		}
	}
}

func TestFunctionCallsAreToldOnceWhereverTheirNameStands(t *testing.T) {
	item := func(status, args string) string {
		return `{"id":"f1","type":"function_call","status":"` + status + `","call_id":"call_1","name":"store_memory","arguments":"` + args + `"}`
	}
	const args = `{\"key\":\"dog\"}`
	arguments := func(name string) string {
		return `{"type":"response.function_call_arguments.done","response_id":"r","item_id":"f1","call_id":"call_1",` + name + `"arguments":"` + args + `"}`
	}
	added := `{"type":"response.output_item.added","response_id":"r","item":` + item("in_progress", "") + `}`
	done := `{"type":"response.output_item.done","response_id":"r","item":` + item("completed", args) + `}`
	all := `{"type":"response.done","response":{"id":"r","status":"completed","output":[` + item("completed", args) + `]}}`
	want := []Call{{ID: "call_1", Name: "store_memory", Arguments: json.RawMessage(`{"key":"dog"}`)}}
	for name, events := range map[string][]string{
		"all of it":                  {added, arguments(`"name":"store_memory",`), done, all},
		"the name with the item":     {added, arguments(""), done, all},
		"the name after":             {arguments(""), done, all},
		"arguments lost":             {added, done, all},
		"only the end":               {all},
		"twice":                      {added, arguments(""), arguments(""), done, all, all},
		"the item of a conversation": {`{"type":"conversation.item.added","item":` + item("in_progress", "") + `}`, arguments("")},
	} {
		var steps []step
		for _, e := range events {
			steps = append(steps, step{1, e})
		}
		out := play(t, steps, strings.Clone)
		if diff := cmp.Diff(want, out.Calls); diff != "" || len(out.Turns) > 0 {
			t.Errorf("%s: %v, calls (-want +got):\n%s", name, out.Turns, diff)
		}
	}
	cancelled := `{"type":"response.done","response":{"id":"r","status":"cancelled","output":[` + item("incomplete", `{\"ke`) + `]}}`
	if out := play(t, one(cancelled), strings.Clone); len(out.Calls) > 0 {
		t.Errorf("of a call that was not finished: got %v", out.Calls)
	}
}

func TestErrorsOfTheAPIAreToldAndTheSessionGoesOn(t *testing.T) {
	steps := join(speaks("u1", ""), one(`{"type":"error","error":{"type":"invalid_request_error","code":"bad","message":"no such 4111","event_id":"e"}}`),
		[]step{transcript("u1", "Hello")}, one(`{"type":"error","error":{"type":"invalid_request_error","code":null,"message":"x"}}`),
		one(`{"type":"response.done","response":{"id":"r","status":"failed","status_details":{"type":"failed","error":{"type":"server_error","code":"rate"}},"output":[]}}`))
	out := play(t, steps, strings.Clone)
	want := []Fault{{Type: "invalid_request_error", Code: "bad"}, {Type: "invalid_request_error"}, {Type: "server_error", Code: "rate"}}
	if diff := cmp.Diff(want, out.Faults); diff != "" || len(out.Turns) != 1 {
		t.Errorf("%d turns, faults (-want +got):\n%s", len(out.Turns), diff)
	}
	d := New()
	if out, err := d.event([]byte(`{"type":"error","error":{"type":"invalid_request_error","code":"session_expired"}}`), noon); err != nil || !out.Ended {
		t.Errorf("of a session that expired: got %+v, %v, want its end", out, err)
	}
}

func TestWhatIsNoEventIsRefusedAndChangesNothing(t *testing.T) {
	d := New()
	at := noon
	for _, s := range speaks("u1", "") {
		if _, err := d.event([]byte(s.event), at); err != nil {
			t.Fatal(err)
		}
	}
	for _, raw := range []string{
		"", "null", "[]", "{", `{"type":5}`, `{}`, `{"type":""}`, `{"type":"conversation.item.input_audio_transcription.completed","transcript":"x"}`,
		`{"type":"conversation.item.input_audio_transcription.completed","item_id":"u1","transcript":7}`,
		`{"type":"conversation.item.input_audio_transcription.completed","item_id":"` + strings.Repeat("u", 300) + `","transcript":"x"}`,
		`{"type":"response.done","response":[]}`, `{"type":"ping","x":"` + strings.Repeat("x", MaxEvent) + `"}`,
	} {
		out, err := d.event([]byte(raw), at)
		if !errors.Is(err, recaller.Invalid) || len(out.Turns)+len(out.Calls)+len(out.Faults) > 0 {
			t.Errorf("%.80s: got %+v, %v, want it refused", raw, out, err)
		}
	}
	if _, err := d.event([]byte(`{"type":"some.day","item_id":7,"item":"x"}`), at); err != nil {
		t.Errorf("an event of another day: got %v, want it ignored", err)
	}
	out, err := d.event([]byte(transcript("u1", "Still here").event), at)
	if got := lines(out.Turns); err != nil || !slices.Equal(got, []string{"user: Still here"}) {
		t.Errorf("afterwards: got %q, %v", got, err)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	d := New()
	text := strings.Repeat("x", recaller.MaxTurnBytes)
	turns := 0
	for i := range 400 {
		for _, e := range []string{
			fmt.Sprintf(`{"type":"input_audio_buffer.speech_started","item_id":"s%d"}`, i),
			fmt.Sprintf(`{"type":"response.output_audio_transcript.delta","response_id":"r%d","item_id":"a%d","content_index":0,"delta":"%s"}`, i, i, text),
			fmt.Sprintf(`{"type":"response.output_audio_transcript.delta","response_id":"r%d","item_id":"a%d","content_index":1,"delta":"%s"}`, i, i, text),
			fmt.Sprintf(`{"type":"response.function_call_arguments.done","item_id":"f%d","call_id":"c%d","arguments":"{}"}`, i, i),
		} {
			out, err := d.event([]byte(e), noon)
			if err != nil {
				t.Fatal(err)
			}
			turns += len(out.Turns)
			for _, turn := range out.Turns {
				if len(turn.Text) > recaller.MaxTurnBytes {
					t.Fatalf("a turn of %d bytes", len(turn.Text))
				}
			}
		}
		if len(d.order) > maxItems || len(d.items) > 2*maxItems || d.bytes > maxHeld || len(d.pending) > maxItems {
			t.Fatalf("%d items in order, %d in all, %d calls, %d bytes", len(d.order), len(d.items), len(d.pending), d.bytes)
		}
	}
	turns += len(d.Flush(noon).Turns)
	if turns != 400 {
		t.Errorf("got %d turns, want 400: what is too much is told, not lost", turns)
	}
}

func TestTheRecognisersDoubtsAreTold(t *testing.T) {
	out := play(t, join(speaks("u1", ""), one(`{"type":"conversation.item.input_audio_transcription.completed","item_id":"u1","transcript":"Ruth","logprobs":[{"token":"Ru","logprob":-0.2},{"token":"th","logprob":-1.2}]}`)), strings.Clone)
	if len(out.Turns) != 1 || math.Abs(out.Turns[0].Confidence-math.Exp(-0.7)) > 1e-9 {
		t.Errorf("got %+v, want the mean of the tokens", out.Turns)
	}
	if want := noon.Add(300 * time.Millisecond); len(out.Turns) == 1 && !out.Turns[0].At.Equal(want) {
		t.Errorf("said at %v, want %v, when the speech began", out.Turns[0].At, want)
	}
}

func FuzzEvent(f *testing.F) {
	for _, s := range join(one(pcmu), speaks("u1", ""), answers("a1", "u1", "Hello there.", 3, "cancelled")) {
		f.Add([]byte(s.event + "\n" + transcript("u1", "x").event))
	}
	f.Add([]byte(`{"type":"conversation.item.truncate","item_id":"a1","audio_end_ms":-1e300}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		d, at := New(), noon
		check := func(out Output) {
			for _, turn := range out.Turns {
				if turn.Text == "" || len(turn.Text) > recaller.MaxTurnBytes || !turn.Speaker.Valid() || !(turn.Confidence >= 0 && turn.Confidence <= 1) {
					t.Errorf("turn %+v", turn)
				}
			}
		}
		for _, line := range strings.Split(string(raw), "\n") {
			at = at.Add(time.Second)
			out, err := d.event([]byte(line), at)
			if err != nil && !errors.Is(err, recaller.Invalid) {
				t.Errorf("error %v", err)
			}
			check(out)
		}
		check(d.Flush(at))
		if d.bytes != 0 {
			t.Errorf("%d bytes are held after the end", d.bytes)
		}
	})
}
