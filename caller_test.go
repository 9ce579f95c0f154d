package recaller_test

import (
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
)

// A number that is the caller's own comes before one of which he is one of several users, and briefings tell all.
func TestWhichNumberIsTheCallers(t *testing.T) {
	t.Parallel()
	c := recaller.Caller{Identities: []recaller.Identity{
		{Kind: recaller.IdentityPhone, Value: "+15550001111", Shared: true},
		{Kind: recaller.IdentityExternal, Value: "crm-1"},
		{Kind: recaller.IdentityPhone, Value: "+15550002222"},
	}}
	if got := strings.Join(append(c.Phones(), c.Phone(), c.ExternalID()), " "); got != "+15550002222 +15550001111 +15550002222 crm-1" {
		t.Errorf("got %s", got)
	}
}
