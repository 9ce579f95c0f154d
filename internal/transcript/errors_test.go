package transcript_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/transcript"
)

func TestAnErrorNamesThePlaceAndNotTheWords(t *testing.T) {
	t.Parallel()
	const good = `{"caller":{"phone":"+15551234567"},"external_id":"a","started_at":"2026-03-01","turns":[{"speaker":"user","text":"SAID"}]}` + "\n"
	with := func(old, replacement string) string {
		return good + strings.NewReplacer(`"a"`, `"b"`, old, replacement).Replace(good)
	}
	const head = "Phone: +15551234567\nStarted: 2026-03-01\n"
	long := strings.Repeat("SAID ", recaller.MaxTurnBytes/5+1)
	tests := []struct{ name, file, want string }{
		{"empty", "", "empty"},
		{"only space", " \n\t", "empty"},
		{"no conversation", "nothing that was SAID by anyone", `lines such as "CALLER: hello"`},
		{"binary", "\x00\x01\x02CALLER: SAID", "expected JSON, or text"},
		{"other JSON", `{"messages": ["SAID"]}`, "none of ours"},

		{"broken JSON", good + "{\"caller\":\n}", "line 3: is not valid JSON"},
		{"JSON that breaks off", good + `{"caller":`, "line 2: the JSON breaks off"},
		{"an array that breaks off", "[" + good, "the JSON breaks off"},
		{"more after an array", "[" + good + "]\n\n{}", "line 4: expected the file to end"},
		{"a wrong type", with(`"SAID"`, "7"), "line 2: turns.text: expected a string, got number"},
		{"a wrong type further down", good + "{\"caller\":{},\n\"turns\":\n7}", "line 4: turns: expected an array, got number"},
		{"not an object", good + "7", "line 2: expected an object, got number"},
		{"nobody calls", with(`"phone":"+15551234567"`, ""), "line 2: caller: expected a phone or an external_id"},
		{"no time", with(`"started_at":"2026-03-01",`, ""), "line 2: started_at: expected a time"},
		{"a time that is none", with(`"2026-03-01"`, `"SAID"`), "line 2: started_at: expected a time"},
		{"the end before the start", with(`"turns"`, `"ended_at":"2025-01-01","turns"`), "line 2: ended_at: expected a time"},
		{"no turns", with(`{"speaker":"user","text":"SAID"}`, ""), "line 2: turns: expected at least one"},
		{"no speaker", with(`"user"`, `"SAID"`), "line 2: turns[0].speaker: expected user or assistant"},
		{"no text", with(`"SAID"`, `" "`), "line 2: turns[0].text: expected what was said"},
		{"too much text", with(`"SAID"`, `"`+long+`"`), "line 2: turns[0].text: expected at most 65536 bytes"},
		{"a turn's time that is none", with(`"text"`, `"at":"SAID","text"`), "line 2: turns[0].at: expected a time"},
		{"a confidence past one", with(`"text"`, `"confidence":1.5,"text"`), "line 2: turns[0].confidence: expected a number from 0 to 1"},
		{"another channel", with(`"turns"`, `"channel":"SAID","turns"`), "line 2: channel: expected one of"},
		{"another direction", with(`"turns"`, `"direction":"SAID","turns"`), "line 2: direction: expected"},
		{"a call that goes on", with(`"turns"`, `"status":"active","turns"`), "line 2: status: expected"},
		{"the same id twice", good + good, "line 2: external_id: is the same"},
		{"inside conversations", `{"conversations":[` + good + `,{"caller":{"phone":"1"},"started_at":"2026-03-01"}]}`, "conversations[1].turns: expected at least one"},

		{"text without a caller", "CALLER: SAID", "line 1: expected to be told who calls"},
		{"text without a time", "Phone: +15551234567\n\nCALLER: SAID", "line 1: expected to be told when"},
		{"text with a bad time", "Started: SAID\n\nCALLER: SAID", "line 1: Started: expected a time"},
		{"text with a bad channel", head + "Channel: SAID\n\nCALLER: SAID", "line 3: Channel: expected one of"},
		{"words before a speaker", head + "\nSAID\nCALLER: SAID", "line 4: expected a speaker first"},
		{"two strangers", head + "\nANNA: SAID\nBEN: SAID", "line 4: cannot tell who is the caller"},
		{"a third side", head + "\nCALLER: SAID\nAGENT: SAID\nMUM: SAID", "line 6: a speaker that is neither"},
		{"a header and no words", head + "\nCALLER:\n", "line 1: the conversation has no words"},
		{"the second without words", head + "\nCALLER: SAID\n---\nStarted: 2026-03-02\n", "line 6: the conversation has no words"},
		{"a turn without end", head + "\nCALLER: hi\n" + strings.Repeat("SAID SAID SAID\n", recaller.MaxTurnBytes/15+1), "line 4: expected a turn of at most"},
		{"a line without end", head + "\nCALLER: hi\n" + strings.Repeat("x", 2<<20), "line 5: expected a line of at most"},

		{"LongMemEval without an id", `[{"question_id":"","haystack_sessions":[]}]`, "line 1: question_id: expected an id"},
		{"LongMemEval, dates missing", `[{"question_id":"q","haystack_sessions":[[]]}]`, "haystack_sessions: expected as many as"},
		{"LongMemEval, a bad role", `[{"question_id":"q","haystack_dates":["2023/05/20 (Sat) 15:08"],"haystack_session_ids":["s"],"haystack_sessions":[[{"role":"SAID"}]]}]`, "haystack_sessions[0][0].role: expected"},
		{"HarperValley without a time", `{"sid":"c"}`, "line 1: start_time_ms: expected"},
		{"HarperValley, another role", `{"sid":"c","start_time_ms":1,"end_time_ms":2,"segments":[{"speaker_role":"SAID"}]}`, "segments[0].speaker_role: expected"},
		{"HarperValley without words", `{"sid":"c","start_time_ms":1,"end_time_ms":2,"segments":[]}`, "line 1: segments: expected words"},
		{"PriMock57, another speaker", `[{"id":"x","duration_s":1,"turns":[{"speaker":"SAID"}]}]`, "turns[0].speaker: expected"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := parse(test.file, transcript.Options{})
			var e *recaller.Error
			if !errors.As(err, &e) || e.Kind != recaller.Invalid || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got %d conversations and error %v, want Invalid with %q", len(got), err, test.want)
			}
			if strings.Contains(err.Error(), "SAID") {
				t.Errorf("error %q repeats what was said", err)
			}
		})
	}
}

