package rehearsal

import (
	"encoding/binary"
	"math"
	"testing"
)

// The values of ITU-T G.711, as sox makes them.
func TestLaw(t *testing.T) {
	t.Parallel()
	for sample, want := range map[int16]byte{0: 0xFF, 1000: 0xCE, -1000: 0x4E, 32767: 0x80, -32768: 0x00, 8: 0xFE, -8: 0x7E} {
		if got := ulaw(sample); got != want {
			t.Errorf("%d is %#x, want %#x", sample, got, want)
		}
	}
	for b := range 256 {
		if got := ulaw(linear(byte(b))); got != byte(b) && b != 0x7F { // there are two zeros
			t.Errorf("%#x comes back as %#x", b, got)
		}
	}
}

func tone(hz float64, rate, n int) []int16 {
	out := make([]int16, n)
	for i := range out {
		out[i] = int16(10000 * math.Sin(2*math.Pi*hz*float64(i)/float64(rate)))
	}
	return out
}

func loudness(samples []int16) float64 {
	sum := 0.0
	for _, v := range samples {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum / float64(len(samples)))
}

// What a telephone carries is as loud as before; what is too high for it is gone, and not heard as something else.
func TestSoundIsBroughtToTheRateOfTelephones(t *testing.T) {
	t.Parallel()
	for hz, want := range map[float64]float64{200: 1, 1000: 1, 3000: 1, 5500: 0, 9000: 0} {
		in := tone(hz, 22050, 22050)
		out := resample(in, 22050)
		if len(out) != Rate {
			t.Fatalf("a second has %d samples", len(out))
		}
		if got := loudness(out) / loudness(in); math.Abs(got-want) > 0.05 {
			t.Errorf("%v Hz comes with %.3f of its loudness, want %v", hz, got, want)
		}
	}
}

// Both sides are in the file, and it says how long it is.
func TestACallAsAFile(t *testing.T) {
	t.Parallel()
	left, right := framed(tone(400, Rate, 4000)), framed(tone(900, Rate, 4000))
	wav := Stereo(left, right)
	if len(wav) != 44+4*4000 || string(wav[:4]) != "RIFF" || string(wav[8:16]) != "WAVEfmt " {
		t.Fatalf("got %d bytes, %q", len(wav), wav[:16])
	}
	le := binary.LittleEndian
	if got := []uint32{le.Uint32(wav[4:]), uint32(le.Uint16(wav[22:])), le.Uint32(wav[24:]), le.Uint32(wav[40:])}; got[0] != uint32(len(wav)-8) || got[1] != 2 || got[2] != 8000 || got[3] != 16000 {
		t.Errorf("the head says %v", got)
	}
	if l, r := int16(le.Uint16(wav[44+4*1000:])), int16(le.Uint16(wav[44+4*1000+2:])); l != linear(left[1000]) || r != linear(right[1000]) {
		t.Errorf("got %d and %d in the middle", l, r)
	}
}

func FuzzMono(f *testing.F) {
	f.Add(Stereo([]byte{1, 2}, []byte{3}))
	f.Add([]byte("RIFF\xff\xff\xff\xffWAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x22\x56\x00\x00\x44\xac\x00\x00\x02\x00\x10\x00data\xff\xff\xff\x7f\x01\x00\x02\x00"))
	f.Fuzz(func(t *testing.T, wav []byte) {
		samples, rate, err := mono(wav)
		if err == nil && (rate < Rate || len(samples) == 0 || 2*len(samples) > len(wav)) {
			t.Errorf("%d samples at %d Hz of %d bytes", len(samples), rate, len(wav))
		}
	})
}
