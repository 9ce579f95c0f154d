package eval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/recallerhq/recaller/internal/embed/dialogue"
	"github.com/recallerhq/recaller/internal/embed/static"
	"github.com/recallerhq/recaller/internal/recall"
	"github.com/recallerhq/recaller/internal/recall/index"
)

// ResultVersion is what a result says of its form.
const ResultVersion = "recaller-eval-result/1"

// Result is a whole measurement, with everything that is needed to repeat it. It holds nobody's words.
type Result struct {
	Format    string    `json:"format"`
	Version   string    `json:"version"`
	Commit    string    `json:"commit,omitempty"`
	Time      time.Time `json:"time"`
	Machine   Machine   `json:"machine"`
	Data      Data      `json:"data"`
	Setup     Setup     `json:"setup"`
	Recall    Report    `json:"recall"`
	Baselines []Report  `json:"baselines,omitempty"`
	Ablation  []Without `json:"ablation,omitempty"`
	Answers   *Answers  `json:"answers,omitempty"`
}

// Machine is where it was measured.
type Machine struct {
	OS    string `json:"os"`
	Arch  string `json:"arch"`
	Cores int    `json:"cores"`
}

// Setup is what was measured, and how.
type Setup struct {
	Weights  index.Weights `json:"weights"`
	Embedder string        `json:"embedder"` // "none": words alone
	Hits     int           `json:"hits"`     // asked for with each question
	Workers  int           `json:"workers"`  // at once; times are only clean with one
	Limit    int           `json:"limit,omitempty"`

	AllCategories bool `json:"all_categories,omitempty"` // LoCoMo's adversarial questions too
}

// Without is recall without one ingredient.
type Without struct {
	Name  string `json:"without"`
	All   Scores `json:"all"`
	Minus Scores `json:"difference"` // from the whole; below zero the ingredient pays
}

// SetupOf describes recall as it is built with opts, and what is asked of it.
func SetupOf(opts recall.Options, o Options, how Reading) Setup {
	s := Setup{
		Weights: opts.Weights, Embedder: "none", Hits: Hits, Workers: o.Workers, Limit: o.Limit,
		AllCategories: how.AllCategories,
	}
	if s.Weights == (index.Weights{}) {
		s.Weights = index.DefaultWeights()
	}
	if s.Weights.Meaning != 0 || s.Weights.SessionMeaning != 0 {
		s.Embedder = static.Model
		switch {
		case opts.Meaning != nil:
			s.Embedder = opts.Meaning.Model()
		case opts.Dialogue:
			s.Embedder += ", dialogues " + dialogue.Model
		}
	}
	return s
}

// Ablated compares reports without an ingredient with the whole.
func Ablated(whole Report, without []Report) []Without {
	all := make([]Without, len(without))
	for i, r := range without {
		all[i] = Without{Name: r.Name, All: r.All, Minus: Differences(r, whole)}
	}
	return all
}

// Weigh returns w with the named weights set.
func Weigh(w index.Weights, named map[string]float64) (index.Weights, error) {
	raw, err := json.Marshal(named)
	if err != nil {
		return w, fmt.Errorf("weights: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&w); err != nil {
		return w, fmt.Errorf("weights: %w", err)
	}
	return w, nil
}