func TestWhatWasReadBeforeAnErrorCounts(t *testing.T) {
	t.Parallel()
	const line = `{"caller":{"phone":"+15551234567"},"started_at":"2026-03-01","turns":[{"speaker":"user","text":"hi"}]}` + "\n"
	if got, err := parse(line+line+"{", transcript.Options{}); len(got) != 2 || err == nil {
		t.Errorf("got %d conversations and %v, want 2 and an error", len(got), err)
	}
}

func TestABrokenArchiveIsAnError(t *testing.T) {
	t.Parallel()
	whole := zip(t, strings.Repeat("CALLER: hi\nAGENT: hello\n", 20000))
	for name, file := range map[string]string{"cut": whole[:len(whole)/2], "no gzip": "\x1f\x8bno gzip at all"} {
		if got, err := parse(file, transcript.Options{Format: transcript.Text}); !errors.Is(err, recaller.Invalid) {
			t.Errorf("%s: got %d conversations and %v, want Invalid", name, len(got), err)
		}
	}
}

func TestAFormatThatIsNone(t *testing.T) {
	t.Parallel()
	if _, err := parse("CALLER: hi", transcript.Options{Format: "csv"}); err == nil || !strings.Contains(err.Error(), "native") {
		t.Errorf("got %v, want an error that lists the formats", err)
	}
}

func TestDetect(t *testing.T) {
	t.Parallel()
	native := `{"caller":{"phone":"+15551234567"},"metadata":{"question_id":1},"turns":[` + strings.Repeat(" ", transcript.HeadSize)
	tests := []struct {
		name, file, head string
		want             transcript.Format
	}{
		{"LongMemEval", "x.json", read(t, "testdata/longmemeval.json"), transcript.LongMemEval},
		{"LongMemEval, zipped and cut", "x.json.gz", zip(t, read(t, "testdata/longmemeval.json"))[:300], transcript.LongMemEval},
		{"HarperValley", "", read(t, "testdata/harpervalley.json"), transcript.HarperValley},
		{"HarperValley, cut", "", read(t, "testdata/harpervalley.json")[:60], transcript.HarperValley},
		{"PriMock57", "", read(t, "testdata/primock57.json"), transcript.PriMock57},
		{"native", "", native, transcript.Native},
		{"native, cut in a key", "x.jsonl", `{"turns":[{"spea`, transcript.Native},
		{"many native", "", `{"conversations":[`, transcript.Native},
		{"text", "x.txt", "Phone: 1\n\nCALLER: hi", transcript.Text},
		{"text with times", "", "[00:00:01] CALLER: hi", transcript.Text},
		{"JSON that is none", "x.json", "CALLER: hi", ""},
		{"prose", "x.txt", "dear diary", ""},
		{"nothing", "x.txt", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := transcript.Detect(test.file, []byte(test.head))
			if got != test.want || (err == nil) != (test.want != "") {
				t.Errorf("got %q, %v, want %q", got, err, test.want)
			}
		})
	}
}
