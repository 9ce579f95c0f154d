package app

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/admission"
	"github.com/recallerhq/recaller/internal/agent"
	"github.com/recallerhq/recaller/internal/app/views"
	"github.com/recallerhq/recaller/internal/archive"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/caller"
	"github.com/recallerhq/recaller/internal/chatproxy"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/document"
	"github.com/recallerhq/recaller/internal/embed"
	"github.com/recallerhq/recaller/internal/endpoint/outward"
	"github.com/recallerhq/recaller/internal/exam"
	"github.com/recallerhq/recaller/internal/httpapi"
	"github.com/recallerhq/recaller/internal/jobs"
	"github.com/recallerhq/recaller/internal/llm"
	"github.com/recallerhq/recaller/internal/mcpserver"
	"github.com/recallerhq/recaller/internal/memory"
	"github.com/recallerhq/recaller/internal/notify"
	"github.com/recallerhq/recaller/internal/privacy"
	"github.com/recallerhq/recaller/internal/recall"
	"github.com/recallerhq/recaller/internal/refresh"
	"github.com/recallerhq/recaller/internal/remem"
	"github.com/recallerhq/recaller/internal/reminder"
	"github.com/recallerhq/recaller/internal/search"
	"github.com/recallerhq/recaller/internal/telegram"
	"github.com/recallerhq/recaller/internal/telephony"
	"github.com/recallerhq/recaller/internal/thread"
	"github.com/recallerhq/recaller/internal/tool"
	"github.com/recallerhq/recaller/internal/vector"
	"github.com/recallerhq/recaller/internal/webchat"
	"github.com/recallerhq/recaller/internal/webhook"
	"github.com/recallerhq/recaller/internal/wrapup"
)

// wire makes the use cases and the HTTP edge.
func (a *App) wire() error {
	now := a.opts.Now
	a.carrier = a.outgoing()
	files := archive.New(a.path(archiveDir), a.vault)
	ledger := conversation.NewLedger(a.log)
	words := &conversation.Words{Ledger: ledger, Store: a.store, Archive: files, Tenants: a.tenants}
	masked := a.masked()
	a.announce()
	embedder, err := a.embedder()
	if err != nil {
		return err
	}
	a.recall = recall.New(words, a.recallOptions(embedder, words))
	a.closers = append(a.closers, func() error { a.recall.Close(); return nil })
	briefer := briefing.New(words, briefing.Options{
		Now: now, Deadline: a.cfg.Briefing.Deadline, Tokens: a.cfg.Briefing.Tokens, Tenant: a.tenants.Known,
		Recaller: a.recall, NoVoice: !a.cfg.Voice.Enabled, Metrics: briefing.NewMetrics(a.registry), Log: a.log,
	})
	a.conversations = conversation.New(conversation.Deps{
		Deadline: a.cfg.Briefing.Deadline, Tokens: a.cfg.Briefing.Tokens, Ledger: ledger, Store: a.store,
		Tenants: a.tenants, Archive: files, Briefer: briefer, Feed: a.feed, Plan: wrapup.Plan,
		Enqueued: a.enqueued, Masked: masked, Log: a.log, Metrics: conversation.NewMetrics(a.registry), Now: now, NewID: newID,
		Elapsed: a.opts.Elapsed,
	})
	a.documents = a.papers(masked)
	a.refresh = refresh.New(refresh.Deps{
		Listening: a.events.Listening, Briefing: a.conversations.Briefing, Version: a.store.ContentVersion,
		Reached: a.feed.Reached, Publish: a.events.Publish,
		Log: a.log, Metrics: refresh.NewMetrics(a.registry), Now: now,
	})
	a.memories = a.remembering(masked)
	views.All{
		Recall: a.recall, Memories: a.memories, Conversations: a.conversations, Events: a.events, Refresh: a.refresh,
	}.Register(a.feed)
	callers := a.callers(files)
	tools := a.tools(callers)
	threads := a.threads(briefer, tools)
	a.errands = a.reaching()
	reminders, notices := a.telling(webhook.New(webhook.Options{Allowed: a.reach()}), a.errands)
	a.privacy = privacy.New(privacy.Deps{
		Store: a.store, Vault: destroyer{a.vault}, Words: a.conversations, Archive: files, Copies: copies{a}, Tenants: a.tenants,
		Feed: forgetful{a.feed, notices}, Now: now, NewID: newID,
	})
	a.search = a.searching(embedder, words)
	model := a.model(tools)
	a.textable(threads)
	a.runJobs(reminders, notices, model)
	if err := a.accompany(threads, model); err != nil {
		return err
	}
	a.gate = a.admission()
	return a.serve(callers, threads, httpapi.Deps{
		Gate:          a.gate,
		Conversations: a.conversations, Callers: callers, Memories: a.memories, Threads: threads, Documents: a.documents, Tools: tools, Reminders: reminders,
		Webhooks: a.tenants, Visitors: a.tenants, Deliveries: notices, Issuers: a.tenants, Upstreams: a.tenants, Packs: a.tenants, Personas: a.tenants, Privacy: a.privacy, Tenants: a.tenants, Recall: a.recall,
		Search: a.search, Briefer: briefer, Events: a.events, Encryption: a.encryption,
		Ready: a.ready, Log: a.log, Registerer: a.registry,
	})
}

