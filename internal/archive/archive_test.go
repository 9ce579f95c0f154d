package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/vaulttest"
)

// shelf is an archive with the keys of two tenants' callers.
type shelf struct {
	testing.TB
	*Archive
	ctx context.Context
}

func newShelf(t testing.TB) *shelf {
	t.Helper()
	v := vaulttest.New(t)
	for _, scope := range []vault.Scope{{Tenant: "t1", Caller: "ann"}, {Tenant: "t1", Caller: "bob"}, {Tenant: "t2", Caller: "ann"}} {
		if _, err := v.Sealer(context.Background(), scope); err != nil {
			t.Fatal(err)
		}
	}
	return &shelf{t, New(filepath.Join(t.TempDir(), "archive"), v), context.Background()}
}

func conv(caller recaller.CallerID, id recaller.ConversationID) recaller.Conversation {
	return recaller.Conversation{ID: id, Caller: caller}
}

func turns(from, n int) []recaller.Turn {
	out := make([]recaller.Turn, n)
	for i := range out {
		out[i] = recaller.Turn{ID: recaller.TurnID(fmt.Sprint("turn-", from+i)), Number: from + i, Speaker: recaller.User, Text: fmt.Sprint("the Quokka says ", from+i), At: time.Unix(1e9, 0).UTC(), Confidence: 1}
	}
	return out
}

func (s *shelf) append(c recaller.Conversation, ts []recaller.Turn) {
	s.Helper()
	if err := s.Append(s.ctx, "t1", c, ts); err != nil {
		s.Fatal(err)
	}
}

func (s *shelf) want(c recaller.Conversation, want []recaller.Turn) {
	s.Helper()
	got, err := s.Turns(s.ctx, "t1", c)
	if err != nil {
		s.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		s.Errorf("turns (-want +got):\n%s", diff)
	}
	got, err = s.paged(c)
	if c.Turns > 0 {
		got = below(got, c.Turns)
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		s.Errorf("page by page (-want +got): %v\n%s", err, diff)
	}
}

// paged reads the words of a conversation page by page.
func (s *shelf) paged(c recaller.Conversation) (all []recaller.Turn, err error) {
	for turns, err := range s.EachPage(s.ctx, "t1", c) {
		if err != nil {
			return nil, err
		}
		if len(turns) > pageTurns {
			s.Errorf("a page has %d turns", len(turns))
		}
		all = append(all, turns...)
	}
	return all, nil
}

// file is where a conversation of the first tenant is kept.
func (s *shelf) file(c recaller.Conversation) string {
	s.Helper()
	path, err := s.path("t1", c.Caller, c.ID)
	if err != nil {
		s.Fatal(err)
	}
	return path
}

// edit changes a file behind the archive's back.
func (s *shelf) edit(c recaller.Conversation, change func([]byte) []byte) {
	s.Helper()
	raw, err := os.ReadFile(s.file(c))
	if err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(s.file(c), change(raw), 0o600); err != nil {
		s.Fatal(err)
	}
}

// reopened is the archive as a new process finds it.
func (s *shelf) reopened() *shelf { return &shelf{s.TB, New(s.root, s.vault), s.ctx} }

func (s *shelf) wantKind(what string, err error, kind recaller.Kind) {
	s.Helper()
	if err == nil || recaller.KindOf(err) != kind {
		s.Errorf("%s: got %v, want an error of kind %q", what, err, kind)
	}
}

func TestWordsAreKeptInOrder(t *testing.T) {
	t.Parallel()
	s, c := newShelf(t), conv("ann", "c1")
	s.want(c, nil)
	s.append(c, nil)
	if _, err := os.Stat(s.file(c)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing was said, and there is a file (%v)", err)
	}
	s.append(c, turns(0, 3))
	s.append(c, turns(3, 1))
	s.append(conv("ann", "c2"), turns(100, 1))
	s.append(conv("bob", "c1"), turns(200, 1))
	s.want(c, turns(0, 4))
	again := s.reopened()
	again.append(c, turns(4, 2))
	again.want(c, turns(0, 6))
	info, err := os.Stat(s.file(c))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode is %v, want owner only (%v)", info.Mode(), err)
	}
	if got, err := s.Turns(s.ctx, "t2", c); err != nil || len(got) != 0 {
		t.Errorf("another tenant reads %d turns (%v)", len(got), err)
	}
	raw, err := os.ReadFile(s.file(c))
	if err != nil || bytes.Contains(raw, []byte("Quokka")) || bytes.Contains(raw, []byte("user")) {
		t.Errorf("the file can be read by anybody (%v)", err)
	}
}

