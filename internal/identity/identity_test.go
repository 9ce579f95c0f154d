package identity_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the zones that the binary carries, whatever the machine has
	"unicode"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/identity"
)

func TestANumberIsReadHoweverItIsWritten(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, raw, region, want string }{
		{"already in form", "+15551234567", "US", "+15551234567"},
		{"without its plus", "15551234567", "US", "+15551234567"},
		{"as Americans write it", "(555) 123-4567", "US", "+15551234567"},
		{"with dots", "555.123.4567", "US", "+15551234567"},
		{"with the one in front", "1 (555) 123-4567", "US", "+15551234567"},
		{"too short for its plan", "+1-555-0199", "US", "+15550199"},
		{"the same without its plus", "1-555-0199", "US", "+15550199"},
		{"the same without its code", "555-0199", "US", "+15550199"},
		{"the same from abroad", "+1-555-0199", "GB", "+15550199"},
		{"in a plan", "+1 415 555 2671", "US", "+14155552671"},
		{"of a country that does not exist", "+210 555 0123", "US", "+2105550123"},
		{"region in small letters", "(555) 123-4567", "us", "+15551234567"},

		{"from the US with 011", "011 44 20 7946 0000", "US", "+442079460000"},
		{"from the US with 00", "0044 20 7946 0000", "US", "+442079460000"},
		{"from Germany with 00", "0044 20 7946 0000", "DE", "+442079460000"},
		{"from Britain with 011", "011 1 415 555 2671", "GB", "+14155552671"},
		{"from Australia with 0011", "0011 44 20 7946 0000", "AU", "+442079460000"},
		{"00 to a number in no plan", "00 1 555 0199", "DE", "+15550199"},
		{"00 without a region", "0044 20 7946 0000", "", "+442079460000"},
		{"a foreign number without plus", "442079460000", "US", "+442079460000"},
		{"a foreign mobile without plus", "33612345678", "US", "+33612345678"},
		{"a national number that begins like a code", "4420794600", "US", "+14420794600"},

		{"British trunk zero", "020 7946 0000", "GB", "+442079460000"},
		{"trunk zero in brackets", "+44 (0)20 7946 0000", "US", "+442079460000"},
		{"trunk zero after the code", "+4402079460000", "US", "+442079460000"},
		{"Italian zero is no trunk zero", "+39 06 1234 5678", "US", "+390612345678"},
		{"Mexican", "+52 55 1234 5678", "US", "+525512345678"},
		{"German", "030 123456", "DE", "+4930123456"},

		{"wide signs", "＋１（５５５）１２３－４５６７", "US", "+15551234567"},
		{"Arabic digits", "٠٢٠ ٧٩٤٦ ٠٠٠٠", "GB", "+442079460000"},
		{"Devanagari digits", "+१ ५५५ १२३ ४५६७", "US", "+15551234567"},
		{"long dashes", "555–123—4567", "US", "+15551234567"},
		{"hard spaces", "+1\u00a0555\u202f123\u00a04567", "US", "+15551234567"},
		{"out of an address book", "\u202a+1 555 123 4567\u202c", "US", "+15551234567"},
		{"white space around", "  +15551234567\n", "US", "+15551234567"},

		{"tel", "tel:+1-555-123-4567", "US", "+15551234567"},
		{"tel with extension", "tel:+1-555-123-4567;ext=12", "US", "+15551234567"},
		{"tel with context", "tel:123-4567;phone-context=+1-555", "GB", "+15551234567"},
		{"sip", "sip:+15551234567@trunk.example.com", "US", "+15551234567"},
		{"sip with parameters", "SIP:+15551234567;npdi@trunk.example.com;user=phone", "US", "+15551234567"},
		{"sips, escaped", "sips:%2B15551234567@trunk.example.com", "US", "+15551234567"},
		{"a SIP header", `"Mary" <sip:+15551234567@trunk.example.com>;tag=a1`, "US", "+15551234567"},
		{"whatsapp", "whatsapp:+15551234567", "US", "+15551234567"},

		{"extension x", "555-123-4567 x99", "US", "+15551234567"},
		{"extension in words", "(555) 123-4567, ext. 99", "US", "+15551234567"},
		{"extension after a hash", "+1 555 123 4567 #99", "US", "+15551234567"},
		{"extension after pauses", "+15551234567,,99", "US", "+15551234567"},
		{"shortest", "+1234567", "US", "+1234567"},
		{"longest", "+210123456789012", "US", "+210123456789012"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := identity.Phone(test.raw, test.region)
			if err != nil || got != test.want {
				t.Errorf("Phone(%q, %q) = %q, %v, want %q", test.raw, test.region, got, err, test.want)
			}
		})
	}
}

