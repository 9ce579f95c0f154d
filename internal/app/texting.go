package app

import (
	"time"

	"github.com/recallerhq/recaller"
	written "github.com/recallerhq/recaller/internal/exchange" // what is called exchange in the tests is a telephone exchange
	"github.com/recallerhq/recaller/internal/jobs"
	"github.com/recallerhq/recaller/internal/telephony"
	"github.com/recallerhq/recaller/internal/texting"
	"github.com/recallerhq/recaller/internal/thread"
)

// textable makes what keeps and answers what people write, and what is done about texts. The agent is made already, if there
// is to be one.
func (a *App) textable(threads *thread.Service) {
	deps := written.Deps{
		Threads: threads, Store: a.store, Conversations: a.conversations, Log: a.log, Now: a.opts.Now,
	}
	if a.agent != nil {
		deps.Agent = a.agent
	}
	a.exchanges = written.New(deps)
	to := ""
	if a.cfg.Public != "" {
		to = a.cfg.Public + telephony.TextStatusPath
	}
	a.texting = texting.New(texting.Deps{
		Exchanges: a.exchanges, Store: a.store, Tenants: a.tenants, Carrier: a.carrier, Enqueued: a.enqueued, Log: a.log,
		Metrics: texting.NewMetrics(a.registry), Now: a.opts.Now, NewID: newID, StatusTo: to, Wait: a.opts.TextWait,
	})
}

// Bounds of the jobs that answer texts. Somebody waits for each: tries that fail follow one another soon, and not for long.
const (
	textWorkers = 16
	textShare   = 8
	textTimeout = 3 * time.Minute
	textTries   = 9
	textBackoff = time.Minute
)

// textJobs answer texts.
func (a *App) textJobs() jobs.Handler {
	return jobs.Handler{
		Run: a.texting.Run, GiveUp: a.texting.GiveUp, Timeout: textTimeout, MaxAttempts: textTries, MaxBackoff: textBackoff,
		AtOnce: textWorkers, Share: textShare, Scheduled: true,
	}
}

// replies are who can answer texts on this server: the agent needs a model, and a carrier by which what it says goes out.
func (a *App) replies() []recaller.TextReply {
	out := []recaller.TextReply{recaller.ReplyNone}
	if _, ok := a.cfg.Provider(); ok && len(a.outgoing().Texts()) > 0 {
		out = append(out, recaller.ReplyAgent)
	}
	return out
}
