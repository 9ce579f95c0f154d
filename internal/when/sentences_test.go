package when

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// sentence is a row of testdata/sentences.tsv.
type sentence struct {
	text string
	days []string // "2026-10-20", "2026-10-20 09:30"
	free []string // days that may be told or not
}

func sentences(t *testing.T) []sentence {
	t.Helper()
	raw, err := os.ReadFile("testdata/sentences.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var out []sentence
	for line := range strings.Lines(string(raw)) {
		text, days, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || strings.HasPrefix(text, "#") {
			continue
		}
		s := sentence{text: text}
		for _, d := range strings.Split(days, ", ") {
			if free, is := strings.CutPrefix(d, "?"); is {
				s.free = append(s.free, free)
			} else if d != "-" {
				s.days = append(s.days, d)
			}
		}
		out = append(out, s)
	}
	return out
}

// told returns the days that are stated, with the time of day where one was said.
func told(found []Found) []string {
	var out []string
	for _, f := range found {
		switch {
		case !f.Exact():
		case f.Clock:
			out = append(out, f.At.Format("2006-01-02 15:04"))
		default:
			out = append(out, f.At.Format("2006-01-02"))
		}
	}
	return out
}

// fits reports whether a stated day is one of those that were meant: a time of day must be the one that was said.
func fits(day string, meant []string) int {
	return slices.IndexFunc(meant, func(m string) bool { return m == day || len(day) == 10 && m[:10] == day })
}

// No day is stated wrongly, and of those that the words tell most are stated.
func TestDaysAreReadFromTheWords(t *testing.T) {
	said := time.Date(2026, 10, 14, 10, 5, 0, 0, zone(t, "America/Chicago"))
	known, stated, wrong := 0, 0, 0
	for _, s := range sentences(t) {
		left := slices.Clone(s.days)
		for _, day := range told(Find(s.text, said)) {
			switch k := fits(day, left); {
			case k >= 0:
				left = slices.Delete(left, k, k+1)
				stated++
			case fits(day, s.free) >= 0, fits(day, s.days) >= 0:
			default:
				wrong++
				t.Errorf("%q: %s is stated, want %v", s.text, day, s.days)
			}
		}
		known += len(s.days)
		if len(left) > 0 {
			t.Logf("%q: %v is not stated", s.text, left)
		}
	}
	t.Logf("stated %d of %d, wrong %d", stated, known, wrong)
	if wrong > 0 || stated*100 < known*70 {
		t.Errorf("stated %d of %d days, wrong %d: want none wrong, and 70 in a hundred stated", stated, known, wrong)
	}
}
