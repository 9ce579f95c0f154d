package rehearsal

import (
	"bytes"
	"testing"
)

// The model has the words of what arrived, and of no more.
func TestOnlyWhatArrivedIsKnown(t *testing.T) {
	t.Parallel()
	var h Hearsay
	said := func(text string) []byte {
		t.Helper()
		audio, err := Hum{Hz: 140}.Speak(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		h.Said(text, audio)
		return audio
	}
	dog, time := said("My greyhound is called Bruno, and he limps."), said("Can I come on Thursday?")
	again := said("Can I come on Thursday?")
	quiet := bytes.Repeat([]byte{Quiet}, 5*frameBytes)
	half := len(dog) / 2 / frameBytes * frameBytes
	loud := func(audio []byte) (out []byte) { // as a model keeps it: without the frames that are silent
		for _, f := range frames(audio) {
			if isSpeech(f[:]) {
				out = append(out, f[:]...)
			}
		}
		return out
	}
	for what, c := range map[string]struct {
		audio []byte
		want  string
	}{
		"all of it":              {dog, "My greyhound is called Bruno, and he limps."},
		"without its silences":   {loud(dog), "My greyhound is called Bruno, and he limps."},
		"silence around it":      {bytes.Join([][]byte{quiet, dog, quiet}, nil), "My greyhound is called Bruno, and he limps."},
		"the first half":         {dog[:half], "My greyhound is called"},
		"nothing":                {nil, ""},
		"silence":                {quiet, ""},
		"something else":         {framed(tone(300, Rate, 1600)), ""},
		"two lines":              {append(bytes.Clone(dog), time...), "My greyhound is called Bruno, and he limps. Can I come on Thursday?"},
		"half a line and a line": {append(bytes.Clone(dog[:half]), again...), "My greyhound is called Can I come on Thursday?"},
	} {
		if got := h.Words(c.audio); got != c.want {
			t.Errorf("%s: got %q, want %q", what, got, c.want)
		}
	}
}
