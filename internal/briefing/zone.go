package briefing

import (
	"sync"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/identity"
)

// maxZones bounds the cache; there are fewer than 600 zone names.
const maxZones = 1000

// zones caches time zones, because loading one reads a file.
type zones struct {
	mu     sync.RWMutex // guards loaded
	loaded map[string]*time.Location
}

func newZones() *zones { return &zones{loaded: map[string]*time.Location{}} }

// of returns the zone of a caller: the caller's own, else that of the number's region, else the tenant's, else UTC.
// theirs is false if it does not come from the caller.
func (z *zones) of(c recaller.Caller, t recaller.Tenant) (loc *time.Location, theirs bool) {
	if loc := z.load(c.TimeZone); loc != nil {
		return loc, true
	}
	if name, ok := identity.Zone(c.Phone()); ok {
		if loc := z.load(name); loc != nil {
			return loc, true
		}
	}
	if loc := z.load(t.TimeZone); loc != nil {
		return loc, false
	}
	return time.UTC, false
}

// load returns the zone of an IANA name, nil if there is none.
func (z *zones) load(name string) *time.Location {
	if name == "" || name == "Local" {
		return nil
	}
	z.mu.RLock()
	loc, known := z.loaded[name]
	z.mu.RUnlock()
	if known {
		return loc
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		loc = nil
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	if len(z.loaded) < maxZones {
		z.loaded[name] = loc
	}
	return loc
}
