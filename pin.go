package recaller

import "time"

// Bounds of a spoken PIN (B1).
const (
	MinPIN      = 4
	MaxPIN      = 12
	MaxPINTries = 3 // in one conversation
)

// PINTry is one try to tell a caller's PIN. It is counted before the PIN is compared.
type PINTry struct {
	Once         Once // a repeat is no other try, and is compared again
	Caller       CallerID
	Conversation ConversationID
	At           time.Time
}

// PINTried is what became of a PINTry.
type PINTried struct {
	Hash  []byte    // what the PIN is compared with; nil: this try is not allowed
	Left  int       // tries that are left in the conversation
	Until time.Time // no other try is allowed before; zero: there is no pause
	Right bool      // as the use case found: never by the store
}

// PINPause is how long nobody may try after so many wrong tries in a row, in whatever conversations.
func PINPause(wrong int) time.Duration {
	pauses := []time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 24 * time.Hour}
	const free = 5
	if wrong < free {
		return 0
	}
	return pauses[min(wrong-free, len(pauses)-1)]
}

// ValidPIN reports whether digits can be a PIN: not too few or many, and not one of those that are guessed first (the same
// digit, or digits that rise or fall by one).
func ValidPIN(digits string) bool {
	if len(digits) < MinPIN || len(digits) > MaxPIN {
		return false
	}
	same, up, down := true, true, true
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
		if i == 0 {
			continue
		}
		step := (int(digits[i]) - int(digits[i-1]) + 10) % 10
		same, up, down = same && step == 0, up && step == 1, down && step == 9
	}
	return !same && !up && !down
}
