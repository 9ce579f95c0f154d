package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

// everyTenant is a name that no tenant ever has. The key of the installation is kept under it. Tokens of numbers are
// made with that key, because a number leads to one tenant, whoever asks.
const everyTenant recaller.TenantID = "*"

// The purposes of the tokens of what leads to one tenant only: its numbers, and, with its issuer, the audience of access
// tokens that it chose itself.
const (
	blindNumber   = "tenant.number"
	blindAudience = "tenant.audience"
)

// lead is what leads to one tenant only.
type lead struct {
	purpose, value string
	field          string // of the request that sets it
}

// leads returns what leads to a tenant.
func leads(t recaller.Tenant) []lead {
	var out []lead
	for i, n := range t.Numbers {
		out = append(out, lead{blindNumber, n, fmt.Sprintf("numbers[%d]", i)})
	}
	if t.OAuth.Set() && t.OAuth.Audience != "" {
		out = append(out, lead{blindAudience, t.OAuth.Issuer + "\x00" + t.OAuth.Audience, "audience"})
	}
	return out
}

// Alias returns a name for whom an issuer knows as a subject.
func (s *Store) Alias(ctx context.Context, tenant recaller.TenantID, issuer, subject string) (string, error) {
	token, err := s.blind(ctx, tenant, "tenant.subject", issuer+"\x00"+subject)
	return tokenRecord(token), err
}

// unindexed is the version of a tenant whose numbers were stored before there was an index of them.
const unindexed = -1

// TenantByNumber finds the tenant that a number in E.164 form belongs to.
func (s *Store) TenantByNumber(ctx context.Context, number string) (recaller.TenantID, error) {
	token, err := s.blind(ctx, everyTenant, blindNumber, number)
	if err != nil {
		return "", notFound(err, "no tenant has this number")
	}
	var id recaller.TenantID
	err = s.WithSystem(ctx, Reading, func(tx Tx) error {
		return tx.QueryRow(ctx, `SELECT tenant_id FROM tenant_numbers WHERE token = $1`, []any{token}, &id)
	})
	return id, notFound(err, "no tenant has this number")
}

// errTaken says that a number, or an audience, belongs to another tenant.
var errTaken = errors.New("a number or an audience is taken")

// numbering changes what leads to a tenant.
type numbering struct {
	blind  vault.Blinder
	tenant recaller.TenantID
}

// move puts what leads to a tenant in place of what did. It fails with errTaken where something is another tenant's.
func (n numbering) move(ctx context.Context, tx Tx, old, now []lead) error {
	if gone := n.tokens(old, now); len(gone) > 0 {
		if err := tx.ExecAll(ctx, `DELETE FROM tenant_numbers WHERE token = $1 AND tenant_id = $2`, gone); err != nil {
			return err
		}
	}
	added := n.tokens(now, old)
	if len(added) == 0 {
		return nil
	}
	err := tx.ExecAll(ctx, `INSERT INTO tenant_numbers (token, tenant_id) VALUES ($1, $2)`, added)
	if recaller.KindOf(err) == recaller.Conflict {
		return errTaken
	}
	return err
}

// tokens returns the arguments for what is not among others.
func (n numbering) tokens(list, others []lead) [][]any {
	var out [][]any
	for _, l := range list {
		if !slices.ContainsFunc(others, func(o lead) bool { return o.purpose == l.purpose && o.value == l.value }) {
			out = append(out, []any{n.blind.Blind(l.purpose, l.value), n.tenant})
		}
	}
	return out
}

// taken returns the Conflict that names the first of a tenant's leads that is another's.
func (s *Store) taken(ctx context.Context, n numbering, list []lead) error {
	field := "numbers" // if the other tenant has given the number up by now
	owners := make([]recaller.TenantID, len(list))
	queries := make([]Query, len(list))
	for i, l := range list {
		queries[i] = Query{
			SQL:  `SELECT tenant_id FROM tenant_numbers WHERE token = $1`,
			Args: []any{n.blind.Blind(l.purpose, l.value)},
			Row:  func(scan func(...any) error) error { return scan(&owners[i]) },
		}
	}
	if err := s.WithSystem(ctx, Reading, func(tx Tx) error { return tx.QueryAll(ctx, queries...) }); err != nil {
		return err
	}
	if i := slices.IndexFunc(owners, func(o recaller.TenantID) bool { return o != "" && o != n.tenant }); i >= 0 {
		field = list[i].field
	}
	return &recaller.Error{Kind: recaller.Conflict, Field: field, Msg: "belongs to another tenant"}
}

// IndexNumbers indexes the numbers of tenants that were stored before there was an index of them, the oldest tenant
// first. Call it at every start; with nothing to do it costs one read. A number can lead to one tenant only: one that
// an older tenant has is taken out of the younger tenant's settings. takenOut says how many were taken out, by tenant.
func (s *Store) IndexNumbers(ctx context.Context) (takenOut map[recaller.TenantID]int, err error) {
	var ids []recaller.TenantID
	err = s.WithSystem(ctx, Reading, func(tx Tx) error {
		return each(ctx, tx, `SELECT id FROM tenants WHERE version = $1
			ORDER BY created_at, id`, []any{unindexed}, func(r Rows) error {
			var id recaller.TenantID
			err := r.Scan(&id)
			ids = append(ids, id)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	takenOut = map[recaller.TenantID]int{}
	for _, id := range ids {
		n, err := s.indexNumbers(ctx, id)
		if recaller.IsKeyMissing(err) || recaller.IsDamaged(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if n > 0 {
			takenOut[id] = n
		}
	}
	return takenOut, nil
}

// indexNumbers indexes the numbers of one tenant, and returns how many were another's.
func (s *Store) indexNumbers(ctx context.Context, id recaller.TenantID) (takenOut int, err error) {
	b, err := s.unseal(ctx, id, "")
	if err != nil {
		return 0, err
	}
	n, err := s.numbering(ctx, id)
	if err != nil {
		return 0, err
	}
	err = s.WithTenant(ctx, id, Writing, func(tx Tx) error {
		t, err := b.readTenant(ctx, tx, id)
		if err != nil || t.Version != unindexed { // another process was faster
			return err
		}
		had := len(t.Numbers)
		if t.Numbers, err = n.claim(ctx, tx, t.Numbers); err != nil {
			return err
		}
		takenOut = had - len(t.Numbers)
		body, err := b.put("tenants.body", string(id), t)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE tenants SET body = $2, version = $3 WHERE id = $1`, id, body, unindexed+1)
		return err
	})
	return takenOut, err
}

// claim takes those of the numbers that are free, and returns them.
func (n numbering) claim(ctx context.Context, tx Tx, numbers []string) ([]string, error) {
	var own []string
	for i, row := range n.tokens(leads(recaller.Tenant{Numbers: numbers}), nil) {
		got, err := tx.Exec(ctx, `INSERT INTO tenant_numbers (token, tenant_id) VALUES ($1, $2)
			ON CONFLICT (token) DO NOTHING`,
			row...)
		if err != nil {
			return nil, err
		}
		if got > 0 {
			own = append(own, numbers[i])
		}
	}
	return own, nil
}

func (s *Store) numbering(ctx context.Context, tenant recaller.TenantID) (numbering, error) {
	blind, err := s.blinder(ctx, everyTenant)
	if errors.Is(err, vault.ErrNoKey) { // nobody has a number yet
		if _, err = s.seal(ctx, everyTenant, ""); err == nil {
			blind, err = s.blinder(ctx, everyTenant)
		}
	}
	return numbering{blind: blind, tenant: tenant}, err
}
