package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/config"
	"github.com/recallerhq/recaller/internal/transcript"
)

func TestSidesAlternateUnlessALineSaysWhoSpeaks(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		alone bool
		typed []string
		want  []string
	}{
		{"in turn", false, []string{"hello", "hi", "bye"}, []string{"user: hello", "assistant: hi", "user: bye"}},
		{"an empty line passes the turn", false, []string{"", "good morning", "hello"}, []string{"assistant: good morning", "user: hello"}},
		{"a label", false, []string{"A: good morning", "hello", "C: are you there?", "yes"}, []string{"assistant: good morning", "user: hello", "user: are you there?", "assistant: yes"}},
		{"a transcript's labels", false, []string{"AGENT: hi", "Customer: hello"}, []string{"assistant: hi", "user: hello"}},
		{"as a command", false, []string{"/a good morning", "hello"}, []string{"assistant: good morning", "user: hello"}},
		{"a label alone turns to that side", false, []string{"A:", "good morning"}, []string{"assistant: good morning"}},
		{"a colon is no label", false, []string{"at 5:30, please", "note: fine"}, []string{"user: at 5:30, please", "assistant: note: fine"}},
		{"with a model only the caller types", true, []string{"hello", "", "A: bye"}, []string{"user: hello", "user: bye"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := sides{next: recaller.User, alone: test.alone}
			var got []string
			for _, raw := range test.typed {
				if l := s.read(raw); l.text != "" {
					got = append(got, string(l.speaker)+": "+l.text)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("said (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCommandsAreReadWithTheirRest(t *testing.T) {
	t.Parallel()
	s := sides{next: recaller.User}
	if got, want := s.read("  /Recall  the boiler "), (line{command: "recall", rest: "the boiler"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if s.next != recaller.User {
		t.Error("a command took a turn")
	}
}

func TestTheInProcessServerStreams(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("X-Path", r.URL.Path)
		w.WriteHeader(http.StatusAccepted)
		w.WriteHeader(http.StatusTeapot) // a second header is ignored, as on a wire
		fmt.Fprintf(w, "first %s\n", body)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(gone)
	})
	transport, _ := serveInProcess(handler)
	client := &http.Client{Transport: transport}
	res, err := client.Post(inProcessURL+"/events", "text/plain", strings.NewReader("hello"))
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != http.StatusAccepted || res.Header.Get("X-Path") != "/events" {
		t.Errorf("got status %d, path %q", res.StatusCode, res.Header.Get("X-Path"))
	}
	got, err := bufio.NewReader(res.Body).ReadString('\n')
	if err != nil || got != "first hello\n" {
		t.Errorf("got %q, %v, while the handler still runs", got, err)
	}
	res.Body.Close()
	select {
	case <-gone:
	case <-time.After(10 * time.Second):
		t.Error("the handler does not learn that the client has gone")
	}
}

func TestTheInProcessServerIsNotWaitedForForEver(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	transport, closed := serveInProcess(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(func() { _ = closed() }) // never fails, and ends what the handler waits for
	client := &http.Client{Transport: transport}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, inProcessURL, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Do(req); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the deadline", err)
	}
}

func TestWordsWithoutTimesGetThePaceOfSpeech(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 10, 2, 12, 0, 0, 0, time.UTC)
	conv := transcript.Conversation{StartedAt: now, Turns: []recaller.Turn{
		{Speaker: recaller.User, Text: "one two three four five"},
		{Speaker: recaller.Assistant, Text: "one"},
	}}
	got := paced(conv, now)
	if !got.EndedAt.Equal(now) {
		t.Errorf("it ends %s, want now at the latest", got.EndedAt)
	}
	if gap := got.Turns[1].At.Sub(got.Turns[0].At); gap != 2500*time.Millisecond {
		t.Errorf("five words take %s, want 2.5s", gap)
	}
	if !conv.Turns[1].At.IsZero() {
		t.Error("the conversation it was given was changed")
	}
	conv.Turns[0].At = now.Add(-time.Hour)
	if got := paced(conv, now); !got.Turns[1].At.IsZero() {
		t.Error("times were added to a conversation that has times")
	}
}

func TestAPassageIsThePartThatAnswers(t *testing.T) {
	t.Parallel()
	text := "I like trains. My commute takes 45 minutes. It is long. What about you?"
	if got, want := passage(text, "how long is the commute", 1), "… My commute takes 45 minutes. …"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := passage("Just one.", "commute", 2); got != "Just one." {
		t.Errorf("got %q", got)
	}
}

func TestAddressesToListenOnBecomeOnesToDial(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{
		":8787": "127.0.0.1:8787", "0.0.0.0:80": "127.0.0.1:80", "[::]:80": "127.0.0.1:80",
		"10.0.0.7:80": "10.0.0.7:80", "memory.internal:80": "memory.internal:80",
	} {
		if got := dialable(addr); got != want {
			t.Errorf("dialable(%q) = %q, want %q", addr, got, want)
		}
	}
}

func TestTheKeyInTheDataFolderIsNotSentToStrangers(t *testing.T) {
	t.Parallel()
	cfg := config.Config{Data: t.TempDir(), Addr: "memory.internal:8787"}
	path := filesOf(cfg).apiKey
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("rk_default_secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for base, want := range map[string]string{
		"http://memory.internal:8787": "rk_default_secret",
		"http://127.0.0.1:9000":       "rk_default_secret",
		"http://localhost:9000":       "rk_default_secret",
		"https://example.com":         "",
		"http://127.0.0.1.evil.test":  "",
	} {
		if got := apiKey(cfg, base); got != want {
			t.Errorf("to %s: got %q, want %q", base, got, want)
		}
	}
	chosen := map[string]string{"RECALLER_API_KEY": "rk_chosen_by_hand_0123456789abcdef"}
	cfg, err := config.Load(config.Options{Env: func(k string) (string, bool) { v, ok := chosen[k]; return v, ok }})
	if err != nil {
		t.Fatal(err)
	}
	if got := apiKey(cfg, "https://example.com"); got != "rk_chosen_by_hand_0123456789abcdef" {
		t.Errorf("a configured key is not used: got %q", got)
	}
}

func TestOrdinal(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 13: "13th", 22: "22nd", 113: "113th"} {
		if got := ordinal(n); got != want {
			t.Errorf("ordinal(%d) = %q, want %q", n, got, want)
		}
	}
}

func FuzzSides(f *testing.F) {
	f.Add("A: hello")
	f.Add("/recall x")
	f.Add(" : ")
	f.Fuzz(func(t *testing.T, raw string) {
		s := sides{next: recaller.User}
		l := s.read(raw)
		if !s.next.Valid() {
			t.Errorf("after %q it is the turn of %q", raw, s.next)
		}
		if l.text != "" && !l.speaker.Valid() {
			t.Errorf("%q is said by %q", raw, l.speaker)
		}
	})
}

// The calls of the demo name days of the week: they stay on theirs. The one that broke off did so just now.
func TestTheDemosCallsKeepTheirDaysOfTheWeek(t *testing.T) {
	t.Parallel()
	for _, end := range []time.Time{
		time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), time.Date(2026, 11, 22, 19, 0, 0, 0, time.UTC), time.Date(2029, 2, 3, 4, 5, 6, 0, time.UTC),
	} {
		played, err := ownShow(end)
		if err != nil {
			t.Fatal(err)
		}
		before, err := readAll(played.sources[0])
		if err != nil {
			t.Fatal(err)
		}
		after, _ := readAll(played.sources[0])
		moveUp(after, end)
		for i := range after {
			was, is := before[i].StartedAt, after[i].StartedAt
			switch {
			case after[i].EndedAt.After(end):
				t.Errorf("%s: call %d ends at %s, which is to come", end, i, after[i].EndedAt)
			case after[i].Status == recaller.Failed:
				if end.Sub(after[i].EndedAt) > time.Second {
					t.Errorf("%s: the call that broke off did so at %s", end, after[i].EndedAt)
				}
			case was.Weekday() != is.Weekday() || was.Format("15:04:05") != is.Format("15:04:05"):
				t.Errorf("%s: call %d moved from %s to %s", end, i, was, is)
			}
		}
	}
}