// remembering returns the use cases of memories.
func (a *App) remembering(masked func(kind string)) *memory.Service {
	return memory.New(memory.Deps{
		Store: a.store, Tenants: a.tenants, Changed: a.feed.Committed, Enqueued: a.enqueued, Masked: masked,
		Words: a.conversations, Packs: a.tenants.Packs,
		Log: a.log, Metrics: memory.NewMetrics(a.registry), Now: a.opts.Now, NewID: newID,
	})
}

// tools returns the use cases of an agent's tools.
func (a *App) tools(callers *caller.Service) *tool.Service {
	return tool.New(tool.Deps{
		Memories: a.memories, Store: a.store, Words: a.conversations, Recall: a.recall, Speakers: a.conversations, Tenants: a.tenants,
		PINs: callers, Trusting: a.conversations,
		LastTurn: a.conversations.LastTurn,
		Log:      a.log, Metrics: tool.NewMetrics(a.registry), Now: a.opts.Now, NewID: newID,
	})
}

// threads returns the use cases of chats that never end.
func (a *App) threads(briefer *briefing.Service, tools *tool.Service) *thread.Service {
	return thread.New(thread.Deps{
		Store: a.store, Conversations: a.conversations, Briefer: briefer, Memories: a.memories, Tools: tools,
		Personas: a.tenants, Tenants: a.tenants, Enqueued: a.enqueued,
		Log: a.log, Metrics: thread.NewMetrics(a.registry), Now: a.opts.Now, NewID: newID,
	})
}

// papers returns the use cases of documents.
func (a *App) papers(masked func(string)) *document.Service {
	return document.New(document.Deps{
		Store: a.store, Tenants: a.tenants, Words: a.conversations, Changed: a.feed.Committed, Findable: a.findable,
		Enqueued: a.enqueued, Masked: masked, Now: a.opts.Now, NewID: newID, Outside: a.outside(),
	})
}

// outside returns the document server that documents of conversations are delivered to, too; nil: there is none.
func (a *App) outside() document.Outside {
	if a.cfg.Remem.URL == "" {
		return nil
	}
	return remem.New(a.cfg.Remem.URL, a.cfg.Remem.APIKey.Reveal(), nil)
}

// reindex does what a forgetting leaves to be done.
func (a *App) reindex(ctx context.Context, j recaller.Job) error {
	return errors.Join(a.search.Reindex(ctx, j), a.documents.Forgetting(ctx, j.Tenant, j.Caller))
}

// callers returns the use cases of callers.
func (a *App) callers(files caller.Files) *caller.Service {
	return caller.New(caller.Deps{
		Store: a.store, Mover: a.store, PINs: a.store, Tenants: a.tenants, Files: files, Live: a.conversations, Changed: a.feed.Committed,
		Anew: a.feed.Anew, Now: a.opts.Now, NewID: newID,
	})
}

// reach is what tenants may have the server connect to beside public addresses.
func (a *App) reach() outward.Allowed { return outward.Allowed(a.cfg.Webhooks) }

