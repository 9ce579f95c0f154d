package disktest_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/backup"
	"github.com/recallerhq/recaller/internal/durable"
)

// in is an installation in a folder.
func in(dir string) backup.Folder {
	return backup.Folder{
		Data: dir, Database: filepath.Join(dir, "recaller.db"), Keys: filepath.Join(dir, "keys", "keys.db"), Archive: filepath.Join(dir, "archive"),
	}
}

func beside(dir, name string) string { return filepath.Join(filepath.Dir(dir), name) }

// copied makes a backup, and restores it into another folder.
func (s *story) copied() error {
	to := beside(s.dir, "backup")
	var pair backup.Pair
	err := s.step("backup", func(ctx context.Context) (err error) {
		s.clock.Advance(time.Second)
		pair, err = backup.Make(ctx, in(s.dir), s.ring, to, to, "test", s.clock.Now())
		return err
	})
	if err != nil {
		return err
	}
	s.acknowledged("backup", func(p *process) error {
		at, folder := beside(p.dir, "backup"), beside(p.dir, "tried")
		err := restore(backup.Pair{
			Data: filepath.Join(at, filepath.Base(pair.Data)), Keys: filepath.Join(at, filepath.Base(pair.Keys)),
		}, p, folder)
		return errors.Join(err, os.RemoveAll(folder))
	})
	folder := beside(s.dir, "restored")
	err = s.step("restore", func(context.Context) error {
		if err := durable.DeleteAll(folder); err != nil { // of a try before
			return recaller.Wrap(recaller.Unavailable, err, "what is left of a try cannot be removed")
		}
		return restore(pair, s.process, folder)
	})
	if err != nil {
		return err
	}
	s.acknowledged("restore", func(p *process) error {
		r, err := start(beside(p.dir, "restored"), s.clock, s.newID)
		if err != nil {
			return err
		}
		list, err := r.record(archived, call(ofArchive))
		if err == nil && len(list.Turns) != 4 {
			err = errors.New("the archive does not have its words")
		}
		return errors.Join(err, r.look(), r.close())
	})
	return nil
}

// restore restores a backup with the master key of a process.
func restore(pair backup.Pair, p *process, folder string) error {
	key, err := os.ReadFile(filepath.Join(p.dir, "master", "master.key"))
	if err == nil {
		err = durable.Folder(filepath.Join(folder, "master"))
	}
	if err == nil {
		err = durable.WriteFile(filepath.Join(folder, "master", "master.key"), key)
	}
	if err != nil { // the operator's work
		return recaller.Wrap(recaller.Unavailable, err, "the master key cannot be copied")
	}
	_, err = backup.Restore(context.Background(), pair, p.ring, in(folder))
	return err
}
