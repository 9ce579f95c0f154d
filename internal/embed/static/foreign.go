package static

import (
	_ "embed"
	"sync"

	"github.com/recallerhq/recaller/internal/recall/token"
)

// This file is about German, Spanish, French, Italian and Portuguese. Their words have rows of their own in the space
// of the English ones, so that a question finds an answer in another language too. A row is a term of token.Language,
// so it stands for all forms of a word, and the same letters mean in each language what they mean there. Words that say
// nothing have none.

// foreign is the second file that tools/distill writes. It is laid out like the first, with these differences. Its
// magic is another. Names begin with the initial of their language's tag. Numbers have four bits, from -7 to 7, two in
// a byte, the first in the lower bits. Scales count sixteenfold.
//
//go:embed foreign.bin
var foreign string

const foreignMagic = "RCLLANG1"

const (
	abroad      = 1 << 31 // the bit of a row's number that tells one of the foreign table
	foreignUnit = 16      // of a scale
	mask4       = 0x0f
	bias4       = 8 // a cell of four bits holds its number and this
)

var others = sync.OnceValue(func() *table {
	t, err := openAs(foreign, foreignMagic, Width/2)
	if err != nil {
		panic("static: " + err.Error())
	}
	return t
})

// initial is what a language's names begin with; 0 where it has none.
func initial(l token.Language) byte {
	switch l {
	case token.German:
		return 'd'
	case token.Spanish:
		return 'e'
	case token.French:
		return 'f'
	case token.Italian:
		return 'i'
	case token.Portuguese:
		return 'p'
	}
	return 0
}

// Knows reports whether words of a language have rows.
func Knows(l token.Language) bool { return l == token.English || initial(l) != 0 }

// RowsIn appends to dst the rows of one token of a text in language l, as token.Scanner's Word cuts it. There are none
// if the language has no rows, or if the word says nothing. In English it is Rows. Elsewhere a word without a row of
// its own gets the rows of the English word, if it is one, and a German word those of its parts.
func RowsIn(l token.Language, tok []byte, dst []uint32) []uint32 {
	if l == token.English {
		return Rows(tok, dst)
	}
	of := initial(l)
	if of == 0 || len(tok) == 0 {
		return dst
	}
	term := l.Term(string(tok))
	if term == "" {
		return dst
	}
	t := others()
	if row, ok := t.named(of, term); ok {
		return append(dst, row|abroad)
	}
	if l == token.German {
		if a, b, ok := t.compound(of, term); ok {
			return append(dst, a|abroad, b|abroad)
		}
	}
	if row, size := shared().longest("", tok); size == len(tok) && size >= leastGuest {
		return append(dst, row)
	}
	return dst
}

const (
	// letters of an English word in a text of another language; a shorter one is probably something else there
	leastGuest = 5
	leastPart  = 4 // letters of a part of a compound
)

// named returns the row of a term.
func (t *table) named(of byte, term string) (uint32, bool) {
	if len(term) >= nameBytes {
		return 0, false
	}
	var name [nameBytes]byte
	name[0] = of
	n := 1 + copy(name[1:], term)
	h := fnvOffset
	for _, c := range name[:n] {
		h = (h ^ uint64(c)) * fnvPrime
	}
	return t.find(h, "", name[:n])
}

// joints are what German puts between the parts of a compound, or what a stem lacks of a word.
var joints = [...]string{"", "s", "n", "en", "es", "e", "er"}

// compound returns the rows of the two parts of a word, of which the last is as long as possible.
func (t *table) compound(of byte, term string) (first, last uint32, ok bool) {
	for at := leastPart; at <= len(term)-leastPart; at++ {
		if last, ok = t.named(of, term[at:]); !ok {
			continue
		}
		for _, joint := range joints {
			end := at - len(joint)
			if end < leastPart || term[end:at] != joint {
				continue
			}
			if first, ok = t.named(of, token.German.Term(term[:end])); ok {
				return first, last, true
			}
		}
	}
	return 0, 0, false
}

// numbers returns the numbers of a row of either table, and their scale. It writes to cells if it has to unpack them.
func numbers(row uint32, cells *[Width]int8) ([]int8, int64) {
	if row&abroad == 0 {
		return shared().cellsOf(row), shared().scale(row)
	}
	t, at := others(), row&^abroad
	packed := t.file[t.cells+t.bytes*int(at):][:Width/2]
	for i := range Width / 2 {
		c := packed[i]
		cells[2*i] = int8(c&mask4) - bias4
		cells[2*i+1] = int8(c>>4) - bias4
	}
	return cells[:], foreignUnit * t.scale(at)
}
