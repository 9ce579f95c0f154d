package guard

import "strings"

// What a mask leaves in the place of a secret.
const (
	cardMark       = "[card number]"
	cardEndingMark = "[card number ending in " // and the last four digits, and a bracket
	codeMark       = "[security code]"
	expiryMark     = "[card expiry]"
	idMark         = "[national id]"
	passwordMark   = "[password]"
)

func cardEnding(number string) string { return cardEndingMark + number[len(number)-4:] + "]" }

// markLen returns the length of the mark that a text begins with, 0 if it begins with none.
func markLen(s string) int {
	for _, m := range []string{cardMark, codeMark, expiryMark, idMark, passwordMark} {
		if strings.HasPrefix(s, m) {
			return len(m)
		}
	}
	rest, ok := strings.CutPrefix(s, cardEndingMark)
	if !ok || len(rest) < 5 || rest[4] != ']' {
		return 0
	}
	for i := range 4 {
		if rest[i] < '0' || rest[i] > '9' {
			return 0
		}
	}
	return len(cardEndingMark) + 5
}
