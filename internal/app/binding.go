package app

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
)

// bindAgain is how long a binding that failed waits to go on.
const bindAgain = time.Minute

// bind has rows sealed anew that an earlier version wrote, until all are bound (ADR 38). It runs beside everything else.
func (a *App) bind(ctx context.Context) {
	if bound, err := a.store.AllBound(ctx); bound && err == nil {
		return
	}
	for {
		began := time.Now()
		did, err := a.store.Bind(ctx)
		rows := did.Rows
		if err == nil {
			a.log.Info("the rows of an earlier version are bound to what they show", "rows", rows, "damaged", did.Damaged,
				"keys_missing", did.Keyless, "took", time.Since(began))
			return
		}
		if ctx.Err() == nil {
			a.log.Warn("not all rows of an earlier version could be bound, it goes on in a minute", "rows", rows, "err", err)
		}
		wait := time.NewTimer(bindAgain)
		select {
		case <-ctx.Done():
			wait.Stop()
			return
		case <-wait.C:
		}
	}
}

// maxDamagedNamed is how many damaged rows are named in the log; all are counted.
const maxDamagedNamed = 10_000

// damaged returns the function that counts the rows that reads leave out because they are damaged. It names each once.
func (a *App) damaged() func(recaller.TenantID, recaller.DamagedRow) {
	count := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "recaller_damaged_rows_total", Help: "Rows that a read left out because they are damaged, by table.",
	}, []string{"table"})
	a.registry.MustRegister(count)
	var mu sync.Mutex
	named := map[recaller.TenantID]map[recaller.DamagedRow]bool{}
	left := maxDamagedNamed
	return func(tenant recaller.TenantID, row recaller.DamagedRow) {
		count.WithLabelValues(row.Table).Inc()
		mu.Lock()
		isNew := !named[tenant][row] && left > 0
		if isNew {
			if named[tenant] == nil {
				named[tenant] = map[recaller.DamagedRow]bool{}
			}
			named[tenant][row], left = true, left-1
		}
		mu.Unlock()
		if isNew {
			a.log.Error("a row is damaged and was left out", "tenant", tenant, "table", row.Table, "id", row.ID)
		}
	}
}
