package bag_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/embed/bag"
)

func cosine(a, b string) float64 {
	var sum float64
	v, w := bag.Vector(a), bag.Vector(b)
	for i := range v {
		sum += float64(v[i]) * float64(w[i])
	}
	return sum
}

func length(v []float32) float64 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum)
}

func TestTextsAreLikeThoseThatShareTheirWords(t *testing.T) {
	t.Parallel()
	const text = "She wants to move her dentist appointment to Thursday afternoon."
	for _, test := range []struct {
		name, nearer, farther string
	}{
		{"words that are shared", "The dentist has an appointment on Thursday.", "The plumber comes to mend the boiler."},
		{"forms of a word", "dentists, appointments, moving", "dental, disappointing, removal"},
		{"rare words before common ones", "A dentist?", "She wants it."},
		{"more shared words", "dentist on thursday afternoon", "dentist"},
		{"case and accents", "DENTÍST APPOINTMENT", "doctor appointment"},
	} {
		if near, far := cosine(text, test.nearer), cosine(text, test.farther); near <= far {
			t.Errorf("%s: got %.3f, want more than %.3f", test.name, near, far)
		}
	}
	if got := cosine(text, strings.ToUpper(text)); math.Abs(got-1) > 1e-6 {
		t.Errorf("the same words have the cosine %v, want 1", got)
	}
}

func TestTextsWithoutStemsHaveVectorsToo(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, a, b string
		alike      bool
	}{
		{"no words", "", " \n… 👋", true},
		{"nothing and something", "", "dentist", false},
		{"stop words", "who is it?", "Who is IT", true},
		{"other stop words", "who is it?", "thank you", false},
		{"stop words and nothing", "who is it?", "", false},
		{"not a word of English", "預約 牙醫", "預約 牙醫", true},
		{"bytes that are no text", "\xff\xfe", "", true},
	} {
		if got := cosine(test.a, test.b); math.Abs(got-1) < 1e-6 != test.alike || !test.alike && got > 0.5 {
			t.Errorf("%s: got %.3f", test.name, got)
		}
	}
}

// A vector is compared with those that were made years ago on another machine. If this fails, the model needs another name.
func TestAVectorIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	const want = "2a8f8a7c"
	sum := sha256.New()
	for _, text := range []string{
		"", "who is it?", "She wants to move her dentist appointment to Thursday afternoon.", "預約 牙醫",
		strings.Repeat("the golf cart at 9:30 for four players, for four players again; ", 20),
		strings.Repeat("golf ", 16) + strings.Repeat("cart ", 15) + "dentist",
	} {
		for _, x := range bag.Vector(text) {
			sum.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(x)))
		}
	}
	if got := hex.EncodeToString(sum.Sum(nil)[:4]); got != want {
		t.Errorf("got %s, want %s: %s makes other vectors than it did", got, want, bag.Model)
	}
}

func FuzzVector(f *testing.F) {
	for _, seed := range []string{"", "a", "\x00\xff", "The dentist's appointment, at 9:30.", "預約牙醫", "ß ﬁ İ ǅ", strings.Repeat("x", 300)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v := bag.Vector(text)
		if len(v) != bag.Width {
			t.Fatalf("got %d numbers, want %d", len(v), bag.Width)
		}
		if got := length(v); !(math.Abs(got-1) < 1e-5) {
			t.Errorf("got length %v, want 1", got)
		}
	})
}

func BenchmarkVector(b *testing.B) {
	sentence := "She wants to move her dentist appointment to Thursday afternoon if possible."
	for _, bench := range []struct {
		name, text string
	}{{"12 words", sentence}, {"120 words", strings.Repeat(sentence+" ", 10)}} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bag.Vector(bench.text)
			}
		})
	}
}
