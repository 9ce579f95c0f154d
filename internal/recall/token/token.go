// Package token cuts what people say into the terms that recall searches by: words in lower case without accents,
// numbers as they were said, pairs of characters where a script has no spaces, and stems. The functions Term and Stop
// are for English; each Language has methods of the same names. A Detector tells which language a conversation is in.
//
// It is pure. Words of a language that it does not know are found as they are written. It is not for counting a model's
// tokens, nor for finding names, dates or sentences.
package token

import (
	"unicode"
	"unicode/utf8"
)

// MaxBytes bounds a token. The rest of a longer word is dropped.
const MaxBytes = 64

// Scanner yields the tokens of one text after another. The zero value is ready; it is not for concurrent use.
type Scanner struct {
	text   string
	pos    int
	start  int // where the current token begins
	buf    []byte
	second bool // the character at pos was the second of the pair before
	elided int  // where in buf the word's first apostrophe was left out; 0: it has none
}

// Reset makes the scanner start on text.
func (s *Scanner) Reset(text string) {
	s.text, s.pos, s.second = text, 0, false
	if s.buf == nil {
		s.buf = make([]byte, 0, MaxBytes+utf8.UTFMax)
	}
}

// Next moves to the next token; false at the end of the text.
func (s *Scanner) Next() bool {
	s.buf, s.elided = s.buf[:0], 0
	for s.pos < len(s.text) {
		s.start = s.pos
		c := s.text[s.pos]
		if c < utf8.RuneSelf {
			s.second = false
			if asciiClass[c] == other {
				s.pos++
				continue
			}
			s.word()
			return true
		}
		r, size := utf8.DecodeRuneInString(s.text[s.pos:])
		switch {
		case Unspaced(r):
			if s.pair(r, size) {
				return true
			}
		case wordRune(r):
			s.second = false
			s.word()
			if len(s.buf) > 0 {
				return true
			}
		default:
			s.second = false
			s.pos += size
		}
	}
	return false
}

// Bytes returns the current token, folded. It is valid until the next call of Next or Reset.
func (s *Scanner) Bytes() []byte { return s.buf }

// Word returns the current token as language l cuts it. That is Bytes, but in French and Italian without the article or
// pronoun that an apostrophe ties to it (l'hôpital, dell'anno). It is valid as long as Bytes.
func (s *Scanner) Word(l Language) []byte {
	if (l == French || l == Italian) && s.elided > 0 && s.elided < len(s.buf) && elision(s.buf[:s.elided]) {
		return s.buf[s.elided:]
	}
	return s.buf
}

// Start returns where in the text the current token begins.
func (s *Scanner) Start() int { return s.start }

// pair takes the character r of a script without spaces: as a pair with the next one, or alone if it stands alone.
func (s *Scanner) pair(r rune, size int) bool {
	s.pos += size
	next, _ := utf8.DecodeRuneInString(s.text[s.pos:])
	if s.pos < len(s.text) && Unspaced(next) {
		s.buf = utf8.AppendRune(utf8.AppendRune(s.buf, r), next)
		s.second = true
		return true
	}
	if s.second {
		s.second = false
		return false
	}
	s.buf = utf8.AppendRune(s.buf, r)
	return true
}

// word takes the word that begins at pos.
func (s *Scanner) word() {
	apostrophe := 0 // where in buf the last apostrophe was left out
	for s.pos < len(s.text) {
		c := s.text[s.pos]
		if c < utf8.RuneSelf {
			switch asciiClass[c] {
			case lower, digit:
				s.add(c)
				s.pos++
				continue
			case upper:
				s.add(c + 'a' - 'A')
				s.pos++
				continue
			}
			if !s.joins(c) {
				break
			}
			switch c {
			case '\'':
				apostrophe = s.elide()
			case '.', '&':
				s.add(c)
			}
			s.pos++
			continue
		}
		r, size := utf8.DecodeRuneInString(s.text[s.pos:])
		if isApostrophe(r) && len(s.buf) > 0 && s.letterAt(s.pos+size) {
			apostrophe = s.elide()
			s.pos += size
			continue
		}
		if Unspaced(r) || !wordRune(r) {
			break
		}
		if len(s.buf) < MaxBytes {
			s.buf = Fold(s.buf, r)
		}
		s.pos += size
	}
	if apostrophe > 0 && clitic(s.buf[apostrophe:]) {
		s.buf = s.buf[:apostrophe]
	}
}

// elide notes an apostrophe that is left out, and returns where.
func (s *Scanner) elide() int {
	if s.elided == 0 {
		s.elided = len(s.buf)
	}
	return len(s.buf)
}

func (s *Scanner) add(c byte) {
	if len(s.buf) < MaxBytes {
		s.buf = append(s.buf, c)
	}
}

// joins reports whether the mark c at pos joins what is before and after it into one token.
func (s *Scanner) joins(c byte) bool {
	if len(s.buf) == 0 || s.pos+1 >= len(s.text) {
		return false
	}
	next := s.text[s.pos+1]
	last := s.buf[len(s.buf)-1]
	switch c {
	case '\'': // don't, O'Brien
		return asciiClass[last] != digit && s.letterAt(s.pos+1)
	case '&': // AT&T
		return isLetter(last) && isLetter(next)
	case '-': // e-mail, T-shirt
		return len(s.buf) == 1 && isLetter(last) && isLetter(next)
	case '.': // 3.5
		return asciiClass[last] == digit && isDigit(next)
	case ',': // 1,800
		return asciiClass[last] == digit && s.thousands()
	}
	return false
}

// thousands reports whether exactly three digits follow the mark at pos.
func (s *Scanner) thousands() bool {
	rest := s.text[s.pos+1:]
	return len(rest) >= 3 && isDigit(rest[0]) && isDigit(rest[1]) && isDigit(rest[2]) &&
		(len(rest) == 3 || !isDigit(rest[3]))
}

func (s *Scanner) letterAt(i int) bool {
	if i >= len(s.text) {
		return false
	}
	if c := s.text[i]; c < utf8.RuneSelf {
		return isLetter(c)
	}
	r, _ := utf8.DecodeRuneInString(s.text[i:])
	return unicode.IsLetter(r) && !Unspaced(r)
}

// clitic reports whether what follows an apostrophe is a grammatical ending and no part of the word.
func clitic(b []byte) bool {
	switch string(b) {
	case "s", "ll", "ve", "re", "d", "m":
		return true
	}
	return false
}

// elision reports whether a French or Italian word that lost its vowel stands before an apostrophe.
func elision(b []byte) bool {
	switch string(b) {
	case "l", "d", "c", "j", "m", "t", "s", "n", "v", "qu", "jusqu", "lorsqu", "puisqu",
		"un", "all", "dell", "nell", "sull", "dall", "coll", "quell", "quest", "dov", "com", "anch":
		return true
	}
	return false
}

func isLetter(c byte) bool { k := asciiClass[c]; return k == lower || k == upper }
func isDigit(c byte) bool  { return asciiClass[c] == digit }
