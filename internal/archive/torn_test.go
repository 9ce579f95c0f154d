package archive

import (
	"errors"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/durable"
)

const sector = 512

// TestPowerCutWhileWordsAreWritten leaves any part of what was being written: each sector of it is there or is zeros, up
// to any length. What was acknowledged is read, and the call goes on.
func TestPowerCutWhileWordsAreWritten(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 1))
	s, c := newShelf(t), conv("ann", "c1")
	s.append(c, turns(0, 2))
	sure, err := os.ReadFile(s.file(c))
	if err != nil {
		t.Fatal(err)
	}
	s.append(c, turns(2, 40))
	all, err := os.ReadFile(s.file(c))
	if err != nil {
		t.Fatal(err)
	}
	for range 300 {
		left := append([]byte(nil), all[:len(sure)+rng.IntN(len(all)-len(sure))]...)
		for at := len(sure) / sector * sector; at < len(left); at += sector {
			if rng.IntN(2) == 0 {
				clear(left[max(at, len(sure)):min(at+sector, len(left))])
			}
		}
		s.edit(c, func([]byte) []byte { return left })
		s = s.reopened()
		c.Turns = 2
		s.want(c, turns(0, 2))
		s.append(c, turns(2, 3))
		c.Turns = 5
		s.want(c, turns(0, 5))
		s.reopened().want(c, turns(0, 5))
	}
}

// TestDamageOfWordsThatCountIsTold: a frame that does not open is passed over only where nothing that counts is in it.
func TestDamageOfWordsThatCountIsTold(t *testing.T) {
	t.Parallel()
	s, c := newShelf(t), conv("ann", "c1")
	s.append(c, turns(0, 2))
	first, err := os.ReadFile(s.file(c))
	if err != nil {
		t.Fatal(err)
	}
	s.append(c, turns(2, 2))
	c.Turns = 4
	for _, at := range []int{headerSize + 20, len(first) + headerSize + 20, 1, len(first) + 1} {
		s.edit(c, func(raw []byte) []byte { raw[at] ^= 1; return raw })
		s = s.reopened()
		_, err := s.Turns(s.ctx, "t1", c)
		s.wantKind("read", err, recaller.Internal)
		_, err = s.paged(c)
		s.wantKind("read page by page", err, recaller.Internal)
		s.edit(c, func(raw []byte) []byte { raw[at] ^= 1; return raw })
	}
	s.reopened().want(c, turns(0, 4))
}

// TestSyncThatFails: what was written before a sync that failed may never come to the disk, though it can be read. It is
// written again.
func TestSyncThatFails(t *testing.T) {
	s, c := newShelf(t), conv("ann", "c1")
	s.append(c, turns(0, 2))
	size := func() int64 {
		info, err := os.Stat(s.file(c))
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	before := size()
	fails := true
	var offsets []int64
	t.Cleanup(durable.Watch(durable.Watcher{
		Before: func(step durable.Step) error {
			if step.Kind == durable.Synced && step.Path == s.file(c) && fails {
				return errors.New("the disk is broken")
			}
			return nil
		},
		After: func(step durable.Step) {
			if step.Kind == durable.Written || step.Kind == durable.Truncated {
				offsets = append(offsets, step.Offset)
			}
		},
	}))
	err := s.Append(s.ctx, "t1", c, turns(2, 1))
	s.wantKind("append", err, recaller.Unavailable)
	fails = false
	s.append(c, turns(2, 1))
	s.want(c, turns(0, 3))
	if len(offsets) != 3 || offsets[0] != before || offsets[1] != before || offsets[2] != before {
		t.Errorf("got writes and cuts at %d, want it cut off and written again at %d", offsets, before)
	}
}
