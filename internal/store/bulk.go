package store

import (
	"context"
	"sync"
)

// manyRows is how many rows of imports leave the database with statistics that are too old.
const manyRows = 10_000

// bulk counts what imports write. Its zero value has counted nothing. Safe for concurrent use.
type bulk struct {
	mu           sync.Mutex
	since, total int
}

// due counts rows, and reports whether the statistics are to be brought up to date: after ten thousand, and where more
// were imported after a fifth of them, so that a long import has it done seldom.
func (b *bulk) due(rows int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.since, b.total = b.since+rows, b.total+rows
	if b.since < max(manyRows, b.total/5) {
		return false
	}
	b.since = 0
	return true
}

// imported is told of the rows of an import, after its commit. Where the statistics cannot be brought up to date, queries
// are slower until the database does it by itself; the import has happened.
func (s *Store) imported(ctx context.Context, rows int) {
	if s.bulk.due(rows) {
		_ = s.engine.Refresh(ctx)
	}
}
