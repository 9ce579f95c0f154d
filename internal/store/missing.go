package store

import (
	"context"
	"errors"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

// This file tells those whose key is missing from those who are new. Keys that are older than the data lack the keys of
// whoever came since. What is stored of him cannot be read; with a new key, what is added could not be read beside it
// once the right one is put back. So he is quarantined: nothing is read or written of him, and all else goes on.

// lacking returns why there is no key: KeyMissing where something is stored that needs it, else NotFound.
func (s *Store) lacking(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) error {
	var one int
	look := func(query string, args ...any) func(Tx) error {
		return func(tx Tx) error { return tx.QueryRow(ctx, query, args, &one) }
	}
	var err error
	switch {
	case tenant == everyTenant:
		err = s.WithSystem(ctx, Reading, look(`SELECT 1 FROM tenant_numbers WHERE token >= $1 ORDER BY token LIMIT 1`,
			[]byte{0}))
	case caller == "":
		err = s.WithTenant(ctx, tenant, Reading, look(`SELECT 1 FROM tenants WHERE id = $1`, tenant))
	default:
		err = s.OfCaller(ctx, tenant, caller, look(`SELECT 1 FROM callers WHERE tenant_id = $1 AND id = $2
			AND erasing = FALSE`, tenant, caller))
	}
	switch {
	case err == nil:
		return recaller.MissingKey(tenant, caller)
	case recaller.KindOf(err) == recaller.NotFound:
		return vault.ErrNoKey
	}
	return err
}

// blinder makes the blind tokens of a tenant.
func (s *Store) blinder(ctx context.Context, tenant recaller.TenantID) (vault.Blinder, error) {
	b, err := s.vault.Blinder(ctx, tenant)
	if errors.Is(err, vault.ErrNoKey) {
		err = s.lacking(ctx, tenant, "")
	}
	return b, err
}

// blind makes one blind token of a tenant.
func (s *Store) blind(ctx context.Context, tenant recaller.TenantID, purpose, value string) ([]byte, error) {
	b, err := s.blinder(ctx, tenant)
	if err != nil {
		return nil, err
	}
	return b.Blind(purpose, value), nil
}

// missingPage is how many callers are looked at at once.
const missingPage = 500

// Quarantined lists whose keys are missing: tenants and callers; the tenant * stands for the installation, whose key makes
// the tokens of numbers. It looks at every caller.
func (s *Store) Quarantined(ctx context.Context) ([]recaller.KeyMissing, error) {
	ids, err := s.TenantIDs(ctx)
	if err != nil {
		return nil, err
	}
	var out []recaller.KeyMissing
	for _, id := range append(ids, everyTenant) {
		_, err := s.unseal(ctx, id, "")
		if recaller.IsKeyMissing(err) {
			out = append(out, recaller.KeyMissing{Tenant: id})
		} else if err != nil && recaller.KindOf(err) != recaller.NotFound {
			return nil, err
		}
		if id == everyTenant {
			break
		}
		if out, err = s.quarantinedOf(ctx, id, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// quarantinedOf appends a tenant's callers whose keys are missing.
func (s *Store) quarantinedOf(
	ctx context.Context, tenant recaller.TenantID, out []recaller.KeyMissing,
) ([]recaller.KeyMissing, error) {
	for after := recaller.CallerID(""); ; {
		page, err := s.callerIDs(ctx, tenant, after)
		if err != nil {
			return nil, err
		}
		missing, err := s.vault.Missing(ctx, tenant, page)
		if err != nil {
			return nil, err
		}
		for _, c := range missing {
			out = append(out, recaller.KeyMissing{Tenant: tenant, Caller: c})
		}
		if len(page) < missingPage {
			return out, nil
		}
		after = page[len(page)-1]
	}
}

// callerIDs returns a page of the callers who are not being erased.
func (s *Store) callerIDs(
	ctx context.Context, tenant recaller.TenantID, after recaller.CallerID,
) (page []recaller.CallerID, err error) {
	err = s.WithTenant(ctx, tenant, Reading, func(tx Tx) error {
		return each(ctx, tx, `SELECT id FROM callers WHERE tenant_id = $1 AND id > $2 AND erasing = FALSE
			ORDER BY id LIMIT `+itoa(missingPage), []any{tenant, after}, func(r Rows) error {
			var id recaller.CallerID
			err := r.Scan(&id)
			page = append(page, id)
			return err
		})
	})
	return page, err
}
