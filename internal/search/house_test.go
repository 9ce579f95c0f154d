package search_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/search"
	"github.com/recallerhq/recaller/internal/usecasetest"
	"github.com/recallerhq/recaller/internal/wrapup"
)

// house is tenants with a real store on disk, a search over their conversations, and an embedder that knows that a
// marriage is a wedding.
type house struct {
	*testing.T
	*usecasetest.Place
	ctx      context.Context
	service  *search.Service
	embedder *usecasetest.Embedder
	tenants  usecasetest.Settings
	metrics  *prometheus.Registry
	log      strings.Builder

	mu   sync.Mutex // guards what follows
	live map[recaller.ConversationID][]recaller.Turn
}

// The tenants of every house.
const (
	golf   = recaller.TenantID("golf")
	dental = recaller.TenantID("dental")
)

// newHouse makes a house; the settings of tenants may be given, else they keep the words.
func newHouse(t *testing.T, settings ...recaller.Tenant) *house {
	t.Helper()
	h := &house{
		T: t, Place: usecasetest.Open(t), ctx: context.Background(), tenants: usecasetest.Settings{},
		embedder: &usecasetest.Embedder{Alike: map[string]string{"marriag": "wed", "bride": "wed"}},
		live:     map[recaller.ConversationID][]recaller.Turn{},
	}
	for _, tenant := range append(settings, recaller.Tenant{ID: golf}, recaller.Tenant{ID: dental}) {
		if _, there := h.tenants[tenant.ID]; !there {
			tenant.Name = string(tenant.ID)
			h.tenants[tenant.ID] = h.MakeTenant(t, tenant)
		}
	}
	h.service = h.with(func(*search.Deps) {})
	return h
}

// with makes a service on the same data; change says what is different about it.
func (h *house) with(change func(*search.Deps)) *search.Service {
	h.metrics = prometheus.NewRegistry()
	deps := search.Deps{
		Store: h.Store, Words: h, Tenants: h.tenants, Embedder: h.embedder, Log: slog.New(slog.NewTextHandler(&h.log, nil)),
		Metrics: search.NewMetrics(h.metrics), Now: h.Clock.Now,
	}
	change(&deps)
	return search.New(deps)
}

// Turns implements search.Words: words that are only in memory go before the store's.
func (h *house) Turns(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation) ([]recaller.Turn, error) {
	h.mu.Lock()
	live := h.live[conv.ID]
	h.mu.Unlock()
	if live != nil {
		return live, nil
	}
	return h.Store.Turns(ctx, tenant, conv)
}

func (h *house) ok(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

// past is a conversation as a story tells it.
type past struct {
	tenant  recaller.TenantID // default golf
	phone   string            // default +12125550123
	channel recaller.Channel  // default voice
	at      time.Time         // default now
	words   []string          // the caller's, a turn each
	brief   string            // default: no summary
	labels  recaller.Analysis
	waiting bool // the wrap-up has not got to the summary yet
	live    bool // the words are only in memory
}

// hold stores an ended conversation as its wrap-up leaves it before the last step, which is open.
func (h *house) hold(p past) recaller.Conversation {
	h.Helper()
	if p.tenant == "" {
		p.tenant = golf
	}
	if p.phone == "" {
		p.phone = "+12125550123"
	}
	if p.channel == "" {
		p.channel = recaller.ChannelVoice
	}
	if p.at.IsZero() {
		p.at = h.Clock.Now()
	}
	conv := recaller.Conversation{
		ID: recaller.ConversationID(h.NewID()), Channel: p.channel, Direction: recaller.Inbound, Status: recaller.Completed, Imported: true,
		StartedAt: p.at, EndedAt: p.at.Add(time.Minute), LastActivityAt: p.at.Add(time.Minute), Duration: time.Minute,
	}
	var turns []recaller.Turn
	for i, text := range p.words {
		turns = append(turns, recaller.Turn{ID: recaller.TurnID(h.NewID()), Number: i, Speaker: recaller.User, Text: text, Confidence: 1, At: p.at})
	}
	done, err := h.Store.ImportConversation(h.ctx, p.tenant, recaller.Importing{
		Opening: recaller.Opening{
			Identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: p.phone}}, NewCaller: recaller.CallerID(h.NewID()), Conversation: conv,
		},
		Turns: turns, CountOnly: p.live, Steps: wrapup.Plan(recaller.Tenant{}, conv, true),
		Job: &recaller.Job{ID: h.NewID(), Tenant: p.tenant, Kind: "wrapup", Subject: string(conv.ID), RunAt: p.at},
	})
	h.ok(err)
	if p.live {
		h.live[conv.ID] = turns
	}
	if !p.waiting {
		h.writeUp(p.tenant, done.Conversation, p.brief, p.labels)
	}
	return h.conversation(p.tenant, conv.ID)
}

