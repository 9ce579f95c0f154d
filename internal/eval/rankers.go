package eval

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall"
	"github.com/recallerhq/recaller/internal/recall/token"
)

// Hits is how many hits answer a question: the most that recall gives, so that ten conversations are among them.
const Hits = recall.MaxLimit

// Recall is recall as it serves, built with opts.
func Recall(name string, opts recall.Options) Method {
	opts.MaxBytes = math.MaxInt64 // we hold one index at a time
	opts.Embedder = time.Minute   // wait for it: recall is measured with it
	return Method{Name: name, Index: func(ctx context.Context, c recaller.Corpus) (Index, error) {
		s := served{recall.New(one{c}, opts)}
		_, err := s.Ask(ctx, Asked{Text: "the"}) // builds the index, and asks it for next to nothing
		if err == nil {
			err = s.svc.Fill(ctx, "eval", "eval")
		}
		return s, err
	}}
}

// served is recall over one corpus.
type served struct{ svc *recall.Service }

func (s served) Ask(ctx context.Context, q Asked) ([]recaller.Hit, error) {
	res, err := s.svc.Recall(ctx, "eval", "eval", query(q))
	if err == nil && res.Degraded != "" {
		err = recaller.Errorf(recaller.Unavailable, "%s", res.Degraded)
	}
	return res.Hits, err
}

func (s served) Bytes() int64 {
	_, bytes := s.svc.Stats()
	return bytes
}

// query returns a question in recall's terms: all that recall learns of it.
func query(q Asked) recall.Query {
	return recall.Query{Text: q.Text, Now: q.At, Limit: Hits, Neighbours: -1, Weak: true, Embed: true}
}

// one is a source that holds one corpus.
type one struct{ corpus recaller.Corpus }

func (o one) ContentVersion(context.Context, recaller.TenantID, recaller.CallerID) (int64, error) {
	return o.corpus.Version, nil
}

func (o one) Corpus(context.Context, recaller.TenantID, recaller.CallerID) (recaller.Corpus, error) {
	return o.corpus, nil
}

// SessionBM25 is the baseline of every measurement: stemmed BM25 over whole conversations, both speakers, nothing else
// (k1 1.5, b 0.75).
func SessionBM25() Method {
	return Method{Name: "BM25 over sessions", SessionsOnly: true, Index: func(_ context.Context, c recaller.Corpus) (Index, error) {
		p := newPlain()
		for _, conv := range c.Conversations {
			var terms []string
			for _, t := range c.Turns[conv.ID] {
				terms = append(terms, p.terms(t.Text)...)
			}
			p.add(recaller.Hit{Kind: recaller.HitTurn, Conversation: conv.ID}, terms)
		}
		return p, nil
	}}
}

// TurnBM25 is the same over single turns.
func TurnBM25() Method {
	return Method{Name: "BM25 over turns", Index: func(_ context.Context, c recaller.Corpus) (Index, error) {
		p := newPlain()
		for _, conv := range c.Conversations {
			for _, t := range c.Turns[conv.ID] {
				p.add(recaller.Hit{Kind: recaller.HitTurn, ID: string(t.ID), Conversation: conv.ID}, p.terms(t.Text))
			}
		}
		return p, nil
	}}
}

// plain ranks texts by the plain formula of BM25.
type plain struct {
	stems  map[string]string // each word is stemmed once
	hits   []recaller.Hit
	counts []map[string]float64
	sizes  []float64
	df     map[string]float64
	total  float64
}

func newPlain() *plain { return &plain{stems: map[string]string{}, df: map[string]float64{}} }

func (p *plain) terms(text string) []string {
	var terms []string
	sc := token.Scanner{}
	for sc.Reset(text); sc.Next(); {
		term, ok := p.stems[string(sc.Bytes())]
		if !ok {
			tok := string(sc.Bytes())
			term = token.Term(tok)
			p.stems[tok] = term
		}
		if term != "" {
			terms = append(terms, term)
		}
	}
	return terms
}

func (p *plain) add(h recaller.Hit, terms []string) {
	counts := make(map[string]float64, len(terms))
	for _, t := range terms {
		counts[t]++
	}
	for t := range counts {
		p.df[t]++
	}
	p.hits, p.counts, p.sizes = append(p.hits, h), append(p.counts, counts), append(p.sizes, float64(len(terms)))
	p.total += float64(len(terms))
}

// Ask orders the texts, those that match nothing left out.
func (p *plain) Ask(_ context.Context, q Asked) ([]recaller.Hit, error) {
	const k1, b = 1.5, 0.75
	query := p.terms(q.Text)
	n := float64(len(p.hits))
	mean := p.total / max(1, n)
	var found []recaller.Hit
	for i, h := range p.hits {
		for _, t := range query {
			tf := p.counts[i][t]
			if tf == 0 {
				continue
			}
			idf := math.Log(1 + (n-p.df[t]+0.5)/(p.df[t]+0.5))
			h.Score += idf * tf * (k1 + 1) / (tf + k1*(1-b+b*p.sizes[i]/mean))
		}
		if h.Score > 0 {
			found = append(found, h)
		}
	}
	slices.SortStableFunc(found, func(x, y recaller.Hit) int { return cmp.Compare(y.Score, x.Score) })
	return found[:min(len(found), Hits)], nil
}

// Bytes is not counted.
func (p *plain) Bytes() int64 { return 0 }
