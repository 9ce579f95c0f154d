// Package rehearsal is a telephone without a telephone, and a realtime model without a model: both speak the real wire, so
// that a call can be tried from end to end. Phone is the platform's side of a media stream, Twilio's or Telnyx's; Model is
// the server's side of a realtime API, OpenAI's in both generations, xAI's, or Deepgram's voice agent.
//
// It is for whoever wants to try a call (recaller call --audio), and for tests; the server does not use it.
package rehearsal

import (
	"slices"
	"time"

	"github.com/recallerhq/recaller/internal/mediastream"
)

// FrameMS is how much audio a telephone sends at a time, in milliseconds; frameBytes are its bytes.
const (
	FrameMS    = 20
	frameBytes = FrameMS * mediastream.BytesPerMS
)

// Quiet is μ-law for silence.
const Quiet = 0xFF

// Tone is audio that sounds like nothing, but can be told from other tones: n says which.
func Tone(n int, d time.Duration) []byte {
	audio := make([]byte, int(d.Milliseconds())*mediastream.BytesPerMS)
	for i := range audio {
		audio[i] = byte(1 + n%100)
	}
	return audio
}

// isSpeech reports whether something is said in a piece of audio.
func isSpeech(audio []byte) bool {
	return slices.ContainsFunc(audio, func(b byte) bool { return b != Quiet && b != 0x7F })
}
