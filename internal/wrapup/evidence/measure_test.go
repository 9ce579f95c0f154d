package evidence_test

import (
	"cmp"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/devdata"
	"github.com/recallerhq/recaller/internal/wrapup/answer"
	"github.com/recallerhq/recaller/internal/wrapup/evidence"
	"github.com/recallerhq/recaller/internal/wrapup/extract"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// conversation is one of the development data.
type conversation struct {
	set   string
	start time.Time
	turns []recaller.Turn
	found []extract.Candidate
}

// tells reports whether the rules found the same in this conversation.
func (c *conversation) tells(m extract.Candidate) bool {
	return slices.ContainsFunc(c.found, func(o extract.Candidate) bool { return o.Key == m.Key && o.Value == m.Value })
}

func (c *conversation) say(who recaller.Speaker, text string) {
	n := len(c.turns)
	c.turns = append(c.turns, recaller.Turn{Number: n, Speaker: who, Text: text, Confidence: 1, At: c.start.Add(time.Duration(n) * time.Second)})
}

// each decodes the elements of the list in a file, one after another, while there is use for more.
func each[T any](t *testing.T, name string, use func(T) bool) {
	t.Helper()
	f, err := os.Open(devdata.Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		r = z
	}
	d := json.NewDecoder(r)
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	for d.More() {
		var e T
		if err := d.Decode(&e); err != nil {
			t.Fatal(err)
		}
		if !use(e) {
			return
		}
	}
}

type consultation struct {
	Turns []struct{ Speaker, Text string }
}

func consultations(t *testing.T) (out []conversation) {
	each(t, "primock57_dev.json", func(d consultation) bool {
		c := conversation{set: "primock", start: time.Date(2022, 3, 1, 10, 0, 0, 0, time.UTC)}
		for _, u := range d.Turns {
			c.say(recaller.Speaker(u.Speaker), u.Text)
		}
		out = append(out, c)
		return true
	})
	return out
}

type bankCall struct {
	Start    int64 `json:"start_time_ms"`
	Segments []struct {
		Role string `json:"speaker_role"`
		Text string `json:"transcript"`
	}
}

func bankCalls(t *testing.T) (out []conversation) {
	each(t, "harpervalley_sample.json", func(d bankCall) bool {
		c := conversation{set: "harpervalley", start: time.UnixMilli(d.Start).UTC()}
		for _, u := range d.Segments {
			c.say(map[bool]recaller.Speaker{true: recaller.User, false: recaller.Assistant}[u.Role == "caller"], u.Text)
		}
		out = append(out, c)
		return true
	})
	return out
}

type question struct {
	Dates    []string                           `json:"haystack_dates"`
	IDs      []string                           `json:"haystack_session_ids"`
	Sessions [][]struct{ Role, Content string } `json:"haystack_sessions"`
}

// chats are sessions of LongMemEval_S, each once, about n of them.
func chats(t *testing.T, n int) (out []conversation) {
	seen := map[string]bool{}
	each(t, "longmemeval_s_dev.json.gz", func(q question) bool {
		for k, id := range q.IDs {
			if seen[id] {
				continue
			}
			seen[id] = true
			start, err := time.Parse("2006/01/02 (Mon) 15:04", q.Dates[k])
			if err != nil {
				t.Fatal(err)
			}
			c := conversation{set: "longmemeval", start: start}
			for _, u := range q.Sessions[k] {
				c.say(recaller.Speaker(u.Role), u.Content)
			}
			out = append(out, c)
		}
		return len(out) < n
	})
	return out
}

// sessions is how many chats are read: enough for a bound, or as many as RECALLER_SAMPLE_SESSIONS says.
func sessions(t *testing.T) int {
	n, err := strconv.Atoi(cmp.Or(os.Getenv("RECALLER_SAMPLE_SESSIONS"), "200"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// tally counts how many memories passed, by the set they came from.
type tally struct {
	of, passed map[string]int
}

func newTally() tally { return tally{map[string]int{}, map[string]int{}} }

func (y tally) add(set string, passed bool) {
	for _, s := range []string{set, "all"} {
		y.of[s]++
		if passed {
			y.passed[s]++
		}
	}
}

func (y tally) percent(set string) float64 {
	return 100 * float64(y.passed[set]) / float64(max(1, y.of[set]))
}

func (y tally) log(t *testing.T, what string) {
	t.Helper()
	for _, s := range []string{"primock", "harpervalley", "longmemeval", "all"} {
		t.Logf("%-52s %-13s %5.1f %% (%d of n=%d)", what, s, y.percent(s), y.passed[s], y.of[s])
	}
}

// The rules take memories from words that were read and found right (docs/extraction.md), so they are a yardstick for
// Supports: against their own turns they must pass, and against another conversation of their set they must not, be it
// against the turns of the same numbers or, harder, against any.
//
//	go test ./internal/wrapup/evidence -run TestWhatTheRulesFind -v      RECALLER_SHOW=1 prints what went wrong
//
// RECALLER_SAMPLE_SESSIONS sets how many chat sessions are read (200; there are some 5,000).
func TestWhatTheRulesFindIsSupportedByItsOwnWordsOnly(t *testing.T) {
	var all []conversation
	for _, set := range [][]conversation{consultations(t), bankCalls(t), chats(t, sessions(t))} {
		all = append(all, set...)
	}
	bySet := map[string][]int{}
	for i := range all {
		all[i].found = extract.Memories(reading.Of(all[i].turns, all[i].start, false))
		bySet[all[i].set] = append(bySet[all[i].set], i)
	}
	own, unnamed, other, anywhere := newTally(), newTally(), newTally(), newTally()
	show := os.Getenv("RECALLER_SHOW") != ""
	for set, list := range bySet {
		for k, i := range list {
			stranger := all[list[(k+7)%len(list)]]
			for _, c := range all[i].found {
				if stranger.tells(c) { // the other caller said the same: nothing is wrong with its support
					continue
				}
				m := answer.Memory{Type: c.Type, Key: c.Key, Value: c.Value, Turns: c.Turns}
				_, ok := evidence.Supports(m, evidence.Own(all[i].turns, nil))
				own.add(set, ok)
				_, strange := evidence.Supports(m, stranger.turns)
				other.add(set, strange)
				m.Turns = nil
				_, somewhere := evidence.Supports(m, all[i].turns)
				unnamed.add(set, somewhere)
				at, wrong := evidence.Supports(m, stranger.turns)
				anywhere.add(set, wrong)
				if show && !ok {
					t.Logf("missed: %s %q %v", c.Key, c.Value, c.Turns)
					for _, n := range c.Turns {
						t.Logf("      %s: %.500s", all[i].turns[n].Speaker, all[i].turns[n].Text)
					}
				}
				if show && wrong {
					t.Logf("wrong: %s %q", c.Key, c.Value)
					for _, n := range at {
						t.Logf("      %s: %.500s", stranger.turns[n].Speaker, stranger.turns[n].Text)
					}
				}
			}
		}
	}
	own.log(t, "pass against their own turns")
	unnamed.log(t, "pass against their conversation, no turns named")
	other.log(t, "pass against another conversation's same turns")
	anywhere.log(t, "pass against another conversation, no turns named")
	for set, want := range map[string]struct{ own, strange float64 }{ // of consultations many memories are a question and a short answer
		"longmemeval": {own: 97, strange: 1}, "primock": {own: 80, strange: 6},
	} {
		if got := own.percent(set); got < want.own {
			t.Errorf("%s: %.1f %% of what the rules find is supported by its own turns, want at least %.0f %%", set, got, want.own)
		}
		if got := max(other.percent(set), anywhere.percent(set)); got > want.strange {
			t.Errorf("%s: %.1f %% is supported by another conversation, want at most %.0f %%", set, got, want.strange)
		}
	}
}
