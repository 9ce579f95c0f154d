package telephony_test

import (
	"bytes"
	"context"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/admission"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/telephony"
	"github.com/recallerhq/recaller/internal/telephony/signed"
	"github.com/recallerhq/recaller/internal/telephony/telephonytest"
	"github.com/recallerhq/recaller/internal/texting"
)

const (
	ours   = "+15550002222"
	theirs = "+15550001111"
)

// core stands in for the use cases: calls in memory, and a store that can hang, as one that looks at no context.
type core struct {
	mu     sync.Mutex
	tenant recaller.Tenant
	who    recaller.Caller // who rings
	now    func() time.Time
	calls  map[string]*recaller.Conversation
	starts []conversation.Start
	texts  []texting.Incoming
	lost   []texting.Outgoing
	hang   chan struct{} // not nil: everything waits for it
	slow   chan struct{} // not nil: beginnings wait for it
	broken error         // not nil: what everything fails with
	panics bool
}

func (c *core) wait() error {
	c.mu.Lock()
	hang, broken, panics := c.hang, c.broken, c.panics
	c.mu.Unlock()
	if hang != nil {
		<-hang
	}
	if panics {
		panic("in the core")
	}
	return broken
}

func (c *core) ByNumber(_ context.Context, number string) (recaller.Tenant, error) {
	if err := c.wait(); err != nil {
		return recaller.Tenant{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if number != ours {
		return recaller.Tenant{}, recaller.Errorf(recaller.NotFound, "no tenant has this number")
	}
	return c.tenant, nil
}

func (c *core) Start(ctx context.Context, _ recaller.TenantID, in conversation.Start) (conversation.Started, error) {
	c.mu.Lock()
	slow := c.slow
	c.mu.Unlock()
	if slow != nil {
		<-slow
	}
	if ctx.Err() != nil {
		return conversation.Started{}, recaller.Wrap(recaller.Timeout, ctx.Err(), "too late")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.starts = append(c.starts, in)
	conv, existing := c.calls[in.ExternalID]
	if !existing {
		conv = &recaller.Conversation{ID: recaller.ConversationID("conv-" + in.ExternalID), Status: recaller.Active, StartedAt: c.now()}
		c.calls[in.ExternalID] = conv
	}
	if conv.Status != recaller.Active {
		return conversation.Started{}, recaller.Errorf(recaller.Conflict, "it has ended")
	}
	return conversation.Started{Conversation: *conv, Caller: c.who, Existing: existing}, nil
}

func (c *core) End(_ context.Context, _ recaller.TenantID, ref string, in conversation.End) (recaller.Conversation, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	conv := c.calls[ref]
	if conv == nil {
		return recaller.Conversation{}, recaller.Errorf(recaller.NotFound, "there is no such conversation")
	}
	if conv.Status == recaller.Active {
		conv.Status, conv.EndReason, conv.Duration, conv.RecordingURL = in.Status, in.Reason, in.Duration, in.RecordingURL
	}
	return *conv, nil
}

func (c *core) Recorded(_ context.Context, _ recaller.TenantID, ref, link string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	conv := c.calls[ref]
	switch {
	case conv == nil:
		return recaller.Errorf(recaller.NotFound, "there is no such conversation")
	case conv.Status == recaller.Active:
		return recaller.Errorf(recaller.Conflict, "it has not ended")
	}
	conv.RecordingURL = link
	return nil
}

func (c *core) set(change func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change()
}

func (c *core) call(id string) recaller.Conversation {
	c.mu.Lock()
	defer c.mu.Unlock()
	if conv := c.calls[id]; conv != nil {
		return *conv
	}
	return recaller.Conversation{}
}

// desk is a door over a core, with a platform that calls it.
type desk struct {
	telephonytest.Platform
	t      *testing.T
	core   *core
	door   *telephony.Server
	tokens *telephony.Tokens
	clock  *clock
	reg    *prometheus.Registry
	log    *bytes.Buffer
}

type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) turn(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

func newDesk(t *testing.T, p recaller.Telephone, change func(*telephony.Options)) *desk {
	t.Helper()
	d := &desk{t: t, clock: &clock{at: time.Unix(1_760_000_000, 0).UTC()}, reg: prometheus.NewRegistry(), log: &bytes.Buffer{}}
	d.core = &core{tenant: recaller.Tenant{ID: "t1", DefaultRegion: "US", Telephone: p}, now: d.clock.now, calls: map[string]*recaller.Conversation{}}
	d.tokens = telephony.NewTokens(d.clock.now)
	twilio, err := signed.NewTwilio(telephonytest.Public, "", telephonytest.Token)
	if err != nil {
		t.Fatal(err)
	}
	telnyx, err := signed.NewTelnyx(telephonytest.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	opts := telephony.Options{Twilio: twilio, Telnyx: telnyx, PublicURL: telephonytest.Public}
	if change != nil {
		change(&opts)
	}
	log := slog.New(slog.NewTextHandler(d.log, nil))
	d.door, err = telephony.New(telephony.Deps{
		Gate: admission.New(nil, log, admission.Options{}), Tenants: d.core, Conversations: d.core, Texts: d.core, Tokens: d.tokens, Log: log,
		Registerer: d.reg, Now: d.clock.now,
	}, opts)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(d.door)
	t.Cleanup(srv.Close)
	d.Platform = telephonytest.Platform{Server: srv.URL, Now: d.clock.now}
	return d
}

func (d *desk) ring(id string) telephonytest.Answer {
	d.t.Helper()
	return d.Post(d.t, telephony.VoicePath, telephonytest.Ringing(id, theirs, ours))
}

// want wants a status, what is to be done, and how often the door has had a result.
func (d *desk) want(what string, a telephonytest.Answer, status int, verbs string) {
	d.t.Helper()
	if a.Status != status || a.XML.Names() != verbs {
		d.t.Errorf("%s: got %d, %q, %s; want %d, %q", what, a.Status, a.XML.Names(), a.Body, status, verbs)
	}
}

func (d *desk) counted(platform, webhook, result string, want int) {
	d.t.Helper()
	labels := map[string]string{"platform": platform, "webhook": webhook, "result": result}
	if got := d.value("recaller_telephone_requests_total", labels); got != want {
		d.t.Errorf("%s %s %s: counted %d, want %d", platform, webhook, result, got, want)
	}
}

// value reads a counter.
func (d *desk) value(name string, labels map[string]string) int {
	d.t.Helper()
	families, err := d.reg.Gather()
	if err != nil {
		d.t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			got := map[string]string{}
			for _, l := range m.GetLabel() {
				got[l.GetName()] = l.GetValue()
			}
			if f.GetName() == name && maps.Equal(got, labels) {
				return int(m.GetCounter().GetValue())
			}
		}
	}
	return 0
}

// says is a socket that only answers with a status.
type says int

func (s says) Serve(w http.ResponseWriter, _ *http.Request, _ telephony.Take) { w.WriteHeader(int(s)) }

// sockets are for both answers that need one.
func sockets(o *telephony.Options) {
	o.Sockets = map[recaller.TelephoneAnswer]telephony.Socket{recaller.AnswerRelay: says(http.StatusTeapot), recaller.AnswerBridge: says(http.StatusGone)}
}
