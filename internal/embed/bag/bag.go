// Package bag makes a vector of a text without a model: a hashed bag of its stems (spec P6). Texts that share words point alike,
// the more so the rarer the words are. It needs no network, no weights and no warming up, and gives the same vector on every
// machine.
//
// It is pure. It is not for finding what is meant in other words ("car", "vehicle"): that takes a model, which package embed
// asks where one is configured. Nor does it hide the words: who holds a vector can test it for a word, as with any embedding.
package bag

import (
	"math"

	"github.com/recallerhq/recaller/internal/recall/token"
	"github.com/recallerhq/recaller/internal/search/stems"
)

const (
	// Model names what Vector makes, for who records it. It changes whenever a text's vector does: those of different models
	// cannot be compared.
	Model = "bag-of-stems/1"
	// Width is how many numbers a vector has.
	Width = 256
)

// Vector returns a text's vector, of length 1. A text of nothing but stop words ("who is it?") is made of those. A text
// without a word, an empty one for example, gets a direction of its own, which no word has: such texts are like one another and
// unlike all others.
func Vector(text string) []float32 { return ours().of(count(text)) }

// sketch is a way to make a vector of how often stems occur.
type sketch struct {
	width  int
	places int    // of each stem: where one is shared with another stem, the other is likely not
	seed   uint64 // another one puts stems in other places
	weigh  func(stem string, n int) int64
}

// ours is what Model names.
func ours() sketch { return sketch{width: Width, places: 2, weigh: weight} }

// count counts what a text's vector is made of.
func count(text string) map[string]int {
	if counts := stems.Count(text); len(counts) > 0 {
		return counts
	}
	if counts := tokens(text); len(counts) > 0 {
		return counts
	}
	return map[string]int{"": 1} // a word is never empty
}

func (k sketch) of(counts map[string]int) []float32 {
	// Sums of whole numbers do not depend on the order that a map is read in, sums of fractions do.
	sums := make([]int64, k.width)
	for stem, n := range counts {
		w := k.weigh(stem, n)
		h := hash(stem) ^ k.seed
		for range k.places {
			h = spread(h)
			if h>>63 == 1 {
				sums[h%uint64(k.width)] -= w // so that stems which share a place cancel out as often as they add up
			} else {
				sums[h%uint64(k.width)] += w
			}
		}
	}
	return unit(sums)
}

// tokens counts the words of a text as they stand, stop words too.
func tokens(text string) map[string]int {
	counts := map[string]int{}
	var s token.Scanner
	for s.Reset(text); s.Next(); {
		counts[string(s.Bytes())]++
	}
	return counts
}

// unit makes a vector of length 1 of the sums.
func unit(sums []int64) []float32 {
	var square float64
	for _, s := range sums {
		square += float64(float64(s) * float64(s)) // the conversion keeps machines from rounding only once
	}
	v := make([]float32, len(sums))
	if square == 0 {
		v[0] = 1
		return v
	}
	length := math.Sqrt(square)
	for i, s := range sums {
		v[i] = float32(float64(s) / length)
	}
	return v
}

// hash is FNV-1a.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h ^= uint64(s[i])
		h *= 1099511628211
	}
	return h
}

// spread makes every bit of a number depend on all (as MurmurHash3 ends), so that the low bits make a place and the highest one a
// sign. Spread again, it makes another.
func spread(h uint64) uint64 {
	h += 0x9e3779b97f4a7c15
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
