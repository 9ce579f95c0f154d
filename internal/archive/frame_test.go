package archive

import (
	"bytes"
	"sync"
	"testing"

	"github.com/recallerhq/recaller"
)

// TestFramesOfOneFileDoNotMix has one file appended to from many sides at once.
func TestFramesOfOneFileDoNotMix(t *testing.T) {
	t.Parallel()
	s, c := newShelf(t), conv("ann", "c1")
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() { s.append(c, turns(i, 1)) })
	}
	wg.Wait()
	r, err := s.reader(s.ctx, "t1", c)
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	frames := 0
	if broken, err := r.frames(s.ctx, func(span, []byte) error { frames++; return nil }); err != nil || broken >= 0 || frames != 32 {
		t.Errorf("got %d frames (%v), want 32", frames, err)
	}
	if _, err := s.Turns(s.ctx, "t1", c); err != nil {
		t.Error(err)
	}
}

func FuzzWalk(f *testing.F) {
	f.Add(append(appendHeader(nil, 3), "abc"...))
	f.Add(append(appendHeader(nil, 300), "abc"...))
	f.Add(make([]byte, 20))
	f.Fuzz(func(t *testing.T, raw []byte) {
		total := int64(0)
		r := bytes.NewReader(raw)
		err := walk(r, int64(len(raw)), func(n int64) error {
			total += headerSize + n
			_, err := r.Seek(n, 1)
			return err
		})
		if err != nil && recaller.KindOf(err) != recaller.Internal {
			t.Errorf("got %v", err)
		}
		if total > int64(len(raw)) {
			t.Errorf("frames of %d bytes in %d", total, len(raw))
		}
	})
}
