package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/recallerhq/recaller/internal/pgtest"
)

func TestQuantileIsTheNearestRank(t *testing.T) {
	t.Parallel()
	var s series
	for i := range 200 {
		s = append(s, time.Duration(200-i)*time.Millisecond)
	}
	s = s.sorted()
	for p, want := range map[float64]time.Duration{.5: 100, .95: 190, .99: 198, 1: 200} {
		if got := s.quantile(p); got != want*time.Millisecond {
			t.Errorf("quantile %g: got %s, want %d ms", p, got, want)
		}
	}
	if got := (series{7}).quantile(.99); got != 7 {
		t.Errorf("of one: got %d, want 7", got)
	}
	if got := series(nil).quantile(.99); got != 0 {
		t.Errorf("of none: got %d, want 0", got)
	}
}

func TestEachSampleTakesAnotherCaller(t *testing.T) {
	t.Parallel()
	for _, callers := range []int{50, 1000, 99_995, 100_000} {
		p := plan{Seed: 1, Callers: callers, Memories: callers, Heavy: 5, HeavyTurns: 100}
		seen := map[int]bool{}
		n := callers/richEvery - 1 // all rich ones but those with much history
		for k := range n {
			i := p.richAt(k)
			if seen[i] || i >= callers || !p.rich(i) || p.heavy(i) {
				t.Fatalf("of %d callers sample %d is caller %d: again %t, rich %t, heavy %t", callers, k, i, seen[i], p.rich(i), p.heavy(i))
			}
			seen[i] = true
		}
	}
}

func TestAPlanSaysTheSameAgain(t *testing.T) {
	t.Parallel()
	p := plan{Seed: 3, Callers: 100, Memories: 1003, Heavy: 1, HeavyTurns: 100}
	if a, b := p.callerID(7), p.callerID(7); a != b || a == p.callerID(8) {
		t.Errorf("got ids %s, %s and %s for callers 7, 7 and 8", a, b, p.callerID(8))
	}
	if a, b := (talker{p.rng(7)}).say("user"), (talker{p.rng(7)}).say("user"); a != b || a == "" {
		t.Errorf("got %q, then %q", a, b)
	}
	total := 0
	for i := range p.Callers {
		total += p.memories(i)
	}
	if total != p.Memories {
		t.Errorf("got %d memories, want %d", total, p.Memories)
	}
}

func TestARunOfASmallPlanInProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	args := []string{
		"-data", dir, "-callers", "60", "-heavy", "1", "-heavy-turns", "200", "-n", "5", "-writing", "100ms",
		"-briefing-deadline", "10s", // a slow machine is no outage
		"-only", "fill,inproc", "-json", filepath.Join(dir, "out.json"),
	}
	var out strings.Builder
	if err := run(t.Context(), args, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"60 callers, 600 memories", "| briefing, warm | 5 |", "| turn acknowledged (durable), 64 writers |", "load average before"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
	args[3] = "70"
	if err := run(t.Context(), args, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "another plan") {
		t.Errorf("another plan on the same folder: got error %v", err)
	}
}

func TestAStoreIsFilledOnce(t *testing.T) {
	t.Parallel()
	server := pgtest.OwnServer(t) // the database's name is the same everywhere
	fill := func(dir string, more ...string) error {
		args := append([]string{"-data", dir, "-callers", "60", "-heavy", "1", "-heavy-turns", "100", "-only", "fill"}, more...)
		return run(t.Context(), args, io.Discard, io.Discard)
	}
	sqlite, postgres, on := t.TempDir(), t.TempDir(), []string{"-postgres", server.URL}
	for range 2 {
		if err := errors.Join(fill(sqlite), fill(postgres, on...)); err != nil {
			t.Fatal(err)
		}
	}
	cut := t.TempDir() // a run that filled it was cut short
	if err := os.WriteFile(filepath.Join(cut, databaseFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		err  error
		want string
	}{
		{"a database that another folder belongs to", fill(t.TempDir(), on...), "DROP DATABASE recaller_bench"},
		{"a folder of SQLite's on Postgres", fill(sqlite, on...), "was filled on SQLite"},
		{"a folder of Postgres's on SQLite", fill(postgres), "was filled on Postgres (server "},
		{"a folder with data that nothing tells of", fill(cut), "give another folder"},
	} {
		if test.err == nil || !strings.Contains(test.err.Error(), test.want) {
			t.Errorf("%s: got %v, want an error with %q", test.name, test.err, test.want)
		}
	}
	for _, dir := range []string{sqlite, postgres} {
		m, err := readManifest(dir)
		if err != nil || m.Rows.Callers != 60 || m.DataBytes <= 0 || m.KeysBytes <= 0 {
			t.Errorf("got %+v, %v; want 60 callers and what they take", m, err)
		}
	}
	if err := dropDatabase(t, server.URL); err != nil {
		t.Fatal(err)
	}
	if err := fill(postgres, on...); err == nil || !strings.Contains(err.Error(), "give another folder") {
		t.Errorf("a new database of the same name: got %v, want an error", err)
	}
}

func dropDatabase(t *testing.T, super string) error {
	t.Helper()
	return asked(t.Context(), super, func(c *pgx.Conn) error {
		_, err := c.Exec(t.Context(), `DROP DATABASE `+benchDatabase)
		return err
	})
}
