package evalset

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall"
	"github.com/recallerhq/recaller/internal/recall/token"
)

// Recaller ranks with recall as it serves, built with opts, asked for as many hits as it gives.
func Recaller(opts recall.Options) Ranker {
	return func(ctx context.Context, q *Question) ([]recaller.Hit, error) {
		svc := recall.New(one{q.Corpus}, opts)
		res, err := svc.Recall(ctx, "eval", "eval", recall.Query{Text: q.Text, Limit: recall.MaxLimit, Neighbours: -1})
		return res.Hits, err
	}
}

// one is a source that holds one corpus.
type one struct{ corpus recaller.Corpus }

func (o one) ContentVersion(context.Context, recaller.TenantID, recaller.CallerID) (int64, error) {
	return o.corpus.Version, nil
}

func (o one) Corpus(context.Context, recaller.TenantID, recaller.CallerID) (recaller.Corpus, error) {
	return o.corpus, nil
}

// SessionBM25 is the baseline that every measurement is held against: stemmed BM25 over whole conversations, both
// speakers, nothing else (k1 1.5, b 0.75).
func SessionBM25(_ context.Context, q *Question) ([]recaller.Hit, error) {
	var texts [][]string
	var hits []recaller.Hit
	analyse := analyser()
	for _, c := range q.Corpus.Conversations {
		var terms []string
		for _, t := range q.Corpus.Turns[c.ID] {
			terms = append(terms, analyse(t.Text)...)
		}
		texts = append(texts, terms)
		hits = append(hits, recaller.Hit{Kind: recaller.HitTurn, Conversation: c.ID})
	}
	return bm25(analyse(q.Text), texts, hits), nil
}

// TurnBM25 is the same over single turns.
func TurnBM25(_ context.Context, q *Question) ([]recaller.Hit, error) {
	var texts [][]string
	var hits []recaller.Hit
	analyse := analyser()
	for _, c := range q.Corpus.Conversations {
		for _, t := range q.Corpus.Turns[c.ID] {
			texts = append(texts, analyse(t.Text))
			hits = append(hits, recaller.Hit{Kind: recaller.HitTurn, ID: string(t.ID), Conversation: c.ID})
		}
	}
	ranked := bm25(analyse(q.Text), texts, hits)
	return ranked[:min(len(ranked), recall.MaxLimit)], nil
}

// analyser returns a function that cuts text into terms, each word stemmed once.
func analyser() func(text string) []string {
	known := make(map[string]string)
	return func(text string) []string {
		var terms []string
		sc := token.Scanner{}
		for sc.Reset(text); sc.Next(); {
			term, ok := known[string(sc.Bytes())]
			if !ok {
				tok := string(sc.Bytes())
				term = token.Term(tok)
				known[tok] = term
			}
			if term != "" {
				terms = append(terms, term)
			}
		}
		return terms
	}
}

// bm25 orders hits by the plain formula, those that match nothing left out.
func bm25(query []string, texts [][]string, hits []recaller.Hit) []recaller.Hit {
	const k1, b = 1.5, 0.75
	df := make(map[string]float64)
	counts := make([]map[string]float64, len(texts))
	total := 0
	for i, terms := range texts {
		counts[i] = make(map[string]float64)
		for _, t := range terms {
			counts[i][t]++
		}
		for t := range counts[i] {
			df[t]++
		}
		total += len(terms)
	}
	n := float64(len(texts))
	mean := float64(total) / max(1, n)
	var found []recaller.Hit
	for i, h := range hits {
		for _, t := range query {
			tf := counts[i][t]
			if tf == 0 {
				continue
			}
			idf := math.Log(1 + (n-df[t]+0.5)/(df[t]+0.5))
			h.Score += idf * tf * (k1 + 1) / (tf + k1*(1-b+b*float64(len(texts[i]))/mean))
		}
		if h.Score > 0 {
			found = append(found, h)
		}
	}
	slices.SortStableFunc(found, func(x, y recaller.Hit) int { return cmp.Compare(y.Score, x.Score) })
	return found
}
