// Package static makes a vector of a text from a table in the program. Each token has a row, and a text's vector is the
// sum of its tokens' rows, at length 1. The rows were fitted so that such sums point where a sentence model's vectors
// do (tools/distill), so texts with the same meaning in other words ("car", "vehicle") point alike too. It needs no
// network and no warming up, and gives the same vector on every machine.
//
// A second table holds the words of German, Spanish, French, Italian and Portuguese in the same space. A text in one of
// these languages is like one in another that means the same.
//
// It is pure. It does not know the order of words, nor other languages. Names and numbers are better found by words. It
// does not hide the words: whoever has a vector can test it for a word, as with any embedding.
package static

import (
	"math"

	"github.com/recallerhq/recaller/internal/recall/token"
	"github.com/recallerhq/recaller/internal/vector"
)

const (
	// Model names what Vector makes. It changes whenever the vectors do, because those of different models cannot be
	// compared.
	Model = "recaller-static/2"
	// Width is how many numbers a vector has.
	Width = 256
)

// Vector returns a text's vector, of length 1. A text without a token that the table knows, such as an empty one,
// points along the axis in which texts differ least. Such texts are like one another, and hardly like any other.
//
// A text in German, Spanish, French, Italian or Portuguese is read by that language's rows, any other by the English
// ones.
func Vector(text string) []float32 {
	var (
		words token.Scanner
		sum   Sum
		some  [16]uint32
	)
	l, rows := LanguageOf(text), some[:0]
	for words.Reset(text); words.Next(); {
		rows = RowsIn(l, words.Word(l), rows[:0])
		for _, row := range rows {
			sum.Add(row, 1)
		}
	}
	v := make([]float32, Width)
	if !sum.Unit(v) {
		v[Width-1] = 1
	}
	return v
}

// enough is how many bytes of a text tell its language.
const enough = 2000

// LanguageOf returns the language by whose rows a text is read. If a few words do not tell their language, it is the
// one whose table knows most of them.
func LanguageOf(text string) token.Language {
	text = text[:min(len(text), enough)]
	var d token.Detector
	d.Add(text)
	l := d.Language()
	switch {
	case Knows(l):
		return l
	case l != token.Unknown:
		return token.English
	}
	var (
		words token.Scanner
		some  [16]uint32
		most  int
	)
	best := token.English
	for l := token.English; l <= token.Italian; l++ {
		known := 0
		for words.Reset(text); words.Next(); {
			w := words.Word(l)
			if l.Stop(string(w)) || len(RowsIn(l, w, some[:0])) == 1 {
				known++
			}
		}
		if known > most {
			best, most = l, known
		}
	}
	return best
}

// Rows appends to dst the table's rows of one token, folded as token.Scanner yields it: the word's row, or else those
// of its pieces; none if the table knows no piece.
func Rows(tok []byte, dst []uint32) []uint32 { return shared().rows(tok, dst) }

// Weight returns how much a row counts in a sum: its length, by which words that say much count more. The mean is 1.
func Weight(row uint32) float32 {
	var (
		unpacked [Width]int8
		square   int64
	)
	cells, scale := numbers(row, &unpacked)
	for _, c := range cells {
		square += int64(c) * int64(c)
	}
	return float32(math.Sqrt(float64(square)) * float64(scale) / shared().mean)
}

// Sum adds up rows. The zero value is empty and ready. It is not for concurrent use.
type Sum struct {
	at [Width]int64 // whole numbers add up the same in any order
}

// Reset makes the sum empty.
func (s *Sum) Reset() { s.at = [Width]int64{} }

// Add adds a row from Rows, times over.
func (s *Sum) Add(row uint32, times int) {
	var unpacked [Width]int8
	cells, scale := numbers(row, &unpacked)
	vector.AddTimes(s.at[:], cells, int32(scale*int64(times)))
}

// Unit writes the sum at length 1 to dst, which holds Width numbers. False, and dst as it was, if nothing was added.
func (s *Sum) Unit(dst []float32) bool {
	length := s.length()
	if length == 0 {
		return false
	}
	dst = dst[:Width]
	for i, x := range s.at {
		dst[i] = float32(float64(x) / length)
	}
	return true
}

// Int8 writes the sum to dst, which holds Width numbers, rounded, its largest at 127 or -127. It returns the length of
// what it wrote, by which to divide products for a cosine. If nothing was added, it returns 0 and leaves dst as it was.
func (s *Sum) Int8(dst []int8) (length float32) {
	var largest int64
	for _, x := range s.at {
		largest = max(largest, x, -x)
	}
	if largest == 0 {
		return 0
	}
	scale := 127 / float64(largest)
	var square int64
	for i, x := range s.at {
		v := int64(math.Round(float64(x) * scale))
		dst[i] = int8(v)
		square += v * v
	}
	return float32(math.Sqrt(float64(square)))
}

func (s *Sum) length() float64 {
	var square float64
	for _, x := range s.at {
		square += float64(float64(x) * float64(x)) // the conversion makes every machine round twice
	}
	return math.Sqrt(square)
}
