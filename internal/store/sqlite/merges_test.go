//go:build measure

package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/sqlite"
	"github.com/recallerhq/recaller/internal/store/storetest"
	"github.com/recallerhq/recaller/internal/vault"
)

// make bench-merges
func TestMerges(t *testing.T) {
	e := open(t, filepath.Join(t.TempDir(), "recaller.db"), sqlite.Options{})
	storetest.Merges(storetest.NewData(t, store.New(e, openVault(t, filepath.Join(t.TempDir(), "keys.db"), vault.NewKey()))))
}
