package disktest_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/disktest"
	"github.com/recallerhq/recaller/internal/durable"
)

// TestPowerLoss cuts the power at moments of a whole life of an installation, and starts on what a disk could have then:
// all that was acknowledged is there once, and nothing that was erased is anywhere.
func TestPowerLoss(t *testing.T) {
	s := told(t)
	rng := random(t)
	steps := s.disk.Steps()
	points, each := s.points(steps, rng, 12), 2
	if whole() > 0 {
		points, each = s.points(steps, rng, len(steps)/whole()), 4
	}
	cut := newCut(t, s, steps)
	for _, at := range points {
		for range each {
			if err := cut.at(at, rng); err != nil {
				t.Errorf("power cut after step %d: %v", at, err)
			}
		}
	}
	t.Logf("%d steps, %d of them syncs; power cut at %d of them, %d images; %d things acknowledged", len(steps), syncs(steps), len(points), cut.images, len(s.facts))
}

// told is a story that was told on a disk of its own, without a fault.
func told(t *testing.T) *story {
	t.Helper()
	root := t.TempDir()
	s := newStory(disktest.New(t, root), filepath.Join(root, "data"), 1)
	if err := s.tell(); err != nil {
		t.Fatal(err)
	}
	return s
}

func syncs(steps []durable.Step) (n int) {
	for _, s := range steps {
		if s.Kind == durable.Synced || s.Kind == durable.NamesSynced {
			n++
		}
	}
	return n
}

// points are moments at which to cut the power, in order: some when something was just acknowledged, some before a sync,
// and some in between.
func (s *story) points(steps []durable.Step, rng *rand.Rand, most int) (list []int) {
	if most >= len(steps) {
		for at := range len(steps) + 1 {
			list = append(list, at)
		}
		return list
	}
	chosen := make([]bool, len(steps)+1)
	for range most / 3 {
		chosen[s.facts[rng.IntN(len(s.facts))].from] = true
		chosen[rng.IntN(len(steps)+1)] = true
		for {
			at := rng.IntN(len(steps))
			if steps[at].Kind == durable.Synced {
				chosen[at] = true
				break
			}
		}
	}
	for _, f := range s.facts {
		chosen[f.from] = chosen[f.from] || len(f.gone) > 0
	}
	for at, yes := range chosen {
		if yes {
			list = append(list, at)
		}
	}
	return list
}

// cut cuts the power at moments that come one after another.
type cut struct {
	*story
	replay *disktest.Replay
	folder string
	images int
}

func newCut(t *testing.T, s *story, steps []durable.Step) *cut {
	t.Helper()
	folder := t.TempDir()
	disktest.Quick(t, folder)
	return &cut{story: s, replay: disktest.NewReplay(steps), folder: folder}
}

// at cuts it after a step, and looks at one image.
func (c *cut) at(step int, rng *rand.Rand) error {
	c.replay.To(step)
	c.images++
	image := filepath.Join(c.folder, fmt.Sprint(c.images))
	if err := c.replay.Image(rng, image); err != nil {
		return err
	}
	return errors.Join(c.verify(image, step), os.RemoveAll(image))
}

// verify starts on an image of the disk at a step.
func (s *story) verify(image string, at int) (err error) {
	for _, f := range s.facts {
		if f.from <= at && len(f.gone) > 0 {
			if err := without(image, f.gone); err != nil {
				return err
			}
		}
	}
	p, err := start(filepath.Join(image, "data"), s.clock, s.newID)
	if err != nil {
		return fmt.Errorf("it does not start: %w", err)
	}
	defer func() { err = errors.Join(err, p.close()) }()
	if err := p.look(); err != nil {
		return err
	}
	for _, f := range s.facts {
		if f.from > at || f.until != 0 && f.until < at {
			continue
		}
		if err := f.holds(p); err != nil {
			return fmt.Errorf("%s: %w", f.what, err)
		}
	}
	return nil
}

// without wants no file of a folder to have any of the traces.
func without(folder string, traces [][]byte) error {
	return filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for i, trace := range traces {
			if bytes.Contains(content, trace) {
				return fmt.Errorf("%s has trace %d of somebody erased", filepath.Base(path), i)
			}
		}
		return nil
	})
}

// TestPowerLossFindsDefects plants what the simulated disk is for, and wants it to be found.
func TestPowerLossFindsDefects(t *testing.T) {
	s := told(t)
	rng := random(t)
	unsynced := func(suffix string) func(durable.Step) bool {
		return func(step durable.Step) bool {
			return step.Kind == durable.Synced && strings.HasSuffix(step.Path, suffix)
		}
	}
	for _, defect := range []struct {
		what  string
		slow  bool // to be found
		drop  func(durable.Step) bool
		early int // how many steps too early all is acknowledged
	}{
		{what: "nothing is synced", drop: func(step durable.Step) bool { return step.Kind == durable.Synced }},
		{what: "the log of the keys is not synced", slow: true, drop: unsynced("keys.db-wal")},
		{what: "the log of the data is not synced", slow: true, drop: unsynced("recaller.db-wal")},
		{what: "the data are not synced before their log is cut", slow: true, drop: unsynced("recaller.db")},
		{what: "the archive is not synced", slow: true, drop: unsynced(".rec")},
		{what: "names are not synced", slow: true, drop: func(step durable.Step) bool { return step.Kind == durable.NamesSynced }},
		{what: "it is acknowledged before the commit", slow: true, early: 3},
	} {
		if defect.slow && whole() == 0 {
			continue // make disk tries it
		}
		t.Run(defect.what, func(t *testing.T) {
			var steps []durable.Step
			var places []int // of the steps that stay
			for _, step := range s.disk.Steps() {
				places = append(places, len(steps))
				if defect.drop == nil || !defect.drop(step) {
					steps = append(steps, step)
				}
			}
			places = append(places, len(steps))
			broken := *s
			broken.facts = append([]fact(nil), s.facts...)
			for i := range broken.facts {
				f := &broken.facts[i]
				f.from, f.until = max(0, places[f.from]-defect.early), places[f.until]
			}
			cut := newCut(t, &broken, steps)
			for _, at := range broken.points(steps, rng, len(steps)) {
				if at%7 == 0 && cut.at(at, rng) != nil {
					return
				}
			}
			t.Errorf("it was not found in %d images", cut.images)
		})
	}
}
