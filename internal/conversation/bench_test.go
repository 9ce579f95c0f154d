package conversation_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/feed"
	"github.com/recallerhq/recaller/internal/usecasetest"
	"github.com/recallerhq/recaller/internal/wrapup"
)

// Turns acknowledged, each in a request of its own, by 64 calls at once.
func BenchmarkAddTurns(b *testing.B) {
	for _, retention := range []recaller.Retention{recaller.Keep, recaller.Archive, recaller.Ephemeral} {
		b.Run(string(retention), func(b *testing.B) {
			p := usecasetest.Open(b)
			settings := usecasetest.Settings{"t1": p.MakeTenant(b, recaller.Tenant{ID: "t1", Name: "First", Retention: retention})}
			s := conversation.New(conversation.Deps{
				Store: p.Store, Tenants: settings, Archive: p.Archive, Briefer: briefing.New(p.Store, briefing.Options{Now: p.Clock.Now}),
				Feed: feed.New(feed.Options{}), Enqueued: func() {}, Plan: wrapup.Plan, Masked: func(string) {}, Log: p.Log, Metrics: conversation.NewMetrics(prometheus.NewRegistry()),
				Now: p.Clock.Now, NewID: p.NewID,
			})
			const calls = 64
			ids := make([]string, calls)
			for i := range ids {
				started, err := s.Start(b.Context(), "t1", conversation.Start{Caller: conversation.CallerRef{ExternalID: p.NewID()}})
				if err != nil {
					b.Fatal(err)
				}
				ids[i] = string(started.Conversation.ID)
			}
			var next atomic.Int64
			turn := said("user: I would like to change the address on my account, please.")
			b.SetParallelism(calls)
			b.ReportAllocs()
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				id := ids[int(next.Add(1))%calls]
				for pb.Next() {
					if _, _, err := s.AddTurns(context.Background(), "t1", id, recaller.Once{}, turn); err != nil {
						b.Error(err)
						return
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "turns/s")
		})
	}
}
