package static_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/recallerhq/recaller/internal/embed/static"
	"github.com/recallerhq/recaller/internal/recall/token"
)

func cosine(a, b string) float64 {
	var sum float64
	v, w := static.Vector(a), static.Vector(b)
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

func TestTextsAreLikeThoseThatMeanTheSame(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text, nearer, farther string
	}{
		{"other words", "My car broke down on the way to work.", "The vehicle needs a mechanic.", "The kitchen needs a painter."},
		{"what a word is a kind of", "She adopted a golden retriever puppy.", "What pet does she have?", "What instrument does she play?"},
		{"what a word goes with", "He cannot eat peanuts, he gets a rash.", "food allergies", "train tickets"},
		{"forms of a word", "We hiked in the mountains.", "hiking trip", "billing question"},
		{"a word that no table has", "photosynthesizingly", "photosynthesis", "mortgage"},
	} {
		if near, far := cosine(test.text, test.nearer), cosine(test.text, test.farther); near <= far {
			t.Errorf("%s: got %.3f, want more than %.3f", test.name, near, far)
		}
	}
	const text = "Café bookings for Zoë's birthday"
	if got := cosine(text, strings.ToUpper(text)); math.Abs(got-1) > 1e-6 {
		t.Errorf("the same words have the cosine %v, want 1", got)
	}
}

func TestTextsWithoutWordsAreLikeOneAnotherOnly(t *testing.T) {
	t.Parallel()
	if got := cosine("", " \n… 👋\xff\xfe"); math.Abs(got-1) > 1e-6 {
		t.Errorf("two texts without words have the cosine %v, want 1", got)
	}
	for _, text := range []string{"dentist", "who is it?", "2023", "She wants to move her appointment."} {
		if got := cosine("", text); math.Abs(got) > 0.35 {
			t.Errorf("nothing and %q: got %.3f, want little", text, got)
		}
	}
}

// The tool wrote the reference, by its own reading of the same table.
func TestVectorsAgreeWithTheToolThatFittedThem(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var texts []struct {
		Text   string    `json:"text"`
		Vector []float64 `json:"vector"`
	}
	if err := json.Unmarshal(raw, &texts); err != nil {
		t.Fatal(err)
	}
	if len(texts) < 30 {
		t.Fatalf("got %d texts, want at least 30", len(texts))
	}
	for _, ref := range texts {
		v := static.Vector(ref.Text)
		if len(ref.Vector) != len(v) {
			t.Fatalf("%q: the reference is %d wide, want %d", ref.Text, len(ref.Vector), len(v))
		}
		for i, x := range v {
			if math.Abs(float64(x)-ref.Vector[i]) > 1e-4 {
				t.Errorf("%q: number %d is %v, want %v", ref.Text, i, x, ref.Vector[i])
				break
			}
		}
	}
}

// A vector is compared with those that were made years ago on another machine. If this fails, the model needs another
// name.
func TestAVectorIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	const want = "9b130701"
	sum := sha256.New()
	for _, text := range []string{
		"", "who is it?", "She wants to move her dentist appointment to Thursday afternoon.", "預約 牙醫", "Zoë paid 1,800.50 to AT&T",
		strings.Repeat("the golf cart at 9:30 for four players, for four players again; ", 200), "photosynthesizingly unheardofword",
	} {
		for _, x := range static.Vector(text) {
			sum.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(x)))
		}
	}
	if got := hex.EncodeToString(sum.Sum(nil)[:4]); got != want {
		t.Errorf("got %s, want %s: %s makes other vectors than it did", got, want, static.Model)
	}
}

func TestASumIsItsTextsVector(t *testing.T) {
	t.Parallel()
	var (
		words token.Scanner
		sum   static.Sum
		rows  []uint32
	)
	words.Reset("a dentist, the dentist and anotherdentist")
	for words.Next() {
		rows = static.Rows(words.Bytes(), rows)
	}
	if got := len(rows); got < 8 {
		t.Fatalf("got %d rows, want the known words' and at least two pieces of the unknown one", got)
	}
	slices.Sort(rows)
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n] == rows[0] {
			n++
		}
		sum.Add(rows[0], n)
		rows = rows[n:]
	}
	want := static.Vector("a dentist, the dentist and anotherdentist")
	got := make([]float32, static.Width)
	if !sum.Unit(got) || !slices.Equal(got, want) {
		t.Error("the sum of counted rows in another order is not the text's vector")
	}
	small := make([]int8, static.Width)
	length := sum.Int8(small)
	if length < 127 || slices.Max(small) != 127 && slices.Min(small) != -127 {
		t.Fatalf("got a small vector of length %v whose largest number is %d and smallest %d, want one at 127 or -127", length, slices.Max(small), slices.Min(small))
	}
	for i, x := range small {
		if math.Abs(float64(x)/float64(length)-float64(want[i])) > 0.6/float64(length) {
			t.Fatalf("number %d: got %d of %.1f, want %.4f", i, x, length, want[i])
		}
	}
	sum.Reset()
	if sum.Unit(got) || sum.Int8(small) != 0 {
		t.Error("an empty sum gave a vector")
	}
}

func TestWordsThatSayMuchCountMore(t *testing.T) {
	t.Parallel()
	weight := func(word string) float32 {
		rows := static.Rows([]byte(word), nil)
		if len(rows) != 1 {
			t.Fatalf("%s: got %d rows, want 1", word, len(rows))
		}
		return static.Weight(rows[0])
	}
	for _, common := range []string{"the", "of", "is", "and"} {
		for _, rare := range []string{"dentist", "violin", "allergy", "portugal"} {
			if c, r := weight(common), weight(rare); c >= r/2 {
				t.Errorf("%s weighs %.3f, want less than half of %s, %.3f", common, c, rare, r)
			}
		}
	}
}

func TestManyMayReadAtOnce(t *testing.T) {
	t.Parallel()
	want := static.Vector("two people at the same table")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				if !slices.Equal(static.Vector("two people at the same table"), want) {
					t.Error("got another vector")
				}
			}
		})
	}
	all.Wait()
}

func TestAVectorCostsThreeAllocations(t *testing.T) {
	sentence := "She wants to move her dentist appointment to Thursday afternoon if possible."
	if got := testing.AllocsPerRun(100, func() { static.Vector(sentence) }); got > 3 {
		t.Errorf("got %v allocations, want the two scanners' and the vector's", got)
	}
}

func FuzzVector(f *testing.F) {
	for _, seed := range []string{"", "a", "\x00\xff", "The dentist's appointment, at 9:30.", "預約牙醫", "ß ﬁ İ ǅ", strings.Repeat("x", 300), "12345678901234567890"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v := static.Vector(text)
		if len(v) != static.Width {
			t.Fatalf("got %d numbers, want %d", len(v), static.Width)
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
				static.Vector(bench.text)
			}
		})
	}
}
