package eval

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
)

// Estimate is a mean with the bounds of its 95 % confidence interval.
type Estimate struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// normal975 is the normal distribution's 97.5 % point.
const normal975 = 1.959963984540054

// Wilson returns the share k of n with Wilson's score interval at 95 %. Of nothing it is the whole range.
func Wilson(k, n int) Estimate {
	if n == 0 {
		return Estimate{High: 1}
	}
	p, size := float64(k)/float64(n), float64(n)
	const z2 = normal975 * normal975
	centre := (p + z2/(2*size)) / (1 + z2/size)
	half := normal975 / (1 + z2/size) * math.Sqrt(p*(1-p)/size+z2/(4*size*size))
	return Estimate{Value: p, Low: max(0, centre-half), High: min(1, centre+half)}
}

// Resamples are how many samples a bootstrap draws.
const Resamples = 2000

// Bootstrap returns the mean of each column with the percentile interval at 95 %, by resampling rows. The seed is
// fixed: equal rows give equal intervals.
func Bootstrap(rows []Values) [metrics]Estimate {
	var out [metrics]Estimate
	if len(rows) == 0 {
		return out
	}
	drawn := make([][metrics]float64, Resamples)
	dice := rand.New(rand.NewPCG(20260522, uint64(len(rows))))
	for r := range drawn {
		for range rows {
			row := &rows[dice.IntN(len(rows))]
			for m, v := range row {
				drawn[r][m] += v
			}
		}
	}
	n := float64(len(rows))
	column := make([]float64, Resamples)
	for m := range metrics {
		for r := range drawn {
			column[r] = drawn[r][m] / n
		}
		slices.Sort(column)
		sum := 0.0
		for i := range rows {
			sum += rows[i][m]
		}
		out[m] = Estimate{Value: sum / n, Low: quantile(column, 0.025), High: quantile(column, 0.975)}
	}
	return out
}

// quantile is the q-th part of sorted values, from one to the next in a straight line.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	at := q * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}

// Scores are the means of one ranking over questions.
type Scores struct {
	N     int // questions
	TurnN int // of them, those whose turns are marked; the metrics of turns are over these
	Of    [metrics]Estimate
}

// score takes the means over questions, of a value that each of them has.
func score(outcomes []Outcome, value func(i int) Values) Scores {
	var all, marked []Values
	for i := range outcomes {
		v := value(i)
		all = append(all, v)
		if outcomes[i].Marked {
			marked = append(marked, v)
		}
	}
	s := Scores{N: len(all), TurnN: len(marked), Of: Bootstrap(all)}
	if s.N == s.TurnN {
		return s
	}
	ofTurns := Bootstrap(marked)
	for _, m := range Metrics() {
		if m.OfTurns() {
			s.Of[m] = ofTurns[m]
		}
	}
	return s
}

// scores are the means over questions: shares with Wilson's intervals, the rest with the bootstrap's.
func scores(outcomes []Outcome) Scores {
	s := score(outcomes, func(i int) Values { return outcomes[i].Values })
	for _, m := range Metrics() {
		n := s.N
		if m.OfTurns() {
			n = s.TurnN
		}
		if m.share() && n > 0 {
			s.Of[m] = Wilson(int(math.Round(s.Of[m].Value*float64(n))), n)
		}
	}
	return s
}

// Differences are by how much a ranking differs from another on the same questions, question by question: above zero
// the first is better. An interval that holds zero says that it may be chance.
func Differences(of, from Report) Scores {
	return score(of.Outcomes, func(i int) Values {
		d := of.Outcomes[i].Values
		for m := range d {
			d[m] -= from.Outcomes[i].Values[m]
		}
		return d
	})
}

// MarshalJSON writes the metrics by name, those of turns only where turns are marked.
func (s Scores) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		N       int                 `json:"n"`
		TurnN   int                 `json:"turn_n"`
		Metrics map[Metric]Estimate `json:"metrics"`
	}{s.N, s.TurnN, named(s.Of, s.TurnN > 0)})
}

// named are values by their metrics' names.
func named[T any](values [metrics]T, turns bool) map[Metric]T {
	by := make(map[Metric]T, metrics)
	for _, m := range Metrics() {
		if turns || !m.OfTurns() {
			by[m] = values[m]
		}
	}
	return by
}
