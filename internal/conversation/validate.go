package conversation

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/identity"
)

// Bounds of what an edge may tell.
const (
	maxMetadata    = 16 << 10
	maxName        = 200
	maxReason      = 200
	maxURL         = 2000
	maxPlatformIDs = 20
	maxPlatformID  = 256
)

// Identities turns what an edge was told into normalised identities, the strongest first: an application's own id says
// more about who somebody is than a number does. A number that the caller withheld counts as none. If there is nothing
// else, it returns no identities: nobody knows the caller, or will recognise him later.
func Identities(ref CallerRef, region string) ([]recaller.Identity, error) {
	var ids []recaller.Identity
	if ref.ExternalID != "" {
		v, err := externalID("caller.external_id", ref.ExternalID)
		if err != nil {
			return nil, err
		}
		ids = append(ids, recaller.Identity{Kind: recaller.IdentityExternal, Value: v})
	}
	if ref.Phone != "" {
		v, err := identity.Phone(ref.Phone, region)
		switch {
		case err == nil:
			ids = append(ids, recaller.Identity{Kind: recaller.IdentityPhone, Value: v})
		case !errors.Is(err, identity.ErrWithheld):
			return nil, err
		}
	}
	if ref.Phone == "" && ref.ExternalID == "" {
		return nil, recaller.InvalidField("caller", "is required: a phone or an external_id")
	}
	return ids, nil
}

func externalID(field, raw string) (string, error) {
	v, err := identity.ExternalID(raw)
	var e *recaller.Error
	if errors.As(err, &e) && e.Kind == recaller.Invalid { // say it with the request's name of the field
		return "", recaller.InvalidField(field, "%s", e.Msg)
	}
	return v, err
}

// object checks that raw is a JSON object, or nothing.
func object(field string, raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) > maxMetadata {
		return nil, recaller.InvalidField(field, "must be at most %d bytes", maxMetadata)
	}
	if len(raw) == 0 {
		return nil, nil
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, recaller.InvalidField(field, "must be a JSON object")
	}
	if m == nil { // null
		return nil, nil
	}
	return raw, nil
}

// platformIDs checks the ids that platforms gave a conversation.
func platformIDs(field string, ids map[string]string) error {
	if len(ids) > maxPlatformIDs {
		return recaller.InvalidField(field, "takes at most %d ids", maxPlatformIDs)
	}
	for name, id := range ids {
		if name == "" {
			return recaller.InvalidField(field, "must not have an empty name")
		}
		for _, v := range []string{name, id} {
			if err := oneLine(field, v, maxPlatformID); err != nil {
				return err
			}
		}
	}
	return nil
}

// oneLine checks a short text: bounded, UTF-8, no control characters.
func oneLine(field, v string, limit int) error {
	switch {
	case len(v) > limit:
		return recaller.InvalidField(field, "must be at most %d bytes", limit)
	case !utf8.ValidString(v):
		return recaller.InvalidField(field, "must be valid UTF-8")
	case strings.ContainsFunc(v, unicode.IsControl):
		return recaller.InvalidField(field, "must not contain control characters")
	}
	return nil
}

func cleanTurn(field string, in TurnInput, now time.Time) (recaller.Turn, error) {
	t := recaller.Turn{
		Speaker: in.Speaker, Text: in.Text, Name: in.Name, At: in.At, Confidence: 1, Interrupted: in.Interrupted,
	}
	switch {
	case t.Speaker == "":
		return t, recaller.InvalidField(field+".speaker", "is required")
	case !t.Speaker.Valid():
		return t, recaller.InvalidField(field+".speaker", "must be user or assistant")
	case t.Text == "":
		return t, recaller.InvalidField(field+".text", "is required")
	case strings.TrimSpace(t.Text) == "":
		return t, recaller.InvalidField(field+".text", "must not be empty")
	case len(t.Text) > recaller.MaxTurnBytes:
		return t, recaller.InvalidField(field+".text", "must be at most %d bytes", recaller.MaxTurnBytes)
	case !utf8.ValidString(t.Text):
		return t, recaller.InvalidField(field+".text", "must be valid UTF-8")
	}
	if in.Confidence != nil {
		t.Confidence = *in.Confidence
	}
	if !(t.Confidence >= 0 && t.Confidence <= 1) {
		return t, recaller.InvalidField(field+".confidence", "must be between 0 and 1")
	}
	if err := oneLine(field+".name", t.Name, maxName); err != nil {
		return t, err
	}
	if t.At.IsZero() {
		t.At = now
	}
	return t, plausible(field+".at", t.At, now)
}

// plausible refuses times that can only be mistakes, such as milliseconds read as seconds, or the year 1.
func plausible(field string, at, now time.Time) error {
	if at.Year() < 1970 || at.After(now.Add(24*time.Hour)) {
		return recaller.InvalidField(field, "must be an RFC 3339 time between 1970 and tomorrow")
	}
	return nil
}

// recording checks a conversation's length and the link to its recording, as a platform told them.
func recording(link string, length time.Duration) error {
	if length < 0 {
		return recaller.InvalidField("duration_seconds", "must not be negative")
	}
	if link == "" {
		return nil
	}
	if err := oneLine("recording_url", link, maxURL); err != nil {
		return err
	}
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return recaller.InvalidField("recording_url", "must be an http or https URL")
	}
	return nil
}

// duration is how long a conversation took: as the platform told, or else by its times.
func duration(told time.Duration, from, to time.Time) time.Duration {
	if told > 0 {
		return told
	}
	return max(0, to.Sub(from))
}

// later returns the later of two times.
func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// fieldf spells the path of a field in a list: turns[3].text.
func fieldf(format string, args ...any) string { return fmt.Sprintf(format, args...) }
