package tenant

import (
	"context"
	"slices"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/identity"
)

// ByNumber returns the settings of the tenant that a called number belongs to, for platforms that say only which number
// was called. The number is in E.164 form ("+15551234567"). NotFound if no tenant has it. If another process gave the
// number to another tenant, the former one may be returned for ten seconds.
func (s *Service) ByNumber(ctx context.Context, number string) (recaller.Tenant, error) {
	n, err := identity.Phone(number, "")
	if err != nil {
		return recaller.Tenant{}, recaller.InvalidField("number", "%s", message(err))
	}
	for range 2 {
		id, err := s.numbers.get(ctx, n, func(ctx context.Context) (recaller.TenantID, error) {
			return s.Store.TenantByNumber(ctx, n)
		})
		if err != nil {
			return recaller.Tenant{}, err
		}
		t, err := s.Tenant(ctx, id)
		if err != nil || slices.Contains(t.Numbers, n) {
			return t, err
		}
		// The number and the tenant may have been read at different times.
		s.numbers.forget(func(k string, _ recaller.TenantID) bool { return k == n })
		s.settings.doubt(id)
	}
	return recaller.Tenant{}, recaller.Errorf(recaller.NotFound, "no tenant has this number")
}
