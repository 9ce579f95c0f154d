package index

import (
	"math"

	"github.com/recallerhq/recaller/internal/recall/token"
)

// This file is about what tells equal texts and speakers.

// printOf is a number for a term that is told in prints.
func (ix *Index) printOf(term uint32) uint32 {
	if ix.prints == nil {
		return term
	}
	return ix.prints[term]
}

func printOf(t string) uint32 {
	n := uint32(fnvBasis)
	for i := range len(t) {
		n = (n ^ uint32(t[i])) * fnvPrime
	}
	return n
}

// mixed makes every bit of a number depend on all of its bits (the end of MurmurHash3), so that sums of such tell sets
// apart.
func mixed(n uint32) uint32 {
	n = (n ^ n>>16) * 0x85ebca6b
	n = (n ^ n>>13) * 0xc2b2ae35
	return n ^ n>>16
}

// name returns the number of a speaker's name.
func (ix *Index) name(text string) uint16 {
	if text == "" {
		return 0
	}
	for i := range ix.names {
		if ix.names[i].text == text {
			return uint16(i)
		}
	}
	if len(ix.names) > math.MaxUint16 {
		return 0
	}
	ix.names = append(ix.names, nameOf(text))
	return uint16(len(ix.names) - 1)
}

func nameOf(text string) name {
	n := name{text: text}
	sc := token.Scanner{}
	for sc.Reset(text); sc.Next(); {
		if t := token.Term(string(sc.Bytes())); t != "" {
			n.terms = append(n.terms, t)
		}
	}
	return n
}
