package token

import (
	"math/bits"
	"unicode"
	"unicode/utf8"
)

// Detector tells the language of a conversation from its function words, its accents and its script. The zero value is
// ready. It is not for concurrent use. It allocates once, and not for each text.
//
// It is made for conversations. A hundred words are enough; thirty nearly always are, ten mostly, and five only if they
// are plain. Names and nouns alone tell nothing: a few of them are taken for English if their letters allow it, because
// nothing else is known. Of a text in two languages it tells the one that clearly outweighs the other; English need
// only have more.
//
// A language that it does not know may be taken for a close relative: Afrikaans for Dutch, Galician for Portuguese,
// Bulgarian for Russian. In a few words, Norwegian and Danish may be taken for one another. Chinese characters alone
// are taken for Chinese.
type Detector struct {
	scanner Scanner
	evidence
}

// evidence is what a Detector has counted.
type evidence struct {
	points  [languages]int
	letters [scripts]int
	tokens  int
}

type script uint8

const (
	latin script = iota
	cyrillic
	han
	kana
	hangul
	thai
	arabicScript
	hebrewScript
	greek
	devanagari
	otherScript

	scripts // how many there are
)

// Points for a language by a word or letter that only it has. If several languages have it, they share the points.
const (
	wordPoints   = 12
	letterPoints = 6
	surePoints   = 20 // what a language other than English must have
	farAhead     = 24 // a lead that counts even where the next best has more than half of the points
	nameless     = 7  // more words than these are not English if none of them is one of English's function words
)

// Add counts what text, such as a turn or a word, says about its language.
func (d *Detector) Add(text string) {
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			i++
			if isLetter(c) {
				d.letters[latin]++
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		if of := scriptOf(r); of != otherScript {
			d.letters[of]++
		}
		d.share(tellingLetter(r), letterPoints)
	}
	for d.scanner.Reset(text); d.scanner.Next(); d.tokens++ {
		e, known := words[string(d.scanner.Bytes())]
		if cut := d.scanner.Word(French); !known && len(cut) < len(d.scanner.Bytes()) {
			d.share(1<<French|1<<Italian, wordPoints)
			e = words[string(cut)]
		}
		d.share(e.tells, wordPoints)
	}
}

// Tokens returns how many tokens were counted. More than some hundreds tell nothing new.
func (d *Detector) Tokens() int { return d.tokens }

// Reset forgets what was counted.
func (d *Detector) Reset() { d.evidence = evidence{} }

func (d *Detector) share(mask uint32, points int) {
	if mask == 0 {
		return
	}
	points /= bits.OnesCount32(mask)
	for ; mask != 0; mask &= mask - 1 {
		d.points[bits.TrailingZeros32(mask)] += points
	}
}

// Language returns the language of what was added. It is Unknown if that is not clear, or nothing was added.
func (d *Detector) Language() Language {
	switch d.script() {
	case latin:
		return d.latinLanguage()
	case cyrillic:
		if d.points[Russian] >= wordPoints && d.points[Russian] > 6*d.points[Unknown] {
			return Russian
		}
	case han, kana:
		if 10*d.letters[kana] >= d.letters[han]+d.letters[kana] {
			return Japanese
		}
		return Chinese
	case hangul:
		return Korean
	case thai:
		return Thai
	case arabicScript:
		if d.points[Unknown]*10 < d.letters[arabicScript] {
			return Arabic
		}
	case hebrewScript:
		return Hebrew
	case greek:
		return Greek
	case devanagari:
		return Hindi
	}
	return Unknown
}

// script returns the script that clearly outweighs the others. A character for a syllable or a word weighs as much as
// three letters.
func (d *Detector) script() script {
	weights, sum, best := d.letters, 0, otherScript
	weights[han] = 3 * (d.letters[han] + d.letters[kana])
	weights[kana] = 0
	weights[hangul] *= 3
	for s, n := range weights {
		sum += n
		if n > weights[best] {
			best = script(s)
		}
	}
	if 10*weights[best] < 6*sum {
		return otherScript
	}
	return best
}

func (d *Detector) latinLanguage() Language {
	best, next := Unknown, 0
	for l := German; l <= Turkish; l++ {
		if d.points[l] > d.points[best] || best == Unknown && d.points[l] > 0 {
			best = l
		}
	}
	for l := Unknown; l <= Turkish; l++ {
		if l != best && l != English && !siblings(l, best) {
			next = max(next, d.points[l])
		}
	}
	english, other := d.points[English], d.points[best]
	against := max(other, next)
	switch {
	case english == 0 && d.tokens > nameless:
		if clear(other, next) {
			return best
		}
	case 2*english >= 3*against, english >= against && (against < wordPoints || english >= surePoints):
		return English
	case clear(other, max(next, english)):
		return best
	}
	return Unknown
}

// clear reports whether points are enough, and so far ahead of the next best that it is not by chance.
func clear(points, next int) bool {
	return points >= surePoints && (points >= 2*next || points-next >= farAhead && 5*points >= 7*next)
}

// siblings reports whether two languages are so close that the better one is taken without a lead.
func siblings(a, b Language) bool {
	return a == Norwegian && b == Danish || a == Danish && b == Norwegian
}

// scriptOf returns the script of a letter beyond ASCII.
func scriptOf(r rune) script {
	switch {
	case r < 0x0250, r >= 0x1E00 && r <= 0x1EFF:
		if unicode.IsLetter(r) {
			return latin
		}
	case r >= 0x0370 && r <= 0x03FF:
		return greek
	case r >= 0x0400 && r <= 0x052F:
		return cyrillic
	case r >= 0x0590 && r <= 0x05FF:
		return hebrewScript
	case r >= 0x0600 && r <= 0x06FF:
		return arabicScript
	case r >= 0x0900 && r <= 0x097F:
		return devanagari
	case r >= 0x0E00 && r <= 0x0E7F:
		return thai
	case r >= 0x3040 && r <= 0x30FF:
		return kana
	case r >= 0x3400 && r <= 0x9FFF:
		return han
	case r >= 0xAC00 && r <= 0xD7A3:
		return hangul
	}
	return otherScript
}

// tellingLetters has the languages, as bits, for which a small letter beyond ASCII speaks. Unknown has letters of
// languages that Term does not know.
var tellingLetters = func() map[rune]uint32 {
	out := map[rune]uint32{}
	for l, letters := range map[Language]string{
		Unknown: "ъіїєґўјљњћђџѓќپچژگٹے", German: "ßäöü", Spanish: "ñ¿¡éáíóú", French: "çèùàêôœûëïâîé",
		Portuguese: "ãõçàêôéáíóú", Italian: "èùàìòé", Dutch: "ëï", Swedish: "äöå", Norwegian: "åøæ", Danish: "åøæ",
		Finnish: "äö", Russian: "ыэё", Hungarian: "éáíóúöüőű", Romanian: "âîășțţ", Turkish: "çöüğşı",
	} {
		for _, r := range letters {
			out[r] |= l.bit()
		}
	}
	return out
}()

// tellingLetter returns the languages, as bits, for which a letter beyond ASCII speaks.
func tellingLetter(r rune) uint32 {
	of := tellingLetters[unicode.ToLower(r)]
	if of == 0 && (r >= 0x0100 && r < 0x0250 || r >= 0x1EA0 && r <= 0x1EFF) {
		return Unknown.bit()
	}
	return of
}
