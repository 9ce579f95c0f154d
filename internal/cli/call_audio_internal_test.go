package cli

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/cli/term"
	"github.com/recallerhq/recaller/internal/rehearsal"
)

// hummed is a call that is spoken, whose parts a test looks into. It is not held yet.
func hummed(t *testing.T, cmd *callCmd, in io.Reader, shown io.Writer) *studio {
	t.Helper()
	getenv := func(string) string { return "" }
	s := &session{
		globals: &globals{Data: filepath.Join(t.TempDir(), "data")}, getenv: getenv, in: in,
		out: term.New(shown, getenv), err: term.New(io.Discard, getenv),
	}
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
	cmd.Audio, cmd.Voice, cmd.Quiet = true, tones, true
	st, err := cmd.studio(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := st.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	return st
}

// The caller speaks over the agent. What was audible of it by then the model is told, and the words of so much
// are kept. It is played as fast as it is spoken.
func TestWhatIsKeptIsWhatWasAudible(t *testing.T) {
	t.Parallel()
	const said = "Hello, this is the rehearsal line. Who is calling, please?"
	st := hummed(t, &callCmd{}, strings.NewReader("! Stop, my boiler leaks.\n"), io.Discard)
	if err := st.hold(t.Context()); err != nil {
		t.Fatal(err)
	}
	record, err := st.api.Conversation(t.Context(), st.platform.Call)
	if err != nil {
		t.Fatal(err)
	}
	if len(record.Turns) < 2 {
		t.Fatalf("got %d turns", len(record.Turns))
	}
	first, cuts := record.Turns[0], st.model.Cuts()
	if first.Speaker != recaller.Assistant || !first.Interrupted || !strings.HasPrefix(said, first.Text) || first.Text == said {
		t.Fatalf("got %+v", first)
	}
	audible := st.caller.Agent()[0].Length()
	// To 100 ms it is shown in package bridge, whose clock is told; here it runs, on a machine that may be slow.
	if len(cuts) != 1 || (audible-time.Duration(cuts[0].MS)*time.Millisecond).Abs() > 400*time.Millisecond {
		t.Errorf("the model was told %+v, and %v were audible", cuts, audible)
	}
	takes := func(text string) time.Duration {
		t.Helper()
		audio, err := rehearsal.Hum{Hz: agentHz}.Speak(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		return time.Duration(rehearsal.Length(audio)) * time.Millisecond
	}
	// words are told by their share of the letters, which are hummed for 55 ms each, and words 115 ms more
	if kept := takes(first.Text); (kept - audible).Abs() > 600*time.Millisecond {
		t.Errorf("%q takes %v, and %v were audible", first.Text, kept, audible)
	}
}

// What is typed is said at once; what cannot be read is told, and the call goes on.
func TestASpokenCallThatIsTyped(t *testing.T) {
	t.Parallel()
	in, typing := io.Pipe()
	var shown bytes.Buffer
	st := hummed(t, &callCmd{audioFlags: audioFlags{Fast: true, Script: "-"}}, strings.NewReader(""), &shown)
	st.typed, st.session.in = true, in
	go func() {
		_, _ = io.WriteString(typing, "/sing\n\nMy boiler leaks.\n")
		_ = st.caller.Pause(context.Background(), 6*time.Second) // of the call, in which it is said and written down
		_, _ = io.WriteString(typing, "/hangup\n")
	}()
	if err := st.hold(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"You are the caller", "there is no /sing here", "caller › My boiler leaks.", "the caller hangs up"} {
		if !strings.Contains(shown.String(), part) {
			t.Errorf("what is shown lacks %q:\n%s", part, shown.String())
		}
	}
}

// A player that is in the PATH is given the call as it goes on: both sides, as the file has them.
func TestACallIsPlayedWhileItGoesOn(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	heard := filepath.Join(folder, "heard")
	script := "#!/bin/sh\nexec cat > '" + heard + "'\n"
	if err := os.WriteFile(filepath.Join(folder, "aplay"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	s := &session{globals: &globals{}, getenv: func(name string) string {
		return map[string]string{"PATH": folder + string(filepath.ListSeparator) + "/bin"}[name]
	}}
	p, ok := s.listen(t.Context())
	if !ok {
		t.Fatal("there is no player")
	}
	said, played := bytes.Repeat([]byte{0x10}, 160), bytes.Repeat([]byte{0x20}, 160)
	for range 5 {
		p.hear(said, played)
	}
	p.close()
	got, err := os.ReadFile(heard)
	if err != nil || !bytes.Equal(got, bytes.Repeat(rehearsal.Samples(said, played), 5)) {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
	s.getenv = func(string) string { return "" }
	if _, ok := s.listen(t.Context()); ok {
		t.Error("there is a player where there is no PATH")
	}
}

// A webhook whose signature is not that of the token is refused, in a rehearsal as well: the door is the real one.
func TestTheDoorOfARehearsalIsTheRealOne(t *testing.T) {
	t.Parallel()
	st := hummed(t, &callCmd{}, strings.NewReader(""), io.Discard)
	st.platform.Token = strings.Repeat("0", 32)
	if _, err := st.platform.Ring(t.Context()); err == nil || !strings.Contains(err.Error(), "403") {
		t.Errorf("got %v, want 403", err)
	}
	elsewhere := httptest.NewServer(http.NotFoundHandler())
	defer elsewhere.Close()
	st.platform.Base = elsewhere.URL
	if _, err := st.platform.Ring(t.Context()); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("got %v, want 404", err)
	}
}
