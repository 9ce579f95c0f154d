package identity

import (
	"strings"

	"github.com/nyaruka/phonenumbers"

	"github.com/recallerhq/recaller"
)

// E.164 allows 15 digits. The shortest number seen in use has 7, with its country code.
const (
	minDigits = 7
	maxDigits = 15
)

// Phone returns a phone number in E.164 form: "+", a digit from 1 to 9, and 6 to 14 digits more. Phone of its own
// result is that result.
//
// It reads what people and platforms write: punctuation of any script, digits of any script, "tel:", "sip:" and
// "whatsapp:" addresses, the international prefixes 00 and 011, and numbers without any prefix, which are national ones
// of the region (ISO 3166 alpha-2, such as the tenant's default region) if they fit there, else international ones
// without their "+". A trunk zero as in "+44 (0)20 …" is dropped. An extension is dropped too: networks never send one,
// so it cannot tell people apart who call from behind one number.
//
// A number need not be valid in a numbering plan; it must have the shape. Letters are refused, "1-800-FLOWERS" as well:
// nobody calls from such a number, and ids that happen to hold digits must not become one. Withheld numbers give an
// error that wraps ErrWithheld.
func Phone(raw, region string) (string, error) {
	s, err := address(raw)
	if err != nil {
		return "", err
	}
	digits, international, err := scan(s)
	if err != nil {
		return "", err
	}
	if keypadWord(digits) {
		return "", withheld()
	}
	if !international {
		if digits, err = fromNational(digits, strings.ToUpper(strings.TrimSpace(region))); err != nil {
			return "", err
		}
	}
	return shaped(canonical(digits))
}

// withheld is the error for a number that is not shown.
func withheld() error {
	return &recaller.Error{
		Kind: recaller.Invalid, Field: phoneField, Err: ErrWithheld,
		Msg: "the number is withheld: nobody can be recognised by it; use external_id if the person is known otherwise",
	}
}

// keypadWord reports whether digits are a word typed on a keypad, as some networks put it in place of a withheld
// number. None of them is a number in any plan.
func keypadWord(digits string) bool {
	switch digits {
	case "266696687", // ANONYMOUS
		"7378742833",  // RESTRICTED
		"2562533",     // BLOCKED
		"8656696",     // UNKNOWN
		"86282452253": // UNAVAILABLE
		return true
	}
	return false
}

// canonical drops a trunk prefix after the country code, if that makes a number of the plan. Otherwise the digits stay.
func canonical(digits string) string {
	for range 3 { // a prefix can hide another; more than two were never seen
		n, err := phonenumbers.Parse("+"+digits, "")
		if err != nil || !phonenumbers.IsValidNumber(n) {
			return digits
		}
		better := format(n)
		if better == digits {
			return digits
		}
		digits = better
	}
	return digits
}

// shaped checks the shape that spec 2.4 asks for.
func shaped(digits string) (string, error) {
	switch {
	case len(digits) < minDigits:
		return "", recaller.InvalidField(phoneField,
			"expected a phone number of %d to %d digits with its country code, such as +15551234567; this one is too "+
				"short", minDigits, maxDigits)
	case len(digits) > maxDigits:
		return "", recaller.InvalidField(phoneField,
			"expected a phone number of %d to %d digits with its country code, such as +15551234567; this one is too "+
				"long", minDigits, maxDigits)
	case digits[0] == '0':
		return "", recaller.InvalidField(phoneField,
			"expected a country code after the +, such as +15551234567; no country code begins with 0")
	}
	return "+" + digits, nil
}

// fromNational gives a country code to digits that were written without "+".
//
// In order of trust: a valid number of the region; one after the region's own international prefix, or one of the two
// that the world knows; one of the right length for the region; a valid international one that lost its "+"; one that
// begins with the region's country code and goes on as a local number; whatever the region makes of it.
func fromNational(digits, region string) (string, error) {
	code := phonenumbers.GetCountryCodeForRegion(region)
	if code == 0 {
		if rest, ok := strings.CutPrefix(digits, "00"); ok {
			return rest, nil
		}
		return "", recaller.InvalidField(phoneField,
			"expected a phone number with its country code, such as +15551234567: there is no default region to read "+
				"a national one by")
	}
	n, err := phonenumbers.ParseAndKeepRawInput(digits, region)
	readable := err == nil
	if readable &&
		(phonenumbers.IsValidNumber(n) || n.GetCountryCodeSource() == phonenumbers.PhoneNumber_FROM_NUMBER_WITH_IDD) {
		return format(n), nil
	}
	if rest, ok := strings.CutPrefix(digits, "00"); ok {
		return rest, nil
	}
	if rest, ok := strings.CutPrefix(digits, "011"); ok && inPlan(rest) {
		return rest, nil
	}
	if readable && phonenumbers.IsPossibleNumber(n) {
		return format(n), nil
	}
	if !readable || inPlan(digits) || localAfterCode(digits, code) {
		return digits, nil
	}
	return format(n), nil
}

// inPlan reports whether digits with a "+" before them are a valid number somewhere.
func inPlan(digits string) bool {
	n, err := phonenumbers.Parse("+"+digits, "")
	return err == nil && phonenumbers.IsValidNumber(n)
}

// localAfterCode reports whether digits are a country's code and a number that could be dialled locally there.
func localAfterCode(digits string, code int) bool {
	n, err := phonenumbers.Parse("+"+digits, "")
	if err != nil || int(n.GetCountryCode()) != code {
		return false
	}
	switch phonenumbers.IsPossibleNumberWithReason(n) {
	case phonenumbers.IS_POSSIBLE, phonenumbers.IS_POSSIBLE_LOCAL_ONLY:
		return true
	default:
		return false
	}
}

// format gives a parsed number as digits, without the "+".
func format(n *phonenumbers.PhoneNumber) string {
	return strings.TrimPrefix(phonenumbers.Format(n, phonenumbers.E164), "+")
}
