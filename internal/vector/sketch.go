package vector

import "math"

// This file is about sketches: a vector of SketchWidth numbers in a quarter of its bytes, by which its cosine to a
// query can be told within some .02. First a fixed rotation spreads what the vector tells over all of its numbers. Then
// each number is rounded to one of four levels, -3, -1, 1 and 3 times half a step, without much loss.

// The sizes of a vector that can be sketched, and of its sketch.
const (
	SketchWidth = 256
	SketchBytes = SketchWidth / 4
)

// levelStep is the distance between levels, in standard deviations of a rotated vector's numbers. It loses least of a
// normal distribution.
const levelStep = 0.9957

// Sketch appends the sketch of v to dst. length is the length of v. A Rough product times scale is the product with v
// over v's length; scale is 0 for a vector without direction.
func Sketch(dst []byte, v []int8, length float32) (_ []byte, scale float32) {
	var turned [SketchWidth]float32
	turn(&turned, v)
	var own [SketchBytes]byte
	if length == 0 {
		return append(dst, own[:]...), 0
	}
	step := levelStep * length / float32(math.Sqrt(SketchWidth))
	var product float32
	for i, x := range turned {
		level := min(3, max(0, int(math.Floor(float64(x/step)))+2))
		product += x * float32(2*level-3)
		own[i%SketchBytes] |= byte(level << (2 * (i / SketchBytes)))
	}
	return append(dst, own[:]...), length / product
}

// Query is a vector that sketches are compared with.
type Query struct {
	turned [SketchWidth]int8
	sum    int32
	scale  float32
}

// NewQuery makes a query of a vector of SketchWidth numbers.
func NewQuery(v []int8) *Query {
	var turned [SketchWidth]float32
	turn(&turned, v)
	q := &Query{}
	var most float32
	for _, x := range turned {
		most = max(most, x, -x)
	}
	if most == 0 {
		return q
	}
	q.scale = most / math.MaxInt8
	for i, x := range turned {
		q.turned[i] = int8(math.Round(float64(x / q.scale)))
		q.sum += int32(q.turned[i])
	}
	return q
}

// Scale returns the factor of the query's products, beside the sketch's own scale.
func (q *Query) Scale() float32 { return q.scale }

// Rough writes the product of q with each sketch to out. rows holds len(out) sketches, one after the other. It panics
// if the lengths do not fit.
func (q *Query) Rough(out []int32, rows []byte) {
	if len(rows) != len(out)*SketchBytes {
		panic("vector: there are not as many sketches as places for their products")
	}
	if len(out) == 0 {
		return
	}
	if fast {
		levels(&out[0], &q.turned[0], &rows[0], len(out), -3*q.sum)
		return
	}
	q.plain(out, rows)
}

func (q *Query) plain(out []int32, rows []byte) {
	t := &q.turned
	for i := range out {
		row := rows[i*SketchBytes:][:SketchBytes]
		var sum int32
		for j, b := range row {
			sum += int32(t[j])*int32(b&3) + int32(t[SketchBytes+j])*int32(b>>2&3) +
				int32(t[2*SketchBytes+j])*int32(b>>4&3) + int32(t[3*SketchBytes+j])*int32(b>>6)
		}
		out[i] = 2*sum - 3*q.sum
	}
}

// turn rotates v, by fixed pseudo-random signs and a Hadamard transform. Lengths and products stay the same.
func turn(dst *[SketchWidth]float32, v []int8) {
	seed := uint32(2463534242)
	for i := range dst {
		seed ^= seed << 13
		seed ^= seed >> 17
		seed ^= seed << 5
		dst[i] = float32(v[i])
		if seed&(1<<16) != 0 {
			dst[i] = -dst[i]
		}
	}
	for half := 1; half < SketchWidth; half *= 2 {
		for i := 0; i < SketchWidth; i += 2 * half {
			for j := i; j < i+half; j++ {
				a, b := dst[j], dst[j+half]
				dst[j], dst[j+half] = a+b, a-b
			}
		}
	}
	for i := range dst {
		dst[i] /= 16 // the root of SketchWidth
	}
}
