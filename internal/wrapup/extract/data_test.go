package extract_test

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/devdata"
	"github.com/recallerhq/recaller/internal/scenes"
	"github.com/recallerhq/recaller/internal/wrapup/extract"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// call is one conversation of the development data.
type call struct {
	set, id string
	start   time.Time
	turns   []recaller.Turn
}

// devData opens a file of the development data.
func devData(t *testing.T, name string) io.ReadCloser {
	t.Helper()
	f, err := os.Open(devdata.Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func decode(t *testing.T, r io.Reader, into any) {
	t.Helper()
	if err := json.NewDecoder(r).Decode(into); err != nil {
		t.Fatal(err)
	}
}

func consultations(t *testing.T) []call {
	f := devData(t, "primock57_dev.json")
	defer f.Close()
	var data []struct {
		ID    string
		Turns []struct{ Speaker, Text string }
	}
	decode(t, f, &data)
	var out []call
	for _, d := range data {
		c := call{set: "primock", id: d.ID, start: time.Date(2022, 3, 1, 10, 0, 0, 0, time.UTC)}
		for i, u := range d.Turns {
			c.turns = append(c.turns, recaller.Turn{Number: i, Speaker: recaller.Speaker(u.Speaker), Text: u.Text, Confidence: 1})
		}
		out = append(out, c)
	}
	return out
}

func bankCalls(t *testing.T) []call {
	f := devData(t, "harpervalley_sample.json")
	defer f.Close()
	var data []struct {
		SID      string `json:"sid"`
		Start    int64  `json:"start_time_ms"`
		Segments []struct {
			Role string `json:"speaker_role"`
			Text string `json:"transcript"`
		}
	}
	decode(t, f, &data)
	var out []call
	for _, d := range data {
		c := call{set: "harpervalley", id: d.SID, start: time.UnixMilli(d.Start).UTC()}
		for i, u := range d.Segments {
			who := recaller.Assistant
			if u.Role == "caller" {
				who = recaller.User
			}
			c.turns = append(c.turns, recaller.Turn{Number: i, Speaker: who, Text: u.Text, Confidence: 1})
		}
		out = append(out, c)
	}
	return out
}

func chatSessions(t *testing.T) []call {
	f := devData(t, "longmemeval_s_dev.json.gz")
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var data []struct {
		Dates    []string                           `json:"haystack_dates"`
		IDs      []string                           `json:"haystack_session_ids"`
		Sessions [][]struct{ Role, Content string } `json:"haystack_sessions"`
	}
	decode(t, z, &data)
	seen := map[string]bool{}
	var out []call
	for _, q := range data {
		for k, id := range q.IDs {
			if seen[id] {
				continue
			}
			seen[id] = true
			start, err := time.Parse("2006/01/02 (Mon) 15:04", q.Dates[k])
			if err != nil {
				t.Fatal(err)
			}
			c := call{set: "longmemeval", id: id, start: start}
			for i, u := range q.Sessions[k] {
				c.turns = append(c.turns, recaller.Turn{Number: i, Speaker: recaller.Speaker(u.Role), Text: u.Content, Confidence: 1})
			}
			out = append(out, c)
		}
	}
	return out
}

// sceneCalls are the calls of people who were written for tests.
func sceneCalls(people []scenes.Person) []call {
	var out []call
	for _, p := range people {
		for _, c := range p.Calls {
			out = append(out, call{set: "scenes", id: p.ID, start: c.At, turns: c.Turns()})
		}
	}
	return out
}

// Every word between quotation marks stands in a turn that the memory names, but for what brackets add (issue 11).
func TestEveryValueIsFoundInItsTurns(t *testing.T) {
	calls := append(sceneCalls(scenes.Tune(t)), sceneCalls(scenes.Held(t))...)
	calls = append(calls, sceneCalls(scenes.Dev(t))...)
	calls = append(append(calls, consultations(t)...), bankCalls(t)...)
	calls = append(calls, chatSessions(t)[:120]...)
	n := 0
	for _, c := range calls {
		for _, m := range extract.Memories(reading.Of(c.turns, c.start, false)) {
			n++
			if !quoted(m, c.turns) {
				t.Errorf("%s %s: a value is not in its turns %v", c.set, c.id, m.Turns)
			}
		}
	}
	t.Logf("%d memories of %d conversations", n, len(calls))
}

var (
	quotation = regexp.MustCompile("“([^”]*)”")
	brackets  = regexp.MustCompile(`\[[^\]]*\]`)
	unspoken  = regexp.MustCompile(`[^\pL\pN]+`)
)

func quoted(m extract.Candidate, turns []recaller.Turn) bool {
	var said []string
	for _, n := range m.Turns {
		said = append(said, plain(turns[n].Text))
	}
	pieces := quotation.FindAllStringSubmatch(m.Value, -1)
	for _, p := range pieces {
		for part := range strings.SplitSeq(brackets.ReplaceAllString(p[1], " "), "…") {
			if !strings.Contains(strings.Join(said, " | "), plain(part)) {
				return false
			}
		}
	}
	return len(pieces) > 0
}

func plain(s string) string {
	return strings.TrimSpace(unspoken.ReplaceAllString(strings.ToLower(s), " "))
}

// How many of the facts that people told are carried by memories, by their words: a rough figure. RECALLER_SHOW=1
// prints all.
func TestFactsOfScenesAreCarried(t *testing.T) {
	show := os.Getenv("RECALLER_SHOW") != ""
	carried, of, kept, calls := 0, 0, 0, 0
	for _, p := range scenes.Dev(t) {
		var values []map[string]bool
		for i, c := range p.Calls {
			calls++
			for _, m := range extract.Memories(reading.Of(c.Turns(), c.At, true)) {
				kept++
				values = append(values, content(m.Value))
				if show {
					t.Logf("%s %d %v %s %s: %s", p.ID, i, m.Turns, m.Type, m.Key, m.Value)
				}
			}
		}
		for _, f := range p.After.Facts {
			of++
			if told(content(f.Value), values) {
				carried++
			} else if show {
				t.Logf("missed: %s %d/%d %s", p.ID, f.Call, f.Turn, f.Value)
			}
		}
	}
	t.Logf("%d of %d facts, %d memories of %d calls", carried, of, kept, calls)
	if carried*100 < 38*of || kept > 6*calls {
		t.Errorf("got %d of %d facts in %d memories, want 38 %% at least, in six a call at most", carried, of, kept)
	}
}

// told reports whether a value has three fifths of the words of a fact.
func told(fact map[string]bool, values []map[string]bool) bool {
	for _, v := range values {
		n := 0
		for w := range fact {
			if v[w] {
				n++
			}
		}
		if n*5 >= len(fact)*3 {
			return true
		}
	}
	return false
}

var ending = regexp.MustCompile(`(ing|ed|s)$`)

func content(s string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(plain(s)) {
		if !strings.Contains(unheeded, " "+w+" ") {
			out[ending.ReplaceAllString(w, "")] = true
		}
	}
	return out
}

const unheeded = ` a an the to of in on at for with and or is was are were be been i it its my me you your we us our that this they them
 their he she his her him not no so do does did have has had will would can could from by as but if then there what when who how about `
