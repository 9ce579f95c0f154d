package summary_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/devdata"
	"github.com/recallerhq/recaller/internal/scenes"
	"github.com/recallerhq/recaller/internal/wrapup/highlights"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
	"github.com/recallerhq/recaller/internal/wrapup/summary"
)

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

type consultation struct {
	ID         string
	Highlights []string
	Turns      []struct {
		Speaker recaller.Speaker
		Text    string
	}
}

func (c consultation) turns() []recaller.Turn {
	var out []recaller.Turn
	for i, t := range c.Turns {
		out = append(out, recaller.Turn{Number: i, Speaker: t.Speaker, Text: t.Text, Confidence: 1})
	}
	return out
}

func read(turns []recaller.Turn) reading.Reading {
	return reading.Of(turns, time.Date(2026, 10, 14, 10, 0, 0, 0, time.UTC), true)
}

func text(s recaller.Summary) string {
	lines := append([]string{s.Brief}, s.Topics...)
	lines = append(append(append(lines, s.Decisions...), s.Actions...), s.Facts...)
	return strings.Join(append(lines, s.Next), "\n")
}

// The share of the doctors' highlights that a summary of at most 120 words carries, beside what other 120 words carry.
// RECALLER_SHOW=1 prints every summary.
func TestSummaryCarriesTheDoctorsHighlights(t *testing.T) {
	var all []consultation
	devData(t, "primock57_dev.json", &all)
	var ours, first, random, caller, everything highlights.Share
	rng := rand.New(rand.NewPCG(1, 2))
	words := 0
	for _, c := range all {
		s := summary.Write(read(c.turns()), summary.Options{MaxWords: 120})
		got := highlights.Measure(c.Highlights, text(s))
		ours = ours.Add(got)
		n := len(strings.Fields(text(s)))
		words += n
		if n > 120 {
			t.Errorf("%s: the summary has %d words, want at most %d", c.ID, n, 120)
		}
		show(t, c, s)
		var lines, callerLines []string
		for _, turn := range c.Turns {
			lines = append(lines, turn.Text)
			if turn.Speaker == recaller.User {
				callerLines = append(callerLines, turn.Text)
			}
		}
		first = first.Add(highlights.Measure(c.Highlights, firstWords(strings.Join(lines, "\n"), 120)))
		everything = everything.Add(highlights.Measure(c.Highlights, strings.Join(lines, "\n")))
		caller = caller.Add(highlights.Measure(c.Highlights, strings.Join(callerLines, "\n")))
		for range 20 {
			rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
			random = random.Add(highlights.Measure(c.Highlights, firstWords(strings.Join(lines, "\n"), 120)))
		}
	}
	t.Logf("carried of n=%d highlights in %d consultations: summary %.1f %% (%d, mean %d words), first 120 words %.1f %%, random turns %.1f %%, all the caller's words %.1f %%, all words %.1f %%",
		ours.Of, len(all), ours.Percent(), ours.Carried, words/len(all), first.Percent(), random.Percent(), caller.Percent(), everything.Percent())
	if ours.Percent() < 58 {
		t.Errorf("the summaries carry %.1f %% of the highlights, want at least 58 %%", ours.Percent())
	}
}

func show(t *testing.T, c consultation, s recaller.Summary) {
	if os.Getenv("RECALLER_SHOW") == "" {
		return
	}
	var marks []string
	for _, h := range c.Highlights {
		mark := "- "
		if highlights.Carried(h, text(s)) {
			mark = "+ "
		}
		marks = append(marks, mark+h)
	}
	raw, _ := json.MarshalIndent(s, "", " ")
	t.Logf("%s %q\n%s", c.ID, marks, raw)
}

func firstWords(s string, n int) string {
	count := 0
	for i, r := range s {
		if r == ' ' || r == '\n' {
			if count++; count >= n {
				return s[:i]
			}
		}
	}
	return s
}

// Every quotation of every summary of the development data is found in one turn, and no line says anything beside.
func TestEveryQuotedLineIsFoundInItsTurn(t *testing.T) {
	quoted(t, slices.Concat(scenes.Tune(t), scenes.Held(t)))
}

// The same of what is not in the repository.
func TestEveryQuotedLineOfDevelopmentDataIsFoundInItsTurn(t *testing.T) {
	var all []consultation
	devData(t, "primock57_dev.json", &all)
	for _, c := range all {
		turns := c.turns()
		found(t, summary.Write(read(turns), summary.Options{}), turns)
	}
	quoted(t, scenes.Dev(t))
}

func quoted(t *testing.T, people []scenes.Person) {
	t.Helper()
	n := 0
	for _, p := range people {
		for _, c := range p.Calls {
			turns := c.Turns()
			s := summary.Write(reading.Of(turns, c.At, true), summary.Options{Broken: c.Status == string(recaller.Failed)})
			found(t, s, turns)
			n += len(lines(s))
		}
	}
	if n == 0 {
		t.Error("no line was quoted")
	}
}
