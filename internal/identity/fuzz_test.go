package identity_test

import (
	"errors"
	"regexp"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/identity"
)

// FuzzPhone holds what callers rely on: the shape of spec 2.4 or an Invalid error, the same again for the result under
// any region, and no number in an error.
func FuzzPhone(f *testing.F) {
	for _, raw := range []string{
		"+15551234567", "15551234567", "(555) 123-4567", "+1-555-0199", "011 44 20 7946 0000", "0044 (0)20 7946 0000",
		"tel:123-4567;phone-context=+1-555", "sip:%2B15551234567@host;user=phone", "\"A\" <sip:+1555@h>", "anonymous", "+266696687",
		"٠٢٠ ٧٩٤٦ ٠٠٠٠", "＋１（５５５）", "555-123-4567 ext. 12", "+5491123456789", "+39 06 1234 5678", "+52 1 55 1234 5678", "1-800-FLOWERS",
	} {
		for _, region := range []string{"US", "GB", "AR", ""} {
			f.Add(raw, region)
		}
	}
	shape := regexp.MustCompile(`^\+[1-9][0-9]{6,14}$`)
	f.Fuzz(func(t *testing.T, raw, region string) {
		got, err := identity.Phone(raw, region)
		if err != nil {
			if !errors.Is(err, recaller.Invalid) || got != "" {
				t.Fatalf("Phone(%q, %q) = %q, %v, want an Invalid error and nothing else", raw, region, got, err)
			}
			return
		}
		if !shape.MatchString(got) {
			t.Fatalf("Phone(%q, %q) = %q, want E.164", raw, region, got)
		}
		for _, region := range []string{region, "US", "DE", ""} {
			if again, err := identity.Phone(got, region); err != nil || again != got {
				t.Fatalf("Phone(%q, %q) = %q, but of that, under %q, Phone is %q, %v", raw, region, got, region, again, err)
			}
		}
		identity.Region(got)
		identity.Zone(got)
	})
}

func FuzzExternalID(f *testing.F) {
	f.Add("user-1")
	f.Add(" \x00é\u2028 ")
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := identity.ExternalID(raw)
		if err != nil {
			if !errors.Is(err, recaller.Invalid) {
				t.Fatalf("ExternalID(%q): %v, want Invalid", raw, err)
			}
			return
		}
		if again, err := identity.ExternalID(got); err != nil || again != got || len(got) > identity.MaxExternalID {
			t.Fatalf("ExternalID(%q) = %q, and of that %q, %v", raw, got, again, err)
		}
	})
}

func BenchmarkPhone(b *testing.B) {
	for name, raw := range map[string]string{"E164": "+14155552671", "national": "(555) 123-4567"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := identity.Phone(raw, "US"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkZone(b *testing.B) {
	for b.Loop() {
		identity.Zone("+14155552671")
	}
}
