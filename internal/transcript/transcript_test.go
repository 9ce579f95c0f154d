package transcript_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/transcript"
)

func TestOurOwnLines(t *testing.T) {
	t.Parallel()
	const file = `{"caller":{"phone":"+15551234567","name":"Ada"},"external_id":"c1","channel":"sms","direction":"outbound","status":"failed","started_at":"2026-03-01T10:00:00+01:00","ended_at":"2026-03-01T09:05:00Z","turns":[{"speaker":"user","text":"Hi.","at":"2026-03-01T09:00:02Z","confidence":0.5,"interrupted":true,"name":"Ada"},{"speaker":"assistant","text":"Hello."}],"metadata":{"question_id":"not ours"}}

{"caller":{"external_id":"u-2"},"started_at":"2026-03-02","turns":[{"speaker":"agent","text":"Good day."}]}
`
	want := []transcript.Conversation{
		{
			Caller: transcript.Caller{Phone: "+15551234567", Name: "Ada"}, ExternalID: "c1", Channel: recaller.ChannelSMS,
			Direction: recaller.Outbound, Status: recaller.Failed, StartedAt: utc("2026-03-01T09:00:00Z"), EndedAt: utc("2026-03-01T09:05:00Z"),
			Turns: []recaller.Turn{
				{Speaker: recaller.User, Text: "Hi.", Name: "Ada", At: utc("2026-03-01T09:00:02Z"), Confidence: 0.5, Interrupted: true},
				{Number: 1, Speaker: recaller.Assistant, Text: "Hello.", Confidence: 1},
			},
		},
		{
			Caller: transcript.Caller{ExternalID: "u-2"}, Channel: recaller.ChannelVoice, Direction: recaller.Inbound,
			Status: recaller.Completed, StartedAt: utc("2026-03-02T00:00:00Z"),
			Turns: []recaller.Turn{{Speaker: recaller.Assistant, Text: "Good day.", Confidence: 1}},
		},
	}
	lines := strings.Split(strings.TrimSpace(file), "\n\n")
	for name, file := range map[string]string{
		"one a line":           file,
		"an array":             "[\n" + strings.Join(lines, ",\n") + "\n]\n",
		"under conversations":  `{"conversations": [` + strings.Join(lines, ",") + "]}",
		"a byte order mark":    "\uFEFF" + file,
		"one after another":    strings.Join(lines, " "),
		"compressed with gzip": zip(t, file),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := parse(file, transcript.Options{Name: "calls.jsonl"})
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("error %v, conversations (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestPlainTranscripts(t *testing.T) {
	t.Parallel()
	at := func(s string) time.Time { return utc("2026-03-01T" + s + "Z") }
	user := func(at time.Time, text string) recaller.Turn {
		return recaller.Turn{Speaker: recaller.User, At: at, Text: text, Confidence: 1}
	}
	agent := func(at time.Time, text string) recaller.Turn {
		return recaller.Turn{Speaker: recaller.Assistant, At: at, Text: text, Confidence: 1}
	}
	named := func(turn recaller.Turn, name string) recaller.Turn { turn.Name = name; return turn }
	var none time.Time
	tests := []struct {
		name, file string
		first      recaller.Speaker
		want       []recaller.Turn
	}{
		{"bare", "CALLER: hi\nAGENT: hello there", "", []recaller.Turn{user(none, "hi"), agent(none, "hello there")}},
		{"other words for them", "Patient: hi\nDr. Patel: hello", "", []recaller.Turn{user(none, "hi"), named(agent(none, "hello"), "Dr. Patel")}},
		{"small letters", "user: hi\nbot: hello", "", []recaller.Turn{user(none, "hi"), agent(none, "hello")}},
		{"the last telling word counts", "Customer Service Agent: hi\ncustomer 2: hello", "", []recaller.Turn{
			named(agent(none, "hi"), "Customer Service Agent"), user(none, "hello"),
		}},
		{"one by name", "Margaret: hi\nAGENT: hello", "", []recaller.Turn{named(user(none, "hi"), "Margaret"), agent(none, "hello")}},
		{"both by name, told who", "ANNA: hi\nBEN: hello\nANNA: bye", recaller.Assistant, []recaller.Turn{
			named(agent(none, "hi"), "ANNA"), named(user(none, "hello"), "BEN"), named(agent(none, "bye"), "ANNA"),
		}},
		{"going on", "CALLER: I need\n  help: now\nplease\n\nAGENT: ok", "", []recaller.Turn{user(none, "I need help: now please"), agent(none, "ok")}},
		{"all indented", "    CALLER: I need\n            help\n    AGENT: ok", "", []recaller.Turn{user(none, "I need help"), agent(none, "ok")}},
		{"times before", "[00:01:02] CALLER: hi\n[01:03.5] AGENT: hello", "", []recaller.Turn{user(at("10:01:02"), "hi"), agent(at("10:01:03.5"), "hello")}},
		{"times bare", "00:00:01 CALLER: hi\n0:02 - AGENT: hello", "", []recaller.Turn{user(at("10:00:01"), "hi"), agent(at("10:00:02"), "hello")}},
		{"times after", "CALLER [00:00:01]: hi\nAGENT (00:02): hello", "", []recaller.Turn{user(at("10:00:01"), "hi"), agent(at("10:00:02"), "hello")}},
		{"dates", "[2026-03-01 11:00:05] CALLER: hi", "", []recaller.Turn{user(at("11:00:05"), "hi")}},
		{"a time that was said", "CALLER: at\n10:30 please\nAGENT: ok", "", []recaller.Turn{user(none, "at 10:30 please"), agent(none, "ok")}},
		{"an address", "CALLER: see http://example.com: there", "", []recaller.Turn{user(none, "see http://example.com: there")}},
		{"what nobody said", "CALLER: hi\n[USER HANGS UP]\n[00:00:09] [click]", "", []recaller.Turn{user(none, "hi")}},
		{"in quotation marks", "CALLER: \"hi\"\nAGENT: \"a\" and \"b\"", "", []recaller.Turn{user(none, "hi"), agent(none, `"a" and "b"`)}},
		{"text under the speaker", "CALLER:\nhi\nthere\nAGENT:\nhello", "", []recaller.Turn{user(none, "hi there"), agent(none, "hello")}},
		{"nothing said", "CALLER: hi\nAGENT:\nCALLER: hello?", "", []recaller.Turn{user(none, "hi"), {
			Speaker: recaller.User, Text: "hello?", Number: 1, Confidence: 1,
		}}},
		{"line ends of another system", "CALLER: hi\r\nAGENT: hello\r\n", "", []recaller.Turn{user(none, "hi"), agent(none, "hello")}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for i := range test.want {
				test.want[i].Number = i
			}
			got, err := parse(test.file, transcript.Options{
				Caller: transcript.Caller{Phone: "+15551234567"}, StartedAt: at("10:00:00"), FirstSpeaker: test.first,
			})
			if err != nil || len(got) != 1 {
				t.Fatalf("got %d conversations, %v, want one", len(got), err)
			}
			if diff := cmp.Diff(test.want, got[0].Turns); diff != "" {
				t.Errorf("turns (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAPlainTranscriptSaysWhoAndWhen(t *testing.T) {
	t.Parallel()
	const file = `Phone: +15551234567
Name: Ada Byrne
Started: 2026-03-01 10:00
Ended: 2026-03-01 10:05
External-ID: c1
Channel: web-chat
Status: failed

USER: hi
---
Started: 2026-03-02 10:00

USER: hello again
===
Caller ID: u-3
Started: 2026-03-03T10:00:00+01:00
USER: me too
---
`
	want := []transcript.Conversation{
		{
			Caller: transcript.Caller{Phone: "+15551234567", Name: "Ada Byrne"}, ExternalID: "c1", Channel: recaller.ChannelWebChat,
			Direction: recaller.Inbound, Status: recaller.Failed, StartedAt: utc("2026-03-01T10:00:00Z"), EndedAt: utc("2026-03-01T10:05:00Z"),
			Turns: []recaller.Turn{{Speaker: recaller.User, Text: "hi", Confidence: 1}},
		},
		{
			Caller: transcript.Caller{Phone: "+15551234567", Name: "Ada Byrne"}, Channel: recaller.ChannelVoice,
			Direction: recaller.Inbound, Status: recaller.Completed, StartedAt: utc("2026-03-02T10:00:00Z"),
			Turns: []recaller.Turn{{Speaker: recaller.User, Text: "hello again", Confidence: 1}},
		},
		{
			Caller: transcript.Caller{ExternalID: "u-3"}, Channel: recaller.ChannelVoice,
			Direction: recaller.Inbound, Status: recaller.Completed, StartedAt: utc("2026-03-03T09:00:00Z"),
			Turns: []recaller.Turn{{Speaker: recaller.User, Text: "me too", Confidence: 1}},
		},
	}
	got, err := parse(file, transcript.Options{})
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v, conversations (-want +got):\n%s", err, diff)
	}
}

func TestLongMemEval(t *testing.T) {
	t.Parallel()
	file := read(t, "testdata/longmemeval.json")
	got, err := parse(file, transcript.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, c := range got {
		list = append(list, fmt.Sprintf("%s %s %s %s %d", c.Caller.ExternalID, c.ExternalID, c.Channel, c.StartedAt.Format(time.RFC3339), len(c.Turns)))
	}
	want := []string{
		"q1 s2 web-chat 2023-05-20T09:00:00Z 1",
		"q1 s1 web-chat 2023-05-20T15:08:00Z 2",
		"q1 s1#2 web-chat 2023-05-21T02:27:00Z 1",
		"q2 s1#3 web-chat 2023-06-01T10:00:00Z 1",
	}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Errorf("conversations (-want +got):\n%s", diff)
	}
	for question, want := range map[string]int{"q1": 3, "0": 3, "q2": 1, "1": 1} {
		got, err := parse(file, transcript.Options{Question: question})
		if err != nil || len(got) != want {
			t.Errorf("question %s: got %d conversations, %v, want %d", question, len(got), err, want)
		}
	}
	if _, err := parse(file, transcript.Options{Question: "q3"}); err == nil || !strings.Contains(err.Error(), "it has 2") {
		t.Errorf("question q3: got error %v, want one that says there are 2", err)
	}
}

func TestHarperValley(t *testing.T) {
	t.Parallel()
	array := read(t, "testdata/harpervalley.json")
	object := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(array), "["), "]")
	start := time.UnixMilli(1591056783191).UTC()
	turn := func(n int, side recaller.Speaker, after time.Duration, text string) recaller.Turn {
		return recaller.Turn{Number: n, Speaker: side, At: start.Add(after), Text: text, Confidence: 1}
	}
	want := transcript.Conversation{
		Caller: transcript.Caller{Phone: transcript.FakePhone("walter  AMES")}, ExternalID: "c1", Channel: recaller.ChannelVoice,
		Direction: recaller.Inbound, Status: recaller.Completed, StartedAt: start, EndedAt: time.UnixMilli(1591056834394).UTC(),
		Turns: []recaller.Turn{
			turn(0, recaller.Assistant, time.Second, "hello how can i help"),
			turn(1, recaller.User, 4*time.Second, "i lost my card"),
			turn(2, recaller.Assistant, 9*time.Second, "one moment"),
		},
	}
	for name, file := range map[string]string{"an array": array, "an object": object} {
		got, err := parse(file, transcript.Options{})
		if diff := cmp.Diff([]transcript.Conversation{want}, got); diff != "" || err != nil {
			t.Errorf("%s: error %v, conversations (-want +got):\n%s", name, err, diff)
		}
	}
	got, err := parse(array, transcript.Options{Recogniser: true, GiveNames: true})
	if err != nil || len(got) != 1 || got[0].Turns[0].Text != "hello how can i kelp" || got[0].Caller.Name != "Walter Ames" {
		t.Errorf("got %+v, %v, want the recogniser's words and the name", got, err)
	}
}

func TestPriMock57(t *testing.T) {
	t.Parallel()
	start := utc("2021-01-05T10:30:00Z")
	want := []transcript.Conversation{{
		Caller: transcript.Caller{Phone: transcript.FakePhone("primock57 day2_consultation05")}, ExternalID: "day2_consultation05",
		Channel: recaller.ChannelVoice, Direction: recaller.Inbound, Status: recaller.Completed,
		StartedAt: start, EndedAt: start.Add(12500 * time.Millisecond),
		Turns: []recaller.Turn{
			{Speaker: recaller.Assistant, Text: "Hello?", At: start, Confidence: 1},
			{Number: 1, Speaker: recaller.User, Text: "Hi, um, my elbow, it hurts.", At: start.Add(2250 * time.Millisecond), Confidence: 1},
		},
	}}
	got, err := parse(read(t, "testdata/primock57.json"), transcript.Options{})
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v, conversations (-want +got):\n%s", err, diff)
	}
}

func TestWhatTheSetsCarryForMeasuringIsLeftBehind(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"longmemeval", "harpervalley", "primock57"} {
		got, err := parse(read(t, "testdata/"+name+".json"), transcript.Options{GiveNames: true})
		if err != nil || len(got) == 0 {
			t.Errorf("%s: got %d conversations, %v", name, len(got), err)
		}
		if strings.Contains(fmt.Sprintf("%+v", got), "GOLD") {
			t.Errorf("%s: got %+v, want nothing of the questions, answers, notes and labels", name, got)
		}
	}
}

func TestAFakeNumberIsOnesOwnAndNobodys(t *testing.T) {
	t.Parallel()
	got, again, other := transcript.FakePhone("Patricia Brown"), transcript.FakePhone(" patricia BROWN"), transcript.FakePhone("Mary Smith")
	if got != "+15554280038" || again != got || other == got {
		t.Errorf("got %s, %s and %s, want +15554280038 twice and another", got, again, other)
	}
}

func parse(file string, opts transcript.Options) ([]transcript.Conversation, error) {
	return collect(strings.NewReader(file), opts)
}

func collect(r io.Reader, opts transcript.Options) (all []transcript.Conversation, err error) {
	for conv, err := range transcript.Parse(r, opts) {
		if err != nil {
			if diff := cmp.Diff(transcript.Conversation{}, conv); diff != "" {
				err = errors.Join(err, errors.New("came with a conversation"))
			}
			return all, err
		}
		all = append(all, conv)
	}
	return all, nil
}

func utc(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		panic(err)
	}
	return t
}

func read(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func zip(t testing.TB, s string) string {
	t.Helper()
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	_, err := w.Write([]byte(s))
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}
