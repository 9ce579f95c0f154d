package relay

import (
	"time"
	"unicode"
	"unicode/utf8"
)

// spokenIn is how long it takes to say a text.
func (o Options) spokenIn(text string) time.Duration {
	if text == "" {
		return 0
	}
	return o.Lead + time.Duration(float64(utf8.RuneCountInString(text))/o.Speed*float64(time.Second))
}

// audible is what of a text can have been heard for as long as it was said, up to the last whole word.
func (o Options) audible(text string, said time.Duration) string {
	if said >= o.spokenIn(text) {
		return text
	}
	most := int((said - o.Lead).Seconds() * o.Speed)
	end, runes, at := 0, 0, 0
	for w := range words(text) {
		runes += utf8.RuneCountInString(text[at:w.end])
		if at = w.end; runes > most {
			break
		}
		end = w.end
	}
	return text[:end]
}

// heard is what of the words that were sent was heard, as the platform tells it: the words with which both begin. A word
// that was cut off was not heard. Spaces, punctuation and capitals may differ: what the platform gives back is what its
// voice was given.
func heard(sent, until string) string {
	var told []word
	for w := range words(until) {
		told = append(told, w)
	}
	end, n := 0, 0
	for w := range words(sent) {
		if n == len(told) || w.lower != told[n].lower {
			return sent[:end]
		}
		end = w.end
		n++
	}
	if n == 0 {
		return ""
	}
	return sent
}

// word is a word of a text: letters and digits in a row, or one character of a script that puts no spaces between words.
type word struct {
	lower string
	end   int // where it ends in the text
}

// words iterates over the words of a text.
func words(text string) func(yield func(word) bool) {
	return func(yield func(word) bool) {
		var lower []rune
		for i, r := range text {
			alone := unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer)
			part := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
			if len(lower) > 0 && (alone || !part) {
				if !yield(word{string(lower), i}) {
					return
				}
				lower = lower[:0]
			}
			switch {
			case alone:
				if !yield(word{string(r), i + utf8.RuneLen(r)}) {
					return
				}
			case part:
				lower = append(lower, unicode.ToLower(r))
			}
		}
		if len(lower) > 0 {
			yield(word{string(lower), len(text)})
		}
	}
}
