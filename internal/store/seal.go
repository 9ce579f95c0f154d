package store

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

// box seals and opens the JSON bodies of one caller's, or one tenant's, rows.
type box struct {
	vault.Sealer
	unbound bool // rows from before they were bound are read too
	// note is told of a row that is left out because it is damaged: what is wrong, and the row where that does not say.
	note func(err error, row recaller.DamagedRow)
	reg  *register // nil: memories are read unchecked; see checking
}

// box gives the box of a sealer, for reading and writing under ctx.
func (s *Store) box(ctx context.Context, tenant recaller.TenantID, h vault.Sealer) box {
	return box{
		Sealer: h, unbound: s.unbound.Load(),
		note: func(err error, row recaller.DamagedRow) { s.note(ctx, tenant, err, row) },
	}
}

// seal gives the box of somebody new; his key is made.
func (s *Store) seal(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) (box, error) {
	if err := readable(tenant, caller); err != nil {
		return box{}, err
	}
	h, err := s.vault.Sealer(ctx, vault.Scope{Tenant: tenant, Caller: caller})
	return s.box(ctx, tenant, h), err
}

// unseal gives the box of what is stored. A caller whose key was destroyed is not found. It fails with KeyMissing where
// there are rows and no key.
func (s *Store) unseal(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) (box, error) {
	if err := readable(tenant, caller); err != nil {
		return box{}, err
	}
	h, err := s.vault.Opener(ctx, vault.Scope{Tenant: tenant, Caller: caller})
	if errors.Is(err, vault.ErrNoKey) {
		err = s.lacking(ctx, tenant, caller)
	}
	return s.box(ctx, tenant, h), err
}

// readable fails with NotFound for ids that no database would take: nobody has them.
func readable(tenant recaller.TenantID, caller recaller.CallerID) error {
	if id := string(tenant) + string(caller); !utf8.ValidString(id) || strings.Contains(id, "\x00") {
		return recaller.Errorf(recaller.NotFound, "there is no key for this data")
	}
	return nil
}

// put seals v for a column of a record.
func (b box) put(column, record string, v any) ([]byte, error) {
	plain, err := json.Marshal(v)
	if err != nil {
		return nil, recaller.Wrap(recaller.Internal, err, "seal %s", column)
	}
	return b.Seal(vault.Place{Table: column, Record: record}, plain)
}

// get opens a column of a record into v.
func (b box) get(column, record string, sealed []byte, v any) error {
	plain, err := b.Open(vault.Place{Table: column, Record: record}, sealed)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(plain, v); err != nil {
		// The error of a JSON decoder quotes what it read: it must not travel.
		return recaller.Errorf(recaller.Internal, "%s holds no readable value", column)
	}
	return nil
}

// The purposes of blind tokens: tokens of different columns never match.
const (
	blindExternal = "conversation.external_id"
	blindThread   = "thread.external_id"
	blindKey      = "memory.key"
	blindOnce     = "once.token"
	blindRequest  = "once.request"
	blindIdentity = "identity." // and the kind
)

// micros is how times are stored.
func micros(t time.Time) int64 { return t.UnixMicro() }

// microsOrNil stores a zero time as NULL.
func microsOrNil(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return micros(t)
}

func fromMicros(v int64) time.Time { return time.UnixMicro(v).UTC() }

// fromNull reads a time that may be NULL.
func fromNull(v *int64) time.Time {
	if v == nil {
		return time.Time{}
	}
	return fromMicros(*v)
}