// serve says which handler is served at which address. Another door is another line here.
func (a *App) serve(callers *caller.Service, threads *thread.Service, deps httpapi.Deps) error {
	api, err := httpapi.New(deps, a.httpOptions())
	if err != nil {
		return err
	}
	public, err := url.Parse(a.cfg.Public)
	if err != nil {
		return err
	}
	models, err := mcpserver.New(mcpserver.Deps{
		Gate: deps.Gate, Callers: callers, Checkpoints: a.memories, Conversations: a.conversations,
		Briefer: deps.Briefer, Recall: a.recall, Documents: a.search, Tools: deps.Tools, Tenants: a.tenants,
		Registerer: a.registry,
	}, mcpserver.Options{
		Version: a.opts.Version, MaxBody: a.cfg.Limits.BodyBytes, Proxies: a.cfg.Proxies.Networks, Host: public.Host,
	})
	if err != nil {
		return err
	}
	if a.proxy, err = a.chatProxy(deps.Gate, threads); err != nil {
		return err
	}
	a.roots = roots{
		{name: "API", handler: api},
		{name: "chat proxy", prefix: chatproxy.ChatPath, handler: a.proxy},
		{name: "chat proxy, Anthropic's wire", prefix: chatproxy.MessagesPath, handler: a.proxy},
		{name: "chat proxy's models", prefix: chatproxy.ModelsPath, handler: a.proxy},
		{name: "MCP server", prefix: mcpserver.Path, handler: models},
		{name: "MCP server's metadata", prefix: mcpserver.WellKnown, handler: models},
	}
	if a.telephone, err = a.answering(deps.Tools); err != nil {
		return err
	}
	a.roots = append(a.roots, root{name: "telephone", prefix: telephony.Path, handler: a.telephone})
	if a.webchat, err = a.chatting(callers); err != nil {
		return err
	}
	a.roots = append(a.roots, root{name: "web chat", prefix: webchat.Path, handler: a.webchat})
	if a.companion != nil {
		a.roots = append(a.roots, root{name: "Telegram webhook", prefix: telegram.Path, handler: a.companion.Handler()})
	}
	if a.cfg.MetricsAddr != "" {
		metrics := http.NewServeMux()
		metrics.Handle("GET /metrics", promhttp.HandlerFor(a.registry, promhttp.HandlerOpts{}))
		a.roots = append(a.roots, root{name: "metrics", addr: a.cfg.MetricsAddr, handler: metrics})
	}
	return a.roots.check()
}

// chatProxy returns the door for agents that get memory by changing their base URL.
func (a *App) chatProxy(gate *admission.Gate, threads *thread.Service) (*chatproxy.Server, error) {
	up := a.cfg.Upstream()
	return chatproxy.New(chatproxy.Deps{
		Gate: gate, Threads: threads, Recall: a.recall, Upstreams: a.tenants, Log: a.log, Registerer: a.registry, Now: a.opts.Now,
	}, chatproxy.Options{
		Upstream: recaller.Upstream{BaseURL: up.BaseURL, APIKey: up.APIKey.Reveal(), Model: up.Model}, Chosen: outward.Transport(a.reach()),
		Deadline: a.cfg.Proxy.Deadline, MaxBody: a.cfg.Proxy.MaxBody, Proxies: a.cfg.Proxies.Networks,
	})
}

// The tries and backoffs give a wrap-up about a day to reach its model, and a reminder about six hours to reach its
// webhook. Then they are given up.
const (
	wrapupTries    = 150
	wrapupBackoff  = 10 * time.Minute
	wrapupTimeout  = 40 * time.Minute // of one try: many questions, and a local model takes minutes for each
	eraseTimeout   = 15 * time.Minute // of one try: the traces of a large database take a while
	reminderTries  = 18
	reminderLonger = time.Hour // the longest backoff
)

// Each kind of job has workers of its own, so that none waits for another kind. Webhooks and erasures mostly wait: for
// somebody else's server, or for the store. A tenant whose webhook hangs holds his share of the workers, and no more.
const (
	reminderWorkers = 16
	reminderShare   = 4
	threadWorkers   = 4
	threadShare     = 2
	reindexWorkers  = 2
	reindexShare    = 1
	deliveryWorkers = 1 // so that no two create one document there
	eraseWorkers    = 2
	eraseShare      = 1
)

