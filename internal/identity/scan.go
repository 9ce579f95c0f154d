package identity

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
)

// maxRaw bounds what is looked at: the longest address that a platform sends is a fraction of it.
const maxRaw = 256

// address takes the part that should hold a number out of what was given: a bare number, a URI
// ("tel:+1-555-0100;ext=2", "sip:+15550100@host;user=phone", "whatsapp:+15550100"), or a URI in a SIP header's angle
// brackets.
func address(raw string) (string, error) {
	s := strings.TrimSpace(raw)
	if s == "" {
		return "", recaller.InvalidField(phoneField, "expected a phone number, such as +15551234567, got nothing")
	}
	if len(s) > maxRaw || !utf8.ValidString(s) {
		return "", recaller.InvalidField(phoneField,
			"expected a phone number, such as +15551234567, of at most %d bytes of UTF-8", maxRaw)
	}
	if _, in, ok := strings.Cut(s, "<"); ok {
		s, _, _ = strings.Cut(in, ">")
	}
	scheme, rest, ok := strings.Cut(s, ":")
	if ok && strings.IndexFunc(scheme, unicode.IsLetter) == 0 {
		s = fromURI(strings.ToLower(scheme), rest)
	}
	if saysWithheld(s) {
		return "", withheld()
	}
	return s, nil
}

// fromURI returns what a URI holds of a number. A scheme that holds none gives text that scan will refuse.
func fromURI(scheme, rest string) string {
	switch scheme {
	case "sip", "sips":
		user, host, _ := strings.Cut(rest, "@")
		if strings.HasPrefix(host, "anonymous.") { // RFC 3323: sip:anonymous@anonymous.invalid
			return "anonymous"
		}
		rest = user
	case "tel", "callto", "whatsapp", "sms":
	default:
		return scheme + ":" + rest
	}
	rest, _, _ = strings.Cut(rest, "?")
	number, params, _ := strings.Cut(rest, ";")
	if plain, err := url.PathUnescape(number); err == nil {
		number = plain
	}
	return phoneContext(params) + number
}

// phoneContext returns the leading digits that RFC 3966 lets a local number leave to a parameter:
// "tel:863-1234;phone-context=+1-914-555".
func phoneContext(params string) string {
	for param := range strings.SplitSeq(params, ";") {
		key, value, _ := strings.Cut(param, "=")
		if strings.EqualFold(key, "phone-context") && strings.HasPrefix(value, "+") {
			return value
		}
	}
	return ""
}

// saysWithheld reports whether a platform's word for "no number" stands in place of one.
func saysWithheld(s string) bool {
	letters := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
	switch strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(letters, "number"), "caller"), "id") {
	case "anonymous", "restricted", "private", "unknown", "unavailable", "withheld", "numberwithheld", "blocked",
		"hidden",
		"suppressed", "undisclosed", "nocaller", "callerunknown", "outofarea", "notavailable", "notprovided":
		return true
	}
	return false
}

// scan reads the digits of a number in any script, and whether a "+" stood before them.
func scan(s string) (digits string, international bool, err error) {
	buf := make([]byte, 0, maxDigits+1)
	for i, r := range s {
		d, isDigit := digitValue(r)
		switch {
		case isDigit:
			buf = append(buf, '0'+d)
		case (r == '+' || r == '＋') && len(buf) == 0 && !international:
			international = true
		case punctuation(r):
		case len(buf) > 0 && extension(s[i:]):
			return string(buf), international, nil
		default:
			return "", false, recaller.InvalidField(phoneField,
				"expected a phone number of digits, such as +15551234567; ids that are no numbers belong in "+
					"external_id")
		}
	}
	if len(buf) == 0 {
		return "", false, recaller.InvalidField(phoneField,
			"expected a phone number, such as +15551234567, got no digits")
	}
	return string(buf), international, nil
}

// digitValue returns the value of a decimal digit of any script. Unicode keeps the digits of a script in one run of
// ten, from zero up.
func digitValue(r rune) (value byte, ok bool) {
	if '0' <= r && r <= '9' {
		return byte(r - '0'), true
	}
	if r < utf8.RuneSelf {
		return 0, false
	}
	for _, run := range unicode.Nd.R16 {
		if rune(run.Lo) <= r && r <= rune(run.Hi) {
			return byte((r - rune(run.Lo)) % 10), true
		}
	}
	for _, run := range unicode.Nd.R32 {
		if rune(run.Lo) <= r && r <= rune(run.Hi) {
			return byte((r - rune(run.Lo)) % 10), true
		}
	}
	return 0, false
}

// punctuation reports whether r only separates digits: spaces, dashes, brackets, dots, and the invisible marks that
// come along when a number is copied out of an address book.
func punctuation(r rune) bool {
	switch r {
	case '(', ')', '[', ']', '.', '/', '~', '（', '）', '［', '］', '．', '／', '～', '·', '−', 'ー':
		return true
	}
	return unicode.IsSpace(r) || unicode.In(r, unicode.Pd, unicode.Zs, unicode.Cf)
}

// extension reports whether s is an extension from its first mark to its end: "x12", "ext. 12", ";ext=12", "#12",
// ",,12".
func extension(s string) bool {
	s = strings.ToLower(s)
	rest := strings.TrimLeft(s, " ,;#")
	for _, word := range []string{"extension", "extn", "ext", "x"} {
		if after, ok := strings.CutPrefix(rest, word); ok {
			rest = after
			break
		}
	}
	number := strings.TrimLeft(rest, " .:=#")
	return rest != s && number != "" && len(number) <= 8 && strings.Trim(number, "0123456789") == ""
}
