package when

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller/internal/devdata"
)

// scenes is a file of people and their calls with what is true of them.
type scenes struct {
	People []struct {
		ID, Zone string
		Calls    []struct {
			At      time.Time
			Seconds int
			Turns   []struct{ S, T string }
			Dates   []struct {
				Turn              int
				Words, Date, Time string
			}
		}
	}
}

// Every day that is labelled in a scene is stated rightly or not at all, and most are stated.
func TestDaysOfScenes(t *testing.T) {
	files, _ := filepath.Glob("../scenes/testdata/*.json")
	if dev, ok := devdata.Find("../scenes/dev.json"); ok {
		files = append(files, dev)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var all scenes
		if err := json.Unmarshal(raw, &all); err != nil {
			t.Fatal(err)
		}
		if len(all.People) > 0 {
			t.Run(filepath.Base(file), func(t *testing.T) { all.measure(t) })
		}
	}
}

func (all scenes) measure(t *testing.T) {
	of, stated, wrong := 0, 0, 0
	for _, p := range all.People {
		loc := zone(t, p.Zone)
		for n, c := range p.Calls {
			turns := make([]Said, len(c.Turns))
			step := max(1, c.Seconds/max(1, len(turns)))
			for i, turn := range c.Turns {
				turns[i] = Said{Text: turn.T, At: c.At.Add(time.Duration(step*i) * time.Second).In(loc), Caller: turn.S == "user"}
			}
			known := map[int]map[string]bool{}
			found := Dialogue(turns, Options{DayFirst: !strings.HasPrefix(p.Zone, "America")})
			for _, d := range c.Dates {
				if known[d.Turn] == nil {
					known[d.Turn] = map[string]bool{}
				}
				known[d.Turn][d.Date] = true
				of++
				has := false
				for _, f := range found[d.Turn] {
					has = has || f.Exact() && f.At.Format(time.DateOnly) == d.Date
				}
				if has {
					stated++
				} else {
					t.Logf("%s call %d turn %d: %q is %s, not stated", p.ID, n, d.Turn, d.Words, d.Date)
				}
			}
			for i := range found {
				for _, f := range found[i] {
					if day := f.At.Format(time.DateOnly); f.Exact() && !f.Retracted && !known[i][day] && day != turns[i].At.Format(time.DateOnly) {
						wrong++
						t.Errorf("%s call %d turn %d: %q is read as %s", p.ID, n, i, f.Phrase, day)
					}
				}
			}
		}
	}
	t.Logf("stated %d of %d, wrong %d", stated, of, wrong)
	if stated*100 < of*70 {
		t.Errorf("stated %d of %d days, want 70 in a hundred", stated, of)
	}
}
