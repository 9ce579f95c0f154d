package eval

import (
	"encoding/json"
	"slices"
	"time"
)

// Report is one measured method, in all and by type of question.
type Report struct {
	Name     string            `json:"name"`
	All      Scores            `json:"all"`
	ByType   map[string]Scores `json:"by_type"`
	Cost     Cost              `json:"cost"`
	Outcomes []Outcome         `json:"questions,omitempty"`
}

// Cost is what the indexes took. Times are taken while other workers run, unless there is only one.
type Cost struct {
	Indexes int    `json:"indexes"`
	Bytes   Spread `json:"bytes"`    // of an index in memory, texts included
	BuildMS Spread `json:"build_ms"` // from the corpus in memory to an index that answers
	QueryMS Spread `json:"query_ms"`
}

// Spread says how values are spread.
type Spread struct {
	P50 float64 `json:"p50"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
}

// Outcome is what became of one question.
type Outcome struct {
	ID, Type string
	Text     string // never in JSON: a person's words
	Values   Values
	Marked   bool   // its turns are marked, so the metrics of turns count
	Sessions []Gold // the right conversations
	Turns    []Gold // the right turns
	QueryMS  float64
	Answer   *Answered // nil: no model was asked
}

// Gold is a right conversation or turn, by the file's id, and where it came.
type Gold struct {
	ID   string `json:"id"`
	Rank int    `json:"rank"` // from 1; 0: it did not come
}

// Missed reports whether a right conversation is not among the first k.
func (o *Outcome) Missed(k int) bool {
	return slices.ContainsFunc(o.Sessions, func(g Gold) bool { return g.Rank == 0 || g.Rank > k })
}

// MarshalJSON writes the outcome without anybody's words.
func (o Outcome) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		ID       string             `json:"id"`
		Type     string             `json:"type"`
		Metrics  map[Metric]float64 `json:"metrics"`
		Sessions []Gold             `json:"sessions"`
		Turns    []Gold             `json:"turns,omitempty"`
		QueryMS  float64            `json:"query_ms"`
		Answer   *Answered          `json:"answer,omitempty"`
	}{o.ID, o.Type, named([metrics]float64(o.Values), o.Marked), o.Sessions, o.Turns, o.QueryMS, o.Answer})
}

func outcome(c *Case, q *Question, p places, took time.Duration) Outcome {
	o := Outcome{
		ID: q.ID, Type: q.Type, Text: q.Text, Values: p.values(), Marked: len(q.Turns) > 0, QueryMS: millis(took),
	}
	for i, id := range q.Sessions {
		o.Sessions = append(o.Sessions, Gold{c.FileID(string(id)), p.sessions[i]})
	}
	for i, id := range q.Turns {
		o.Turns = append(o.Turns, Gold{c.FileID(string(id)), p.turns[i]})
	}
	return o
}

func newReport(name string, runs []measured) Report {
	r := Report{Name: name, ByType: map[string]Scores{}}
	var bytes, builds, queries []float64
	for _, m := range runs {
		r.Outcomes = append(r.Outcomes, m.outcomes...)
		bytes, builds = append(bytes, float64(m.bytes)), append(builds, millis(m.build))
	}
	types := map[string][]Outcome{}
	for _, o := range r.Outcomes {
		types[o.Type] = append(types[o.Type], o)
		queries = append(queries, o.QueryMS)
	}
	r.All = scores(r.Outcomes)
	for kind, outcomes := range types {
		r.ByType[kind] = scores(outcomes)
	}
	r.Cost = Cost{Indexes: len(runs), Bytes: spread(bytes), BuildMS: spread(builds), QueryMS: spread(queries)}
	return r
}

func spread(values []float64) Spread {
	slices.Sort(values)
	return Spread{P50: quantile(values, 0.5), P99: quantile(values, 0.99), Max: quantile(values, 1)}
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
