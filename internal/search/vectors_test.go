package search

import (
	"math"
	"slices"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/embed/dialogue"
	"github.com/recallerhq/recaller/internal/embed/static"
)

func cosine(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// TestBothHalvesCount joins directions of which both halves' cosines are known.
func TestBothHalvesCount(t *testing.T) {
	t.Parallel()
	table := func(cos float64) []float32 {
		v := make([]float32, static.Width)
		v[0], v[1] = float32(cos), float32(math.Sqrt(1-cos*cos))
		return v
	}
	read := func(cos float64) []float64 {
		v := make([]float64, dialogue.Width)
		v[0], v[1] = 3*cos, 3*math.Sqrt(1-cos*cos) // a sum of turns is as long as it comes
		return v
	}
	query := joined(table(1), read(1), emptyQuery)
	for name, tt := range map[string]struct {
		talk []float32
		want float64
	}{
		"both alike":        {joined(table(1), read(1), emptyTalk), 1},
		"by the table":      {joined(table(0.5), read(0), emptyTalk), 0.5 * ofTable},
		"by the model":      {joined(table(0), read(0.5), emptyTalk), 0.5 * ofDialogue},
		"not read":          {joined(table(0.5), nil, emptyTalk), 0.5 * ofTable},
		"of nothing at all": {joined(table(0), make([]float64, dialogue.Width), emptyTalk), 0},
	} {
		if got := cosine(query, tt.talk); math.Abs(got-tt.want) > 1e-6 || math.Abs(cosine(tt.talk, tt.talk)-1) > 1e-6 {
			t.Errorf("%s: got %.3f of length %.3f, want %.3f of length 1", name, got, cosine(tt.talk, tt.talk), tt.want)
		}
	}
	foreign := joined(table(1), nil, emptyQuery)
	if got := cosine(foreign, joined(table(0.5), nil, emptyTalk)); math.Abs(got-0.5*ofTable) > 1e-6 {
		t.Errorf("neither read: got %.3f, want the table's alone", got)
	}
}

func TestALongConversationIsCutIntoPartsOfAboutOneLength(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]int{0: 1, 1: 1, stretch: 1, stretch + 1: 2, 10 * stretch: 10, 1000 * stretch: maxParts} {
		turns := make([]recaller.Turn, n)
		for i := range turns {
			turns[i] = recaller.Turn{Text: string(rune('a' + i%26))}
		}
		parts, total := split(&recaller.Summary{Brief: "A call."}, turns), 0
		for i, p := range parts {
			if total += len(p.turns); i > 0 && (p.before != turns[total-len(p.turns)-1].Text || n/want > len(p.turns)) {
				t.Errorf("%d turns: part %d has %d, after %q", n, i, len(p.turns), p.before)
			}
		}
		if len(parts) != want || total != n {
			t.Errorf("%d turns: got %d parts of %d turns, want %d of all", n, len(parts), total, want)
		}
	}
}

// A part of very many turns is read here and there, so that no conversation keeps the others waiting for long. Of turns
// that are all alike the sum is as long as their number.
func TestAPartOfManyTurnsIsReadHereAndThere(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]float64{1: 1, 5: 5, 1000: stretch} {
		turns := slices.Repeat([]recaller.Turn{{Number: 1, Text: "The hedge wants cutting again."}}, n)
		got, err := part{turns: turns, before: turns[0].Text}.direction(t.Context())
		if err != nil || math.Abs(length(got)-want) > 1e-3 {
			t.Errorf("of %d turns: got %.2f and %v, want %.0f of them read", n, length(got), err, want)
		}
	}
	if got, err := (part{turns: []recaller.Turn{{Text: "Ich möchte bitte einen Tisch für vier Personen am Freitagabend bestellen."}}}).direction(t.Context()); got != nil || err != nil {
		t.Errorf("of German: got %d numbers and %v, want none", len(got), err)
	}
}

func length(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	return math.Sqrt(sum)
}
