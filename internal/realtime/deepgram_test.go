package realtime

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
)

// hear has a session read, a second between two messages. What stands in < > is audio, so many milliseconds of it; "played"
// says that all that came was, and "cut N" that the caller speaks over it after N.
func hear(t *testing.T, r *Deepgram, d *Deriver, messages ...string) (turns, calls, faults []string) {
	t.Helper()
	at, item := noon, ""
	take := func(out Output) {
		turns = append(turns, lines(out.Turns)...)
		for _, c := range out.Calls {
			calls = append(calls, fmt.Sprintf("%s %s %s", c.ID, c.Name, c.Arguments))
		}
		for _, f := range out.Faults {
			faults = append(faults, f.Type+" "+f.Code)
		}
	}
	for _, m := range messages {
		at = at.Add(time.Second)
		var n int
		switch {
		case m == "played":
			take(d.Played(item, at))
			continue
		case strings.HasPrefix(m, "cut "):
			_, _ = fmt.Sscanf(m, "cut %d", &n)
			take(d.Take(Event{Kind: ItemTruncated, ItemID: item, AudioEndMS: float64(n)}, at))
			continue
		}
		binary := strings.HasPrefix(m, "<")
		if binary {
			_, _ = fmt.Sscanf(m, "<%d>", &n)
			m = strings.Repeat("\x01", n*8)
		}
		list, err := r.Read([]byte(m), binary)
		if err != nil {
			t.Fatalf("%.100s: %v", m, err)
		}
		for _, e := range list {
			if e.Kind == Audio {
				item = e.ItemID
			}
			take(d.Take(e, at))
		}
	}
	take(d.Flush(at))
	return turns, calls, faults
}

func user(text string) string {
	return fmt.Sprintf(`{"type":"ConversationText","role":"user","content":%q}`, text)
}

func agent(text string) string {
	return fmt.Sprintf(`{"type":"ConversationText","role":"assistant","content":%q}`, text)
}

const (
	speech = `{"type":"UserStartedSpeaking"}`
	thinks = `{"type":"AgentThinking","content":"hm"}`
	starts = `{"type":"AgentStartedSpeaking","total_latency":1.5}`
	ends   = `{"type":"AgentAudioDone"}`
)

func TestTurnsOfDeepgramsAgent(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		messages []string
		want     []string
	}{
		"a greeting and a turn each way": {
			[]string{`{"type":"Welcome","request_id":"r"}`, `{"type":"SettingsApplied"}`, agent("Hello."), starts, "<500>", ends, "played", speech, user("When do you close?"), thinks, agent("At five."), "<500>", ends, "played"},
			[]string{"assistant: Hello.", "user: When do you close?", "assistant: At five."},
		},
		"sentences of one reply are one turn": {
			[]string{user("All?"), agent("One."), "<300>", agent(" Two. "), "<300>", ends, "played"},
			[]string{"user: All?", "assistant: One. Two."},
		},
		"words that come behind their sound": {
			[]string{user("Hm?"), "<300>", ends, agent("Late."), "played", user("Ah.")},
			[]string{"user: Hm?", "assistant: Late.", "user: Ah."},
		},
		"spoken over while it was made": {
			[]string{agent("one two three four five six seven eight"), "<400>", "cut 400", speech, "<600>", agent("nine ten"), user("Stop."), agent("Sure."), "<300>", ends, "played"},
			[]string{"assistant: one —", "user: Stop.", "assistant: Sure."},
		},
		"spoken over when all of it was sent": {
			[]string{agent("one two three four"), "<1800>", ends, "cut 900", speech, user("Stop."), agent("Sure."), "<300>", ends, "played"},
			[]string{"assistant: one two —", "user: Stop.", "assistant: Sure."},
		},
		"a noise changes nothing": {
			[]string{agent("Hello."), "<300>", ends, "played", speech, speech, user("Hi."), agent("Yes?"), "<100>", ends, "played"},
			[]string{"assistant: Hello.", "user: Hi.", "assistant: Yes?"},
		},
		"words that come behind what answers them": {
			[]string{speech, thinks, agent("At five."), "<300>", user("When?"), ends, "played"},
			[]string{"user: When?", "assistant: At five."},
		},
		"words that come while they are answered": {
			[]string{speech, speech, user("Hello."), starts, agent("Yes?"), "<300>", user("Are you there?"), "<500>", ends, "played"},
			[]string{"user: Hello.", "user: Are you there?", "assistant: Yes?"},
		},
		"the first words, while they are answered": {
			[]string{agent("Yes?"), "<300>", user("Hello."), "<500>", ends, "played"}, []string{"user: Hello.", "assistant: Yes?"},
		},
		"two sentences of the caller's": {
			[]string{speech, user("Hello."), user("Are you there?"), agent("Yes."), "<100>", ends, "played"},
			[]string{"user: Hello.", "user: Are you there?", "assistant: Yes."},
		},
		"what was told in his name is nobody's": {
			[]string{user("(Begin.)"), agent("Hello."), "<100>", ends, "played", user("(Begin.)")},
			[]string{"assistant: Hello.", "user: (Begin.)"},
		},
		"empty and other words": {[]string{user(" "), agent(""), `{"type":"ConversationText","role":"narrator","content":"x"}`, `{"type":"History","role":"user","content":"Before."}`, `{"type":"PromptUpdated"}`}, nil},
	}
	for name, test := range tests {
		r := NewDeepgram("s1_")
		r.Hide("(Begin.)")
		got, _, _ := hear(t, r, NewWatched(8, Pace{}), test.messages...)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

func TestCallsAndFaultsOfDeepgramsAgent(t *testing.T) {
	t.Parallel()
	_, calls, faults := hear(t, NewDeepgram(""), NewWatched(8, Pace{}),
		`{"type":"FunctionCallRequest","functions":[{"id":"f1","name":"recall","arguments":"{\"query\":\"x\"}","client_side":true},{"id":"f2","name":"theirs","arguments":"{}","client_side":false},{"id":"f3","name":"end_call","arguments":""}]}`,
		`{"type":"FunctionCallRequest","functions":[{"id":"f1","name":"recall","arguments":"{}","client_side":true}]}`,
		`{"type":"Warning","description":"slow Anna","code":"SLOW"}`, `{"type":"Error","description":"no","code":"BAD"}`, `{"type":"InjectionRefused","message":"no"}`)
	if want := []string{`f1 recall {"query":"x"}`, `f3 end_call {}`}; !slices.Equal(calls, want) {
		t.Errorf("got calls %q, want %q", calls, want)
	}
	if want := []string{"Warning SLOW", "Error BAD", "InjectionRefused "}; !slices.Equal(faults, want) {
		t.Errorf("got faults %q, want %q", faults, want)
	}
	list, err := NewDeepgram("").Read([]byte(`{"type":"FunctionCallCancelled","functions":[{"id":"f1","name":"recall"}]}`), false)
	if err != nil || len(list) != 1 || list[0].Kind != CallCancelled || list[0].CallID != "f1" {
		t.Errorf("got %+v, %v", list, err)
	}
}

func TestWhatIsNoMessageOfDeepgrams(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		"", "null", "[]", "{", `{}`, `{"type":7}`, `{"type":"ConversationText","role":7}`, `{"type":"FunctionCallRequest","functions":[{}]}`,
		`{"type":"FunctionCallRequest","functions":[{"id":"` + strings.Repeat("x", 300) + `","name":"recall"}]}`, `{"type":"FunctionCallRequest","functions":{}}`,
	} {
		if out, err := NewDeepgram("").Read([]byte(raw), false); !errors.Is(err, recaller.Invalid) || out != nil {
			t.Errorf("%.80s: got %+v, %v, want it refused", raw, out, err)
		}
	}
	for _, raw := range []string{`{"type":"Tomorrow","content":7}`, `{"type":"LatencyReport","total_latency":1}`} {
		if out, err := NewDeepgram("").Read([]byte(raw), false); err != nil || out != nil {
			t.Errorf("%s: got %+v, %v, want it ignored", raw, out, err)
		}
	}
}