func TestWhatIsNoNumberIsRefusedWithoutRepeatingIt(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, raw, region, want string }{
		{"nothing", "", "US", "got nothing"},
		{"space", " \t", "US", "got nothing"},
		{"no digits", "+-()", "US", "no digits"},
		{"too short", "+123456", "US", "too short"},
		{"a short code", "32665", "US", "too short"},
		{"a switchboard's inner number", "sip:1000@pbx.example.com", "US", "too short"},
		{"too long", "+1234567890123456", "US", "too long"},
		{"country code zero", "+0123456789", "US", "begins with 0"},
		{"national without a region", "(555) 123-4567", "", "no default region"},
		{"national in a region that is none", "(555) 123-4567", "XX", "no default region"},
		{"a name", "Margaret", "US", "external_id"},
		{"an id with digits", "user-15551234567", "US", "external_id"},
		{"a UUID", "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "US", "external_id"},
		{"letters for digits", "1-800-FLOWERS", "US", "external_id"},
		{"a person's SIP address", "sip:alice@example.com", "US", "external_id"},
		{"an e-mail address", "15551234567@example.com", "US", "external_id"},
		{"another scheme", "https://15551234567", "US", "external_id"},
		{"two pluses", "++15551234567", "US", "external_id"},
		{"a plus in the middle", "1+5551234567", "US", "external_id"},
		{"a star code", "*67 555 123 4567", "US", "external_id"},
		{"two numbers", "555-123-4567 or 555-123-4568", "US", "external_id"},
		{"not UTF-8", "+1555123456\xff", "US", "UTF-8"},
		{"endless", strings.Repeat("1", 300), "US", "at most"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := identity.Phone(test.raw, test.region)
			if err == nil {
				t.Fatalf("Phone(%q, %q) = %q, want an error", test.raw, test.region, got)
			}
			checkInvalid(t, err, "caller.phone", test.want, test.raw)
			if errors.Is(err, identity.ErrWithheld) {
				t.Errorf("got %v, want an error that is not ErrWithheld", err)
			}
		})
	}
}

func TestAWithheldNumberIsToldApart(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		"anonymous", "Anonymous", "ANONYMOUS ", "restricted", "Unknown", "unavailable", "Private Number", "No Caller ID", "Unknown Caller",
		"withheld", "blocked", "sip:anonymous@anonymous.invalid", `"Anonymous" <sip:anonymous@anonymous.invalid>`,
		"sip:restricted@10.0.0.1", "tel:anonymous", "+266696687", "266696687", "+7378742833", "+2562533", "+8656696", "+86282452253",
	} {
		got, err := identity.Phone(raw, "US")
		if !errors.Is(err, identity.ErrWithheld) || !errors.Is(err, recaller.Invalid) {
			t.Errorf("Phone(%q) = %q, %v, want an Invalid error that is ErrWithheld", raw, got, err)
			continue
		}
		checkInvalid(t, err, "caller.phone", "withheld", "")
	}
}

// checkInvalid checks that an error is one to show a client: Invalid, with the field, what was wrong, and not a bit of
// what was given.
func checkInvalid(t *testing.T, err error, field, want, raw string) {
	t.Helper()
	var e *recaller.Error
	if !errors.As(err, &e) || e.Kind != recaller.Invalid || e.Field != field || !strings.Contains(e.Msg, want) {
		t.Errorf("got error %#v, want Invalid on %s with %q", err, field, want)
		return
	}
	if raw = strings.TrimSpace(raw); len(raw) > 4 && strings.Contains(err.Error(), raw) {
		t.Errorf("error %q repeats what was given", err)
	}
}

