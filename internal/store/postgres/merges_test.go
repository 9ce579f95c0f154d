//go:build measure

package postgres_test

import (
	"testing"

	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/postgres/postgrestest"
	"github.com/recallerhq/recaller/internal/store/storetest"
)

// make bench-merges
func TestMerges(t *testing.T) {
	storetest.Merges(storetest.NewData(t, store.New(open(t, postgrestest.Database(t).App), newVault(t))))
}
