package storetest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

// notMoved are sealed columns of callers whose values do not go along with a move, and why.
var notMoved = map[string]string{
	"recall_segments.body": "made anew",
	"conversations.head":   "only one that goes on has it, and that is not moved",
	"moves.body":           "the record of an earlier move stays where it was written",
}

// sealedOf returns the sealed values of a caller's rows, by table.column.
func (b *bench) sealedOf(caller recaller.CallerID) map[string][]string {
	b.Helper()
	out, tables := map[string][]string{}, b.CallerTables()
	b.ok(b.Engine.Read(b.ctx, "t1", "", func(tx store.Tx) error {
		for _, column := range SealedColumns() {
			table, name, _ := strings.Cut(column, ".")
			if !slices.Contains(tables, table) {
				continue
			}
			out[column] = nil
			err := tx.QueryAll(b.ctx, store.Query{
				SQL:  `SELECT ` + name + ` FROM ` + table + ` WHERE tenant_id = $1 AND caller_id = $2`,
				Args: []any{"t1", caller}, Row: func(scan func(...any) error) error {
					var value []byte
					if err := scan(&value); err != nil {
						return err
					}
					if len(value) > 0 {
						out[column] = append(out[column], string(value))
					}
					return nil
				},
			})
			if err != nil {
				return fmt.Errorf("%s: %w", column, err)
			}
		}
		return nil
	}))
	return out
}

// sealedAnew: every sealed value of a caller who is merged is sealed for the other. A column that a move forgets would
// be the other's, and open for nobody.
func sealedAnew(b *bench) {
	ann, karl := b.full(), b.other("Karl")
	from, to := ann.Caller.ID, karl.Caller.ID
	due := b.now.AddDate(0, 0, 1)
	told, err := b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{
		Memory: b.memory(from, "dentist", "the dentist"), Reminder: &recaller.Reminder{ID: "with words", DueAt: due, Text: "to the dentist"},
	})
	b.ok(err)
	b.step(b.remind(told.Memory.ID, due).ID, due, recaller.ErrandWrite{Errand: recaller.Errand{
		Due: due, Means: recaller.MeansRing, State: recaller.ErrandWaiting, Begun: due, Since: due, Next: due.Add(time.Hour), To: number,
	}})
	paper := b.file("t1", b.paper(from, "Delivered", "a"))
	paper.Delivery = recaller.Delivery{State: recaller.DeliveryDone, Remote: "over there"}
	b.ok(b.Store.MarkDelivery(b.ctx, "t1", paper, paper.Version))
	before := b.sealedOf(from)
	b.merge(from, to)
	after := b.sealedOf(to)
	for column := range before {
		if notMoved[column] != "" {
			continue
		}
		if len(before[column]) == 0 {
			b.Errorf("the story has nothing in %s: it cannot tell whether a move takes it along", column)
		}
		for _, value := range before[column] {
			if slices.Contains(after[column], value) {
				b.Errorf("%s goes to another caller as it was sealed: store/move*.go forgets it", column)
			}
		}
	}
}
