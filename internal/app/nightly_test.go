package app

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/config"
	"github.com/recallerhq/recaller/internal/search"
)

// The night begins at three by the clock on the wall, whatever the clocks do.
func TestTheNextNight(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ zone, now, want string }{
		"in the small hours":                   {"UTC", "2026-03-02T02:59:59Z", "2026-03-02T03:00:00Z"},
		"while it begins":                      {"UTC", "2026-03-02T03:00:00Z", "2026-03-03T03:00:00Z"},
		"in the evening":                       {"UTC", "2026-03-02T20:00:00Z", "2026-03-03T03:00:00Z"},
		"at the end of a year":                 {"UTC", "2026-12-31T12:00:00Z", "2027-01-01T03:00:00Z"},
		"not by Greenwich":                     {"Asia/Kathmandu", "2026-03-02T01:00:00+05:45", "2026-03-02T03:00:00+05:45"},
		"an hour short":                        {"Europe/Berlin", "2026-03-28T03:00:00+01:00", "2026-03-29T03:00:00+02:00"},
		"an hour long":                         {"Europe/Berlin", "2026-10-24T03:00:00+02:00", "2026-10-25T03:00:00+01:00"},
		"between two and two":                  {"Europe/Berlin", "2026-10-25T02:30:00+02:00", "2026-10-25T03:00:00+01:00"},
		"an hour that is skipped":              {"Europe/Helsinki", "2026-03-28T12:00:00+02:00", "2026-03-29T04:00:00+03:00"},
		"the night after it":                   {"Europe/Helsinki", "2026-03-29T04:00:00+03:00", "2026-03-30T03:00:00+03:00"},
		"an hour that comes twice":             {"Europe/Helsinki", "2026-10-24T12:00:00+03:00", "2026-10-25T03:00:00+02:00"},
		"the night after that":                 {"Europe/Helsinki", "2026-10-25T03:00:00+02:00", "2026-10-26T03:00:00+02:00"},
		"a day that never was, on a date line": {"Pacific/Apia", "2011-12-29T03:00:00-10:00", "2011-12-31T03:00:00+14:00"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := nextNight(on(t, tt.zone, tt.now)).Format(time.RFC3339); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// on is a time on the clock of a zone.
func on(t *testing.T, zone, at string) time.Time {
	t.Helper()
	location, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := time.Parse(time.RFC3339, at)
	if err != nil {
		t.Fatal(err)
	}
	return parsed.In(location)
}

// In every zone there is one night a day, all the year.
func TestOneNightADay(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"UTC", "Europe/Helsinki", "America/New_York", "America/Nuuk", "Australia/Lord_Howe", "Africa/Cairo", "Africa/Casablanca", "Antarctica/Troll"} {
		night := on(t, zone, "2026-01-01T12:00:00Z")
		first := nextNight(night).YearDay()
		for day := first; day <= 365; day++ {
			if night = nextNight(night); night.YearDay() != day || night.Hour() < nightHour-1 || night.Hour() > nightHour+1 {
				t.Fatalf("%s: got %v, want the night of day %d of the year", zone, night, day)
			}
		}
	}
}

// nights is a store of which the nightly run asks the tenants; it fails now and then.
type nights struct {
	search.Store
	at   chan time.Time
	fail func(night int) error
	seen int
}

// TenantIDs tells that a night has begun. A night asks twice: for conversations, and for documents.
func (n *nights) TenantIDs(context.Context) ([]recaller.TenantID, error) {
	n.at <- time.Now()
	n.seen++
	return nil, n.fail((n.seen + 1) / 2)
}

// P6: what was left is tried every night. A night that fails is told, and does not end the nights; the end of the App
// does.
func TestANightThatFailsIsNotTheLast(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		store := &nights{at: make(chan time.Time), fail: func(night int) error {
			if night <= 2 {
				return errors.New("the store is away")
			}
			return nil
		}}
		a := &App{log: slog.New(slog.NewTextHandler(&log, nil)), search: search.New(search.Deps{Store: store, Log: slog.New(slog.DiscardHandler)})}
		started := time.Now()
		a.loops.run(t.Context(), a.nightly)
		want := nextNight(started)
		for night := range 4 {
			for range 2 {
				if got := <-store.at; !got.Equal(want) {
					t.Errorf("night %d: got %v, want %v", night+1, got, want)
				}
			}
			want = nextNight(want)
		}
		a.loops.stop(t.Context()) // and waits for it
		if got := strings.Count(log.String(), `err="the store is away"`); got != 4 {
			t.Errorf("got %d of 4 failures in the log:\n%s", got, &log)
		}
	})
}

// A Recaller that was started sees to the night by itself.
func TestTheNightComesByItself(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		night := nextNight(time.Now())
		<-time.After(time.Until(night) - time.Minute) // by the clock in here, which takes no time
		told := make(chan slog.Record, 1)
		cfg, err := config.Load(config.Options{Env: func(k string) (string, bool) { return dir, k == "RECALLER_DATA" }})
		if err != nil {
			t.Fatal(err)
		}
		a, err := New(t.Context(), cfg, Options{Log: slog.New(listener{slog.DiscardHandler, "nightly embeddings", told}), Version: "test"})
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		select {
		case got := <-told:
			if !got.Time.Equal(night) || got.Level != slog.LevelInfo {
				t.Errorf("got %v, want a night at %v", got, night)
			}
		case <-time.After(time.Hour):
			t.Error("no night came")
		}
		if err := a.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// listener passes on the records of one message.
type listener struct {
	slog.Handler
	message string
	told    chan<- slog.Record
}

// Enabled takes all.
func (listener) Enabled(context.Context, slog.Level) bool { return true }

// With makes no difference.
func (l listener) WithAttrs([]slog.Attr) slog.Handler { return l }

// Handle takes a record.
func (l listener) Handle(_ context.Context, r slog.Record) error {
	if r.Message == l.message {
		l.told <- r
	}
	return nil
}
