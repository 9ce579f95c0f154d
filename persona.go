package recaller

import "time"

// Persona is one version of how a tenant's agent is (L7). A version never changes once it is made; the text of the one
// that is active is Tenant.Profile.Personality.
type Persona struct {
	Version   int // from 1; 0: no persona is active
	Text      string
	Label     string // what the tenant calls it; may be empty
	CreatedAt time.Time
	Active    bool
}
