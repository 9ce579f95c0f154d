package wrapup_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/devdata"
	"github.com/recallerhq/recaller/internal/wrapup/highlights"
)

// joint is how many words of a write-up, summary and memories together, are measured (issue 2).
const joint = 120

// consultation is one of PriMock57: a doctor's conversation with a patient, and what the doctor marked as its
// highlights.
type consultation struct {
	ID         string
	Highlights []string
	Turns      []struct {
		Start   float64 `json:"start_s"`
		Speaker recaller.Speaker
		Text    string
	}
}

// lines are the turns of a consultation as stories write them.
func (c consultation) lines() []string {
	var out []string
	for _, t := range c.Turns {
		out = append(out, string(t.Speaker)+": "+t.Text)
	}
	return out
}

// said are the words of one side, or of both where it is empty.
func (c consultation) said(side recaller.Speaker) string {
	var out []string
	for _, t := range c.Turns {
		if side == "" || t.Speaker == side {
			out = append(out, t.Text)
		}
	}
	return strings.Join(out, "\n")
}

// devData reads a file of the development data into v.
func devData(t *testing.T, name string, v any) {
	t.Helper()
	raw, err := os.ReadFile(devdata.Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, v); err != nil {
		t.Fatal(err)
	}
}

// read is what a reader gets of a written-up conversation: the stored summary, then the values of the memories that
// came of it and are not said by the summary already, 120 words in all. What a summary says twice is read once.
func read(s recaller.Summary, values []string) string {
	actions := slices.DeleteFunc(slices.Clone(s.Actions), func(line string) bool { // the brief may quote a promise as well
		_, words, _ := strings.Cut(line, "“")
		return strings.Contains(s.Brief, strings.TrimSuffix(words, "”"))
	})
	lines := slices.Concat([]string{s.Brief}, s.Topics, s.Decisions, actions, s.Facts, []string{s.Next})
	said := strings.ToLower(strings.Join(lines, "\n"))
	for _, v := range values {
		if !strings.Contains(said, strings.ToLower(v)) {
			lines = append(lines, v)
		}
	}
	return firstWords(strings.Join(lines, "\n"), joint)
}

// firstWords cuts a text after n words; its lines stay lines.
func firstWords(s string, n int) string {
	in := false
	for i, r := range s {
		space := r == ' ' || r == '\n'
		if in && space {
			if n--; n == 0 {
				return s[:i]
			}
		}
		in = !space
	}
	return s
}

// The share of the doctors' highlights that summary and memories of a call carry together in at most 120 words, beside
// what other words carry. The calls are wrapped up on a real store and read back from it. Rules were changed while
// looking at the calls of even index only; docs/measurements/highlights.md says what that is worth.
//
//	go test ./internal/wrapup -run TestWriteUpsCarryTheDoctorsHighlights -v      RECALLER_SHOW=even prints that half
func TestWriteUpsCarryTheDoctorsHighlights(t *testing.T) {
	var all []consultation
	devData(t, "primock57_dev.json", &all)
	h := newHouse(t, recaller.Tenant{DefaultRegion: "GB", TimeZone: "Europe/London"})
	var both, alone, first, patient, everything [2]highlights.Share
	words, wordsAlone, longest := 0, 0, 0
	for i, c := range all {
		half := i % 2
		last := time.Duration(c.Turns[len(c.Turns)-1].Start) * time.Second
		conv, job := h.hold(past{phone: "+4420794600" + string(rune('0'+i/10)) + string(rune('0'+i%10)), lasted: last, words: c.lines()})
		conv = h.run(job)
		var values []string
		memories := h.memories(conv.Caller)
		for _, m := range memories {
			values = append(values, m.Value)
		}
		slices.Sort(values)
		text := read(*conv.Summary, values)
		summary := read(*conv.Summary, nil)
		n := len(strings.Fields(text))
		words, wordsAlone, longest = words+n, wordsAlone+len(strings.Fields(summary)), max(longest, n)
		both[half] = both[half].Add(highlights.Measure(c.Highlights, text))
		alone[half] = alone[half].Add(highlights.Measure(c.Highlights, summary))
		first[half] = first[half].Add(highlights.Measure(c.Highlights, firstWords(c.said(""), joint)))
		everything[half] = everything[half].Add(highlights.Measure(c.Highlights, c.said("")))
		patient[half] = patient[half].Add(highlights.Measure(c.Highlights, c.said(recaller.User)))
		show(t, half, c, conv, memories, text)
	}
	if longest > joint {
		t.Errorf("a write-up has %d words, want at most %d", longest, joint)
	}
	total := 0.0
	for _, row := range []struct {
		name string
		by   [2]highlights.Share
	}{{"summary and memories", both}, {"summary alone", alone}, {"first 120 words", first}, {"all the patient's words", patient}, {"all words", everything}} {
		sum := row.by[0].Add(row.by[1])
		t.Logf("%-24s %.1f %% of n=%d: even %.1f %% (%d of %d), odd %.1f %% (%d of %d)", row.name, sum.Percent(), sum.Of,
			row.by[0].Percent(), row.by[0].Carried, row.by[0].Of, row.by[1].Percent(), row.by[1].Carried, row.by[1].Of)
		if row.name == "summary and memories" {
			total = sum.Percent()
		}
	}
	t.Logf("mean words: summary and memories %d (at most %d), summary alone %d", words/len(all), longest, wordsAlone/len(all))
	if total < carriedFloor {
		t.Errorf("summary and memories carry %.1f %% of the highlights, want at least %.0f %%", total, carriedFloor)
	}
}

// carriedFloor is what no change of the rules may fall below.
const carriedFloor = 61.0

// show prints the write-ups of one half, for reading.
func show(t *testing.T, half int, c consultation, conv recaller.Conversation, memories map[string]recaller.Memory, text string) {
	if os.Getenv("RECALLER_SHOW") != [2]string{"even", "odd"}[half] {
		return
	}
	var b strings.Builder
	for _, hl := range c.Highlights {
		b.WriteString(map[bool]string{true: "+ ", false: "- "}[highlights.Carried(hl, text)] + hl + "\n")
	}
	raw, _ := json.MarshalIndent(conv.Summary, "", " ")
	b.Write(raw)
	for _, m := range memories {
		b.WriteString("\n" + string(m.Type) + " " + m.Key + ": " + m.Value)
	}
	t.Logf("%s\n%s\n", c.ID, b.String())
}
