package backup_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/backup"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/sqlite"
	"github.com/recallerhq/recaller/internal/store/sqlite/sqlitetest"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/keyfile"
)

// backups is how many are made while people ring.
const backups = 3

// Data first, keys second: however many new callers ring while a backup is made, each that is in the data has his key in
// the keys. The other way round some would be quarantined after every restore.
func TestABackupHasTheKeyOfEveryCallerThatItHas(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := backup.Folder{Data: dir, Database: filepath.Join(dir, "recaller.db"), Keys: filepath.Join(dir, "keys.db"), Archive: filepath.Join(dir, "archive")}
	ring, err := vault.NewRing(vault.NewKey())
	fatal(t, err)
	keys, err := keyfile.Open(folder.Keys)
	fatal(t, err)
	defer func() { fatal(t, keys.Close()) }()
	engine, err := sqlitetest.Open(t.Context(), folder.Database, sqlite.Options{Readers: 2})
	fatal(t, err)
	s := store.New(engine, vault.New(ring, keys, vault.Options{}))
	defer func() { fatal(t, s.Close()) }()
	at := time.Date(2026, 11, 27, 3, 0, 0, 0, time.UTC)
	fatal(t, s.CreateTenant(t.Context(), recaller.Tenant{ID: "t", CreatedAt: at}.WithDefaults(), recaller.APIKey{ID: "k", Tenant: "t"}, []byte("hash")))

	var rung atomic.Int64
	ctx, stop := context.WithCancel(t.Context())
	var calls sync.WaitGroup
	for range 2 {
		calls.Go(func() {
			for ctx.Err() == nil {
				n := rung.Add(1)
				_, err := s.OpenConversation(context.WithoutCancel(ctx), "t", recaller.Opening{
					Identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: fmt.Sprintf("+1555%07d", n)}}, NewCaller: recaller.CallerID(fmt.Sprint("caller-", n)),
					Conversation: recaller.Conversation{
						ID: recaller.ConversationID(fmt.Sprint("conv-", n)), Channel: recaller.ChannelVoice, Direction: recaller.Inbound,
						Status: recaller.Active, StartedAt: at, LastActivityAt: at,
					},
				})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	to := t.TempDir()
	for i := range backups {
		made, err := backup.Make(t.Context(), folder, ring, to, to, "test", at.Add(time.Duration(i)*time.Second))
		fatal(t, err)
		if len(made.Quarantined) > 0 {
			t.Errorf("backup %d: of %d callers %d have no key", i, made.Manifest.Rows["callers"], len(made.Quarantined))
		}
	}
	stop()
	calls.Wait()
}

func fatal(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
