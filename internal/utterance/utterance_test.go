package utterance

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
)

// part is what is written down of a piece of audio, as /v1/listen sends it.
func part(text string, from, to float64, final, ends bool) string {
	words := `[]`
	if text != "" {
		words = fmt.Sprintf(`[{"word":"x","punctuated_word":"X","start":%g,"end":%g,"confidence":0.9}]`, from, to)
	}
	return fmt.Sprintf(`{"type":"Results","channel_index":[0,1],"start":%g,"duration":%g,"is_final":%t,"speech_final":%t,"from_finalize":false,"channel":{"alternatives":[{"transcript":%q,"confidence":0.8,"words":%s}]},"metadata":{"request_id":"r"}}`,
		from-0.1, to-from+0.2, final, ends, text, words)
}

func turn(n int, event, text string) string {
	return fmt.Sprintf(`{"type":"TurnInfo","request_id":"r","event":%q,"turn_index":%d,"audio_window_start":1.5,"audio_window_end":3.5,"transcript":%q,"words":[{"word":"x","confidence":0.5},{"word":"y","confidence":0.7}],"end_of_turn_confidence":0.8}`, event, n, text)
}

const utteranceEnd = `{"type":"UtteranceEnd","channel":[0,1],"last_word_end":2.5}`

func TestUtterances(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		messages []string
		want     []string // the text, where it begins and ends, and how sure it is
	}{
		"only what is final counts":         {[]string{part("hello", 1, 1.5, false, false), part("hello wor", 1, 2, false, false), part("Hello world.", 1, 2, true, true)}, []string{"Hello world. 1-2 0.8"}},
		"parts are joined":                  {[]string{part("I am", 1, 2, true, false), part("", 2, 3, true, false), part("forty-two", 3, 4, true, false), part("years old.", 4, 5, true, true)}, []string{"I am forty-two years old. 1-5 0.8"}},
		"an end without words":              {[]string{part("Yes.", 1, 2, true, false), part("", 2, 3, true, true)}, []string{"Yes. 1-2 0.8"}},
		"the end is told otherwise":         {[]string{part("Yes.", 1, 2, true, false), utteranceEnd, part("No.", 4, 5, true, false), utteranceEnd}, []string{"Yes. 1-2 0.8", "No. 4-5 0.8"}},
		"and told twice":                    {[]string{part("Yes.", 1, 2, true, true), utteranceEnd, utteranceEnd}, []string{"Yes. 1-2 0.8"}},
		"it was asked for":                  {[]string{part("Yes", 1, 2, true, false), strings.Replace(part("", 2, 3, true, false), `"from_finalize":false`, `"from_finalize":true`, 1)}, []string{"Yes 1-2 0.8"}},
		"an end is final, whatever it says": {[]string{part("Yes.", 1, 2, false, true)}, []string{"Yes. 1-2 0.8"}},
		"silence":                           {[]string{part("", 0, 5, true, false), part(" ", 5, 6, true, true), utteranceEnd}, nil},
		"nothing more comes":                {[]string{part("Good", 1, 2, true, false), `{"type":"Metadata","request_id":"r","duration":3}`}, []string{"Good 1-2 0.8"}},
		"no alternative":                    {[]string{`{"type":"Results","is_final":true,"speech_final":true,"channel":{"alternatives":[]}}`, `{"type":"Results"}`}, nil},
		"no words and no confidence":        {[]string{`{"type":"Results","start":2,"duration":1,"is_final":true,"speech_final":true,"channel":{"alternatives":[{"transcript":"Ja."}]}}`}, []string{"Ja. 2-3 1"}},
		"Flux": {[]string{
			`{"type":"Connected","request_id":"r","sequence_id":0}`, turn(0, "StartOfTurn", "I"), turn(0, "Update", "I want"), turn(0, "EagerEndOfTurn", "I want"),
			turn(0, "TurnResumed", "I want to"), turn(0, "EndOfTurn", "I want to go."), turn(0, "EndOfTurn", "I want to go."), turn(1, "EndOfTurn", ""), turn(2, "EndOfTurn", "Now."),
		}, []string{"I want to go. 1.5-3.5 0.6", "Now. 1.5-3.5 0.6"}},
		"others": {[]string{`{"type":"SpeechStarted","channel":[0],"timestamp":1}`, `{"type":"Tomorrow","start":"x"}`}, nil},
	}
	for name, test := range tests {
		var j Joiner
		var got []string
		for _, m := range test.messages {
			heard, err := j.Read([]byte(m))
			if err != nil {
				t.Fatalf("%s: %s: %v", name, m, err)
			}
			for _, u := range heard.Utterances {
				got = append(got, fmt.Sprintf("%s %g-%g %.2g", u.Text, u.Start.Seconds(), u.End.Seconds(), u.Confidence))
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
		if _, open := j.Open(); open || len(j.Flush()) > 0 {
			t.Errorf("%s: something is held", name)
		}
	}
}

func TestSinceWhenSomebodySpeaks(t *testing.T) {
	t.Parallel()
	var j Joiner
	for _, step := range []struct {
		message string
		want    string
	}{
		{part("so", 1, 1.5, false, false), "1s"},
		{part("so it", 1.2, 2, false, false), "1s"},
		{part("So it", 1, 2, true, false), "1s"},
		{part("is", 2, 3, false, false), "1s"},
		{part("is.", 2, 3, true, true), ""},
		{part("uh", 5, 6, false, false), "5s"},
		{part("", 5, 6, true, false), ""},
		{turn(0, "Update", "and"), "1.5s"},
		{turn(0, "EndOfTurn", "And."), ""},
	} {
		if _, err := j.Read([]byte(step.message)); err != nil {
			t.Fatal(err)
		}
		got := ""
		if since, ok := j.Open(); ok {
			got = since.String()
		}
		if got != step.want {
			t.Errorf("%s: got %q, want %q", step.message, got, step.want)
		}
	}
}

func TestWhatIsTooLongIsSeveral(t *testing.T) {
	t.Parallel()
	var j Joiner
	word := strings.Repeat("é", recaller.MaxTurnBytes/4)
	letters := 0
	for range 5 {
		heard, err := j.Read([]byte(part(word+" "+word+" "+word, 1, 2, true, false)))
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range append(heard.Utterances, j.Flush()...) {
			if len(u.Text) > recaller.MaxTurnBytes || !(u.Confidence > 0 && u.Confidence <= 1) {
				t.Fatalf("an utterance of %d bytes, sure by %g", len(u.Text), u.Confidence)
			}
			letters += strings.Count(u.Text, "é")
		}
	}
	if want := 15 * (recaller.MaxTurnBytes / 4); letters != want {
		t.Errorf("got %d letters, want %d", letters, want)
	}
}

func TestFaultsAndWhatIsNone(t *testing.T) {
	t.Parallel()
	var j Joiner
	if got, err := j.Read([]byte(`{"type":"Error","code":"NET-0001","description":"Anna"}`)); err != nil || got.Fault != "NET-0001" {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, raw := range []string{"", "{", "[]", `{}`, `{"type":7}`, `{"type":"Results","start":"x"}`, `{"type":"TurnInfo","turn_index":"x"}`, `{"type":"Results","x":"` + strings.Repeat("x", MaxMessage) + `"}`} {
		if got, err := j.Read([]byte(raw)); !errors.Is(err, recaller.Invalid) || len(got.Utterances) > 0 {
			t.Errorf("%.60s: got %+v, %v, want it refused", raw, got, err)
		}
	}
}

var noon = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

func after(seconds float64) time.Time { return noon.Add(time.Duration(seconds * float64(time.Second))) }

func TestTheTwoSidesAreInOrder(t *testing.T) {
	t.Parallel()
	var w Weaver
	var got []string
	due := func(now float64) {
		for _, s := range w.Due(after(now)) {
			got = append(got, s.Text)
		}
	}
	add := func(s Side, text string, at, now float64) {
		w.Add(s, Utterance{Text: text}, after(at), after(now))
		due(now)
	}
	add(Other, "Good morning.", 1, 3)
	w.Open(Caller, after(4)) // begins to speak
	add(Other, "How can I help?", 4.5, 5.5)
	if len(got) != 1 {
		t.Errorf("got %q, want the second to wait for what began before it", got)
	}
	w.Open(Caller, time.Time{})
	add(Caller, "I have a question.", 4, 6)
	w.Open(Caller, after(7)) // and rambles on
	add(Other, "Yes?", 10, 11)
	due(18.9)
	want := []string{"Good morning.", "I have a question.", "How can I help?"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	due(19.1) // not for ever
	add(Caller, "A long story.", 7, 30)
	w.Open(Other, after(31))
	add(Caller, "The end.", 32, 33)
	for _, s := range w.Flush() {
		got = append(got, s.Text)
	}
	if want = append(want, "Yes?", "A long story.", "The end."); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWhenAPlaceWasSpoken(t *testing.T) {
	t.Parallel()
	var l Timeline
	if !l.At(0).IsZero() {
		t.Error("a place without audio has a time")
	}
	for i := range 100 { // two seconds
		l.Feed(20*time.Millisecond, after(float64(i)*0.02))
	}
	l.Feed(time.Second, after(10)) // after a gap
	for place, want := range map[float64]float64{0: 0, 1: 1, 1.99: 1.99, 2: 10, 2.5: 10.5, 5: 13} {
		got := l.At(time.Duration(place * float64(time.Second)))
		if d := got.Sub(after(want)); d > time.Millisecond || d < -time.Millisecond {
			t.Errorf("%g s: got %v, want %v", place, got, after(want))
		}
	}
	for i := range 10_000 {
		l.Feed(time.Millisecond, after(float64(20+i)))
	}
	if len(l.marks) > maxMarks {
		t.Errorf("%d marks are held", len(l.marks))
	}
}

func FuzzJoiner(f *testing.F) {
	f.Add([]byte(part("hello", 1, 2, true, false) + "\n" + utteranceEnd + "\n" + turn(3, "EndOfTurn", "x") + "\n" + part("x", -1e300, 1e300, false, false)))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var j Joiner
		check := func(list []Utterance) {
			for _, u := range list {
				if strings.TrimSpace(u.Text) == "" || len(u.Text) > recaller.MaxTurnBytes || !(u.Confidence >= 0 && u.Confidence <= 1) || u.Start < 0 || u.End < u.Start {
					t.Errorf("utterance %+v", u)
				}
			}
		}
		for _, line := range strings.Split(string(raw), "\n") {
			heard, err := j.Read([]byte(line))
			if err != nil && !errors.Is(err, recaller.Invalid) {
				t.Errorf("error %v", err)
			}
			check(heard.Utterances)
			if j.bytes > recaller.MaxTurnBytes {
				t.Errorf("%d bytes are held", j.bytes)
			}
		}
		check(j.Flush())
	})
}
