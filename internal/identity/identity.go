// Package identity turns what a platform or an application calls a person into the one form under which Recaller knows
// them: a phone number in E.164 form, or an external id. It also tells a number's region and time zone, and how to show
// the number without giving it away.
//
// It normalises, with no I/O and no state. Whose an identity is, the use case of callers decides. Whether to believe
// the person, no number can say.
//
// Errors are recaller.Invalid. They name the field ("caller.phone", "caller.external_id") and what was expected, and
// never hold what was given. errors.Is(err, ErrWithheld) tells a number that the caller withheld. That is nobody's
// mistake: the call goes on with a stranger.
package identity

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
)

// The fields that errors name.
const (
	phoneField    = "caller.phone"
	externalField = "caller.external_id"
)

// MaxExternalID is the greatest length of an external id in bytes.
const MaxExternalID = 256

// ErrWithheld is wrapped by Phone's error for a number that the caller, or the network, does not show.
var ErrWithheld = errors.New("number withheld")

// ExternalID returns an application's own id of a person in the form in which it is stored: without white space around
// it, otherwise unchanged, as ids differ by case. It must be 1 to MaxExternalID bytes of UTF-8 without control
// characters.
func ExternalID(raw string) (string, error) {
	id := strings.TrimSpace(raw)
	switch {
	case id == "":
		return "", recaller.InvalidField(externalField, "expected an id of 1 to %d bytes, got an empty one",
			MaxExternalID)
	case len(id) > MaxExternalID:
		return "", recaller.InvalidField(externalField, "expected an id of 1 to %d bytes, got %d", MaxExternalID,
			len(id))
	case !utf8.ValidString(id):
		return "", recaller.InvalidField(externalField, "expected UTF-8 text")
	case strings.ContainsFunc(id, unicode.IsControl):
		return "", recaller.InvalidField(externalField, "expected an id without control characters")
	}
	return id, nil
}
