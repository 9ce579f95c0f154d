package backup

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/sqlite"
)

const (
	wholeTable = time.Hour // bounds the reading of one table of one tenant
	atOnce     = 500       // rows that are written in one commit
)

// mover copies the tables of one engine into another.
type mover struct {
	from, to store.Engine
	path     string // of the file that from has open
}

const tenantTable = "tenants"

// apart are the tables that the engines keep each in its own way, with what moves them.
func (m *mover) apart(ids []recaller.TenantID) map[string]func(context.Context) (int64, error) {
	out := map[string]func(context.Context) (int64, error){}
	for _, t := range store.Things() {
		out[t.Words()] = func(ctx context.Context) (int64, error) { return m.moveWords(ctx, t) }
		out[t.Embeddings()] = func(ctx context.Context) (int64, error) { return m.moveVectors(ctx, t, ids) }
	}
	return out
}

// run copies every table, and compares what came.
func (m *mover) run(ctx context.Context) (map[string]int64, error) {
	rows, err := sqlite.Counts(ctx, m.path)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(rows, func(name string, _ int64) bool {
		return name == "goose_db_version" || slices.ContainsFunc(store.Things(), func(t store.Thing) bool {
			return strings.HasPrefix(name, string(t)+"_tokens") // SQLite's index of words, which is made of what comes
		})
	})
	ids, err := store.New(m.from, nil).TenantIDs(ctx)
	if err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(rows))
	names = append(slices.DeleteFunc(names, func(n string) bool { return n == tenantTable }), tenantTable) // last: see Move
	apart := m.apart(ids)
	for _, name := range names {
		var came int64
		if move, ok := apart[name]; ok {
			came, err = move(ctx)
		} else {
			came, err = m.moveTable(ctx, name, ids)
		}
		if err != nil {
			return nil, err
		}
		if came != rows[name] {
			return nil, recaller.Errorf(recaller.Internal, "the table %s has %d rows, and %d came", name, rows[name], came)
		}
	}
	return rows, nil
}

// columns returns the columns of a table, which must be the same in both, and which of them are true or false.
func (m *mover) columns(ctx context.Context, table string) (names []string, flags []bool, err error) {
	err = m.from.ReadSystem(ctx, func(tx store.Tx) error {
		return tx.QueryAll(ctx, store.Query{
			SQL: `SELECT name FROM pragma_table_info($1) ORDER BY name`, Args: []any{table},
			Row: func(scan func(...any) error) error {
				names = append(names, "")
				return scan(&names[len(names)-1])
			},
		})
	})
	if err != nil {
		return nil, nil, err
	}
	types := map[string]string{}
	err = m.to.ReadSystem(ctx, func(tx store.Tx) error {
		return tx.QueryAll(ctx, store.Query{
			SQL: `SELECT column_name::text, data_type::text FROM information_schema.columns
				WHERE table_schema = 'public' AND table_name = $1`, Args: []any{table},
			Row: func(scan func(...any) error) error {
				var name, typ string
				err := scan(&name, &typ)
				types[name] = typ
				return err
			},
		})
	})
	if err == nil && !slices.Equal(names, slices.Sorted(maps.Keys(types))) {
		err = recaller.Errorf(recaller.Internal, "the table %s has other columns in the target", table)
	}
	for _, name := range names {
		flags = append(flags, types[name] == "boolean")
	}
	return names, flags, err
}

// moveTable copies a table that both engines keep in the same way.
func (m *mover) moveTable(ctx context.Context, table string, ids []recaller.TenantID) (n int64, err error) {
	names, flags, err := m.columns(ctx, table)
	if err != nil {
		return 0, err
	}
	owner := "tenant_id"
	if table == tenantTable {
		owner = "id"
	}
	marks := make([]string, len(names))
	for i := range marks {
		marks[i] = "$" + strconv.Itoa(i+1)
	}
	read := `SELECT ` + strings.Join(names, ", ") + ` FROM ` + table + ` WHERE ` + owner + ` = $1`
	write := `INSERT INTO ` + table + ` (` + strings.Join(names, ", ") + `) VALUES (` + strings.Join(marks, ", ") + `)
		ON CONFLICT DO NOTHING`
	for _, id := range ids {
		was, err := m.copyRows(ctx, id, read, write, flags)
		if err != nil {
			return 0, fmt.Errorf("copy %s: %w", table, err)
		}
		is, err := m.sum(ctx, m.to, id, read, flags, func([]any) error { return nil })
		if err != nil {
			return 0, fmt.Errorf("read %s back: %w", table, err)
		}
		if was != is {
			return 0, recaller.Errorf(recaller.Internal, "the rows of %s did not come as they are", table)
		}
		n += is.rows
	}
	return n, nil
}

