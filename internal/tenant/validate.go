package tenant

import (
	"fmt"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/identity"
	"github.com/recallerhq/recaller/internal/wrapup/label"
)

// Bounds of a tenant's settings.
const (
	maxText  = 4000 // bytes of one text
	maxLines = 100  // entries of one list
	maxDays  = 3650
)

// validate checks a tenant's settings and normalises its numbers.
func validate(t *recaller.Tenant) error {
	if t.Environment != "production" && t.Environment != "demo" {
		return recaller.InvalidField("environment", "must be production or demo")
	}
	if !identity.KnownRegion(t.DefaultRegion) {
		return recaller.InvalidField("default_region", "must be a two-letter country code such as US or DE")
	}
	if _, err := time.LoadLocation(t.TimeZone); err != nil || t.TimeZone == "" || t.TimeZone == "Local" {
		return recaller.InvalidField("time_zone", "must be an IANA time zone such as Europe/Berlin")
	}
	if !t.Retention.Valid() {
		return recaller.InvalidField("retention", "must be ephemeral, archive or keep")
	}
	if _, err := label.Packs(t.Packs); err != nil {
		return recaller.InvalidField("packs", "%s", message(err))
	}
	if err := numbers(t); err != nil {
		return err
	}
	if err := ranges(t); err != nil {
		return err
	}
	return profile(t.Profile)
}

func numbers(t *recaller.Tenant) error {
	for i, raw := range t.Numbers {
		n, err := identity.Phone(raw, t.DefaultRegion)
		if err != nil {
			return recaller.InvalidField(fmt.Sprintf("numbers[%d]", i), "%s", message(err))
		}
		t.Numbers[i] = n
	}
	return nil
}

func ranges(t *recaller.Tenant) error {
	switch {
	case t.ArchiveDays < 1 || t.ArchiveDays > maxDays:
		return recaller.InvalidField("archive_days", "must be between 1 and %d", maxDays)
	case t.ResumeWindow < time.Minute || t.ResumeWindow > maxDays*24*time.Hour:
		return recaller.InvalidField("resume_window_hours", "must be above 0 and at most %d", maxDays*24)
	case t.IdleLimit < time.Minute || t.IdleLimit > 7*24*time.Hour:
		return recaller.InvalidField("idle_limit_minutes", "must be between 1 and %d", 7*24*60)
	case t.HistoryLimit < 1 || t.HistoryLimit > 20:
		return recaller.InvalidField("history_limit", "must be between 1 and 20")
	case len(t.Name) > 200:
		return recaller.InvalidField("name", "must be at most 200 bytes")
	}
	return nil
}

func profile(p recaller.Profile) error {
	texts := map[string]string{
		"business": p.Business, "description": p.Description, "location": p.Location, "phone": p.Phone,
		"personality": p.Personality, "greeting": p.Greeting,
		"services": strings.Join(p.Services, ""), "instructions": strings.Join(p.Instructions, ""),
	}
	for _, l := range append(append([]recaller.Line(nil), p.Hours...), p.Pricing...) {
		texts["hours and pricing"] += l.Label + l.Value
	}
	for name, v := range texts {
		if len(v) > maxText {
			return recaller.InvalidField("profile."+name, "must be at most %d bytes in all", maxText)
		}
	}
	if max(len(p.Services), len(p.Instructions), len(p.Hours), len(p.Pricing)) > maxLines {
		return recaller.InvalidField("profile", "takes at most %d entries a list", maxLines)
	}
	return nil
}

// message is the client-safe text of an error.
func message(err error) string {
	if e, ok := err.(*recaller.Error); ok { //nolint:errorlint // validation errors come unwrapped
		return e.Msg
	}
	return "is not valid"
}