// runJobs makes the runner of jobs, with a handler for each kind. It does not start it.
func (a *App) runJobs(reminders *reminder.Service, notices *notify.Service, model *llm.Client) {
	now := a.opts.Now
	deps := wrapup.Deps{
		Store: a.store, Words: a.conversations, Tenants: a.tenants,
		Indexer: newIndexer(a.recall, a.search), Pins: a.documents, Threads: a.store, EndStretch: a.endStretch, Changed: a.feed.Committed,
		Log: a.log, Metrics: wrapup.NewMetrics(a.registry), Now: now, NewID: newID,
	}
	if a.cfg.Voice.Enabled {
		deps.Documents = a.documents
	}
	workers, long := a.cfg.Workers, 1
	if model != nil {
		deps.Model, deps.Window, deps.Trust = model, a.cfg.Model.WindowTokens*bytesPerToken, exam.Trust(a.cfg.Model.Words)
		workers = max(workers, a.cfg.Model.Concurrency)
		long = workers // who waits for a model would hold up others
	}
	writer := wrapup.New(deps)
	writeUp := func(atOnce int) jobs.Handler {
		return jobs.Handler{
			Run: writer.Run, GiveUp: writer.GiveUp, Timeout: wrapupTimeout,
			MaxAttempts: wrapupTries, MaxBackoff: wrapupBackoff, AtOnce: atOnce,
			Work: recaller.JobWrapup,
		}
	}
	a.runner = jobs.New(a.store, map[string]jobs.Handler{
		recaller.JobWrapup:     writeUp(workers),
		recaller.JobLongWrapup: writeUp(long),
		recaller.JobThread: {
			Run: writer.Thread, Timeout: wrapupTimeout, MaxAttempts: wrapupTries, MaxBackoff: wrapupBackoff, AtOnce: threadWorkers,
			Share: threadShare,
		},
		recaller.JobReminder: reminderJobs(reminders),
		recaller.JobDispatch: noticeJobs(notices),
		recaller.JobText:     a.textJobs(),
		recaller.JobErrand:   errandJobs(a.errands),
		recaller.JobReindex: {
			Run: a.reindex, Timeout: wrapupTimeout, MaxAttempts: wrapupTries, MaxBackoff: wrapupBackoff,
			AtOnce: reindexWorkers, Share: reindexShare,
		},
		recaller.JobDocument: {
			Run: a.search.IndexDocument, Timeout: wrapupTimeout, MaxAttempts: wrapupTries, MaxBackoff: wrapupBackoff,
			AtOnce: reindexWorkers, Share: reindexShare,
		},
		recaller.JobDeliver: {
			Run: a.documents.Deliver, GiveUp: a.documents.GiveUpDelivery, MaxAttempts: reminderTries,
			MaxBackoff: reminderLonger, AtOnce: deliveryWorkers,
		},
		privacy.JobErase: {Run: func(ctx context.Context, j recaller.Job) error {
			_, err := a.privacy.Finish(ctx, j)
			return err
		}, GiveUp: a.privacy.GiveUp, Timeout: eraseTimeout, AtOnce: eraseWorkers, Share: eraseShare},
	}, jobs.Options{
		Workers: workers + long + textWorkers + threadWorkers + reminderWorkers + noticeWorkers + errandWorkers + 2*reindexWorkers + deliveryWorkers + eraseWorkers, Jitter: rand.Float64,
	}, a.log, a.registry, now)
	a.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "recaller_jobs_waiting", Help: "Jobs that wait or run; -1 while the store is away.",
	}, a.waiting))
}

// endStretch ends a conversation of a thread, which goes on in another one.
func (a *App) endStretch(ctx context.Context, tenant recaller.TenantID, conv recaller.ConversationID) error {
	_, err := a.conversations.End(ctx, tenant, string(conv), conversation.End{Reason: conversation.ReasonThread})
	return err
}

// bytesPerToken is how many bytes of a conversation make a token, at the least. In English it is more.
const bytesPerToken = 3

// callsAtOnce is how many callers a model that is not one's own is asked for at once.
const callsAtOnce = 64