// TestWordsThatWereNeverCounted is about a store that was away between the words and their count.
func TestWordsThatWereNeverCounted(t *testing.T) {
	t.Parallel()
	s, c := newShelf(t), conv("ann", "c1")
	s.append(c, turns(0, 2))
	lost := turns(2, 3)
	for i := range lost {
		lost[i].Text = "never acknowledged"
	}
	s.append(c, lost)
	c.Turns = 2
	s.want(c, turns(0, 2))
	s.append(c, turns(2, 1))
	c.Turns = 3
	s.want(c, turns(0, 3))
	s.append(c, turns(3, 2))
	c.Turns = 5
	s.want(c, turns(0, 5))
}

// A large frame is opened anew for each page of it, and one at a time, whoever reads: who does not read on is in nobody's way.
func TestLargeFramesAreReadInPages(t *testing.T) {
	t.Parallel()
	s, c := newShelf(t), conv("ann", "c1")
	long := turns(0, 3*pageTurns)
	for i := range long {
		long[i].Text = strings.Repeat("Quokka ", 100)
	}
	s.append(c, long)
	s.append(conv("ann", "c2"), long)
	info, err := os.Stat(s.file(c))
	if err != nil || info.Size() < largeFrame {
		t.Fatalf("the frame has %d bytes, want a large one (%v)", info.Size(), err)
	}
	for turns, err := range s.EachPage(s.ctx, "t1", c) { // and meanwhile others read
		if err != nil || len(turns) == 0 || len(turns) >= pageTurns {
			t.Fatalf("a page has %d turns (%v)", len(turns), err)
		}
		s.want(conv("ann", "c2"), long)
		break
	}
	s.want(c, long)
	s.append(c, turns(2*pageTurns, 3))
	s.want(c, append(slices.Clone(long[:2*pageTurns]), turns(2*pageTurns, 3)...))
	s.append(c, turns(0, 1))
	s.want(c, turns(0, 1))
}

func TestCrashCutsTheLastFrame(t *testing.T) {
	t.Parallel()
	whole := func(raw []byte) int { n, _ := length(raw); return headerSize + int(n) }
	for name, crash := range map[string]func(raw []byte) []byte{
		"in its words":            func(raw []byte) []byte { return raw[:len(raw)-1] },
		"in its header":           func(raw []byte) []byte { return raw[:whole(raw)+3] },
		"after its header":        func(raw []byte) []byte { return raw[:whole(raw)+headerSize] },
		"before it was written":   func(raw []byte) []byte { return raw[:whole(raw)] },
		"with room of zeros":      func(raw []byte) []byte { return append(raw[:whole(raw)], make([]byte, 9000)...) },
		"with one zero":           func(raw []byte) []byte { return append(raw[:whole(raw)], 0) },
		"in a longer frame":       func(raw []byte) []byte { return append(appendHeader(raw[:whole(raw)], 5000), raw[:600]...) },
		"with nothing at all yet": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, c := newShelf(t), conv("ann", "c1")
			s.append(c, turns(0, 2))
			if crash != nil {
				s.append(c, turns(2, 20))
				s.edit(c, crash)
			}
			s = s.reopened()
			s.want(c, turns(0, 2))
			s.append(c, turns(2, 1))
			s.want(c, turns(0, 3))
			s.reopened().want(c, turns(0, 3))
		})
	}
}

