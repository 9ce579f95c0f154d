package app

import (
	"context"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/tenant"
)

type personas struct{ tenants *tenant.Service }

func (p personas) Resolve(ctx context.Context, t recaller.TenantID, c recaller.PersonaChoice) (string, int, error) {
	if c.Text != "" {
		return c.Text, 0, nil
	}
	is, err := p.tenants.Tenant(ctx, t)
	return is.Profile.Personality, 0, err
}
