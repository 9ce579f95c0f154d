package token

import "unicode/utf8"

// Language says by which rules words become terms. The zero value is Unknown.
type Language uint8

// The languages that Term and Detector know. Unknown is every other language, and text whose language is not clear. Its
// words are found as they are written.
const (
	Unknown Language = iota
	English
	German
	Spanish
	French
	Portuguese
	Italian
	Dutch
	Swedish
	Norwegian
	Danish
	Finnish
	Russian
	Hungarian
	Romanian
	Turkish
	Japanese
	Chinese
	Korean
	Thai
	Arabic
	Hebrew
	Greek
	Hindi

	languages // how many there are
)

// String returns the language's BCP 47 tag, "und" for Unknown.
func (l Language) String() string {
	tags := [languages]string{
		"und", "en", "de", "es", "fr", "pt", "it", "nl", "sv", "no", "da", "fi", "ru", "hu", "ro", "tr",
		"ja", "zh", "ko", "th", "ar", "he", "el", "hi",
	}
	if l < languages {
		return tags[l]
	}
	return tags[Unknown]
}

// Term returns the term that a folded token is searched by in a text of language l, or "" for a word that says nothing
// about the matter. Accents make no difference, because tokens have none: "canción", "cancion" and "canciones" are one
// term.
//
// English.Term is the function Term. A call can take some microseconds, so keep the answer for each word and language.
func (l Language) Term(tok string) string {
	switch {
	case l == English:
		return Term(tok)
	case l == Unknown || l >= languages:
		return tok
	case tok == "" || l.Stop(tok):
		return ""
	case l.guest(tok):
		return Term(tok)
	}
	switch l {
	case Japanese, Chinese:
		return tok
	case Korean:
		return korean(tok)
	case Arabic:
		return arabic(tok)
	case Hebrew:
		return hebrew(tok)
	}
	return l.stem(tok)
}

// Stop reports whether a folded token is a stop word of language l. Unknown has none.
func (l Language) Stop(tok string) bool {
	if l == English || l < languages && l.guest(tok) {
		return Stop(tok)
	}
	switch l {
	case German:
		return words[tok].stop&l.bit() != 0 || words[transcribed(tok)].stop&l.bit() != 0
	case Arabic:
		return words[tok].stop&l.bit() != 0 || words[arabicLetters.Replace(tok)].stop&l.bit() != 0
	}
	return l < languages && words[tok].stop&l.bit() != 0
}

// guest reports whether tok is a Latin word in a language of another script. Most such words are English.
func (l Language) guest(tok string) bool {
	return (l >= Japanese || l == Russian) && tok != "" && tok[0] < utf8.RuneSelf
}

func (l Language) bit() uint32 { return 1 << l }
