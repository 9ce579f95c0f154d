package disktest_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/disktest"
)

// modes are the ways in which calls fail.
var modes = []struct {
	what  string
	fault disktest.Fault
	about int // calls of a life that it counts, for a sample
}{
	{what: "an I/O error once", about: 6000},
	{what: "an I/O error from then on", about: 6000, fault: disktest.Fault{Forever: true}},
	{what: "a full disk once", about: 2800, fault: disktest.Fault{Full: true}},
	{what: "a full disk from then on", about: 2800, fault: disktest.Fault{Full: true, Forever: true}},
	{what: "a sync that fails", about: 210, fault: disktest.Fault{Syncs: true}},
	{what: "half a write", about: 2700, fault: disktest.Fault{Short: true}},
}

// TestFaults fails each call of a life of an installation to its files, one in each life. Nothing panics or hangs, what
// failed says that it did and works when it is tried again, and what was acknowledged is there in the end: as the disk
// is, and as a power cut leaves it.
func TestFaults(t *testing.T) {
	for _, mode := range modes {
		t.Run(mode.what, func(t *testing.T) {
			rng := random(t)
			all, every := mode.about, mode.about
			if whole() > 0 {
				all, every = calls(t, mode.fault), whole()
			}
			tried, met := 0, 0
			for n := 1 + rng.IntN(every); n <= all; n += every {
				f := mode.fault
				f.At = n
				tried++
				begin := func(d *disktest.Disk) (end func()) { d.Fail(&f); return func() { d.Fail(nil) } }
				if err := life(t, attack{begin, f.Forever}, rng); err != nil {
					_, where := f.Met()
					t.Errorf("call %d, %s: %v", n, where, err)
				}
				if yes, _ := f.Met(); yes {
					met++
				}
			}
			t.Logf("%d calls; %d of them failed, one a life", all, met)
			if met < tried/2 {
				t.Errorf("only %d of %d faults came to pass", met, tried)
			}
		})
	}
}

// calls counts the calls of a life that could have had a fault.
func calls(t *testing.T, f disktest.Fault) int {
	t.Helper()
	f.At = 1 << 40
	disk, s := short(t, filepath.Join(t.TempDir(), "root"), 1)
	disk.Fail(&f)
	if err := s.tell(); err != nil {
		t.Fatal(err)
	}
	return disk.Calls()
}

// attack is what befalls a life.
type attack struct {
	begin   func(d *disktest.Disk) (end func())
	forever bool
}

// life has an installation live under an attack, and looks at what became of it.
func life(t *testing.T, a attack, rng *rand.Rand) (err error) {
	t.Helper()
	root, err := os.MkdirTemp(t.TempDir(), "life-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(root)) }()
	tries := 4
	if a.forever {
		tries = 1
	}
	disk, s := short(t, root, tries)
	disktest.Quick(t, root+".image")
	end := a.begin(disk)
	ended := make(chan error, 1)
	go func() { ended <- s.tell() }()
	select {
	case err = <-ended:
	case <-time.After(2 * time.Minute):
		panic("it hangs")
	}
	end()
	return s.told(err, a, rng)
}

// TestMemory has SQLite get no memory for an allocation, once or from then on. Go's own cannot be refused: a process that
// gets none ends, as by kill -9.
func TestMemory(t *testing.T) {
	rng := random(t)
	_, s := short(t, filepath.Join(t.TempDir(), "root"), 1)
	stop := disktest.FailMemory(1<<40, false)
	if err := s.tell(); err != nil {
		t.Fatal(err)
	}
	all := stop()
	lives := 2
	if whole() > 0 {
		lives = 4000 / whole()
	}
	met := 0
	for i := range lives {
		n, forever := 1+rng.IntN(all), i%2 == 1
		begin := func(*disktest.Disk) (end func()) {
			stop := disktest.FailMemory(n, forever)
			return func() {
				if stop() >= n {
					met++
				}
			}
		}
		if err := life(t, attack{begin, forever}, rng); err != nil {
			t.Errorf("allocation %d (forever: %v): %v", n, forever, err)
		}
	}
	t.Logf("%d allocations; %d lives without memory, %d met", all, lives, met)
}

// told looks at how a story ended.
func (s *story) told(told error, a attack, rng *rand.Rand) (err error) {
	if told != nil && !a.forever {
		return fmt.Errorf("it does not go on: %w", told)
	}
	for _, err := range s.failed {
		switch kind := recaller.KindOf(err); {
		case strings.Contains(err.Error(), "a write failed"): // by a panic
			return err
		case kind == recaller.Unavailable || kind == recaller.Full || kind == recaller.Timeout:
		case a.forever && strings.Contains(err.Error(), "restore: the database is damaged"): // a copy that can never be read
		case a.forever && strings.Contains(err.Error(), "backup: the database is damaged"):
		default:
			return fmt.Errorf("an error of the kind %q: %w", string(kind), err)
		}
	}
	now := s.disk.Now()
	replay := disktest.NewReplay(s.disk.Steps())
	replay.To(now)
	image := filepath.Dir(s.dir) + ".image"
	defer func() { err = errors.Join(err, os.RemoveAll(image)) }()
	if err := replay.Image(rng, image); err != nil {
		return err
	}
	if err := s.verify(image, now); err != nil {
		return fmt.Errorf("after a power cut at the end: %w", err)
	}
	if err := s.verify(filepath.Dir(s.dir), now); err != nil {
		return fmt.Errorf("as the disk is: %w", err)
	}
	return nil
}

// short is a shorter story on a disk below a folder.
func short(t *testing.T, root string, tries int) (*disktest.Disk, *story) {
	t.Helper()
	disk := disktest.New(t, root)
	if err := os.MkdirAll(root, 0o700); err != nil {
		t.Fatal(err)
	}
	s := newStory(disk, filepath.Join(root, "data"), tries)
	s.houses, s.rounds = 4, 3
	return disk, s
}
