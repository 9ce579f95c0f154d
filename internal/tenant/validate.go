package tenant

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/identity"
	"github.com/recallerhq/recaller/internal/prompt"
	"github.com/recallerhq/recaller/internal/wrapup/label"
)

// Bounds of a tenant's settings.
const (
	maxName        = 200  // bytes
	maxText        = 4000 // bytes of one text, or one list
	maxLines       = 100  // entries of one list
	maxNumbers     = 1000
	maxDays        = 3650
	maxArchiveDays = 36500 // of documents: a century
	maxPrompt      = 8000  // bytes
)

// validate checks a tenant's settings and normalises its numbers.
func validate(t *recaller.Tenant) error {
	if strings.TrimSpace(t.Name) == "" || len(t.Name) > maxName {
		return recaller.InvalidField("name", "must be 1 to %d bytes", maxName)
	}
	if t.Environment != recaller.Production && t.Environment != recaller.Demo {
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
	if err := packs(t.Packs, t.OwnPacks); err != nil {
		return err
	}
	if !t.Masking.Valid() {
		return recaller.InvalidField("masking", "must be on or off")
	}
	if err := numbers(t); err != nil {
		return err
	}
	if err := ranges(t); err != nil {
		return err
	}
	if err := prompts(t.Prompts); err != nil {
		return err
	}
	if err := telephone(t); err != nil {
		return err
	}
	if err := texting(t.Texting); err != nil {
		return err
	}
	if err := webChat(t); err != nil {
		return err
	}
	if err := outbound(t); err != nil {
		return err
	}
	if err := trust(t.Trust); err != nil {
		return err
	}
	if t.Webhook.Set() || t.Webhook.Secret != "" {
		if err := webhook(t.Webhook, "webhook."); err != nil {
			return err
		}
	}
	return profile(t.Profile)
}

// packs checks which keyword packs are in use.
func packs(names, own []string) error {
	for i, name := range names {
		field := fmt.Sprintf("packs[%d]", i)
		switch {
		case !slices.Contains(own, name) && !slices.Contains(label.Builtin(), name):
			return recaller.InvalidField(field, "is not a keyword pack; there are %s, and those of the tenant's own",
				strings.Join(label.Builtin(), " and "))
		case slices.Contains(names[:i], name):
			return recaller.InvalidField(field, "is there twice")
		}
	}
	return nil
}

// prompts checks texts of a tenant's own, in the order of ours.
func prompts(own map[string]string) error {
	var names []string
	for _, p := range prompt.All() {
		names = append(names, p.Name)
		text, has := own[p.Name]
		if has && (text == "" || len(text) > maxPrompt || !utf8.ValidString(text)) {
			return recaller.InvalidField("prompts."+p.Name, "must be 1 to %d bytes of UTF-8", maxPrompt)
		}
	}
	for name := range own {
		if !slices.Contains(names, name) {
			return recaller.InvalidField("prompts", "may have only the names %s", strings.Join(names, ", "))
		}
	}
	return nil
}

func numbers(t *recaller.Tenant) error {
	if len(t.Numbers) > maxNumbers {
		return recaller.InvalidField("numbers", "takes at most %d numbers", maxNumbers)
	}
	for i, raw := range t.Numbers {
		field := fmt.Sprintf("numbers[%d]", i)
		n, err := identity.Phone(raw, t.DefaultRegion)
		if err != nil {
			return recaller.InvalidField(field, "%s", message(err))
		}
		if slices.Contains(t.Numbers[:i], n) {
			return recaller.InvalidField(field, "is there twice")
		}
		t.Numbers[i] = n
	}
	return nil
}

func ranges(t *recaller.Tenant) error {
	switch {
	case t.ArchiveDays < 1 || t.ArchiveDays > maxDays:
		return recaller.InvalidField("archive_days", "must be between 1 and %d", maxDays)
	case t.DocumentArchiveDays < 0 || t.DocumentArchiveDays > maxArchiveDays:
		return recaller.InvalidField("document_archive_days", "must be between 0 and %d", maxArchiveDays)
	case t.ResumeWindow < time.Minute || t.ResumeWindow > maxDays*24*time.Hour:
		return recaller.InvalidField("resume_window_seconds", "must be between 60 and %d", maxDays*24*3600)
	case t.IdleLimit < time.Minute || t.IdleLimit > 7*24*time.Hour:
		return recaller.InvalidField("idle_limit_seconds", "must be between 60 and %d", 7*24*3600)
	case t.HistoryLimit < 1 || t.HistoryLimit > 20:
		return recaller.InvalidField("history_limit", "must be between 1 and 20")
	case t.PinAfter < recaller.NoPins || t.PinAfter > 16:
		return recaller.InvalidField("pin_after", "must be between 0 and 16")
	}
	return nil
}

func profile(p recaller.Profile) error {
	texts := []struct{ name, value string }{
		{"business", p.Business},
		{"description", p.Description},
		{"location", p.Location},
		{"phone", p.Phone},
		{"personality", p.Personality},
		{"greeting", p.Greeting},
	}
	for _, t := range texts {
		if len(t.value) > maxText {
			return recaller.InvalidField("profile."+t.name, "must be at most %d bytes", maxText)
		}
	}
	lists := []struct {
		name    string
		entries []string
	}{
		{"hours", spelled(p.Hours)}, {"pricing", spelled(p.Pricing)}, {"services", p.Services}, {"instructions", p.Instructions},
	}
	for _, l := range lists {
		if len(l.entries) > maxLines {
			return recaller.InvalidField("profile."+l.name, "takes at most %d entries", maxLines)
		}
		if len(strings.Join(l.entries, "")) > maxText {
			return recaller.InvalidField("profile."+l.name, "must be at most %d bytes in all", maxText)
		}
	}
	return nil
}

func spelled(lines []recaller.Line) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = l.Label + l.Value
	}
	return out
}

// message returns the client-safe text of an error.
func message(err error) string {
	var e *recaller.Error
	if errors.As(err, &e) {
		return e.Msg
	}
	return "is not valid"
}