// writeUp does the steps of a wrap-up before the last.
func (h *house) writeUp(tenant recaller.TenantID, conv recaller.Conversation, brief string, labels recaller.Analysis) {
	h.Helper()
	r := recaller.StepResult{Conversation: conv.ID, Caller: conv.Caller, State: recaller.StepDone, By: "rules", At: h.Clock.Now()}
	for _, planned := range wrapup.Plan(recaller.Tenant{}, conv, true) {
		step := planned.Step
		left := r
		switch left.Step = step; {
		case step == recaller.StepEmbed:
			continue
		case step == recaller.StepSummarise && brief != "":
			left.Summary = &recaller.Summary{Brief: brief, By: "rules"}
		case step == recaller.StepAnalyse && labels.By != "":
			left.Analysis = &labels
		}
		_, err := h.Store.WriteStep(h.ctx, tenant, left)
		h.ok(err)
	}
}

func (h *house) conversation(tenant recaller.TenantID, id recaller.ConversationID) recaller.Conversation {
	h.Helper()
	conv, err := h.Store.Conversation(h.ctx, tenant, string(id))
	h.ok(err)
	return conv
}

// told is hold, and the wrap-up's last step.
func (h *house) told(p past) recaller.Conversation {
	h.Helper()
	conv := h.hold(p)
	if p.tenant == "" {
		p.tenant = golf
	}
	h.embed(p.tenant, conv)
	return conv
}

// embed is the wrap-up's last step, as package wrapup does it.
func (h *house) embed(tenant recaller.TenantID, conv recaller.Conversation) {
	h.Helper()
	open, err := h.Store.TryStep(h.ctx, tenant, conv, recaller.StepEmbed)
	h.ok(err)
	if !open {
		return
	}
	by, err := h.service.Index(h.ctx, tenant, conv)
	left := recaller.StepResult{Conversation: conv.ID, Caller: conv.Caller, Step: recaller.StepEmbed, State: recaller.StepDone, By: by, At: h.Clock.Now()}
	var f *search.EmbedError
	if errors.As(err, &f) {
		left.State, left.Reason, left.Attempts, err = recaller.StepPending, f.Reason(), 1, nil
	}
	h.ok(err)
	_, err = h.Store.WriteStep(h.ctx, tenant, left)
	h.ok(err)
}

// step tells how the embedding of a conversation stands: "pending (embedder unavailable), tried 2".
func (h *house) step(tenant recaller.TenantID, conv recaller.Conversation) string {
	h.Helper()
	steps, err := h.Store.Steps(h.ctx, tenant, conv)
	h.ok(err)
	for _, p := range steps {
		if p.Step != recaller.StepEmbed {
			continue
		}
		s := string(p.State)
		if p.By != "" {
			s += " by " + p.By
		}
		if p.Reason != "" {
			s += " (" + p.Reason + ")"
		}
		return fmt.Sprintf("%s, tried %d", s, p.Attempts)
	}
	return "none"
}

// night is one nightly run.
func (h *house) night() search.Retried {
	h.Helper()
	h.Clock.Advance(24 * time.Hour)
	r, err := h.service.Retry(h.ctx)
	h.ok(err)
	return r
}

// find searches and returns what was found.
func (h *house) find(tenant recaller.TenantID, text string) []recaller.Found {
	h.Helper()
	r, err := h.service.Search(h.ctx, tenant, search.Query{Text: text})
	h.ok(err)
	return r.Found
}

// ids tells which conversations were found, in order.
func ids(found []recaller.Found) []recaller.ConversationID {
	out := make([]recaller.ConversationID, len(found))
	for i, f := range found {
		out[i] = f.Conversation.ID
	}
	return out
}

// away is an embedder that does not answer.
func away() error { return recaller.Errorf(recaller.Unavailable, "the embedder does not answer") }

// counted are the values of a counter by its label's.
func (h *house) counted(name string) map[string]int {
	h.Helper()
	families, err := h.metrics.Gather()
	h.ok(err)
	out := map[string]int{}
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
		for _, m := range f.GetMetric() {
			out[m.GetLabel()[0].GetValue()] = int(m.GetCounter().GetValue())
		}
	}
	return out
}