func TestDamageIsToldAndNotOverwritten(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(raw []byte){
		"the first length": func(raw []byte) { raw[1] ^= 0x01 },
		"its checksum":     func(raw []byte) { raw[5] ^= 0x80 },
		"the words":        func(raw []byte) { raw[headerSize+20] ^= 0x01 },
		"the last byte":    func(raw []byte) { raw[len(raw)-1] ^= 0x01 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, c := newShelf(t), conv("ann", "c1")
			s.append(c, turns(0, 2))
			s.append(c, turns(2, 2))
			var before []byte
			s.edit(c, func(raw []byte) []byte { damage(raw); before = bytes.Clone(raw); return raw })
			s = s.reopened()
			_, err := s.Turns(s.ctx, "t1", c)
			s.wantKind("read", err, recaller.Internal)
			_ = s.Append(s.ctx, "t1", c, turns(4, 1)) // refused, or put behind what is there
			after, err := os.ReadFile(s.file(c))
			if err != nil || !bytes.HasPrefix(after, before) {
				t.Errorf("what was there was overwritten (%v)", err)
			}
		})
	}
}

func TestWordsOpenInTheirPlaceOnly(t *testing.T) {
	t.Parallel()
	s, c := newShelf(t), conv("ann", "c1")
	s.append(c, turns(0, 1))
	s.append(c, turns(1, 1))
	raw, err := os.ReadFile(s.file(c))
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range []struct {
		tenant recaller.TenantID
		conv   recaller.Conversation
	}{{"t1", conv("ann", "c2")}, {"t1", conv("bob", "c1")}, {"t2", conv("ann", "c1")}} {
		path, err := s.path(other.tenant, other.conv.Caller, other.conv.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, raw, 0o600)); err != nil {
			t.Fatal(err)
		}
		_, err = s.Turns(s.ctx, other.tenant, other.conv)
		s.wantKind(path, err, recaller.Internal)
	}
	half := len(raw) / 2
	s.edit(c, func(raw []byte) []byte { return append(bytes.Clone(raw[half:]), raw[:half]...) })
	_, err = s.Turns(s.ctx, "t1", c)
	s.wantKind("frames exchanged", err, recaller.Internal)
}

func TestIDsNameNoOtherFolder(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	for _, id := range []string{"", ".", "..", "../bob", "a/b", `a\b`, "a\x00"} {
		s.wantKind("append "+id, s.Append(s.ctx, "t1", conv(recaller.CallerID(id), "c1"), turns(0, 1)), recaller.Internal)
		s.wantKind("append "+id, s.Append(s.ctx, "t1", conv("ann", recaller.ConversationID(id)), turns(0, 1)), recaller.Internal)
		_, err := s.DeleteCaller(s.ctx, "t1", recaller.CallerID(id))
		s.wantKind("delete "+id, err, recaller.Internal)
		_, _, err = s.DeleteBefore(s.ctx, recaller.TenantID(id), time.Now())
		s.wantKind("delete "+id, err, recaller.Internal)
	}
}

