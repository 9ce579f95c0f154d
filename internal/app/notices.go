package app

import (
	"context"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/errand"
	"github.com/recallerhq/recaller/internal/events"
	"github.com/recallerhq/recaller/internal/feed"
	"github.com/recallerhq/recaller/internal/jobs"
	"github.com/recallerhq/recaller/internal/notify"
	"github.com/recallerhq/recaller/internal/reminder"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/webhook"
)

// telling returns the use cases of what webhooks are told: reminders, and all else that happens.
func (a *App) telling(sender *webhook.Sender, errands *errand.Service) (*reminder.Service, *notify.Service) {
	reminders := reminder.New(reminder.Deps{
		Errands: errands, Store: a.store, Tenants: a.tenants, Sender: sender, Enqueued: a.enqueued,
		Told: func(tenant recaller.TenantID, e recaller.Event) { a.events.Tell(tenant, e) },
		Log:  a.log, Metrics: reminder.NewMetrics(a.registry), Now: a.opts.Now, NewID: newID,
	})
	notices := notify.New(notify.Deps{
		Store: a.store, Tenants: a.tenants, Sender: sender, Enqueued: a.enqueued,
		Summarised: func(ctx context.Context, tenant recaller.TenantID, ref string) (recaller.Conversation, error) {
			rec, err := a.conversations.Get(ctx, tenant, ref, false)
			return rec.Conversation, err
		},
		Log: a.log, Metrics: notify.NewMetrics(a.registry), Now: a.opts.Now, NewID: newID,
	})
	return reminders, notices
}

// announce makes the bus of events, and has it and webhooks told of what is committed (ADR 59). Call it before anything
// is written.
func (a *App) announce() {
	a.events = events.New(a.opts.Now)
	backlog := &notify.Backlog{Waiting: a.store.WaitingDispatches, Most: notify.MaxWaiting, Log: a.log, Now: a.opts.Now}
	a.store.Announce(store.Herald{
		Audience: func(ctx context.Context, tenant recaller.TenantID) (store.Audience, error) {
			wanted, err := a.tenants.WantedEvents(ctx, tenant)
			out := store.Audience{Webhook: wanted, Stream: a.events.Listened(tenant)}
			if len(wanted) > 0 && backlog.Full(ctx, tenant) {
				out.Full = a.opts.Now()
			}
			return out, err
		},
		Committed: func(tenant recaller.TenantID, list []recaller.Event, queued bool) {
			a.events.Tell(tenant, list...)
			if queued {
				a.enqueued()
			}
		},
	})
}

// forgetful is the feed, and what is told beside it, for erasures.
type forgetful struct {
	*feed.Feed
	notices *notify.Service
}

// Forget tells that a caller is being erased. When it returns, memory holds nothing of him, and nothing is on its way to
// the tenant's webhook.
func (f forgetful) Forget(tenant recaller.TenantID, caller recaller.CallerID) {
	f.notices.Drop(tenant, caller)
	f.Feed.Forget(tenant, caller)
}

// An event has about a day to reach its webhook; then it is given up. A tenant whose webhook hangs holds his share of the
// workers, and no more.
const (
	noticeTries   = 36
	noticeBackoff = time.Hour // the longest
	noticeWorkers = 16
	noticeShare   = 4
)

func noticeJobs(notices *notify.Service) jobs.Handler {
	return jobs.Handler{
		Run: notices.Send, GiveUp: notices.GiveUp, MaxAttempts: noticeTries, MaxBackoff: noticeBackoff,
		AtOnce: noticeWorkers, Share: noticeShare,
	}
}
