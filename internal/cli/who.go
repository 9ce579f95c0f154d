package cli

import (
	"strings"
)

// who is a PHONE argument: a number as people write it, or ext:ID for an id of the application's own.
type who string

// externalID returns the id of an ext:ID argument, or "".
func (w who) externalID() string {
	id, ok := strings.CutPrefix(string(w), "ext:")
	if !ok {
		return ""
	}
	return strings.TrimSpace(id)
}

// phone returns the number, or "" where the argument is an ext:ID.
func (w who) phone() string {
	if strings.HasPrefix(string(w), "ext:") {
		return ""
	}
	return strings.TrimSpace(string(w))
}

// Validate refuses what cannot be anybody, before anything is opened. Whether a number is one, the server says: it
// knows the tenant's region.
func (w who) Validate() error {
	if w.phone() == "" && w.externalID() == "" {
		return usagef("PHONE is empty: give a number such as +15550100199, or ext:ID")
	}
	return nil
}
