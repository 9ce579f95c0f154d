package app

import (
	"context"
	"errors"
	"sync"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/config"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/vault"
)

// Damaged is a row that cannot be read.
type Damaged struct {
	Tenant recaller.TenantID
	Row    recaller.DamagedRow
}

// Examination is what was found.
type Examination struct {
	store.Examined
	Damaged []Damaged
}

// Examine looks at every page of the data and of the keys, as far as the database has its own way to, and opens every
// sealed value, whether a server runs or not. It writes nothing. It fails where pages are damaged.
func Examine(
	ctx context.Context, cfg config.Config, ring *vault.Ring, keys vault.KeyStore,
) (out Examination, err error) {
	if file, ok := keys.(interface{ Check(context.Context) error }); ok {
		if err := file.Check(ctx); err != nil {
			return out, err
		}
	}
	v := vault.New(ring, keys, vault.Options{})
	engine, err := openReading(ctx, cfg, v)
	if err != nil {
		return out, err
	}
	data := store.New(engine, v)
	var mu sync.Mutex
	known := map[Damaged]bool{}
	data.OnDamage(func(tenant recaller.TenantID, row recaller.DamagedRow) {
		mu.Lock()
		defer mu.Unlock()
		if d := (Damaged{tenant, row}); !known[d] {
			known[d], out.Damaged = true, append(out.Damaged, d)
		}
	})
	if err = data.AsMarked(ctx); err == nil {
		out.Examined, err = data.Examine(ctx)
	}
	return out, errors.Join(err, engine.Check(ctx), engine.Close())
}
