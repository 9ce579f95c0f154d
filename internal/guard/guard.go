// Package guard takes the secrets that people say out of what is kept (spec B11): card numbers, national ids,
// passwords. It masks the secret itself; the sentence around it stays.
//
// It is not for names, phone numbers, addresses or bank accounts, which a memory of a caller needs, and not for judging
// who may hear what. It is pure: no clock, no I/O, and nothing of what it saw is kept.
package guard

import "strings"

// Kind is a sort of secret.
type Kind string

// The kinds.
const (
	Card       Kind = "card"        // a payment card's number, its expiry and its security code
	NationalID Kind = "national_id" // a number that a state gave a person
	Password   Kind = "password"    // passwords, PINs, passcodes, one-time codes, security words
)

// Mask replaces the secrets in a text, and returns it with the kind of each that it found. asked is what the other side
// said just before, or "": an answer to "your card number, please?" is read more strictly than words that stand alone.
// Masking what is masked already changes nothing.
func Mask(text, asked string) (masked string, found []Kind) {
	if !mayHold(text) && (len(text) > maxWordAnswer || !mayHold(asked)) {
		return text, nil
	}
	return mask(text, asks(asked))
}

// maxWordAnswer bounds an answer that may be a password though it has neither a digit nor a word that announces one.
const maxWordAnswer = 64

// mask is Mask by what was asked for. What is left of a text may be a secret by what was taken out ("[card number],
// code 123"), so it is looked at again until nothing is found; the bound is out of reach of what people say.
func mask(text string, asked ask) (masked string, found []Kind) {
	for range maxPasses {
		spans := find(text, asked)
		if len(spans) == 0 {
			break
		}
		var b strings.Builder
		at := 0
		for _, s := range spans {
			b.WriteString(text[at:s.start])
			b.WriteString(s.mark)
			found, at = append(found, s.kind), s.end
		}
		b.WriteString(text[at:])
		text = b.String()
	}
	return text, found
}

const maxPasses = 64