// sum is what tells whether two lists of rows are the same, in whatever order.
type sum struct {
	rows int64
	hash [sha256.Size]byte
}

func (m *mover) copyRows(ctx context.Context, id recaller.TenantID, read, write string, flags []bool) (sum, error) {
	var batch [][]any
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		err := m.to.Write(ctx, id, "", func(tx store.Tx) error { return tx.ExecAll(ctx, write, batch) })
		batch = nil
		return err
	}
	was, err := m.sum(ctx, m.from, id, read, flags, func(row []any) error {
		if batch = append(batch, slices.Clone(row)); len(batch) < atOnce {
			return nil
		}
		return flush()
	})
	if err != nil {
		return was, err
	}
	return was, flush()
}

// sum reads rows, and passes each on.
func (m *mover) sum(
	ctx context.Context, e store.Engine, id recaller.TenantID, query string, flags []bool, pass func([]any) error,
) (out sum, err error) {
	err = e.Read(ctx, id, "", func(tx store.Tx) (err error) {
		rows, err := tx.Query(ctx, query, id)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }() // what matters is in Err
		for rows.Next() {
			row := make([]any, len(flags))
			into := make([]any, len(flags))
			for i := range row {
				into[i] = &row[i]
			}
			if err := rows.Scan(into...); err != nil {
				return err
			}
			hash := sha256.New()
			for i, v := range row {
				if n, ok := v.(int64); ok && flags[i] {
					row[i] = n != 0
				}
				fmt.Fprintf(hash, "%T %v\x00", row[i], row[i])
			}
			subtle.XORBytes(out.hash[:], out.hash[:], hash.Sum(nil))
			out.rows++
			if err := pass(row); err != nil {
				return err
			}
		}
		return rows.Err()
	})
	return out, err
}

// moveWords copies the blind tokens that things are found by.
func (m *mover) moveWords(ctx context.Context, of store.Thing) (n int64, err error) {
	err = sqlite.EachTokens(ctx, m.path, of, func(t store.Tokens) error {
		n++
		return m.to.Write(ctx, t.Tenant, "", func(tx store.Tx) error { return m.to.PutTokens(ctx, tx, t) })
	})
	return n, err
}

// moveVectors copies the embeddings of things.
func (m *mover) moveVectors(ctx context.Context, of store.Thing, ids []recaller.TenantID) (n int64, err error) {
	for _, id := range ids {
		var v store.Vectors
		flush := func() error {
			if len(v.Parts) == 0 {
				return nil
			}
			n += int64(len(v.Parts))
			return m.to.Write(ctx, id, "", func(tx store.Tx) error { return m.to.PutVectors(ctx, tx, v) })
		}
		err := m.from.Read(ctx, id, "", func(tx store.Tx) error {
			return tx.QueryAll(ctx, store.Query{
				SQL: `SELECT ` + of.Key() + `, caller_id, model, width, made_at, vector FROM ` + of.Embeddings() + `
					WHERE tenant_id = $1 ORDER BY ` + of.Key() + `, model, part`, Args: []any{id},
				Row: func(scan func(...any) error) error {
					next := store.Vectors{Of: of, Tenant: id}
					var model string
					var width int
					var at int64
					var stored []byte
					if err := scan(&next.ID, &next.Caller, &model, &width, &at, &stored); err != nil {
						return err
					}
					numbers, ok := sqlite.Unpacked(stored, width)
					if !ok {
						return recaller.Errorf(recaller.Internal, "an embedding of %s %s is damaged", of, next.ID)
					}
					if next.ID != v.ID || model != v.Parts[0].Model {
						if err := flush(); err != nil {
							return err
						}
						v, v.At = next, time.UnixMicro(at)
					}
					v.Parts = append(v.Parts, recaller.Embedding{Model: model, Vector: numbers})
					return nil
				},
			})
		})
		if err != nil {
			return 0, err
		}
		if err := flush(); err != nil {
			return 0, err
		}
	}
	return n, nil
}
