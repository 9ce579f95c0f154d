package privacy_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/usecasetest"
)

func TestArchivedWordsExpire(t *testing.T) {
	b := newBench(t)
	settings := b.settings[archived]
	settings.ArchiveDays = 3
	b.settings[archived] = settings
	old, _ := b.tell(archived, phone, "ana-7")
	fresh, _ := b.tell(archived, "+12025550199", "bob-8")
	kept, _ := b.tell(keep, phone, "ana-7")
	b.age(archived, old, -3*24*time.Hour-time.Minute)
	b.age(archived, fresh, -2*24*time.Hour)
	files, err := b.Expire(t.Context())
	if err != nil || files != 2 {
		t.Errorf("expired %d files, %v; want 2", files, err)
	}
	if want := []recaller.CallerID{old}; !slices.Equal(b.stale, want) {
		t.Errorf("indexes told to read anew: %v, want %v", b.stale, want)
	}
	for _, test := range []struct {
		tenant recaller.TenantID
		ref    string
		want   int
	}{{archived, "ana-7-ended", 0}, {archived, "bob-8-ended", 2}, {keep, "ana-7-ended", 2}} {
		rec, err := b.conversations.Get(t.Context(), test.tenant, test.ref, true)
		if err != nil || len(rec.Turns) != test.want || rec.Conversation.Summary == nil {
			t.Errorf("%s %s: got %d turns, %v; want %d and the summary", test.tenant, test.ref, len(rec.Turns), err, test.want)
		}
	}
	if got, err := b.export(keep, kept); err != nil || len(got.Conversations) != 2 {
		t.Errorf("got %+v, %v", got, err)
	}
}

// age sets when a caller's files were last written.
func (b *bench) age(tenant recaller.TenantID, caller recaller.CallerID, by time.Duration) {
	b.Helper()
	files, err := filepath.Glob(filepath.Join(b.Dir, "archive", string(tenant), string(caller), "*"))
	b.ok(err)
	if len(files) != 2 {
		b.Fatalf("got files %v, want 2", files)
	}
	for _, f := range files {
		at := b.Clock.Now().Add(by)
		b.ok(os.Chtimes(f, at, at))
	}
}

func TestTroubleInOneTenantDoesNotKeepWordsOfAnother(t *testing.T) {
	b := newBench(t)
	b.faults.Before("expire "+string(keep), usecasetest.Away)
	old, _ := b.tell(archived, phone, "ana-7")
	b.age(archived, old, -8*24*time.Hour)
	files, err := b.Expire(t.Context())
	if files != 2 {
		t.Errorf("expired %d files, want 2", files)
	}
	b.is(err, recaller.Unavailable)
	if seen := b.faults.Seen(); !slices.Contains(seen, "expire "+string(ephemeral)) {
		t.Errorf("looked at %v, want every tenant", seen)
	}
}
