package usecasetest

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/app/views"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/events"
	"github.com/recallerhq/recaller/internal/feed"
	"github.com/recallerhq/recaller/internal/memory"
	"github.com/recallerhq/recaller/internal/recall"
	"github.com/recallerhq/recaller/internal/refresh"
)

// Register registers the product's views with a feed. It makes those that the test does not have. No briefing is
// refreshed.
func (p *Place) Register(f *feed.Feed, v views.All) {
	if v.Recall == nil {
		v.Recall = recall.New(p.Store, recall.Options{Reached: f.Reached})
	}
	if v.Memories == nil {
		v.Memories = memory.New(memory.Deps{Store: p.Store, Changed: f.Committed, Now: p.Clock.Now, NewID: p.NewID})
	}
	if v.Conversations == nil {
		v.Conversations = conversation.New(conversation.Deps{
			Store: p.Store, Feed: f, Now: p.Clock.Now, NewID: p.NewID, Log: p.Log,
		})
	}
	if v.Events == nil {
		v.Events = events.New(p.Clock.Now)
	}
	v.Refresh = refresh.New(refresh.Deps{
		Listening: v.Events.Listening, Version: p.Store.ContentVersion, Reached: f.Reached, Publish: v.Events.Publish,
		Briefing: func(context.Context, recaller.TenantID, string, briefing.Request) (recaller.Briefing, error) {
			return recaller.Briefing{}, recaller.Errorf(recaller.Unavailable, "nobody makes briefings here")
		},
		Log: p.Log, Metrics: refresh.NewMetrics(prometheus.NewRegistry()), Now: p.Clock.Now,
	})
	v.Register(f)
}
