package e2e

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// backUp backs up while the server serves.
func (s *soak) backUp() {
	if s.alone {
		return // nobody else can read the files of a server that was started on a full disk
	}
	at := s.tick.Add(1)
	dir, err := os.MkdirTemp(s.dir, "backup-")
	if err != nil {
		s.t.Fatal(err)
	}
	out, err := s.server.command("backup", filepath.Join(dir, "data"), "--keys", filepath.Join(dir, "keys")).CombinedOutput()
	if err != nil {
		s.violated(nil, "backup while serving: %v: %s", err, out)
		return
	}
	if s.backup != "" {
		_ = os.RemoveAll(s.backup)
	}
	s.backup, s.backupAt = dir, at
}

// checkBackup puts the last backup into an empty folder, and starts a server there: all that was stored when the backup
// began is there.
func (s *soak) checkBackup() {
	if s.backup == "" {
		return
	}
	master := filepath.Join("master", "master.key")
	key, err := os.ReadFile(filepath.Join(s.server.dir, master))
	if err != nil {
		s.t.Fatal(err)
	}
	s.server.dir = filepath.Join(s.dir, "restored")
	if err := os.MkdirAll(filepath.Join(s.server.dir, "master"), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.server.dir, master), key, 0o600); err != nil {
		s.t.Fatal(err)
	}
	for _, args := range [][]string{{"restore", filepath.Join(s.backup, "data"), "--keys", filepath.Join(s.backup, "keys")}, {"doctor"}} {
		if out, err := s.server.command(args...).CombinedOutput(); err != nil {
			s.violated(nil, "%s of the backup: %v: %s", args[0], err, out)
			return
		}
	}
	s.hooks.past.Store(true)
	s.begin(s.server.command("serve"), false)
	s.quiet()
	s.each((*soakWorker).checkRestored)
	s.end(false)
}

// checkRestored wants the turns that were stored before the backup.
func (w *soakWorker) checkRestored() {
	for _, c := range w.callers {
		if c.tenant.retention == recaller.Ephemeral {
			continue
		}
		for _, call := range c.calls {
			stored := slices.DeleteFunc(slices.Clone(call.turns), func(t *soakTurn) bool { return t.sureness != sure || t.at > w.s.backupAt })
			if len(stored) == 0 {
				continue
			}
			var rec client.ConversationRecord
			out := w.ask(c, "read the restored "+call.id, true, func(ctx context.Context) (err error) {
				rec, err = w.client(c).ConversationWithForgotten(ctx, call.id)
				return err
			})
			w.wasRefused(c, "a call of the backup", out)
			for _, t := range stored {
				if !slices.ContainsFunc(rec.Turns, func(r client.Turn) bool { return r.Text == t.text && (!t.firm || r.Number == t.number) }) {
					w.s.violated(c, "turn %s was stored before the backup and is not in it", t.word)
				}
			}
			w.s.restored.Add(int64(len(stored)))
		}
	}
}
