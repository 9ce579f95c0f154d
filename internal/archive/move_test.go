package archive

import (
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What a caller said follows to another: it opens for him, is as old as it was, and is gone where it was. A copy that was
// cut short is made anew.
func TestFilesFollowToAnotherCaller(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.append(conv("ann", "c1"), turns(0, 3))
	s.append(conv("ann", "c1"), turns(3, 2))
	s.append(conv("ann", "c2"), turns(0, 1))
	old := time.Now().AddDate(0, 0, -40).Truncate(time.Second)
	path, _ := s.path("t1", "ann", "c1")
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	half, _ := s.path("t1", "bob", "c1")
	s.append(conv("bob", "c1"), turns(0, 1)) // of a copy that was cut short
	for range 2 {
		if err := s.Copy(s.ctx, "t1", "ann", "bob", "c1"); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Turns(s.ctx, "t1", conv("bob", "c1"))
	if diff := cmp.Diff(turns(0, 5), got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if info, err := os.Stat(half); err != nil || !info.ModTime().Equal(old) {
		t.Errorf("the copy is of %v, %v; want it as old as the file", info, err)
	}
	if got, err := s.Turns(s.ctx, "t1", conv("bob", "c2")); err != nil || len(got) != 0 {
		t.Errorf("got %d turns of another conversation, %v", len(got), err)
	}
	if err := s.Drop(s.ctx, "t1", "ann", "c1"); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Turns(s.ctx, "t1", conv("ann", "c1")); err != nil || len(got) != 0 {
		t.Errorf("got %d turns where it was, %v", len(got), err)
	}
	if err := s.Copy(s.ctx, "t1", "ann", "bob"); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Turns(s.ctx, "t1", conv("bob", "c2")); err != nil || len(got) != 1 {
		t.Errorf("got %d turns of the rest, %v", len(got), err)
	}
}

// Of a file that does not open nothing is copied, and nothing is left of the try.
func TestADamagedFileDoesNotFollow(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.append(conv("ann", "c1"), turns(0, 3))
	path, _ := s.path("t1", "ann", "c1")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	raw[len(raw)-1] ^= 1
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Copy(s.ctx, "t1", "ann", "bob"); err == nil {
		t.Error("it was copied")
	}
	if there, err := s.list("t1", "bob"); err != nil || len(there) != 0 {
		t.Errorf("left: %v, %v", there, err)
	}
}
