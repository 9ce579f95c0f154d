package evalset

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/recallerhq/recaller"
)

// Ranker answers a question: turns and their conversations, best first.
type Ranker func(ctx context.Context, q *Question) ([]recaller.Hit, error)

// Scores are the means of one ranking over n questions. Sessions are ranked by their first appearance among the hits.
type Scores struct {
	N              int     `json:"n"`
	Any1           float64 `json:"any_1"` // at least one right session among the first
	Any5           float64 `json:"any_5"`
	Any10          float64 `json:"any_10"`
	All5           float64 `json:"all_5"` // every right session among the first
	All10          float64 `json:"all_10"`
	NDCG10         float64 `json:"ndcg_10"`
	MRR            float64 `json:"mrr"`
	TurnN          int     `json:"turn_n"`   // questions whose turns are marked
	Turn5          float64 `json:"turn_r_5"` // share of the marked turns among the first hits
	Turn10         float64 `json:"turn_r_10"`
	Turn20         float64 `json:"turn_r_20"`
	Sessions10     float64 `json:"sessions_10"`      // distinct sessions among the first 10 hits
	HitsFor10      float64 `json:"hits_for_10"`      // hits until 10 distinct sessions had come
	FewerThan10    int     `json:"fewer_than_10"`    // questions whose hits hold fewer than 10 sessions
	MillisPerQuery float64 `json:"millis_per_query"` // whatever the ranker did for one question
}

// Report is a measured ranking, in all and by type of question.
type Report struct {
	Name   string            `json:"name"`
	All    Scores            `json:"all"`
	ByType map[string]Scores `json:"by_type"`
}

// Measure asks the ranker every question. now is the clock (time.Now).
func Measure(ctx context.Context, name string, questions []Question, rank Ranker, now func() time.Time) (Report, error) {
	r := Report{Name: name, ByType: make(map[string]Scores)}
	for i := range questions {
		q := &questions[i]
		began := now()
		hits, err := rank(ctx, q)
		took := now().Sub(began)
		if err != nil {
			return Report{}, fmt.Errorf("question %s: %w", q.ID, err)
		}
		one := score(q, hits)
		one.MillisPerQuery = float64(took) / float64(time.Millisecond)
		r.All.add(one)
		t := r.ByType[q.Type]
		t.add(one)
		r.ByType[q.Type] = t
	}
	r.All.mean()
	for k, s := range r.ByType {
		s.mean()
		r.ByType[k] = s
	}
	return r, nil
}

// score is one question's metrics.
func score(q *Question, hits []recaller.Hit) Scores {
	var sessions []recaller.ConversationID
	s := Scores{N: 1, HitsFor10: float64(len(hits)), FewerThan10: 1}
	for i, h := range hits {
		if !slices.Contains(sessions, h.Conversation) {
			sessions = append(sessions, h.Conversation)
			if len(sessions) == 10 {
				s.HitsFor10, s.FewerThan10 = float64(i+1), 0
			}
		}
		if i == 9 || (i < 9 && i == len(hits)-1) {
			s.Sessions10 = float64(len(sessions))
		}
	}
	found := func(k int) (n int) {
		for _, id := range sessions[:min(k, len(sessions))] {
			if slices.Contains(q.Sessions, id) {
				n++
			}
		}
		return n
	}
	s.Any1, s.Any5, s.Any10 = indicator(found(1) > 0), indicator(found(5) > 0), indicator(found(10) > 0)
	s.All5, s.All10 = indicator(found(5) == len(q.Sessions)), indicator(found(10) == len(q.Sessions))
	s.NDCG10 = ndcg(q.Sessions, sessions, 10)
	if i := slices.IndexFunc(sessions, func(id recaller.ConversationID) bool { return slices.Contains(q.Sessions, id) }); i >= 0 {
		s.MRR = 1 / float64(i+1)
	}
	if len(q.Turns) > 0 {
		s.TurnN = 1
		s.Turn5, s.Turn10, s.Turn20 = turnRecall(q, hits, 5), turnRecall(q, hits, 10), turnRecall(q, hits, 20)
	}
	return s
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func ndcg(gold, ranked []recaller.ConversationID, k int) float64 {
	var dcg, ideal float64
	for i, id := range ranked[:min(k, len(ranked))] {
		if slices.Contains(gold, id) {
			dcg += 1 / math.Log2(float64(i+2))
		}
	}
	for i := range min(k, len(gold)) {
		ideal += 1 / math.Log2(float64(i+2))
	}
	if ideal == 0 {
		return 0
	}
	return dcg / ideal
}

func turnRecall(q *Question, hits []recaller.Hit, k int) float64 {
	n := 0
	for _, h := range hits[:min(k, len(hits))] {
		if slices.Contains(q.Turns, recaller.TurnID(h.ID)) {
			n++
		}
	}
	return float64(n) / float64(len(q.Turns))
}

func (s *Scores) add(o Scores) {
	s.N += o.N
	s.TurnN += o.TurnN
	s.FewerThan10 += o.FewerThan10
	for i, p := range s.means() {
		*p += *o.means()[i]
	}
	for i, p := range s.turnMeans() {
		*p += *o.turnMeans()[i]
	}
}

func (s *Scores) mean() {
	for _, p := range s.means() {
		*p /= float64(max(1, s.N))
	}
	for _, p := range s.turnMeans() {
		*p /= float64(max(1, s.TurnN))
	}
}

func (s *Scores) means() []*float64 {
	return []*float64{&s.Any1, &s.Any5, &s.Any10, &s.All5, &s.All10, &s.NDCG10, &s.MRR, &s.Sessions10, &s.HitsFor10, &s.MillisPerQuery}
}

func (s *Scores) turnMeans() []*float64 { return []*float64{&s.Turn5, &s.Turn10, &s.Turn20} }

// WriteTable writes reports as one table: a line each and, where byType is set, a line for each type of question.
func WriteTable(w io.Writer, byType bool, reports ...Report) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "ranking\tn\tany@1\tany@5\tany@10\tall@5\tall@10\tNDCG@10\tMRR\tturn@5\t@10\t@20\tsess@10\thits→10\t<10\tms")
	line := func(name string, s Scores) {
		fmt.Fprintf(t, "%s\t%d\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%.4f\t%.3f\t%.3f\t%.3f\t%.3f\t%.1f\t%.1f\t%d\t%.2f\n", name, s.N, s.Any1, s.Any5, s.Any10,
			s.All5, s.All10, s.NDCG10, s.MRR, s.Turn5, s.Turn10, s.Turn20, s.Sessions10, s.HitsFor10, s.FewerThan10, s.MillisPerQuery)
	}
	for _, r := range reports {
		line(r.Name, r.All)
		if !byType {
			continue
		}
		types := make([]string, 0, len(r.ByType))
		for k := range r.ByType {
			types = append(types, k)
		}
		slices.Sort(types)
		for _, k := range types {
			line("  "+k, r.ByType[k])
		}
	}
	return t.Flush()
}
