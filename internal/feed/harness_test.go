package feed_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/feed"
)

const (
	tenant recaller.TenantID = "t1"
	ann    recaller.CallerID = "ann"
)

// view notes what it is told, as "3" for a change, "anew<3" for a gap, and keeps to the end what it was told of.
type view struct {
	mu   sync.Mutex
	told []string
	on   func(version int64) // runs with each change; nil: nothing does
}

func (v *view) note(what string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.told = append(v.told, what)
}

func (v *view) Apply(c recaller.Change) {
	v.note(who(c.Caller) + fmt.Sprint(c.Version))
	if v.on != nil {
		v.on(c.Version)
	}
}

func (v *view) Anew(_ recaller.TenantID, c recaller.CallerID, version int64) {
	v.note(who(c) + fmt.Sprint("anew<", version))
}

func (v *view) Hold(c recaller.Change) { v.note(who(c.Caller) + "held") }

func (v *view) Drop(_ recaller.TenantID, c recaller.CallerID) { v.note(who(c) + "drop") }

// who names others than Ann.
func who(c recaller.CallerID) string {
	if c == ann {
		return ""
	}
	return string(c) + ":"
}

// heard takes what was told since the last time.
func (v *view) heard() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	out := strings.Join(v.told, " ")
	v.told = nil
	return out
}

// desk is a feed with one view.
type desk struct {
	*testing.T
	*feed.Feed
	view *view
	log  *bytes.Buffer
}

func newDesk(t *testing.T, opts feed.Options) *desk {
	d := &desk{T: t, view: &view{}, log: &bytes.Buffer{}}
	opts.Log = slog.New(slog.NewTextHandler(d.log, nil))
	d.Feed = feed.New(opts)
	d.Register(feed.Reading, "view", d.view)
	return d
}

func change(version int64) recaller.Change {
	return recaller.Change{Tenant: tenant, Caller: ann, Version: version}
}

func (d *desk) committed(versions ...int64) {
	for _, v := range versions {
		d.Committed(change(v))
	}
}

func (d *desk) want(what, want string) {
	d.Helper()
	if got := d.view.heard(); got != want {
		d.Errorf("%s: got %q, want %q", what, got, want)
	}
}

// bubble runs a story on time that passes only when everybody waits.
func bubble(t *testing.T, opts feed.Options, story func(d *desk)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { story(newDesk(t, opts)) })
}
