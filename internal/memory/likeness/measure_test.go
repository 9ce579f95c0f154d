package likeness_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/devdata"
	"github.com/recallerhq/recaller/internal/memory/likeness"
	"github.com/recallerhq/recaller/internal/wrapup/extract"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// How many of the memories that the rules find in what a person said, over many sessions, are taken to be one. Every
// pair with different keys is asked for, in the order in which they were told. Whether the merges are right a reader
// has to say:
//
//	RECALLER_SHOW=all go test ./internal/memory/likeness -run TestMergesAmongExtractedMemories -v
func TestMergesAmongExtractedMemories(t *testing.T) {
	people, sessions, memories, pairs, merged := 0, 0, 0, 0, 0
	seen := map[string]bool{}
	eachPerson(t, func(all [][]recaller.Turn) {
		people, sessions = people+1, sessions+len(all)
		known := extracted(all)
		memories += len(known)
		for i, m := range known {
			for _, old := range known[:i] {
				if likeness.NormalKey(old.Key) == likeness.NormalKey(m.Key) {
					continue
				}
				pairs++
				if _, value, found := likeness.Duplicate([]recaller.Memory{old}, m); found {
					merged++
					line := fmt.Sprintf("%s | %s | %s  +  %s | %s | %s  =  %s", old.Type, old.Key, old.Value, m.Type, m.Key, m.Value, value)
					if os.Getenv("RECALLER_SHOW") != "" && !seen[line] {
						t.Log(line)
					}
					seen[line] = true
				}
			}
		}
	})
	t.Logf("%d people, %d sessions, %d memories, %d pairs of them, %d merged (%d of them unlike)", people, sessions, memories, pairs, merged, len(seen))
	if pairs == 0 {
		t.Error("no pairs were compared")
	}
	if rate := float64(merged) / float64(max(pairs, 1)); rate > mostMerged {
		t.Errorf("%.6f of the pairs are merged, want at most %.6f: read them", rate, mostMerged)
	}
}

// mostMerged is what no change of the rules may pass without somebody reading what is merged.
const mostMerged = 0.0005

// extracted are the memories of a person, each under its key as it was told last, as extraction would offer them.
func extracted(sessions [][]recaller.Turn) []recaller.Memory {
	var out []recaller.Memory
	for _, turns := range sessions {
		for _, c := range extract.Memories(reading.Of(turns, turns[0].At, false)) {
			out = append(out, recaller.Memory{
				ID: recaller.MemoryID(strconv.Itoa(len(out))), Type: c.Type, Key: c.Key, Value: c.Value, DueAt: c.DueAt, DueDay: c.DueDay,
				PrivacyScope: recaller.LineOnly, Status: recaller.MemoryActive,
			})
		}
	}
	return out
}

// few is how many people are read where nobody looks on.
const few = 12

// eachPerson reads the development data: the sessions of one person after another.
func eachPerson(t *testing.T, do func(sessions [][]recaller.Turn)) {
	t.Helper()
	f, err := os.Open(devdata.Path(t, "longmemeval_s_dev.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(z)
	if _, err := dec.Token(); err != nil {
		t.Fatal(err)
	}
	for n := 0; dec.More() && (n < few || os.Getenv("RECALLER_SHOW") != ""); n++ {
		var person struct {
			Dates    []string                           `json:"haystack_dates"`
			Sessions [][]struct{ Role, Content string } `json:"haystack_sessions"`
		}
		if err := dec.Decode(&person); err != nil {
			t.Fatal(err)
		}
		var all [][]recaller.Turn
		for i, session := range person.Sessions {
			at, err := time.Parse("2006/01/02 (Mon) 15:04", person.Dates[i])
			if err != nil {
				t.Fatal(err)
			}
			var turns []recaller.Turn
			for n, said := range session {
				turns = append(turns, recaller.Turn{Number: n, Speaker: recaller.Speaker(said.Role), Text: said.Content, At: at, Confidence: 1})
			}
			if len(turns) > 0 {
				all = append(all, turns)
			}
		}
		do(all)
	}
}
