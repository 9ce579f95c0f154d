package static

import (
	_ "embed"
	"errors"
	"fmt"
	"sync"
	"unsafe"
)

// weights is the file that tools/distill writes. Numbers are little-endian. It is read where it lies, so that pages
// that no text asks for are never brought to memory:
//
//	8 bytes     "RCLSTAT1"
//	5 × uint32  width, rows, slots of the hash table (a power of 2), bytes of all names, mean length of a row
//	uint32      where each row's name begins, and where the last one ends
//	uint32      slots: 1 + row, 0 where free; by FNV-1a of the name, the next slot where one is taken
//	uint16      each row's scale
//	            the names, of whole words and, with ## before them, of pieces that go on
//	int8        the rows
//
//go:embed weights.bin
var weights string

const (
	magic     = "RCLSTAT1"
	headBytes = 8 + 5*4
	fnvOffset = uint64(14695981039346656037)
	fnvPrime  = uint64(1099511628211)
	nameBytes = 32 // a name is no longer
)

// table finds things in a weights file.
type table struct {
	file    string
	count   uint32
	mask    uint64 // slots - 1
	offsets int    // where in the file each part begins
	slots   int
	scales  int
	names   int
	cells   int
	bytes   int     // of a row's numbers
	mean    float64 // of the rows' lengths
}

var shared = sync.OnceValue(func() *table {
	t, err := open(weights)
	if err != nil {
		panic("static: " + err.Error()) // the program was built with a damaged file; every test shows it
	}
	return t
})

// open checks that a file is whole.
func open(file string) (*table, error) { return openAs(file, magic, Width) }

func openAs(file, magic string, bytes int) (*table, error) {
	if len(file) < headBytes || file[:8] != magic {
		return nil, errors.New("not a file of weights")
	}
	t := &table{file: file, bytes: bytes}
	width, slots, names := t.number(8), t.number(16), t.number(20)
	t.count, t.mean = t.number(12), float64(t.number(24))
	if width != Width || t.count == 0 || t.mean == 0 || slots <= t.count || slots&(slots-1) != 0 {
		return nil, fmt.Errorf("weights of width %d with %d rows in %d slots", width, t.count, slots)
	}
	t.mask = uint64(slots) - 1
	t.offsets = headBytes
	t.slots = t.offsets + 4*(int(t.count)+1)
	t.scales = t.slots + 4*int(slots)
	t.names = t.scales + 2*int(t.count)
	t.cells = t.names + int(names)
	if want := t.cells + bytes*int(t.count); len(file) != want {
		return nil, fmt.Errorf("weights of %d bytes, want %d", len(file), want)
	}
	return t, nil
}

func (t *table) number(at int) uint32 {
	b := t.file[at : at+4]
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

func (t *table) scale(row uint32) int64 {
	b := t.file[t.scales+2*int(row):][:2]
	return int64(b[0]) | int64(b[1])<<8
}

// cellsOf returns a row's numbers. They are part of the program: only read them.
func (t *table) cellsOf(row uint32) []int8 {
	cells := t.file[t.cells+Width*int(row):][:Width]
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.StringData(cells))), Width) //nolint:gosec // read only, and as long as cells
}

// find returns the row of a name: mark (## or nothing) and word, whose hash is h.
func (t *table) find(h uint64, mark string, word []byte) (uint32, bool) {
	for at := h & t.mask; ; at = (at + 1) & t.mask {
		slot := t.number(t.slots + 4*int(at))
		if slot == 0 {
			return 0, false
		}
		row := slot - 1
		begin := t.number(t.offsets + 4*int(row))
		end := t.number(t.offsets + 4*int(row) + 4)
		name := t.file[t.names+int(begin) : t.names+int(end)]
		if len(name) == len(mark)+len(word) && name[:len(mark)] == mark && name[len(mark):] == string(word) {
			return row, true
		}
	}
}

func (t *table) rows(tok []byte, dst []uint32) []uint32 {
	for at := 0; at < len(tok); {
		mark := ""
		if at > 0 {
			mark = "##"
		}
		row, size := t.longest(mark, tok[at:])
		if size == 0 && at > 0 {
			row, size = t.longest("", tok[at:])
		}
		if size == 0 {
			at++
			continue
		}
		dst = append(dst, row)
		at += size
	}
	return dst
}

// longest returns the row of the longest beginning of word that has one under mark, and its length; 0 if there is none.
func (t *table) longest(mark string, word []byte) (row uint32, size int) {
	h := fnvOffset
	for i := range len(mark) {
		h = (h ^ uint64(mark[i])) * fnvPrime
	}
	var hashes [nameBytes]uint64
	n := min(len(word), nameBytes)
	for i := range n {
		h = (h ^ uint64(word[i])) * fnvPrime
		hashes[i] = h
	}
	for ; n > 0; n-- {
		if row, ok := t.find(hashes[n-1], mark, word[:n]); ok {
			return row, n
		}
	}
	return 0, 0
}