// The voice's own pace tells how much of a reply was heard whose sound was not all sent.
func TestThePaceOfAVoiceIsLearnt(t *testing.T) {
	t.Parallel()
	ten := "aaaa bbbb " // at 200 ms a letter
	got, _, _ := hear(t, NewDeepgram(""), NewWatched(8, Pace{}),
		agent(ten), fmt.Sprintf("<%d>", 9*200), ends, "played",
		agent(strings.TrimSpace(strings.Repeat(ten, 4))), "<2000>", "cut 2000", speech, user("Stop."))
	if want := []string{"assistant: aaaa bbbb", "assistant: aaaa bbbb —", "user: Stop."}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzDeepgram(f *testing.F) {
	f.Add([]byte(strings.Join([]string{agent("Hello."), "<3>", ends, speech, user("Hi"), thinks, starts, "<1>", speech, "<1>"}, "\n")))
	f.Add([]byte(`{"type":"FunctionCallRequest","functions":[{"id":"f1","name":"recall","arguments":"{}","client_side":true}]}` + "\n" + `{"type":"FunctionCallCancelled","functions":[{"id":"f1","name":"recall"}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, d, at := NewDeepgram("s1_"), NewWatched(8, Pace{}), noon
		r.Hide("Hi")
		open := ""
		for _, line := range strings.Split(string(raw), "\n") {
			at = at.Add(time.Second)
			list, err := r.Read([]byte(line), strings.HasPrefix(line, "<"))
			if err != nil && !errors.Is(err, recaller.Invalid) {
				t.Errorf("error %v", err)
			}
			for _, e := range list {
				switch {
				case e.Kind == ResponseBegun && open != "", e.Kind == ResponseDone && open != e.Response.ID:
					t.Errorf("reply %q while %q is made", e.Response.ID, open)
				case e.Kind == ResponseBegun:
					open = e.Response.ID
				case e.Kind == ResponseDone:
					open = ""
				case needsItem(e.Kind) && !strings.HasPrefix(e.ItemID, "s1_"):
					t.Errorf("event %+v has no id", e)
				}
				for _, turn := range d.Take(e, at).Turns {
					if turn.Text == "" || len(turn.Text) > recaller.MaxTurnBytes || !turn.Speaker.Valid() {
						t.Errorf("turn %+v", turn)
					}
				}
			}
		}
		d.Flush(at)
		if d.bytes != 0 || len(r.hidden) > maxHidden {
			t.Errorf("%d bytes and %d texts are held after the end", d.bytes, len(r.hidden))
		}
	})
}
