package dialogue_test

import (
	"hash/crc32"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/recallerhq/recaller/internal/embed/dialogue"
)

// cosine is how alike two vectors are.
func cosine(a, b []int8) float64 {
	var product, x, y float64
	for i := range a {
		product += float64(a[i]) * float64(b[i])
		x += float64(a[i]) * float64(a[i])
		y += float64(b[i]) * float64(b[i])
	}
	return product / math.Sqrt(x*y)
}

// A turn of each pair is the answer, though it has no word of the question; the others of the table are not.
func TestAQuestionPointsToTheTurnThatAnswersIt(t *testing.T) {
	t.Parallel()
	pairs := []struct{ question, before, turn string }{
		{"any trouble with her lungs", "Anything we should know about your health?", "Asthma, I've got a puffer, it's mild."},
		{"how do we get into the property", "Will you be at home?", "No, the key's under the blue pot by the gate."},
		{"what is her line of work", "Is a morning all right for you?", "I'm a nurse, on nights this week, so not before two."},
		{"who is she married to", "And who else lives there?", "Just my husband Ken and the two of us are hardly ever in."},
		{"when did he lose his dog", "And how are you keeping?", "Oh, quiet. We had to put old Rex down in March."},
	}
	for i, p := range pairs {
		q := dialogue.Question(p.question)
		own := cosine(q, dialogue.Turn(p.before, p.turn))
		for j, other := range pairs {
			if got := cosine(q, dialogue.Turn(other.before, other.turn)); i != j && got >= own {
				t.Errorf("question %d: turn %d is nearer (%.2f) than its answer (%.2f)", i, j, got, own)
			}
		}
	}
}

func TestAShortTurnIsReadWithWhatItAnswers(t *testing.T) {
	t.Parallel()
	q := dialogue.Question("what is she called")
	name, colour := cosine(q, dialogue.Turn("And your name, please?", "Rose.")), cosine(q, dialogue.Turn("Which colour would you like?", "Rose."))
	if name <= colour {
		t.Errorf("the name is like the question by %.2f, the colour by %.2f: want the name nearer", name, colour)
	}
}

func TestPunctuationAndCaseOfARecogniserChangeLittle(t *testing.T) {
	t.Parallel()
	written := dialogue.Turn("How many are you?", "There'll be five of us, and my nephew can't have nuts.")
	heard := dialogue.Turn("how many are you", "there'll be five of us and my nephew can't have nuts")
	if got := cosine(written, heard); got < 0.85 {
		t.Errorf("got a likeness of %.2f, want at least 0.85", got)
	}
}

func TestVectorsHaveTheirWidthAndNoNumberThatProductsCannotTake(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", " ", "Yes.", "日本語 ก็ดี", "\x00\xff\xfe", strings.Repeat("and then ", 4000), strings.Repeat("x", 5000)} {
		for _, v := range [][]int8{dialogue.Question(text), dialogue.Turn(text, text)} {
			if len(v) != dialogue.Width || slices.Contains(v, -128) || slices.Max(v) != 127 && slices.Min(v) != -127 {
				t.Errorf("a text of %d bytes: got a vector of %d numbers from %d to %d", len(text), len(v), slices.Min(v), slices.Max(v))
			}
		}
	}
}

func TestManyMayReadAtOnce(t *testing.T) {
	t.Parallel()
	want := dialogue.Question("which leg is the injured one")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got := dialogue.Question("which leg is the injured one"); !slices.Equal(got, want) {
				t.Error("got another vector beside other readers")
			}
		})
	}
	all.Wait()
}

// Vectors that are kept are compared with new ones, so a model that makes others is to have another name. Its numbers
// are fractions, which processors round in their own ways: the sum is of the largest numbers' places alone.
func TestTheNameChangesWithTheVectors(t *testing.T) {
	t.Parallel()
	sum := crc32.NewIEEE()
	for _, text := range []string{"Brenda.", "The boiler broke on Tuesday and I've had no heating since.", "half four would suit me"} {
		for _, v := range [][]int8{dialogue.Question(text), dialogue.Turn("And what is it about?", text)} {
			places := make([]int, len(v))
			for i := range places {
				places[i] = i
			}
			slices.SortStableFunc(places, func(a, b int) int { return int(v[b]) - int(v[a]) })
			_, _ = sum.Write([]byte{byte(places[0]), byte(places[0] >> 8)})
		}
	}
	const made = 0xbc2bc243
	if got := sum.Sum32(); got != made {
		t.Errorf("got %#x, want %#x: %s makes other vectors than it did", got, made, dialogue.Model)
	}
}

func FuzzTurn(f *testing.F) {
	f.Add("And your name?", "Brenda.")
	f.Add("", "##s [CLS] don't\u0301 \ufffd")
	f.Fuzz(func(t *testing.T, before, text string) {
		if v := dialogue.Turn(before, text); len(v) != dialogue.Width {
			t.Errorf("got %d numbers", len(v))
		}
	})
}

func BenchmarkQuestion(b *testing.B) {
	for b.Loop() {
		dialogue.Question("what went wrong with the reminder that we sent")
	}
}

func BenchmarkTurn(b *testing.B) {
	for b.Loop() {
		dialogue.Turn("And which of the two knees is it?", "Left. Nah, sorry, right. It was like a football on Monday, it has gone down a bit now.")
	}
}
