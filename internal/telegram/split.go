package telegram

import (
	"unicode"
	"unicode/utf16"

	"github.com/go-telegram/bot/models"
)

// Bounds of what is sent, in UTF-16 units.
const (
	maxText    = 4096
	maxCaption = 1024
)

// split parts a text into ones of at most limit units, at the end of a paragraph, a sentence, a line or a word, the best
// that leaves the part no less than half full. An entity goes on in the next part, so that code is code in both.
func (r rich) split(limit int) (parts []rich) {
	units := utf16.Encode([]rune(r.text))
	for from := 0; from < len(units); {
		for from < len(units) && blank(units[from]) && (units[from] == '\n' || !r.inCode(from)) { // indents of code stay
			from++
		}
		to := len(units)
		if to-from > limit {
			to = from + cut(units[from:from+limit+1], r.code(from, from+limit))
		}
		end := to
		for end > from && blank(units[end-1]) {
			end--
		}
		if end > from {
			parts = append(parts, rich{string(utf16.Decode(units[from:end])), r.within(from, end)})
		}
		from = to
	}
	return parts
}

func blank(u uint16) bool { return unicode.IsSpace(rune(u)) }

// within returns the entities of a part, counted from its beginning.
func (r rich) within(from, to int) (out []models.MessageEntity) {
	for _, e := range r.entities {
		begin, end := max(e.Offset, from), min(e.Offset+e.Length, to)
		if begin < end {
			e.Offset, e.Length = begin-from, end-begin
			out = append(out, e)
		}
	}
	return out
}

func (r rich) inCode(at int) bool {
	for _, e := range r.entities {
		if e.Type == models.MessageEntityTypePre && e.Offset <= at && at < e.Offset+e.Length {
			return true
		}
	}
	return false
}

// code returns where, counted from the beginning of a part, code begins that does not end in it; else -1.
func (r rich) code(from, to int) int {
	for _, e := range r.entities {
		if e.Type == models.MessageEntityTypePre && e.Offset < to && e.Offset+e.Length > to {
			return e.Offset - from
		}
	}
	return -1
}

// cut returns after how many units the part ends that fills at most all units but the last. code is where code begins
// that would be parted, or -1 if none would.
func cut(units []uint16, code int) int {
	most := len(units) - 1
	least := most / 2
	if code > least {
		return code
	}
	best, at := 0, 0
	for i := most; i > least; i-- {
		good := goodEnd(units, i)
		if code >= 0 { // of code lines are kept whole, and nothing else
			good &= lineEnd
		}
		if good > best {
			best, at = good, i
		}
	}
	switch {
	case best > 0:
		return at
	case utf16.IsSurrogate(rune(units[most])) && units[most] >= 0xdc00 && most > 1: // not within a character
		return most - 1
	}
	return most
}

// How good an end of a part is: of a word, a line, a sentence, a paragraph. A paragraph ends a line too.
const (
	wordEnd      = 1
	lineEnd      = 2
	sentenceEnd  = 4
	paragraphEnd = 8 | lineEnd
)

// goodEnd tells how good an end of a part is before unit i; 0: it is none.
func goodEnd(units []uint16, i int) int {
	last := units[i-1]
	switch {
	case last == '\n' && i > 1 && units[i-2] == '\n':
		return paragraphEnd
	case blank(units[i]) && endsSentence(units[:i]):
		return sentenceEnd
	case last == '\n':
		return lineEnd
	case blank(units[i]):
		return wordEnd
	}
	return 0
}

// endsSentence reports whether the units end as a sentence does, in quotation marks or brackets too.
func endsSentence(units []uint16) bool {
	for i := len(units) - 1; i >= 0 && i >= len(units)-3; i-- {
		switch units[i] {
		case '.', '!', '?', '…', '。', '！', '？':
			return true
		case '"', '\'', ')', ']', '”', '’', '»', '“':
		default:
			return false
		}
	}
	return false
}
