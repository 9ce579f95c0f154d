package eval

import (
	"math"
	"slices"

	"github.com/recallerhq/recaller"
)

// Metric is one measure of a ranking.
type Metric int

// The metrics. Sessions are ranked by their first appearance among the hits; turns are the hits themselves.
const (
	Any1   Metric = iota // at least one right session among the first
	Any5                 //
	Any10                //
	All5                 // every right session among the first
	All10                //
	NDCG10               // of sessions, binary relevance, the discount of place i is log2(i+1)
	// as LongMemEval's code computes it: the second place counts as much as the first
	OfficialNDCG
	MRR          // one over the place of the first right session; 0 where none came
	TurnRecall5  // share of the right turns among the first
	TurnRecall10 //
	TurnRecall20 //
	TurnAny5     // at least one right turn among the first
	TurnAny10    //
	TurnAny20    //
	TurnMRR      // one over the place of the first right turn
	metrics
)

// String is the metric's name in results.
func (m Metric) String() string {
	return [metrics]string{
		"any@1", "any@5", "any@10", "all@5", "all@10", "ndcg@10", "official_ndcg@10", "mrr",
		"turn_recall@5", "turn_recall@10", "turn_recall@20", "turn_any@5", "turn_any@10", "turn_any@20", "turn_mrr",
	}[m]
}

// MarshalText writes the name.
func (m Metric) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// Metrics returns all metrics in their order.
func Metrics() []Metric {
	all := make([]Metric, metrics)
	for i := range all {
		all[i] = Metric(i)
	}
	return all
}

// OfTurns reports whether the metric is over turns; it is measured only where a question's turns are marked.
func (m Metric) OfTurns() bool { return m >= TurnRecall5 }

// share reports whether the metric is 0 or 1 for one question.
func (m Metric) share() bool {
	switch m {
	case Any1, Any5, Any10, All5, All10, TurnAny5, TurnAny10, TurnAny20:
		return true
	default:
		return false
	}
}

// Values are the metrics of one question.
type Values [metrics]float64

// places holds where the gold of one question came, from 1; 0: it did not come.
type places struct {
	sessions, turns []int
}

func placesOf(q *Question, hits []recaller.Hit) places {
	p := places{sessions: make([]int, len(q.Sessions)), turns: make([]int, len(q.Turns))}
	seen := make(map[recaller.ConversationID]bool)
	for i, h := range hits {
		if at := slices.Index(q.Turns, recaller.TurnID(h.ID)); at >= 0 && h.Kind == recaller.HitTurn &&
			p.turns[at] == 0 {
			p.turns[at] = i + 1
		}
		if h.Conversation == "" || seen[h.Conversation] {
			continue
		}
		seen[h.Conversation] = true
		if at := slices.Index(q.Sessions, h.Conversation); at >= 0 {
			p.sessions[at] = len(seen)
		}
	}
	return p
}

func (p places) values() Values {
	var v Values
	s := p.sessions
	v[Any1], v[Any5], v[Any10] = indicator(within(s, 1) > 0), indicator(within(s, 5) > 0), indicator(within(s, 10) > 0)
	v[All5], v[All10] = indicator(within(s, 5) == len(s)), indicator(within(s, 10) == len(s))
	v[NDCG10], v[OfficialNDCG] = ndcg(s, 10, discount), ndcg(s, 10, officialDiscount)
	v[MRR] = reciprocal(s)
	t := p.turns
	if len(t) == 0 {
		return v
	}
	n := float64(len(t))
	in5, in10, in20 := within(t, 5), within(t, 10), within(t, 20)
	v[TurnRecall5], v[TurnRecall10], v[TurnRecall20] = float64(in5)/n, float64(in10)/n, float64(in20)/n
	v[TurnAny5], v[TurnAny10], v[TurnAny20] = indicator(in5 > 0), indicator(in10 > 0), indicator(in20 > 0)
	v[TurnMRR] = reciprocal(t)
	return v
}

// within counts the places among the first k.
func within(places []int, k int) (n int) {
	for _, p := range places {
		if p > 0 && p <= k {
			n++
		}
	}
	return n
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func reciprocal(places []int) float64 {
	first := 0
	for _, p := range places {
		if p > 0 && (first == 0 || p < first) {
			first = p
		}
	}
	if first == 0 {
		return 0
	}
	return 1 / float64(first)
}

// discount is what a right session at a place counts.
func discount(place int) float64 { return 1 / math.Log2(float64(place)+1) }

func officialDiscount(place int) float64 {
	if place == 1 {
		return 1
	}
	return 1 / math.Log2(float64(place))
}

func ndcg(places []int, k int, worth func(place int) float64) float64 {
	var got, ideal float64
	for _, p := range places {
		if p > 0 && p <= k {
			got += worth(p)
		}
	}
	for i := range min(k, len(places)) {
		ideal += worth(i + 1)
	}
	if ideal == 0 {
		return 0
	}
	return got / ideal
}
