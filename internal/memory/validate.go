package memory

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
)

// maxAhead is how far ahead a reminder may be set, in years. A time further away is taken for a mistake in the year.
const maxAhead = 5

func validate(p recaller.MemoryPatch) error {
	switch {
	case p.Type != nil && !p.Type.Valid():
		return recaller.InvalidField("type", "must be one of %v", recaller.MemoryTypes())
	case p.Confidence != nil && !(*p.Confidence >= 0 && *p.Confidence <= 1):
		return recaller.InvalidField("confidence", "must be between 0 and 1")
	case p.PrivacyScope != nil && !p.PrivacyScope.Valid():
		return recaller.InvalidField("privacy_scope", "must be line_only or shared")
	case p.DueAt != nil && *p.DueAt != nil && ((*p.DueAt).Year() < 1970 || (*p.DueAt).Year() > 9999):
		return recaller.InvalidField("due_at", "must be an RFC 3339 time after 1970")
	}
	if p.Key != nil {
		if err := text("key", *p.Key, MaxKey); err != nil {
			return err
		}
	}
	if p.Value != nil {
		return text("value", *p.Value, MaxValue)
	}
	return nil
}

// ahead checks that the time of a reminder is in the future, and not too far.
func ahead(at, now time.Time) error {
	if !at.After(now) {
		return recaller.InvalidField("due_at", "must lie ahead")
	}
	if at.After(now.AddDate(maxAhead, 0, 0)) {
		return recaller.InvalidField("due_at", "must be within %d years", maxAhead)
	}
	return nil
}

// text checks a text that must say something.
func text(field, v string, limit int) error {
	if strings.TrimSpace(v) == "" {
		return recaller.InvalidField(field, "must not be empty")
	}
	return bounded(field, v, limit)
}

// bounded checks a text that may be empty.
func bounded(field, v string, limit int) error {
	switch {
	case len(v) > limit:
		return recaller.InvalidField(field, "must be at most %d bytes", limit)
	case !utf8.ValidString(v):
		return recaller.InvalidField(field, "must be valid UTF-8")
	}
	return nil
}