func TestEveryScriptsDigitsCount(t *testing.T) {
	t.Parallel()
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !unicode.Is(unicode.Nd, r) || unicode.Is(unicode.Nd, r-1) {
			continue
		}
		// r is the first of a run of tens, a zero: one up is a one.
		if got, err := identity.Phone("+"+string(r+1)+"5551234567", "US"); err != nil || got != "+15551234567" {
			t.Errorf("with %U for 1: got %q, %v, want +15551234567", r+1, got, err)
		}
	}
}

func TestANumberTellsItsRegionAndZone(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, e164, region, zone string }{
		{"London landline", "+442079460000", "GB", "Europe/London"},
		{"British mobile, three islands", "+447400123456", "GB", "Europe/London"},
		{"San Francisco", "+14155552671", "US", "America/Los_Angeles"},
		{"Chicago", "+13125550123", "US", "America/Chicago"},
		{"Vancouver", "+16045550123", "CA", "America/Vancouver"},
		{"Nevada, on the line", "+17755550123", "US", "America/Los_Angeles"},
		{"555 belongs to no area", "+15551234567", "US", ""},
		{"toll-free", "+18005551212", "US", ""},
		{"too short for its plan", "+15550199", "US", ""},
		{"Paris", "+33123456789", "FR", "Europe/Paris"},
		{"Spanish mobile", "+34612345678", "ES", "Europe/Madrid"},
		{"Canaries", "+34922123456", "ES", "Atlantic/Canary"},
		{"Sydney", "+61291234567", "AU", "Australia/Sydney"},
		{"Perth", "+61861234567", "AU", "Australia/Perth"},
		{"Sao Paulo", "+5511987654321", "BR", "America/Sao_Paulo"},
		{"India", "+919876543210", "IN", "Asia/Kolkata"},
		{"Adelaide", "+61882123456", "AU", "Australia/Adelaide"},
		{"Moscow", "+74951234567", "RU", "Europe/Moscow"},
		{"satellite phone", "+881612345678", "", ""},
		{"no country", "+2105550123", "", ""},
		{"no number", "anonymous", "", ""},
		{"empty", "", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := identity.Region(test.e164); got != test.region {
				t.Errorf("Region(%q) = %q, want %q", test.e164, got, test.region)
			}
			got, ok := identity.Zone(test.e164)
			if got != test.zone || ok != (test.zone != "") {
				t.Errorf("Zone(%q) = %q, %v, want %q", test.e164, got, ok, test.zone)
			}
		})
	}
}

func TestEveryZoneIsKnownToTheClock(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for prefix := 1000; prefix < 100000; prefix++ {
		zone, ok := identity.Zone(fmt.Sprintf("+%d00000", prefix))
		if !ok || seen[zone] {
			continue
		}
		seen[zone] = true
		if _, err := time.LoadLocation(zone); err != nil {
			t.Errorf("prefix %d: zone %q: %v", prefix, zone, err)
		}
	}
	if len(seen) < 200 {
		t.Errorf("got %d zones, want at least 200", len(seen))
	}
}

func TestExternalIDs(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"user-1":                           "user-1",
		"  User 1 ":                        "User 1",
		"Jürgen":                           "Jürgen",
		strings.Repeat("x", 256):           strings.Repeat("x", 256),
		" " + strings.Repeat("x", 256):     strings.Repeat("x", 256),
		"{\"not\": \"ours to interpret\"}": "{\"not\": \"ours to interpret\"}",
	} {
		if got, err := identity.ExternalID(raw); err != nil || got != want {
			t.Errorf("ExternalID(%q) = %q, %v, want %q", raw, got, err, want)
		}
	}
	for raw, want := range map[string]string{
		"":                       "empty",
		" \n":                    "empty",
		strings.Repeat("x", 257): "got 257",
		"a\x00bcdef":             "control",
		"abcdef\nghi":            "control",
		"abcdef\u0085ghi":        "control",
		"abcdef\xff":             "UTF-8",
	} {
		if got, err := identity.ExternalID(raw); err == nil {
			t.Errorf("ExternalID(%q) = %q, want an error", raw, got)
		} else {
			checkInvalid(t, err, "caller.external_id", want, raw)
		}
	}
}
