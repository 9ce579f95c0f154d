// Package disktest is a simulated disk under SQLite and under the files that the product writes itself. It notes each
// write, truncation, sync and name in one order, and makes of them the images that a power cut could leave: what was
// synced is there; of what was not, any part, in any order, torn at a sector. And it fails any call that it is told to:
// of SQLite to its files, or to its memory.
//
// It lies beneath SQLite as a VFS of its own, which is the default once the first Disk is made, and passes calls on to
// the real one. Nothing of it is in the product: only tests import it, and the arch tests keep it so.
//
// What it does not have: bits that rot, a disk that lies about a sync, and another process that uses the same files.
package disktest

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/recallerhq/recaller/internal/durable"
)

// Disk is what is below one folder. Safe for concurrent use.
type Disk struct {
	root  string
	quick bool // nothing is noted

	mu    sync.Mutex // guards what follows
	steps []durable.Step
	calls int // that could have failed
	fault *Fault
}

// New returns the disk of a folder, which is empty as yet. There can be several, in folders of their own; one at a time
// sees what is written without SQLite.
func New(t testing.TB, root string) *Disk {
	t.Helper()
	if err := register(); err != nil {
		t.Fatal(err)
	}
	d := &Disk{root: filepath.Clean(root)}
	disks.Store(d.root, d)
	stop := durable.Watch(durable.Watcher{Before: d.before, After: d.after})
	t.Cleanup(func() { stop(); disks.Delete(d.root) })
	return d
}

// Quick has SQLite not wait for the real disk below a folder.
func Quick(t testing.TB, root string) {
	t.Helper()
	if err := register(); err != nil {
		t.Fatal(err)
	}
	disks.Store(filepath.Clean(root), &Disk{root: filepath.Clean(root), quick: true})
	t.Cleanup(func() { disks.Delete(filepath.Clean(root)) })
}

// disks are all that there are, by their folders.
var disks sync.Map

// diskOf returns the disk that a path is on; nil: none.
func diskOf(path string) *Disk {
	for dir := path; ; {
		if d, ok := disks.Load(dir); ok {
			return d.(*Disk)
		}
		above := filepath.Dir(dir)
		if above == dir {
			return nil
		}
		dir = above
	}
}

// before fails a step that the product makes without SQLite.
func (d *Disk) before(s durable.Step) error {
	if diskOf(s.Path) != d {
		return nil
	}
	if f := d.call(callOf(s.Kind), s.Path); f != nil {
		if s.Kind == durable.Synced {
			d.note(durable.Step{Kind: dropped, Path: s.Path})
		}
		return f.errno()
	}
	return nil
}

// after notes such a step.
func (d *Disk) after(s durable.Step) {
	if diskOf(s.Path) == d {
		d.note(s)
	}
}

// note adds a step to what was done.
func (d *Disk) note(s durable.Step) {
	if d.quick {
		return
	}
	s.Path, s.To = d.relative(s.Path), d.relative(s.To)
	s.Data = append([]byte(nil), s.Data...)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.steps = append(d.steps, s)
}

func (d *Disk) relative(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, d.root), string(filepath.Separator))
}

// Now is how many steps were made. A crash at that number has all of them asked of the disk, and no other.
func (d *Disk) Now() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.steps)
}

// Steps returns what was done.
func (d *Disk) Steps() []durable.Step {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.steps[:len(d.steps):len(d.steps)]
}
