package sqlite_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store/sqlite"
	"github.com/recallerhq/recaller/internal/store/storetest"
)

// TestAPageReadWrongIsReadAgain damages the file under an engine that read none of it yet, and puts it right: what was
// read wrong is not believed any more.
func TestAPageReadWrongIsReadAgain(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "x.db")
	right := manyPages(t, path)
	e := open(t, path, sqlite.Options{Readers: 1})
	// Written in place: to close another handle of the file would drop SQLite's locks, of which there are none now.
	wrong := make([]byte, 6*4096)
	overwrite(t, path, wrong, int64(len(right)-len(wrong)))
	storetest.WantKind(t, "while it is wrong", e.Check(ctx), recaller.Internal)
	overwrite(t, path, right[len(right)-len(wrong):], int64(len(right)-len(wrong)))
	if err := e.Check(ctx); err != nil {
		t.Errorf("when it is right again: %v", err)
	}
	if got := storetest.Jobs(t, e); got != 200 {
		t.Errorf("got %d rows, want 200", got)
	}
}

func overwrite(t *testing.T, path string, content []byte, at int64) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(content, at); err != nil {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}
