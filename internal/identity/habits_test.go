package identity_test

import (
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/identity"
)

func with(phone, zone string) recaller.Caller {
	return recaller.Caller{Identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: phone}}, TimeZone: zone}
}

func TestZoneOfACaller(t *testing.T) {
	tests := []struct {
		name   string
		caller recaller.Caller
		tenant string
		want   string
	}{
		{"his own goes first", with("+12125550123", "Asia/Tokyo"), "Europe/Berlin", "Asia/Tokyo"},
		{"else his number's", with("+12125550123", ""), "Europe/Berlin", "America/New_York"},
		{"a number of no area leaves the tenant's", with("+18005550123", ""), "Europe/Berlin", "Europe/Berlin"},
		{"no number leaves the tenant's", recaller.Caller{}, "Europe/Berlin", "Europe/Berlin"},
		{"a zone that this machine does not know is passed over", with("+12125550123", "Mars/Olympus"), "Europe/Berlin", "America/New_York"},
		{"else UTC", recaller.Caller{}, "", "UTC"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := identity.ZoneOf(tt.caller, recaller.Tenant{TimeZone: tt.tenant}).String(); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestWhichPartOfADateComesFirst(t *testing.T) {
	tests := []struct {
		phone, tenant string
		want          bool
	}{
		{"+12125550123", "GB", false}, // New York
		{"+14165550123", "US", false}, // Toronto
		{"+639171234567", "GB", false},
		{"+442079460123", "US", true},
		{"+33142685300", "US", true},
		{"+61291234567", "US", true},
		{"+81312345678", "GB", false},
		{"", "US", false},
		{"", "GB", true},
		{"", "PH", false},
	}
	for _, tt := range tests {
		if got := identity.DayFirst(with(tt.phone, ""), recaller.Tenant{DefaultRegion: tt.tenant}); got != tt.want {
			t.Errorf("%s of a tenant in %s: got day first %v, want %v", tt.phone, tt.tenant, got, tt.want)
		}
	}
}

// What a call was told to have begun by is a hint where nothing better is known.
func TestZoneOfAConversation(t *testing.T) {
	evening := recaller.Conversation{Offset: -7 * time.Hour}
	for name, tt := range map[string]struct {
		conv   recaller.Conversation
		caller recaller.Caller
		tenant string
		want   int // hours east of UTC
	}{
		"its own clock":      {evening, recaller.Caller{}, "", -7},
		"none was told":      {recaller.Conversation{}, recaller.Caller{}, "", 0},
		"the caller's zone":  {evening, recaller.Caller{TimeZone: "Asia/Tokyo"}, "", 9},
		"the caller's, UTC":  {evening, recaller.Caller{TimeZone: "UTC"}, "", 0},
		"the tenant's zone":  {evening, recaller.Caller{}, "Asia/Tokyo", 9},
		"the number's place": {evening, recaller.Caller{Identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: "+81312345678"}}}, "", 9},
	} {
		zone := identity.ZoneIn(tt.conv, tt.caller, recaller.Tenant{TimeZone: tt.tenant})
		if _, got := time.Date(2026, 1, 5, 12, 0, 0, 0, zone).Zone(); got != tt.want*3600 {
			t.Errorf("%s: got %d s east, want %d h", name, got, tt.want)
		}
	}
}
