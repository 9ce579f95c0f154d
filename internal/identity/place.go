package identity

import (
	"slices"
	"strconv"
	"strings"

	"github.com/nyaruka/phonenumbers"
)

// Region returns the ISO 3166 region of an E.164 number: the one whose plan it is valid in, else, as for test numbers,
// the main one of its country code, so that +15550199 is of the US. It is "" for what is no number of any region.
func Region(e164 string) string {
	n, err := phonenumbers.Parse(e164, "")
	if err != nil {
		return ""
	}
	region := phonenumbers.GetRegionCodeForNumber(n)
	if region == "" {
		region = phonenumbers.GetRegionCodeForCountryCode(int(n.GetCountryCode()))
	}
	if region == phonenumbers.UNKNOWN_REGION || region == phonenumbers.REGION_CODE_FOR_NON_GEO_ENTITY {
		return ""
	}
	return region
}

// Zone returns the IANA time zone of an E.164 number, if the number gives it away.
//
// Where a number leaves several zones open, it is that of nearly all who live there: Europe/London for any British
// number, Pacific/Auckland rather than the Chatham Islands. Where none is, ok is false, and the tenant's zone is the
// better guess: North American numbers that belong to no area, toll-free ones and 555. An area code on the line between
// two zones has the zone of most of its people. People move and keep their numbers, so a zone that was set for a caller
// goes before this.
func Zone(e164 string) (iana string, ok bool) {
	if !strings.HasPrefix(e164, "+") || len(e164) <= minDigits {
		return "", false
	}
	zones, err := phonenumbers.GetTimezonesForPrefix(e164)
	if err != nil || len(zones) == 0 || zones[0] == phonenumbers.UNKNOWN_TIMEZONE {
		return "", false
	}
	if len(zones) == 1 {
		if name, ok := renamed[zones[0]]; ok {
			return name, true
		}
		return zones[0], true
	}
	return principalZone(e164[1:])
}

// principalZone returns the zone of most people behind a prefix that lies in several.
func principalZone(digits string) (string, bool) {
	for length := min(4, len(digits)); length > 0; length-- {
		prefix, err := strconv.Atoi(digits[:length])
		if err != nil {
			return "", false
		}
		if zone, ok := principal[prefix]; ok {
			return zone, true
		}
	}
	return "", false
}

// principal is the table of principalZone, by country code, where need be with the area code.
var principal = map[int]string{
	34:   "Europe/Madrid",
	39:   "Europe/Rome",
	44:   "Europe/London",
	47:   "Europe/Oslo",
	52:   "America/Mexico_City",
	55:   "America/Sao_Paulo",
	56:   "America/Santiago",
	61:   "Australia/Sydney",
	62:   "Asia/Jakarta",
	64:   "Pacific/Auckland",
	77:   "Asia/Almaty",
	243:  "Africa/Kinshasa",
	262:  "Indian/Reunion",
	299:  "America/Nuuk",
	593:  "America/Guayaquil",
	599:  "America/Curacao",
	686:  "Pacific/Tarawa",
	689:  "Pacific/Tahiti",
	691:  "Pacific/Pohnpei",
	976:  "Asia/Ulaanbaatar",
	6186: "Australia/Perth",
	6187: "Australia/Adelaide",
	6188: "Australia/Adelaide", // and Darwin, half a year an hour behind
	6189: "Australia/Perth",
	1709: "America/St_Johns",
	1775: "America/Los_Angeles", // Nevada, but for West Wendover
	1879: "America/St_Johns",
	1907: "America/Anchorage",
	1986: "America/Boise",
}

// renamed gives today's name of zones that the number plans call by an old one, which not every machine knows.
var renamed = map[string]string{
	"Africa/Asmera":        "Africa/Asmara",
	"America/Buenos_Aires": "America/Argentina/Buenos_Aires",
	"America/Godthab":      "America/Nuuk",
	"Asia/Calcutta":        "Asia/Kolkata",
	"Asia/Choibalsan":      "Asia/Ulaanbaatar",
	"Asia/Katmandu":        "Asia/Kathmandu",
	"Asia/Rangoon":         "Asia/Yangon",
	"Atlantic/Faeroe":      "Atlantic/Faroe",
	"Pacific/Ponape":       "Pacific/Pohnpei",
	"Pacific/Truk":         "Pacific/Chuuk",
}

// costly are the kinds of number that cost whoever dials them more than a call, or that are no person's.
var costly = []phonenumbers.PhoneNumberType{
	phonenumbers.PREMIUM_RATE, phonenumbers.SHARED_COST, phonenumbers.PAGER, phonenumbers.UAN, phonenumbers.VOICEMAIL,
	phonenumbers.TOLL_FREE,
}

// Personal reports whether an E.164 number may be a person's: one of a premium or shared rate, a pager, a voicemail or a
// toll-free number is none.
func Personal(e164 string) bool {
	n, err := phonenumbers.Parse(e164, "")
	return err == nil && !slices.Contains(costly, phonenumbers.GetNumberType(n))
}
