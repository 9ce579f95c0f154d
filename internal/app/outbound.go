package app

import (
	"context"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/errand"
	written "github.com/recallerhq/recaller/internal/exchange" // what is called exchange in the tests is a telephone exchange
	"github.com/recallerhq/recaller/internal/jobs"
	"github.com/recallerhq/recaller/internal/reminder"
	"github.com/recallerhq/recaller/internal/telephony"
	"github.com/recallerhq/recaller/internal/texting"
)

// reaching returns the use cases that ring and text callers about reminders.
func (a *App) reaching() *errand.Service {
	deps := errand.Deps{
		Store: a.store, Tenants: a.tenants, Chats: reminding{a}, Heard: a.heard, Say: a.sayFirst, Enqueued: a.enqueued,
		Voice: a.cfg.Public + telephony.VoicePath, Ended: a.cfg.Public + telephony.EndedPath,
		Texted: a.cfg.Public + telephony.TextStatusPath,
		Log:    a.log, Metrics: errand.NewMetrics(a.registry), Now: a.opts.Now,
	}
	if !a.mute() {
		deps.Carrier = a.carrier
	}
	return errand.New(deps)
}

// mute reports whether the server can neither ring nor text of its own accord: the carrier must know us, and reach us.
func (a *App) mute() bool { return len(a.outgoing().Rings()) == 0 || a.cfg.Public == "" }

// heardMost is how many of the last turns of a conversation tell what its caller speaks.
const heardMost = 20

// heard returns what the caller said last in a conversation.
func (a *App) heard(
	ctx context.Context, tenant recaller.TenantID, conv recaller.ConversationID,
) (out []string, err error) {
	c, err := a.conversations.Find(ctx, tenant, string(conv))
	if err != nil {
		return nil, err
	}
	turns, err := a.conversations.Turns(ctx, tenant, c)
	for _, t := range turns[max(0, len(turns)-heardMost):] {
		if t.Speaker == recaller.User {
			out = append(out, t.Text)
		}
	}
	return out, err
}

// sayFirst keeps what was said by us as a call began, once.
func (a *App) sayFirst(ctx context.Context, tenant recaller.TenantID, conv recaller.ConversationID, text string) error {
	_, _, err := a.conversations.AddTurns(ctx, tenant, string(conv),
		recaller.Once{Token: "errand said:" + string(conv), Request: "errand"},
		[]conversation.TurnInput{{Speaker: recaller.Assistant, Text: text}})
	return err
}

// reminding keeps what is texted about reminders.
type reminding struct{ app *App }

// Tell implements errand.Chats.
func (c reminding) Tell(
	ctx context.Context, tenant recaller.TenantID, ours, theirs, id, text string,
) (recaller.ConversationID, error) {
	p := texting.Peer{Channel: recaller.ChannelSMS, Ours: ours, Theirs: theirs}
	th, _, err := c.app.exchanges.Open(ctx, tenant, written.Party{
		Channel: p.Channel, Chat: p.Chat(), Caller: conversation.CallerRef{Phone: theirs},
	})
	if err != nil {
		return "", err
	}
	kept, err := c.app.exchanges.Tell(ctx, tenant, th, "errand "+id, text)
	return kept.Conversation.ID, err
}

// OptedOut implements errand.Chats.
func (c reminding) OptedOut(ctx context.Context, tenant recaller.TenantID, ours, theirs string) (bool, error) {
	return c.app.texting.Stopped(ctx, tenant, texting.Peer{Channel: recaller.ChannelSMS, Ours: ours, Theirs: theirs})
}

// An errand waits in its own row for most of its time; its job fails only while the store is away.
const (
	errandWorkers = 16
	errandShare   = 4
	errandTries   = 200
)

func errandJobs(errands *errand.Service) jobs.Handler {
	return jobs.Handler{
		Run: errands.Run, GiveUp: errands.GiveUp, MaxAttempts: errandTries, MaxBackoff: noticeBackoff,
		AtOnce: errandWorkers, Share: errandShare, Scheduled: true,
	}
}

func reminderJobs(reminders *reminder.Service) jobs.Handler {
	return jobs.Handler{
		Run: reminders.Fire, GiveUp: reminders.GiveUp, MaxAttempts: reminderTries, MaxBackoff: reminderLonger,
		AtOnce: reminderWorkers, Share: reminderShare, Scheduled: true,
	}
}
