package eval

import (
	"math"
	"testing"
)

func near(a, b float64) bool { return math.Abs(a-b) < 5e-4 }

// The bounds are those of published tables of Wilson's score interval.
func TestWilsonsInterval(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		k, n      int
		low, high float64
	}{
		{0, 10, 0, 0.2775},
		{10, 10, 0.7225, 1},
		{5, 10, 0.2366, 0.7634},
		{81, 263, 0.2553, 0.3662}, // Newcombe 1998
		{15, 148, 0.0624, 0.1605}, // Newcombe 1998
		{1, 29, 0.0061, 0.1718},   // Newcombe 1998
		{0, 0, 0, 1},
	} {
		got := Wilson(c.k, c.n)
		if !near(got.Low, c.low) || !near(got.High, c.high) {
			t.Errorf("%d of %d: got %.4f to %.4f, want %.4f to %.4f", c.k, c.n, got.Low, got.High, c.low, c.high)
		}
	}
	if got := Wilson(3, 4).Value; got != 0.75 {
		t.Errorf("3 of 4 is %v", got)
	}
}

// rows are values of one metric.
func rows(m Metric, values ...float64) []Values {
	out := make([]Values, len(values))
	for i, v := range values {
		out[i][m] = v
	}
	return out
}

func TestTheBootstrapIsAboutTheNormalIntervalWhereThatHolds(t *testing.T) {
	t.Parallel()
	values := make([]float64, 400)
	for i := range values {
		values[i] = float64(i%4) / 3 // mean 0.5, deviation 0.3727
	}
	got := Bootstrap(rows(NDCG10, values...))[NDCG10]
	half := normal975 * 0.3727 / math.Sqrt(400)
	if math.Abs(got.Value-0.5) > 1e-12 || math.Abs(got.Low-(0.5-half)) > 0.005 || math.Abs(got.High-(0.5+half)) > 0.005 {
		t.Errorf("got %+v, want about 0.5 ± %.4f", got, half)
	}
}

func TestTheBootstrapOfEqualsIsAPointAndOfNothingNothing(t *testing.T) {
	t.Parallel()
	if got, want := Bootstrap(rows(MRR, 0.25, 0.25, 0.25))[MRR], (Estimate{0.25, 0.25, 0.25}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := Bootstrap(nil)[MRR]; got != (Estimate{}) {
		t.Errorf("of nothing: %+v", got)
	}
}

func TestTheBootstrapGivesTheSameTwice(t *testing.T) {
	t.Parallel()
	values := rows(MRR, 0, 1, 0.5, 0.25, 1, 0)
	if Bootstrap(values) != Bootstrap(values) {
		t.Error("two intervals of the same values differ")
	}
}

// One variant loses the same tenth on each question: that is sure, however wide the questions are spread. Another loses
// and gains.
func TestDifferencesArePaired(t *testing.T) {
	t.Parallel()
	var whole, worse, moved Report
	for i := range 40 {
		v := float64(i%10)/10 + 0.1
		swing := 0.1
		if i%2 == 0 {
			swing = -swing
		}
		for r, value := range map[*Report]float64{&whole: v, &worse: v - 0.1, &moved: v + swing} {
			o := Outcome{Marked: i%4 == 0}
			o.Values[NDCG10], o.Values[TurnRecall10] = value, value
			r.Outcomes = append(r.Outcomes, o)
		}
	}
	sure := Differences(worse, whole)
	if d := sure.Of[NDCG10]; !near(d.Value, -0.1) || !near(d.Low, -0.1) || !near(d.High, -0.1) {
		t.Errorf("a tenth less on each question: got %+v", d)
	}
	if sure.N != 40 || sure.TurnN != 10 || !near(sure.Of[TurnRecall10].Value, -0.1) {
		t.Errorf("got n %d, %d with turns, %+v", sure.N, sure.TurnN, sure.Of[TurnRecall10])
	}
	if d := Differences(moved, whole).Of[NDCG10]; d.Low >= 0 || d.High <= 0 {
		t.Errorf("up and down by a tenth: got %+v, want an interval that holds zero", d)
	}
}

// Turns are marked on some questions only: the metrics of turns are over these.
func TestTurnsCountWhereTheyAreMarked(t *testing.T) {
	t.Parallel()
	outcomes := make([]Outcome, 4)
	outcomes[0].Marked, outcomes[1].Marked = true, true
	outcomes[0].Values[TurnAny10], outcomes[0].Values[Any1] = 1, 1
	s := scores(outcomes)
	if s.Of[TurnAny10].Value != 0.5 || s.Of[Any1].Value != 0.25 || s.Of[TurnAny10] != Wilson(1, 2) || s.Of[Any1] != Wilson(1, 4) {
		t.Errorf("got turn_any@10 %+v, any@1 %+v", s.Of[TurnAny10], s.Of[Any1])
	}
}
