//go:build measure

package extract

import (
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/devdata"
)

// call is one conversation of the development data.
type call struct {
	set, id string
	start   time.Time
	turns   []recaller.Turn
}

// TestPrintSample prints a random sample of what is extracted from the development data, each with its source, for reading:
//
//	RECALLER_SAMPLE_SEED=77 go test -tags measure ./internal/wrapup/extract -run TestPrintSample -v
//
// RECALLER_SAMPLE_SIZE sets how many (100), RECALLER_SAMPLE_SESSIONS how many chat sessions are read (1500, drawn by the same seed).
func TestPrintSample(t *testing.T) {
	seed := os.Getenv("RECALLER_SAMPLE_SEED")
	if seed == "" {
		t.Fatal("set RECALLER_SAMPLE_SEED: it draws the sample")
	}
	chats := chatSessions(t)
	slices.SortFunc(chats, func(a, b call) int { return cmp.Compare(draw(seed, a.id), draw(seed, b.id)) })
	calls := append(consultations(t), bankCalls(t)...)
	calls = append(calls, chats[:min(len(chats), number(os.Getenv("RECALLER_SAMPLE_SESSIONS"), 1500))]...)
	type hit struct {
		call call
		c    Candidate
	}
	var hits []hit
	bySet, byType := map[string]int{}, map[recaller.MemoryType]int{}
	for _, c := range calls {
		for _, m := range Memories(c.turns, Options{Base: c.start}) {
			hits = append(hits, hit{c, m})
			bySet[c.set]++
			byType[m.Type]++
		}
	}
	t.Logf("%d conversations, %d memories, by set %v, by type %v", len(calls), len(hits), bySet, byType)
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Compare(draw(seed, a.call.id, a.c.Key), draw(seed, b.call.id, b.c.Key)) })
	hits = hits[:min(len(hits), number(os.Getenv("RECALLER_SAMPLE_SIZE"), 100))]
	slices.SortStableFunc(hits, func(a, b hit) int { return strings.Compare(a.call.set, b.call.set) })
	for i, h := range hits {
		due := ""
		if h.c.DueAt != nil {
			due = " due " + h.c.DueAt.Format("2006-01-02")
		}
		fmt.Printf("%d. %s %s %v | %s | %s | %s%s\n", i+1, h.call.set, h.call.id, h.c.Turns, h.c.Type, h.c.Key, h.c.Value, due)
		for _, n := range h.c.Turns {
			fmt.Printf("      %s> %s\n", h.call.turns[n].Speaker, shorten(h.call.turns[n].Text))
		}
	}
}

func number(s string, or int) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	return or
}

func shorten(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 700 {
		s = s[:700] + "…"
	}
	return s
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

// draw gives a thing its place in the lot of a seed; small changes of the rules leave the places of the others alone.
func draw(seed string, parts ...string) uint64 {
	h := sha256.Sum256([]byte(seed + "|" + strings.Join(parts, "|")))
	return binary.BigEndian.Uint64(h[:])
}
