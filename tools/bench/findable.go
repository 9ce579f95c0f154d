package main

import (
	"context"
	"hash/fnv"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/embed"
	"github.com/recallerhq/recaller/internal/embed/dialogue"
	"github.com/recallerhq/recaller/internal/search"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/vector"
)

// finders make conversations findable as the wrap-up does. Only what the model of dialogues would make of each turn is
// not made, which takes hours of a hundred thousand calls: a turn gets what it made of another one.
type finders struct {
	deps search.Deps
	read [][]int8
}

// lent is of how many turns the model's vectors are lent to the others.
const lent = 32

func newFinders(s *store.Store, p plan) (finders, error) {
	embedder, err := embed.New(embed.Settings{})
	if err != nil {
		return finders{}, err
	}
	f := finders{deps: search.Deps{
		Store: s, Words: s, Tenants: s, Embedder: embedder, Dialogue: vector.Fast(), Log: slog.New(slog.DiscardHandler),
		Metrics: search.NewMetrics(prometheus.NewRegistry()), Now: time.Now,
	}}
	if f.deps.Dialogue {
		for _, turn := range speak(talker{p.rng(-9)}, time.Time{}, lent) {
			f.read = append(f.read, dialogue.Turn("", turn.Text))
		}
	}
	return f, nil
}

// index makes a conversation of so many turns findable, and returns the model.
func (f finders) index(ctx context.Context, conv recaller.Conversation, turns int) (string, error) {
	deps := f.deps
	deps.Kept = kept{f.read, conv.ID, turns}
	return search.New(deps).Index(ctx, recaller.DefaultTenant, conv)
}

// kept lends a conversation's turns their vectors.
type kept struct {
	read  [][]int8
	conv  recaller.ConversationID
	turns int
}

// TurnVectors implements search.Kept.
func (k kept) TurnVectors(_ context.Context, _ recaller.TenantID, _ recaller.CallerID, model string) ([]recaller.TurnVectors, bool, error) {
	out := recaller.TurnVectors{Conversation: k.conv, Model: model, Width: dialogue.Width}
	h := fnv.New32a()
	_, _ = h.Write([]byte(k.conv))
	for n := range k.turns {
		out.Numbers = append(out.Numbers, n)
		out.Data = append(out.Data, k.read[(int(h.Sum32())+n)%len(k.read)]...)
	}
	return []recaller.TurnVectors{out}, true, nil
}
