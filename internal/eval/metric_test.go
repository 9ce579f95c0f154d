package eval

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/recallerhq/recaller"
)

func turnHit(conversation, turn string) recaller.Hit {
	return recaller.Hit{Kind: recaller.HitTurn, ID: turn, Conversation: recaller.ConversationID(conversation)}
}

// Two right conversations, a and b, each with a right turn, and a third right turn that never comes. The hits'
// conversations are c, a, a, b: so a is second and b third; a's right turn is second, b's is fifth.
func TestMetricsAsCountedByHand(t *testing.T) {
	t.Parallel()
	q := &Question{Sessions: []recaller.ConversationID{"a", "b"}, Turns: []recaller.TurnID{"a1", "b1", "a9"}}
	p := placesOf(q, []recaller.Hit{turnHit("c", "c1"), turnHit("a", "a1"), turnHit("a", "a2"), turnHit("b", "b2"), turnHit("b", "b1"), turnHit("a", "a1")})
	if diff := cmp.Diff(places{sessions: []int{2, 3}, turns: []int{2, 5, 0}}, p, cmp.AllowUnexported(places{})); diff != "" {
		t.Fatalf("places (-want +got):\n%s", diff)
	}
	log2of3 := math.Log2(3)
	var want Values
	want[Any5], want[Any10], want[All5], want[All10] = 1, 1, 1, 1
	want[NDCG10] = (1/log2of3 + 1.0/2) / (1 + 1/log2of3)
	want[OfficialNDCG] = (1 + 1/log2of3) / 2
	want[MRR] = 1.0 / 2
	want[TurnRecall5], want[TurnRecall10], want[TurnRecall20] = 2.0/3, 2.0/3, 2.0/3
	want[TurnAny5], want[TurnAny10], want[TurnAny20] = 1, 1, 1
	want[TurnMRR] = 1.0 / 2
	if diff := cmp.Diff(want, p.values(), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
	}
}

func TestMetricsAtTheirEdges(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		p      places
		metric Metric
		want   float64
	}{
		{"the fifth is among the first five", places{sessions: []int{5}}, Any5, 1},
		{"the sixth is not", places{sessions: []int{6}}, Any5, 0},
		{"the sixth is among the first ten", places{sessions: []int{6}}, Any10, 1},
		{"one of two is not all", places{sessions: []int{1, 6}}, All5, 0},
		{"one of two is any", places{sessions: []int{1, 6}}, Any1, 1},
		{"all ten", places{sessions: []int{1, 10}}, All10, 1},
		{"what never came is not among them", places{sessions: []int{1, 0}}, All10, 0},
		{"nothing came", places{sessions: []int{0}}, NDCG10, 0},
		{"nothing came, so no place", places{sessions: []int{0}}, MRR, 0},
		{"the best", places{sessions: []int{2, 1}}, NDCG10, 1},
		{"the eleventh counts nothing", places{sessions: []int{11}}, NDCG10, 0},
		{"the official second place counts as much as the first", places{sessions: []int{2}}, OfficialNDCG, 1},
		{"the first right one counts", places{sessions: []int{9, 4}}, MRR, 0.25},
		{"turn 10", places{sessions: []int{1}, turns: []int{10, 11}}, TurnRecall10, 0.5},
		{"turn 11", places{sessions: []int{1}, turns: []int{10, 11}}, TurnRecall20, 1},
		{"no turn among five", places{sessions: []int{1}, turns: []int{10, 11}}, TurnAny5, 0},
		{"one turn among ten", places{sessions: []int{1}, turns: []int{10, 11}}, TurnAny10, 1},
	} {
		if got := c.p.values()[c.metric]; got != c.want {
			t.Errorf("%s: %s is %v, want %v", c.name, c.metric, got, c.want)
		}
	}
}

// More right ones than places: the ideal is ten right ones in the first ten places.
func TestTheIdealIsBoundedByTheTenPlaces(t *testing.T) {
	t.Parallel()
	p := places{sessions: make([]int, 12)}
	for i := range p.sessions {
		p.sessions[i] = i + 1
	}
	if got := p.values()[NDCG10]; math.Abs(got-1) > 1e-12 {
		t.Errorf("NDCG@10 of twelve right ones in order is %v, want 1", got)
	}
}

func TestEveryMetricHasANameOfItsOwn(t *testing.T) {
	t.Parallel()
	met := map[string]bool{}
	for _, m := range Metrics() {
		if m.String() == "" || met[m.String()] {
			t.Errorf("metric %d is called %q", m, m)
		}
		met[m.String()] = true
	}
}
