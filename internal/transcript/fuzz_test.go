package transcript_test

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/transcript"
)

// FuzzParse holds for every format what callers rely on: conversations that are whole, then perhaps an Invalid error;
// and the same again for the same file.
func FuzzParse(f *testing.F) {
	f.Add("native", `{"caller":{"phone":"+15551234567"},"external_id":"a","started_at":"2026-03-01","turns":[{"speaker":"user","text":"hi"}]}`)
	f.Add("native", `{"conversations":[{"caller":{"external_id":"u"},"started_at":"2026-03-01T10:00:00Z","turns":[{"speaker":"ai","text":"hi"}]}]}`)
	f.Add("text", "Phone: 1\nStarted: 2026-03-01\n\n[00:00:01] CALLER: hi\n  there\nAGENT (00:02): hello\n---\nANNA: hi\nBEN: ho")
	f.Add("longmemeval", read(f, "testdata/longmemeval.json"))
	f.Add("harpervalley", read(f, "testdata/harpervalley.json"))
	f.Add("primock57", read(f, "testdata/primock57.json"))
	f.Add("", "\x1f\x8b\x08\x00")
	f.Add("", "[00:01] CALLER: hi")
	f.Fuzz(func(t *testing.T, format, file string) {
		opts := transcript.Options{
			Format: transcript.Format(format), Caller: transcript.Caller{Phone: "+15551234567"},
			StartedAt: time.Unix(1_700_000_000, 0), FirstSpeaker: recaller.User,
		}
		got, err := parse(file, opts)
		if err != nil && !errors.Is(err, recaller.Invalid) {
			t.Fatalf("got %v, want an Invalid error", err)
		}
		ids := map[string]bool{}
		for _, c := range got {
			checkWhole(t, c)
			if c.ExternalID != "" && ids[c.ExternalID] {
				t.Fatalf("two conversations are called %q", c.ExternalID)
			}
			ids[c.ExternalID] = true
		}
		again, err2 := parse(file, opts)
		if len(again) != len(got) || (err == nil) != (err2 == nil) {
			t.Fatalf("got %d, %v, then %d, %v", len(got), err, len(again), err2)
		}
	})
}

func checkWhole(t *testing.T, c transcript.Conversation) {
	t.Helper()
	if (c.Caller.Phone == "" && c.Caller.ExternalID == "") || !c.Channel.Valid() || !c.Direction.Valid() || c.StartedAt.IsZero() || len(c.Turns) == 0 {
		t.Fatalf("conversation %+v is not whole", c)
	}
	if c.Status != recaller.Completed && c.Status != recaller.Failed {
		t.Fatalf("got status %q", c.Status)
	}
	if !c.EndedAt.IsZero() && c.EndedAt.Before(c.StartedAt) {
		t.Fatalf("it ends before it starts: %v, %v", c.StartedAt, c.EndedAt)
	}
	for i, turn := range c.Turns {
		if turn.Number != i || !turn.Speaker.Valid() || strings.TrimSpace(turn.Text) == "" || len(turn.Text) > recaller.MaxTurnBytes ||
			!utf8.ValidString(turn.Text) || turn.Confidence < 0 || turn.Confidence > 1 {
			t.Fatalf("turn %d is %+v", i, turn)
		}
	}
}

// FuzzDetect holds that a beginning, however it breaks off, gives one of the formats or an Invalid error.
func FuzzDetect(f *testing.F) {
	for _, name := range []string{"longmemeval", "harpervalley", "primock57"} {
		f.Add(name+".json", []byte(read(f, "testdata/"+name+".json")))
	}
	f.Add("x.json.gz", []byte(zip(f, `[{"question_id":1}]`)))
	f.Add("", []byte("\uFEFF{\"a\":[{\"turns\":[]}],\"turns\":"))
	f.Fuzz(func(t *testing.T, name string, head []byte) {
		format, err := transcript.Detect(name, head)
		if (err == nil) == (format == "") || (err != nil && !errors.Is(err, recaller.Invalid)) {
			t.Fatalf("got %q, %v", format, err)
		}
	})
}
