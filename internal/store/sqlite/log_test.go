package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/sqlite"
	"github.com/recallerhq/recaller/internal/store/storetest"
)

// TestLogStaysSmall writes while readers overlap without a pause: each stays for two commits, but not for ever, and
// ends only when the next has begun, so that there is always one that has not seen the last commit. SQLite cannot start
// its log anew then.
func TestLogStaysSmall(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	e := open(t, path, sqlite.Options{Readers: 2})
	ctx := context.Background()
	begin := func() (end func()) {
		begun, ended := make(chan struct{}), make(chan struct{})
		go func() {
			err := e.Read(ctx, "t", "", func(tx store.Tx) error {
				var n int
				err := tx.QueryRow(ctx, `SELECT count(*) FROM jobs WHERE run_at < 0`, nil, &n)
				close(begun)
				<-ended
				return err
			})
			if err != nil {
				t.Error(err)
			}
		}()
		<-begun
		return func() { close(ended) }
	}
	stop := make(chan struct{})
	committed := make(chan struct{}, 1000)
	var relay sync.WaitGroup
	relay.Go(func() {
		last := begin()
		for {
			for range 2 {
				select {
				case <-committed:
				case <-time.After(20 * time.Millisecond):
				}
			}
			next := begin()
			last()
			last = next
			select {
			case <-stop:
				last()
				return
			default:
			}
		}
	})
	big := strings.Repeat("x", 60_000)
	largest := int64(0)
	for i := range 500 {
		if err := storetest.PutJob(e, fmt.Sprint(i, big)); err != nil {
			t.Fatal(err)
		}
		committed <- struct{}{}
		info, err := os.Stat(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		largest = max(largest, info.Size())
	}
	close(stop)
	relay.Wait()
	if largest > 64<<20 {
		t.Errorf("the log grew to %d MB for 90 MB written, want at most 64", largest>>20)
	}
	t.Logf("log at most %d MB", largest>>20)
}
