package tenant

import (
	"context"
	"slices"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/identity"
)

// ByNumber returns the settings of the tenant whose agent a number reaches, for platforms that say only which number
// was called. The number names its country, as platforms send it ("+15551234567"). No tenant with it is NotFound; a
// number that another process gave to another tenant may lead to the former one for ten seconds.
func (s *Service) ByNumber(ctx context.Context, number string) (recaller.Tenant, error) {
	n, err := identity.Phone(number, "")
	if err != nil {
		return recaller.Tenant{}, recaller.InvalidField("number", "%s", message(err))
	}
	for range 2 {
		id, err := s.numbers.get(ctx, n, func(ctx context.Context) (recaller.TenantID, error) { return s.Store.TenantByNumber(ctx, n) })
		if err != nil {
			return recaller.Tenant{}, err
		}
		t, err := s.Tenant(ctx, id)
		if err != nil || slices.Contains(t.Numbers, n) {
			return t, err
		}
		// What is known of the number and what is known of the tenant are of different times.
		s.numbers.forget(func(k string, _ recaller.TenantID) bool { return k == n })
		s.settings.doubt(id)
	}
	return recaller.Tenant{}, recaller.Errorf(recaller.NotFound, "no tenant has this number")
}