// model returns a client of the configured language model, and makes the built-in agent with another one: who talks to
// it is not to wait for work that nobody waits for. nil, and no agent, if none is configured.
func (a *App) model(tools *tool.Service) *llm.Client {
	p, ok := a.cfg.Provider()
	if !ok {
		return nil
	}
	s := llm.Settings{
		Patient:  p.Local(),
		Provider: p.Protocol, BaseURL: p.BaseURL, APIKey: p.APIKey.Reveal(), Model: p.Model,
		Timeout: a.cfg.Model.Timeout, Concurrency: a.cfg.Model.Concurrency, Metrics: llm.NewMetrics(a.registry),
	}
	work := llm.New(s)
	if !p.Local() {
		s.Concurrency = callsAtOnce
	}
	a.agent = agent.New(agent.Deps{
		Model: llm.New(s), Patience: a.opts.AgentPatience, Tools: tools, Tenants: a.tenants, Log: a.log,
		Metrics: agent.NewMetrics(a.registry), Now: a.opts.Now,
	})
	return work
}

// embedder returns the client that makes the vectors by which a tenant's conversations are searched.
func (a *App) embedder() (*embed.Client, error) {
	e := a.cfg.Embedder()
	return embed.New(embed.Settings{
		Provider: e.Provider, BaseURL: e.BaseURL, APIKey: e.APIKey.Reveal(),
		Model: e.Model, Width: e.Width, Timeout: e.Timeout, Query: e.Query, Passage: e.Passage,
		Metrics: embed.NewMetrics(a.registry), Log: a.log,
	})
}

// dialogue reports whether the built-in model of dialogues is used. It is slow on a machine that cannot multiply many
// numbers at once.
func (a *App) dialogue() bool { return a.cfg.Embedding.Dialogue && vector.Fast() }

// recallOptions are the options of recall: with the configured embedder if it serves recall, otherwise with the
// built-in model.
func (a *App) recallOptions(embedder *embed.Client, words *conversation.Words) recall.Options {
	o := recall.Options{
		MaxBytes: a.cfg.RecallCacheBytes, Now: a.opts.Now, Log: a.log, Segments: a.store, Vectors: words,
		Hidden: func(ctx context.Context, t recaller.TenantID, c recaller.CallerID) ([]recaller.Memory, error) {
			return a.memories.Untold(ctx, t, c) // made after recall
		},
		Dialogue: a.dialogue(), Reached: a.feed.Reached,
		Kinds: []recall.Kind{{Kind: document.Kind(), Texts: a.texts}},
	}
	if a.cfg.Embedder().Recall {
		o.Meaning = embed.NewLikeness(embedder)
	}
	return o
}

// searching returns the search over all conversations of a tenant.
func (a *App) searching(embedder *embed.Client, words *conversation.Words) *search.Service {
	return search.New(search.Deps{
		Store: a.store, Words: a.conversations, Tenants: a.tenants, Embedder: embedder,
		Dialogue: a.dialogue() && a.cfg.Embedder().Provider == embed.BuiltIn, Kept: words,
		Documents: a.documents, Log: a.log, Metrics: search.NewMetrics(a.registry), Now: a.opts.Now,
	})
}

// texts gives recall the passages of documents.
func (a *App) texts(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID,
) ([]recaller.Text, error) {
	return a.documents.Texts(ctx, tenant, caller)
}

// findable has a document found by its words at once. If that fails, its job does it again.
func (a *App) findable(ctx context.Context, tenant recaller.TenantID, d recaller.Document) {
	if err := a.search.IndexWords(ctx, tenant, d); err != nil {
		a.log.WarnContext(ctx, "a document is not found by its words yet", "tenant", tenant, "document", d.ID, "err", err)
	}
}

// masked returns the function that counts secrets masked before storing.
func (a *App) masked() func(kind string) {
	count := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "recaller_masked_total", Help: "Secrets that were masked before anything was stored, by what they were.",
	}, []string{"kind"})
	a.registry.MustRegister(count)
	return func(kind string) { count.WithLabelValues(kind).Inc() }
}

func (a *App) enqueued() { a.runner.Wake() }