func TestFilesGoWhenTheirDaysAreOver(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	now := time.Unix(2e9, 0)
	old, fresh, alone := conv("ann", "old"), conv("ann", "fresh"), conv("bob", "old")
	for c, at := range map[recaller.ConversationID]time.Time{"old": now.AddDate(0, 0, -8), "fresh": now.AddDate(0, 0, -6)} {
		s.append(conv("ann", c), turns(0, 2))
		if err := os.Chtimes(s.file(conv("ann", c)), at, at); err != nil {
			t.Fatal(err)
		}
	}
	s.append(alone, turns(0, 1))
	if err := os.Chtimes(s.file(alone), time.Unix(1, 0), time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if _, n, err := s.DeleteBefore(s.ctx, "t2", now); n != 0 || err != nil {
		t.Errorf("another tenant deleted %d files (%v)", n, err)
	}
	of, n, err := s.DeleteBefore(s.ctx, "t1", now.AddDate(0, 0, -7))
	if n != 2 || err != nil || !slices.Equal(of, []recaller.CallerID{"ann", "bob"}) {
		t.Errorf("deleted %d files of %v (%v), want one of each", n, of, err)
	}
	s.want(old, nil)
	s.want(fresh, turns(0, 2))
	if _, err := os.Stat(filepath.Dir(s.file(alone))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty folder is left (%v)", err)
	}
	s.append(old, turns(2, 1)) // a conversation that was still going on: its file begins anew
	s.want(old, turns(2, 1))
	s.append(alone, turns(1, 1))
	s.want(alone, turns(1, 1))
}

func TestErasedCallersFilesGo(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.append(conv("ann", "c1"), turns(0, 1))
	s.append(conv("ann", "c2"), turns(0, 1))
	s.append(conv("bob", "c1"), turns(0, 1))
	if _, err := s.vault.Destroy(s.ctx, vault.Scope{Tenant: "t1", Caller: "ann"}); err != nil {
		t.Fatal(err)
	}
	if n, err := s.DeleteCaller(s.ctx, "t1", "ann"); n != 2 || err != nil {
		t.Errorf("deleted %d files (%v), want 2", n, err)
	}
	if n, err := s.DeleteCaller(s.ctx, "t1", "ann"); n != 0 || err != nil {
		t.Errorf("deleted %d files (%v), want none", n, err)
	}
	s.wantKind("late words", s.Append(s.ctx, "t1", conv("ann", "c1"), turns(1, 1)), recaller.NotFound)
	s.want(conv("bob", "c1"), turns(0, 1))
}

func TestManyAppendAtOnce(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	const writers, calls, each = 16, 4, 20
	var numbers [calls]int
	var order [calls]sync.Mutex // a conversation's turns come one after another
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			n := i % calls
			c := conv("ann", recaller.ConversationID(fmt.Sprint("c", n)))
			for k := range each {
				order[n].Lock()
				s.append(c, turns(numbers[n], 1))
				numbers[n]++
				order[n].Unlock()
				if _, err := s.Turns(s.ctx, "t1", c); err != nil {
					t.Error(err)
				}
				if k%7 == 0 {
					s.mu.Lock()
					s.prune() // as when too many ends are remembered
					s.mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	for n := range calls {
		s.want(conv("ann", recaller.ConversationID(fmt.Sprint("c", n))), turns(0, writers/calls*each))
	}
}

func TestEndsAreForgotten(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	held := s.take("held")
	for i := range 3 * maxTails {
		s.give(s.take(fmt.Sprint(i)))
	}
	if len(s.tails) > maxTails+1 {
		t.Errorf("%d ends are remembered, want at most %d", len(s.tails), maxTails)
	}
	if s.take("held") != held {
		t.Error("an end in use was forgotten: two writers would overwrite one another")
	}
}

func TestTenThousandFrames(t *testing.T) {
	t.Parallel()
	s, c := newShelf(t), conv("ann", "c1")
	sealer, err := s.vault.Opener(s.ctx, vault.Scope{Tenant: "t1", Caller: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	var raw []byte
	for i := range 10_000 {
		frame, err := sealer.Seal(place("c1", i), []byte(fmt.Sprintf(`[{"Number":%d,"Text":"hello"}]`, i)))
		if err != nil {
			t.Fatal(err)
		}
		raw = append(appendHeader(raw, len(frame)), frame...)
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(s.file(c)), 0o700), os.WriteFile(s.file(c), raw, 0o600)); err != nil {
		t.Fatal(err)
	}
	s.append(c, turns(10_000, 1))
	got, err := s.Turns(s.ctx, "t1", c)
	if err != nil || len(got) != 10_001 {
		t.Fatalf("got %d turns (%v), want 10,001", len(got), err)
	}
	for i, turn := range got {
		if turn.Number != i {
			t.Fatalf("turn %d has number %d", i, turn.Number)
		}
	}
}

func TestErrorsHaveKinds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want recaller.Kind
	}{
		{&fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, recaller.Full},
		{&fs.PathError{Op: "write", Path: "x", Err: syscall.EDQUOT}, recaller.Full},
		{&fs.PathError{Op: "open", Path: "x", Err: syscall.EIO}, recaller.Unavailable},
		{damaged(), recaller.Internal},
		{recaller.Errorf(recaller.NotFound, "no key"), recaller.NotFound},
	} {
		if got := recaller.KindOf(mapped(c.err)); got != c.want {
			t.Errorf("%v: got kind %q, want %q", c.err, got, c.want)
		}
	}
}
