//go:build measure

package rehearsal

import (
	"bytes"
	"os/exec"
	"testing"
)

// espeak-ng speaks (make telephone-speech), in whole frames, as long as one would, and another voice is another sound.
func TestEspeakSpeaks(t *testing.T) {
	t.Parallel()
	path, err := exec.LookPath(EspeakProgram)
	if err != nil {
		t.Fatal("espeak-ng is not installed: make telephone-speech installs it")
	}
	speak := func(voice, text string) []byte {
		t.Helper()
		audio, err := Espeak{Path: path, Name: voice}.Speak(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		return audio
	}
	const line = "My greyhound is called Bruno, and he limps."
	audio := speak("en-gb+m3", line)
	if ms := Length(audio); ms < 1500 || ms > 5000 || len(audio)%frameBytes != 0 {
		t.Errorf("it takes %d ms, %d bytes", ms, len(audio))
	}
	if bytes.Equal(audio, speak("en-us+f3", line)) {
		t.Error("two voices are one")
	}
	if got := speak("de", "Können Sie mich am Donnerstag zurückrufen? --help"); Length(got) < 1500 {
		t.Errorf("German takes %d ms", Length(got))
	}
	if _, err := (Espeak{Path: path, Name: "nobody"}).Speak(t.Context(), line); err == nil {
		t.Error("a voice that is not there speaks")
	}
}
