package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"sync"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/embed"
	"github.com/recallerhq/recaller/internal/search"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/vector"
)

// asking is a kind of query.
type asking struct {
	name    string
	queries []string // templates
}

// askings are what people look for, from what the words tell best to what they tell worst.
var askings = []asking{
	{"as callers put it", queries},
	{"a name", []string{"{name} about the {thing}", "who spoke to {name}", "{name} street"}},
	{"other words", []string{
		"somebody who keeps plants", "unable to attend because of illness", "billed twice", "outing with a relative at the end of the week",
		"allergic to dairy", "traveller whose luggage got lost", "elderly parent needs a lift", "wants to cancel a policy", "heating broke down in winter",
	}},
	{"common words", []string{"{thing}", "{person}", "{thing} for {person}", "move the {thing} to {day}", "{place} street", "{n} dollars", "{food} or {food}"}},
	{"many common words", []string{"my {thing} at the {place} for {person} on {day} with the {thing} and the {food}, {n} dollars, {activity}"}},
}

// steps measures a search over all of the tenant's conversations in process, whole and by its steps.
func (b *bench) steps(ctx context.Context) error {
	return b.withStore(ctx, func(s *store.Store) error {
		embedder, err := embed.New(embed.Settings{})
		if err != nil {
			return err
		}
		timed := &stopwatch{Store: s}
		service := search.New(search.Deps{
			Store: timed, Words: s, Tenants: s, Embedder: timedEmbedder{embedder, timed}, Dialogue: vector.Fast(), Log: slog.New(slog.DiscardHandler),
			Metrics: search.NewMetrics(prometheus.NewRegistry()), Now: time.Now,
		})
		answers := fnv.New64a()
		for k, a := range askings {
			if err := b.asked(ctx, service, timed, a, talker{b.plan.rng(-5 - k)}, answers); err != nil {
				return err
			}
		}
		b.notef("the answers' ids and scores come to %016x", answers.Sum64())
		return nil
	})
}

// asked measures one kind of query; the first twenty searches warm up, and do not count.
func (b *bench) asked(ctx context.Context, service *search.Service, timed *stopwatch, a asking, t talker, answers io.Writer) error {
	const warming = 20
	stop, err := b.profiled("search-" + a.name)
	if err != nil {
		return err
	}
	var whole, rest series
	steps := map[string]series{}
	var cpu time.Duration
	for i := range warming + b.n {
		if i == warming {
			cpu = processor()
		}
		timed.reset()
		query := t.fill(t.pick(a.queries))
		began := time.Now()
		r, err := service.Search(ctx, recaller.DefaultTenant, search.Query{Text: query})
		took := time.Since(began)
		if err != nil {
			return errors.Join(fmt.Errorf("%q: %w", query, err), stop())
		}
		for _, f := range r.Found {
			fmt.Fprintf(answers, "%s %.4f\n", f.Conversation.ID, f.Score)
		}
		if i < warming {
			continue
		}
		whole = append(whole, took)
		for name, d := range timed.took {
			steps[name] = append(steps[name], d)
		}
		rest = append(rest, took-timed.waited())
	}
	part := "a search by its steps, in process: " + a.name
	b.rep.add(part, "search", whole, none()).Note = fmt.Sprintf("%.1f ms of this process's processor", float64((processor()-cpu).Microseconds())/1000/float64(b.n))
	for _, name := range stepNames {
		if len(steps[name]) > 0 {
			b.rep.add(part, name, steps[name], none())
		}
	}
	b.rep.add(part, "ranking and the page", rest, none())
	return stop()
}

// processor is the time that this process has had on all cores: what is left of a measurement on a machine that others
// use too.
func processor() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// The steps of a search. Words are looked for while the query is embedded and its vector is.
const (
	stepWords   = "candidates by words"
	stepEmbed   = "the query's vector"
	stepVectors = "candidates by vectors"
	stepCosines = "cosines of those by words"
	stepTalks   = "candidates read"
)

var stepNames = []string{stepWords, stepEmbed, stepVectors, stepCosines, stepTalks}

// stopwatch times what a search asks of the store.
type stopwatch struct {
	*store.Store

	mu   sync.Mutex // guards took
	took map[string]time.Duration
}

func (s *stopwatch) reset() { s.took = map[string]time.Duration{} }

func (s *stopwatch) add(name string, began time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.took[name] += time.Since(began)
}

// waited is how long a search waited for the store and the embedder.
func (s *stopwatch) waited() time.Duration {
	return max(s.took[stepWords], s.took[stepEmbed]+s.took[stepVectors]) + s.took[stepCosines] + s.took[stepTalks]
}

// Matching implements search.Store.
func (s *stopwatch) Matching(ctx context.Context, tenant recaller.TenantID, stems []string, f recaller.SearchFilter, limit int) ([]recaller.Near, error) {
	defer s.add(stepWords, time.Now())
	return s.Store.Matching(ctx, tenant, stems, f, limit)
}

// Similar implements search.Store.
func (s *stopwatch) Similar(ctx context.Context, tenant recaller.TenantID, e recaller.Embedding, f recaller.SearchFilter, limit int) ([]recaller.Near, error) {
	defer s.add(stepVectors, time.Now())
	return s.Store.Similar(ctx, tenant, e, f, limit)
}

// Similarities implements search.Store.
func (s *stopwatch) Similarities(ctx context.Context, tenant recaller.TenantID, e recaller.Embedding, ids []recaller.ConversationID) (map[recaller.ConversationID]float64, error) {
	defer s.add(stepCosines, time.Now())
	return s.Store.Similarities(ctx, tenant, e, ids)
}

// Talks implements search.Store.
func (s *stopwatch) Talks(ctx context.Context, tenant recaller.TenantID, ids []recaller.ConversationID) ([]recaller.Talk, error) {
	defer s.add(stepTalks, time.Now())
	return s.Store.Talks(ctx, tenant, ids)
}

// timedEmbedder times the query's vector.
type timedEmbedder struct {
	*embed.Client
	timed *stopwatch
}

// EmbedQueries implements search.Embedder; what the model of dialogues makes of a query is counted with the ranking.
func (e timedEmbedder) EmbedQueries(ctx context.Context, texts []string) ([][]float32, error) {
	defer e.timed.add(stepEmbed, time.Now())
	return e.Client.EmbedQueries(ctx, texts)
}
