package recaller

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// DamagedRow names a row of the store that cannot be read: its sealed part is damaged, or what the row shows is not
// what was written with it, or the row is gone that others tell of. As an error it is of the kind Internal.
type DamagedRow struct{ Table, ID string } //nolint:errname // the name of a row, and an error where it is in the way

// Error names the row.
func (d DamagedRow) Error() string { return "the row " + d.ID + " of " + d.Table + " is damaged" }

// Is reports true for Internal.
func (d DamagedRow) Is(target error) bool { return target == Internal }

// IsDamaged reports whether an error is that of a damaged row.
func IsDamaged(err error) bool {
	var d DamagedRow
	return errors.As(err, &d)
}

// IsGone reports whether an error says that what was asked for is not there, or is damaged itself. Where another
// damaged row hides what of it may be told, it is not gone: that is Unavailable.
func IsGone(err error) bool {
	return errors.Is(err, NotFound) || IsDamaged(err) && KindOf(err) != Unavailable
}

// Damage collects the rows that were left out of what was read, because they cannot be read. Safe for concurrent use.
type Damage struct {
	mu   sync.Mutex
	rows []DamagedRow
}

type damageKey struct{}

// WithDamage returns a context under which reads note the rows that they leave out.
func WithDamage(ctx context.Context) (context.Context, *Damage) {
	d := new(Damage)
	return context.WithValue(ctx, damageKey{}, d), d
}

// NoteDamage notes a row for who reads under the context, if anybody wants to know.
func NoteDamage(ctx context.Context, row DamagedRow) {
	d, _ := ctx.Value(damageKey{}).(*Damage)
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !slices.Contains(d.rows, row) {
		d.rows = append(d.rows, row)
	}
}

// LeftOut notes the row that an error names, for who reads under the context and goes on without it. It returns false
// for an error that names none.
func LeftOut(ctx context.Context, err error) bool {
	var row DamagedRow
	if !errors.As(err, &row) {
		return false
	}
	NoteDamage(ctx, row)
	return true
}

// Count returns how many rows were noted so far.
func (d *Damage) Count() int { return len(d.Rows()) }

// Rows returns what was noted so far.
func (d *Damage) Rows() []DamagedRow {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.rows)
}
