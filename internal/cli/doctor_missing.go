package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/app"
	"github.com/recallerhq/recaller/internal/config"
	"github.com/recallerhq/recaller/internal/vault"
)

// notStarted is what is said of data that nobody can read yet.
const notStarted = "not looked at before the first start: it sets the secret of the wall"

// maxNamed is how many of those whose keys are missing the doctor names.
const maxNamed = 20

// checkMissing names those whose keys are missing. It says nothing where nobody can have one yet.
func (s *session) checkMissing(ctx context.Context, cfg config.Config) []finding {
	const check = "missing keys"
	if !cfg.Databases.Postgres() {
		for _, path := range []string{filesOf(cfg).database, filesOf(cfg).keyStore} {
			if _, err := os.Stat(path); err != nil {
				return nil
			}
		}
	}
	list, err := missingKeys(ctx, cfg)
	if app.NotStarted(err) {
		return []finding{{check, verdictOK, notStarted, ""}}
	}
	if err != nil {
		return []finding{{check, verdictWarn, "not looked for: " + plain(err), ""}}
	}
	if len(list) == 0 {
		return []finding{{check, verdictOK, "none: every tenant and caller has a key", ""}}
	}
	var out []finding
	for _, k := range list[:min(len(list), maxNamed)] {
		whose := fmt.Sprintf("caller %s of tenant %s is quarantined: the key is missing or damaged", k.Caller, k.Tenant)
		if k.Caller == "" {
			whose = fmt.Sprintf("tenant %s is quarantined: its key is missing or damaged", k.Tenant)
		}
		out = append(out, finding{check, verdictFail, whose, ""})
	}
	if more := len(list) - maxNamed; more > 0 {
		out = append(out, finding{check, verdictFail, fmt.Sprintf("and %d more", more), ""})
	}
	out[len(out)-1].Do = "put them back with `recaller keys add`, from a newer backup of the keys; callers who cannot be helped can be erased, and are new when they ring again"
	return out
}

func missingKeys(ctx context.Context, cfg config.Config) (list []recaller.KeyMissing, err error) {
	ring, _, err := masterRing(cfg)
	if err != nil {
		return nil, err
	}
	err = withKeyStore(ctx, cfg, func(keys vault.KeyStore) error {
		list, err = app.Quarantined(ctx, cfg, ring, keys)
		return err
	})
	return list, err
}
