package realtime

import (
	"slices"
	"testing"
	"time"
)

// Two items of one response are played one after the other, however fast they came: only who moves the audio knows when
// the second one was heard.
func TestWhatIsWatchedIsHeardWhenItWasPlayed(t *testing.T) {
	t.Parallel()
	d, at := NewWatched(8, Pace{}), noon
	var got []string
	take := func(out Output, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, lines(out.Turns)...)
	}
	steps := append([]step{{0, pcmu}}, answers("one", "", "The first of two", 4000, "completed")...)
	steps = append(steps, answers("two", "one", "and the second of them", 4000, "completed")...)
	for _, s := range steps {
		at = at.Add(time.Duration(s.after) * time.Millisecond)
		take(d.event([]byte(s.event), at))
	}
	at = at.Add(30 * time.Second)
	take(d.Tick(at), nil)
	if len(got) > 0 {
		t.Errorf("before anything was played: got %q", got)
	}
	take(d.Played("one", at), nil)
	take(d.event([]byte(`{"type":"conversation.item.truncate","item_id":"two","content_index":0,"audio_end_ms":2000}`), at))
	take(d.Played("nobody", at), nil)
	if want := []string{"assistant: The first of two", "assistant: and the —"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWhatWasNotPlayedAtTheEndWasBroken(t *testing.T) {
	t.Parallel()
	d, at := NewWatched(8, Pace{}), noon
	for _, s := range append([]step{{0, pcmu}}, answers("one", "", "Good morning", 1000, "completed")...) {
		at = at.Add(time.Duration(s.after) * time.Millisecond)
		if _, err := d.event([]byte(s.event), at); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := lines(d.Flush(at.Add(time.Minute)).Turns), []string{"assistant: Good morning —"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
