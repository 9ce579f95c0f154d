package bridge_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller/internal/bridge"
	"github.com/recallerhq/recaller/internal/mediastream"
	"github.com/recallerhq/recaller/internal/realtime"
	"github.com/recallerhq/recaller/internal/rehearsal"
)

// Whatever the pace of the model and whenever the caller speaks, what is kept of an answer is what was audible of it, to
// 100 ms and the word that they fall into.
func TestWhatIsKeptIsWhatWasAudible(t *testing.T) {
	for seed := range uint64(20) {
		side := sides[seed%uint64(len(sides))]
		t.Run(fmt.Sprintf("%d, %s", seed, side.name), func(t *testing.T) {
			chance, rnd := rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, 2)) // the caller's, and the model's
			pick := func(rnd *rand.Rand, of ...time.Duration) time.Duration {
				return of[rnd.IntN(len(of))] * time.Millisecond
			}
			said := map[int]string{}
			stages(t, plot{
				wire: side.wire, call: bridge.Call{Provider: side.provider, SpeaksFirst: seed%2 == 0}, phone: rehearsal.PhoneOptions{Swap: side.swap},
				model: rehearsal.ModelOptions{
					Piece: pick(rnd, 20, 40, 130, 200, 450), Speed: 1 + rnd.IntN(20),
					Listen: func(_, n int, _ []byte) (string, time.Duration) {
						return fmt.Sprintf("u%d", n), pick(rnd, 0, 50, 300, 2500)
					},
					Think: func(h rehearsal.Heard) rehearsal.Reply {
						text := fmt.Sprintf("r%d", h.N)
						for range 1 + rnd.IntN(25) {
							text += " " + strings.Repeat("x", 1+rnd.IntN(8))
						}
						said[h.N] = text
						if rnd.IntN(2) == 0 { // what it says of the result is played behind this
							return rehearsal.Reply{Say: text, Calls: []realtime.Call{{Name: "list_reminders", Arguments: object(`{}`)}}}
						}
						return rehearsal.Reply{Say: text}
					},
				},
			}, func(s *stage) {
				for range 8 {
					s.pass(pick(chance, 300, 700, 1100, 2300, 5300, 9000))
					s.phone.Say(rehearsal.Tone(98, pick(chance, 200, 500, 1700)))
				}
				s.pass(pick(chance, 1000, 3000, 15000))
				s.hangUp()
				s.model.Wait()
				audible(s, said)
				if side.provider.Maker != bridge.XAI { // which is told to stop, though it may have
					s.clean()
				}
			})
		})
	}
}

// audible compares what was kept with what was played: each answer has a tone of its own.
func audible(s *stage, said map[int]string) {
	s.Helper()
	sound, last := s.phone.Heard(), map[string]int{}
	kept := map[int]string{}
	for _, line := range s.book.Said() {
		speaker, text, _ := strings.Cut(line, ": ")
		var n int
		if _, err := fmt.Sscanf(text[1:], "%d", &n); err != nil {
			s.Fatalf("kept %q", line)
		}
		if n <= last[speaker] {
			s.Errorf("%q came after %s %d", line, speaker, last[speaker])
		}
		last[speaker] = n
		if speaker == "assistant" {
			kept[n] = text
		}
	}
	for n, text := range said {
		whole := len(text) * 60
		heard := bytes.Count(sound, rehearsal.Tone(n, time.Millisecond)[:1]) / mediastream.BytesPerMS
		words, isCut := strings.CutSuffix(kept[n], " —")
		spoken := len(words) * 60
		switch {
		case !strings.HasPrefix(text, words):
			s.Errorf("kept %q of %q", words, text)
		case words == text && !isCut && heard < whole-100:
			s.Errorf("%d ms of %d were heard, and all is kept", heard, whole)
		case words != text && (spoken > heard || heard-spoken > 100+9*60):
			s.Errorf("%d ms of %d were heard, and %d are kept: %q of %q", heard, whole, spoken, kept[n], text)
		}
	}
}
