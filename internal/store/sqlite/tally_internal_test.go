package sqlite

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

// What is read while somebody writes may be old when the write is answered: there is no count by which to keep it.
func TestWritesAreNotCountedWhileOneIsUnderWay(t *testing.T) {
	t.Parallel()
	e, err := Open(t.Context(), filepath.Join(t.TempDir(), "recaller.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}()
	failed := errors.New("undone")
	for _, about := range []recaller.CallerID{"ann", ""} {
		for _, fails := range []error{nil, failed} {
			one, all := count(t, e, "ann"), count(t, e, "")
			err := e.Write(t.Context(), "t", about, func(store.Tx) error {
				for _, caller := range []recaller.CallerID{"ann", ""} {
					if _, known := e.Writes("t", caller); known {
						t.Errorf("a write about %q: the count of %q is known", about, caller)
					}
				}
				return fails
			})
			if !errors.Is(err, fails) {
				t.Fatal(err)
			}
			if count(t, e, "ann") == one || count(t, e, "") == all {
				t.Errorf("a write about %q that ends with %v is not counted", about, fails)
			}
		}
	}
}

func count(t *testing.T, e *Engine, caller recaller.CallerID) uint64 {
	t.Helper()
	n, known := e.Writes("t", caller)
	if !known {
		t.Fatalf("the count of %q is not known, and nothing is under way", caller)
	}
	return n
}
