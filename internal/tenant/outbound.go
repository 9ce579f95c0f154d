package tenant

import (
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/errand/quiet"
	"github.com/recallerhq/recaller/internal/identity"
)

// maxCountries bounds whose numbers are reached; there are fewer than 300.
const maxCountries = 300

// outbound checks how a tenant's callers are reached about reminders, and normalises it. The numbers are normalised
// already.
func outbound(t *recaller.Tenant) error {
	o := &t.Outbound
	if o.From != "" {
		from, err := identity.Phone(o.From, t.DefaultRegion)
		if err != nil || !slices.Contains(t.Numbers, from) {
			return recaller.InvalidField("outbound.from", "must be one of the tenant's numbers")
		}
		o.From = from
	}
	switch {
	case !o.Reminders.Valid():
		return recaller.InvalidField("outbound.reminders", "must be one of %v", recaller.AllMeans())
	case o.Reminders != recaller.MeansNone && o.From == "":
		return recaller.InvalidField("outbound.from", "is required to ring or text: one of the tenant's numbers")
	case o.Tries < 1 || o.Tries > recaller.MaxTries:
		return recaller.InvalidField("outbound.tries", "must be between 1 and %d", recaller.MaxTries)
	case o.Pause < recaller.MinPause || o.Pause > recaller.MaxPause:
		return recaller.InvalidField("outbound.pause_seconds", "must be between %d and %d",
			int(recaller.MinPause.Seconds()), int(recaller.MaxPause.Seconds()))
	case !o.Voicemail.Valid():
		return recaller.InvalidField("outbound.voicemail", "must be one of %v", recaller.Voicemails())
	case o.AtOnce < 1 || o.AtOnce > recaller.MaxAtOnce:
		return recaller.InvalidField("outbound.at_once", "must be between 1 and %d", recaller.MaxAtOnce)
	case len(o.Countries) > maxCountries:
		return recaller.InvalidField("outbound.countries", "takes at most %d", maxCountries)
	}
	if _, err := quiet.Read(o.QuietFrom, o.QuietTo); err != nil {
		field := "outbound.quiet_from"
		if _, err := quiet.Read(o.QuietFrom, "00:00"); err == nil {
			field = "outbound.quiet_to"
		}
		return recaller.InvalidField(field, "must be a time of day like 21:00")
	}
	countries := make([]string, 0, len(o.Countries))
	for _, c := range o.Countries {
		if c = strings.ToUpper(c); !identity.KnownRegion(c) {
			return recaller.InvalidField("outbound.countries", "must be two-letter country codes such as US or DE")
		}
		countries = append(countries, c)
	}
	slices.Sort(countries)
	o.Countries = slices.Compact(countries)
	return nil
}

// reachable checks that the server can ring and text, if the tenant is to do so and did not.
func (s *Service) reachable(old, t *recaller.Tenant) error {
	if t.Outbound.From == "" || t.Outbound.From == old.Outbound.From && t.Outbound.Reminders == old.Outbound.Reminders || !s.Mute {
		return nil
	}
	return recaller.InvalidField("outbound.reminders",
		"this server cannot ring or text: it needs TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN and RECALLER_PUBLIC_URL")
}
