// Package answer reads what a language model answered when it was asked for the memories of a conversation or for its
// write-up, and keeps what can be read (spec W9: nothing is silently dropped).
//
// Models answer with code fences, prose around the JSON, single or curly quotes, trailing commas, comments, Python's
// words, an array that broke off, types spelled their own way, and more. A small reader takes JSON as models write it
// (reader.go), what it read is searched for what was asked for (harvest.go), each entry is brought into form or given
// up (entry.go), and what was lost is counted.
//
// It is pure: time and memory are linear in the length of an answer, of which at most MaxBytes are read. What it
// returns is well-formed, not true: whether the words carry it is wrapup/evidence's question. It is not for the memory
// tools' arguments, which are refused where they are malformed, nor for a general repair of JSON.
package answer

import (
	"unicode/utf8"

	"github.com/recallerhq/recaller"
)

// The bounds of what is read of an answer. Lengths are in characters.
const (
	MaxBytes   = 1 << 20
	MaxEntries = 200
	MaxKey     = 64
	MaxValue   = 500
	MaxTurns   = 50 // that one entry names
	MaxDue     = 100

	maxKeyBytes = 96 // of a key in letters of several bytes
)

// Memory is one entry of an answer to the extraction.
type Memory struct {
	Type       recaller.MemoryType
	Key        string  // snake_case: small letters of any script, digits and underscores
	Value      string  // one line
	Confidence float64 // 0 to 1
	Turns      []int   // numbers of turns that the entry claims to come from, ascending; nil: it names none
	Due        string  // when a follow-up is due, as the model wrote it: words or a date; empty: it said nothing
}

// Memories reads an answer to the extraction. cut says that the model ran into its limit: then an entry counts only if
// it was closed. The last of entries with one key holds. An answer that says in its way that there is nothing to
// remember gives no memories and no error; Invalid is one in which nothing could be read, and none that says nothing:
// "{}", "null". lost counts the entries that were there and could not be kept.
func Memories(text string, cut bool) (list []Memory, lost int, err error) {
	a := open(text, cut)
	best, others := a.best()
	lost = best.lost
	for _, b := range others {
		lost += b.lost + best.lacks(b)
	}
	if len(best.list) > 0 || lost == 0 && (best.answered || a.saysNone()) {
		return best.list, lost, nil
	}
	return nil, lost, recaller.Errorf(recaller.Invalid, "nothing in the model's answer could be read")
}

// clip returns the first n bytes of a text, or a little less: no character is cut.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
