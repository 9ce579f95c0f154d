package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/recallerhq/recaller/internal/app"
	"github.com/recallerhq/recaller/internal/config"
	"github.com/recallerhq/recaller/internal/vault"
)

// checkDamage opens every sealed value and names the rows that are damaged. It says nothing where there is no data yet.
func (s *session) checkDamage(ctx context.Context, cfg config.Config) []finding {
	const check = "values"
	if !cfg.Databases.Postgres() {
		for _, path := range []string{filesOf(cfg).database, filesOf(cfg).keyStore} {
			if _, err := os.Stat(path); err != nil {
				return nil
			}
		}
	}
	var found app.Examination
	ring, _, err := masterRing(cfg)
	if err == nil {
		err = withKeyStore(ctx, cfg, func(keys vault.KeyStore) error {
			found, err = app.Examine(ctx, cfg, ring, keys)
			return err
		})
	}
	if app.NotStarted(err) {
		return []finding{{check, verdictOK, notStarted, ""}}
	}
	list := found.Damaged
	var out []finding
	for _, d := range list[:min(len(list), maxNamed)] {
		out = append(out, finding{
			check, verdictFail, fmt.Sprintf("row %s of %s, tenant %s, is damaged", d.Row.ID, d.Row.Table, d.Tenant), "",
		})
	}
	if more := len(list) - maxNamed; more > 0 {
		out = append(out, finding{check, verdictFail, fmt.Sprintf("and %d more", more), ""})
	}
	if len(out) > 0 {
		out[len(out)-1].Do = "each costs itself alone; put them back from a backup if they are missed"
	}
	if err != nil {
		return append(out, finding{check, verdictFail, plain(err), "put a backup in its place"})
	}
	if len(out) > 0 {
		return out
	}
	return append(out, finding{check, verdictOK, fmt.Sprintf("every page is sound, and %s of %s and %s open",
		count(found.Rows, "sealed row"), count(found.Callers, "caller"), count(found.Tenants, "tenant")), ""})
}
