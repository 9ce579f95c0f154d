package rehearsal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"strings"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/mediastream"
)

// Voice makes sound of words: μ-law at 8 kHz, whole frames.
type Voice interface {
	Speak(ctx context.Context, text string) ([]byte, error)
}

// EspeakProgram is the program that Espeak runs.
const EspeakProgram = "espeak-ng"

// Espeak speaks with espeak-ng. The words go to its standard input: a list of processes shows none.
type Espeak struct {
	Path string // of the program
	Name string // of the voice: "en-gb+m3", "de"
}

// maxSpoken bounds what is spoken at once, in bytes.
const maxSpoken = 4000

// Speak implements Voice.
func (e Espeak) Speak(ctx context.Context, text string) ([]byte, error) {
	if len(text) > maxSpoken {
		return nil, recaller.Errorf(recaller.Invalid, "a line may have %d bytes", maxSpoken)
	}
	cmd := exec.CommandContext(ctx, e.Path, "-v", e.Name, "-s", "160", "-b", "1", "--stdin", "--stdout") //nolint:gosec // the user chose it
	cmd.Stdin = strings.NewReader(text)
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("%s with the voice %q: %w: %s", EspeakProgram, e.Name, err, strings.TrimSpace(complaint.String()))
	}
	if out.Len() == 0 {
		return nil, fmt.Errorf("%s made no sound: %s", EspeakProgram, strings.TrimSpace(complaint.String()))
	}
	samples, rate, err := mono(out.Bytes())
	if err != nil {
		return nil, errors.Join(errors.New(EspeakProgram+" made a sound that cannot be read"), err)
	}
	return framed(quieten(resample(samples, rate))), nil
}

// Hum hums words: a tone for each, as long as it takes to say it. It needs no program.
type Hum struct{ Hz float64 }

// How long a hummed word takes.
const (
	humLetter = Rate * 55 / 1000
	humGap    = Rate * 60 / 1000
)

// Speak implements Voice. No two words of a call sound the same, or the model could not tell which it hears.
func (h Hum) Speak(_ context.Context, text string) ([]byte, error) {
	if len(text) > maxSpoken {
		return nil, recaller.Errorf(recaller.Invalid, "a line may have %d bytes", maxSpoken)
	}
	var samples []int16
	for n, word := range strings.Fields(text) {
		sum := 0
		for _, r := range word {
			sum = (sum*31 + int(r)) % 997
		}
		hz := h.Hz * (1 + float64(sum)/997 + float64(n%7)/50)
		length := (1 + utf8.RuneCountInString(word)) * humLetter
		for i := range length {
			swell := math.Sin(math.Pi * float64(i) / float64(length))
			samples = append(samples, int16(7000*swell*math.Sin(2*math.Pi*hz*float64(i)/Rate)))
		}
		samples = append(samples, make([]int16, humGap)...)
	}
	return framed(quieten(samples)), nil
}

// gate is what counts as silence, of 32768.
const gate = 24

// quieten makes silence of what nobody hears, and takes away that at both ends.
func quieten(samples []int16) []int16 {
	first, last := len(samples), 0
	for i, v := range samples {
		if v > -gate && v < gate {
			samples[i] = 0
			continue
		}
		first, last = min(first, i), i+1
	}
	if first >= last {
		return nil
	}
	return samples[first:last]
}

// framed makes μ-law of samples, in whole frames.
func framed(samples []int16) []byte {
	frames := (len(samples) + frameBytes - 1) / frameBytes
	out := bytes.Repeat([]byte{Quiet}, frames*frameBytes)
	for i, v := range samples {
		out[i] = ulaw(v)
	}
	return out
}

// Length is how long sound takes.
func Length(audio []byte) (ms int) { return len(audio) / mediastream.BytesPerMS }

// taps is how many samples of the result a filter reaches to each side.
const taps = 12

// resample brings sound to Rate, by a windowed sinc that lets through what a telephone does.
func resample(in []int16, rate int) []int16 {
	if rate == Rate {
		return in
	}
	step := float64(rate) / Rate
	reach := taps * step
	out := make([]int16, int(float64(len(in))/step))
	for i := range out {
		at := float64(i) * step
		var sum, weight float64
		for k := max(0, int(at-reach)); k <= min(len(in)-1, int(at+reach)); k++ {
			x := (float64(k) - at) / step
			w := sinc(x) * (0.5 + 0.5*math.Cos(math.Pi*x/taps))
			sum += w * float64(in[k])
			weight += w
		}
		out[i] = int16(max(-32768, min(32767, sum/weight)))
	}
	return out
}

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Sin(math.Pi*x) / (math.Pi * x)
}
