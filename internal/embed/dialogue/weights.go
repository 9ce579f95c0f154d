package dialogue

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"
	"unsafe"
)

// weights is the file that tools/dialogue writes. Numbers are little-endian. Whole numbers are read where they lie, so
// that of the words' rows only those that texts ask for come to memory:
//
//	8 bytes   "RCLDLG01"
//	6×uint32  tokens, width, layers, heads, inner width, positions
//	uint32    bytes of all names; then the names, rising, each ended by a zero byte
//	matrix    tokens × width
//	float32   positions × width, kinds of place (2) × width, and the first norm: gains, offsets
//	layers    matrices query, key, value, out (width × width), wide (inner × width), back (width × inner), each with a bias for each row;
//	          norm after attention, norm after the inner layer
//
// A matrix is a float32 scale for each row, then the rows as int8.
//
//go:embed weights.bin
var weights string

// The shape of the model.
const (
	hidden    = 384
	inner     = 1536
	heads     = 12
	headWidth = hidden / heads
	layers    = 6
	positions = 192
)

// matrix has rows of int8, each with a scale.
type matrix struct {
	scales []float32
	cells  []int8
	width  int
}

// linear is a matrix and what is added to each of its products.
type linear struct {
	matrix
	bias []float32
}

// lnorm brings numbers to mean 0 and deviation 1, times gain, plus offset.
type lnorm struct{ gain, offset []float32 }

type layer struct {
	query, key, value, out, wide, back linear
	attended, thought                  lnorm
}

type model struct {
	tokens *tokens
	words  matrix
	place  []float32 // positions × hidden
	kind   []float32 // 2 × hidden
	first  lnorm
	layers [layers]layer
}

var shared = sync.OnceValue(func() *model {
	m, err := open(weights)
	if err != nil {
		panic("dialogue: " + err.Error()) // the program was built with a damaged file; every test shows it
	}
	return m
})

// file is the unread rest of a weights file.
type file struct {
	rest  string
	short bool // the file ended too early
}

func (f *file) bytes(n int) string {
	if n < 0 || n > len(f.rest) {
		f.short, n = true, 0
	}
	out := f.rest[:n]
	f.rest = f.rest[n:]
	return out
}

func (f *file) number() int {
	b := f.bytes(4)
	if f.short {
		return 0
	}
	return int(binary.LittleEndian.Uint32([]byte(b)))
}

func (f *file) floats(n int) []float32 {
	b := f.bytes(4 * n)
	out := make([]float32, len(b)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32([]byte(b[4*i : 4*i+4])))
	}
	return out
}

func (f *file) matrix(rows, width int) matrix {
	m := matrix{scales: f.floats(rows), width: width}
	if b := f.bytes(rows * width); b != "" {
		m.cells = unsafe.Slice((*int8)(unsafe.Pointer(unsafe.StringData(b))), len(b)) //nolint:gosec // read only, and as long as b
	}
	return m
}

func (f *file) linear(rows, width int) linear { return linear{f.matrix(rows, width), f.floats(rows)} }

func (f *file) norm() lnorm { return lnorm{f.floats(hidden), f.floats(hidden)} }

// open reads a weights file, and checks that it is whole.
func open(text string) (*model, error) {
	f := &file{rest: text}
	if f.bytes(8) != "RCLDLG01" {
		return nil, errors.New("not a file of weights")
	}
	count := f.number()
	if got, want := [5]int{f.number(), f.number(), f.number(), f.number(), f.number()}, [5]int{
		hidden, layers, heads, inner, positions,
	}; got != want {
		return nil, fmt.Errorf("weights of the shape %v, want %v", got, want)
	}
	t, err := readTokens(f.bytes(f.number()), count)
	if err != nil {
		return nil, err
	}
	m := &model{
		tokens: t, words: f.matrix(count, hidden), place: f.floats(positions * hidden), kind: f.floats(2 * hidden),
		first: f.norm(),
	}
	for i := range m.layers {
		m.layers[i] = layer{
			query: f.linear(hidden, hidden), key: f.linear(hidden, hidden), value: f.linear(hidden, hidden),
			out: f.linear(hidden, hidden), wide: f.linear(inner, hidden), back: f.linear(hidden, inner),
			attended: f.norm(), thought: f.norm(),
		}
	}
	if f.short || f.rest != "" {
		return nil, errors.New("a file of weights that is too short or too long")
	}
	return m, nil
}

// readTokens reads the names of tokens, which must be sorted.
func readTokens(names string, count int) (*tokens, error) {
	t := &tokens{opens: -1, closes: -1, unknown: -1}
	for begin, i := 0, 0; i < len(names); i++ {
		if names[i] != 0 {
			continue
		}
		name := names[begin:i]
		begin = i + 1
		if n := len(t.names); n > 0 && t.names[n-1] >= name {
			return nil, errors.New("names of tokens that are out of order")
		}
		id := int32(len(t.names))
		switch name {
		case "[CLS]":
			t.opens = id
		case "[SEP]":
			t.closes = id
		case "[UNK]":
			t.unknown = id
		}
		t.names, t.longName = append(t.names, name), max(t.longName, len(name))
	}
	if len(t.names) != count || t.opens < 0 || t.closes < 0 || t.unknown < 0 {
		return nil, fmt.Errorf("weights of %d tokens that name %d", count, len(t.names))
	}
	return t, nil
}
