package keytable

import (
	"context"

	"github.com/jackc/pgx/v5"
)

const (
	listValues   = `SELECT name, value FROM recaller_keys.named`
	findValue    = `SELECT value FROM recaller_keys.named WHERE name = $1`
	insertValue  = `INSERT INTO recaller_keys.named (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING`
	replaceValue = `WITH done AS (UPDATE recaller_keys.named SET value = $3 WHERE name = $1 AND value = $2 RETURNING name),
		marked AS (INSERT INTO recaller_keys.traces (part, xid) SELECT 'named', pg_current_xact_id() FROM done)
		SELECT count(*) FROM done`
	removeValue = `WITH done AS (DELETE FROM recaller_keys.named WHERE name = $1 AND value = $2 RETURNING name),
		marked AS (INSERT INTO recaller_keys.traces (part, xid) SELECT 'named', pg_current_xact_id() FROM done)
		SELECT count(*) FROM done`
)

// Values returns all named values.
func (k *Keys) Values(ctx context.Context) (values map[string][]byte, err error) {
	err = k.repeat(ctx, door{system: true}, func(b *pgx.Batch) {
		b.Queue(listValues).Query(func(rows pgx.Rows) error {
			values = map[string][]byte{}
			var name string
			var value []byte
			_, err := pgx.ForEachRow(rows, []any{&name, &value}, func() error {
				values[name] = append([]byte{}, value...)
				return nil
			})
			return err
		})
	})
	if err != nil {
		return nil, failure(err, cannotRead)
	}
	return values, nil
}

// PutValue stores a named value unless there is one, and returns what is there, in one round trip.
func (k *Keys) PutValue(ctx context.Context, name string, value []byte) (winner []byte, err error) {
	err = k.repeat(ctx, door{system: true}, func(b *pgx.Batch) {
		b.Queue(insertValue, name, value)
		b.Queue(findValue, name).QueryRow(func(row pgx.Row) error { return row.Scan(&winner) })
	})
	if err != nil {
		return nil, failure(err, cannotWrite)
	}
	return winner, nil
}

// ReplaceValue replaces a named value if it still is old, and then writes anew every table in which former keys or
// values are left: it is the last step of a rotation. A nil value removes.
func (k *Keys) ReplaceValue(ctx context.Context, name string, old, value []byte) (bool, error) {
	var n int
	err := k.run(ctx, door{system: true}, func(b *pgx.Batch) {
		if value == nil {
			b.Queue(removeValue, name, old).QueryRow(func(row pgx.Row) error { return row.Scan(&n) })
			return
		}
		b.Queue(replaceValue, name, old, value).QueryRow(func(row pgx.Row) error { return row.Scan(&n) })
	})
	if err != nil {
		return false, failure(err, cannotWrite)
	}
	parts, err := k.marked(ctx)
	if err != nil {
		k.wakeTidier() // the value is replaced; the marks stay until somebody can read them
	}
	k.clear(ctx, afterRotation, parts...)
	return n == 1, nil
}
