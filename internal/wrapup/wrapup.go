// Package wrapup is the work after a conversation, as steps: summarise, analyse, extract (spec V5, P4, W9, B8, B10, P12;
// design decision 5). Each step can be seen, retried, and repeated without a second effect: what it found and its own
// mark are one commit.
//
// The rules are in the packages below it (summary, label, extract), which know no storage; when work is tried again is
// the jobs package's business.
package wrapup

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/identity"
	"github.com/recallerhq/recaller/internal/wrapup/extract"
	"github.com/recallerhq/recaller/internal/wrapup/label"
	"github.com/recallerhq/recaller/internal/wrapup/summary"
)

// By says who wrote what this package writes.
const By = "rules"

// MinVoice is how long a call must have lasted for memories to be extracted from it (W9).
const MinVoice = 30 * time.Second

// Store is what this package asks of the store.
type Store interface {
	Conversation(ctx context.Context, tenant recaller.TenantID, ref string) (recaller.Conversation, error)
	Caller(ctx context.Context, tenant recaller.TenantID, id recaller.CallerID) (recaller.Caller, error)
	Steps(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation) ([]recaller.StepProgress, error)
	// TryStep counts an attempt; false if the step needs no more doing.
	TryStep(ctx context.Context, tenant recaller.TenantID, conv recaller.ConversationID, step recaller.Step) (open bool, err error)
	// WriteStep writes what a step found and the step's own mark in one commit.
	WriteStep(ctx context.Context, tenant recaller.TenantID, in recaller.StepResult) (recaller.StepWritten, error)
}

// Words reads a conversation's turns from wherever the retention keeps them.
type Words interface {
	Turns(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation) ([]recaller.Turn, error)
}

// Tenants gives the settings of a tenant, defaults filled in.
type Tenants interface {
	Tenant(ctx context.Context, id recaller.TenantID) (recaller.Tenant, error)
}

// Deps are what a Service needs; all are required.
type Deps struct {
	Store   Store
	Words   Words
	Tenants Tenants
	Changed func(recaller.Change)
	Discard func(recaller.TenantID, recaller.Conversation) // words that were kept only for the wrap-up may go
	Log     *slog.Logger
	Metrics *Metrics
	Now     func() time.Time
	NewID   func() string
}

// Service writes conversations up. Safe for concurrent use.
type Service struct{ Deps }

// New returns a Service.
func New(deps Deps) *Service { return &Service{deps} }

// Run does the steps of a conversation's wrap-up that are not done yet. A conversation that is gone needs none.
func (s *Service) Run(ctx context.Context, j recaller.Job) error {
	conv, err := s.Store.Conversation(ctx, j.Tenant, j.Subject)
	if errors.Is(err, recaller.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	w, err := s.read(ctx, j.Tenant, conv)
	if err != nil {
		return err
	}
	for _, step := range recaller.Steps() {
		if err := s.step(ctx, w, step); err != nil {
			return err
		}
	}
	s.Discard(j.Tenant, conv)
	return nil
}

// GiveUp marks the steps that are not done as failed, so that a reader sees what there will not be.
func (s *Service) GiveUp(ctx context.Context, j recaller.Job, cause error) error {
	conv, err := s.Store.Conversation(ctx, j.Tenant, j.Subject)
	if errors.Is(err, recaller.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, step := range recaller.Steps() {
		_, err := s.Store.WriteStep(ctx, j.Tenant, recaller.StepResult{
			Conversation: conv.ID, Caller: conv.Caller, Step: step, State: recaller.StepFailed,
			Reason: string(recaller.KindOf(cause)), At: s.Now(),
		})
		if err != nil {
			return err
		}
		s.Metrics.steps.WithLabelValues(string(step), string(recaller.StepFailed)).Inc()
	}
	s.Discard(j.Tenant, conv)
	return nil
}

// work is a conversation with what its wrap-up needs to know.
type work struct {
	tenant recaller.Tenant
	caller recaller.Caller
	conv   recaller.Conversation
	turns  []recaller.Turn
	zone   *time.Location
	found  []extract.Candidate // what the caller said of himself
}

func (s *Service) read(ctx context.Context, tenantID recaller.TenantID, conv recaller.Conversation) (work, error) {
	w := work{conv: conv}
	var err error
	if w.tenant, err = s.Tenants.Tenant(ctx, tenantID); err != nil {
		return w, err
	}
	if w.caller, err = s.Store.Caller(ctx, tenantID, conv.Caller); err != nil {
		return w, err
	}
	if w.turns, err = s.Words.Turns(ctx, tenantID, conv); err != nil {
		return w, err
	}
	w.zone = identity.ZoneOf(w.caller, w.tenant)
	w.found = extract.Memories(w.turns, extract.Options{Base: w.conv.StartedAt.In(w.zone), DayFirst: identity.DayFirst(w.caller, w.tenant)})
	return w, nil
}

func (s *Service) step(ctx context.Context, w work, step recaller.Step) error {
	open, err := s.Store.TryStep(ctx, w.tenant.ID, w.conv.ID, step)
	if err != nil || !open {
		return err
	}
	began := s.Now()
	r := s.result(w, step)
	r.Conversation, r.Caller, r.Step, r.At = w.conv.ID, w.conv.Caller, step, s.Now()
	written, err := s.Store.WriteStep(ctx, w.tenant.ID, r)
	if err != nil || written.Already {
		return err
	}
	for _, c := range written.Changes {
		s.Changed(c)
	}
	s.observe(w, r, written, s.Now().Sub(began))
	return nil
}

// result does the work of one step. It cannot fail: the rules have an answer for any words.
func (s *Service) result(w work, step recaller.Step) recaller.StepResult {
	if why := skip(w, step); why != "" {
		return recaller.StepResult{State: recaller.StepSkipped, Reason: why}
	}
	r := recaller.StepResult{State: recaller.StepDone, By: By}
	switch step {
	case recaller.StepSummarise:
		sum := summary.Write(w.turns, summary.Options{
			StartedAt: w.conv.StartedAt.In(w.zone), CallerName: w.caller.Name,
			Typed: w.conv.Channel.Text(), Remembered: s.remembered(w),
		})
		date(&sum, w.conv.StartedAt.In(w.zone), identity.DayFirst(w.caller, w.tenant))
		r.Summary = &sum
		r.Name, _, _ = extract.Name(w.turns) // a name is kept from every conversation, however short (P12)
	case recaller.StepAnalyse:
		packs, err := label.Packs(w.tenant.Packs)
		if err != nil { // settings are checked when they are set; a pack of a later version may be missing in this one
			return recaller.StepResult{State: recaller.StepFailed, Reason: "a keyword pack is not known"}
		}
		a := label.Analyse(w.turns, packs)
		r.Analysis = &a
	case recaller.StepExtract:
		r.Memories = s.memories(w)
	}
	return r
}

// skip tells why a step's conditions do not hold; "" if they do.
func skip(w work, step recaller.Step) string {
	if len(w.turns) == 0 && w.conv.Turns > 0 {
		return "the words are gone"
	}
	if step != recaller.StepExtract || w.conv.Channel.Text() {
		return ""
	}
	switch { // W9
	case w.conv.Reminder:
		return "a reminder call"
	case len(w.turns) == 0:
		return "never connected"
	case w.conv.Duration < MinVoice:
		return "shorter than 30 seconds"
	}
	return ""
}

// remembered are the values of the memories that will come of the conversation.
func (s *Service) remembered(w work) []string {
	if skip(w, recaller.StepExtract) != "" {
		return nil
	}
	var out []string
	for _, c := range w.found {
		out = append(out, c.Value)
	}
	return out
}

func (s *Service) memories(w work) []recaller.Memory {
	found := w.found
	out := make([]recaller.Memory, len(found))
	for i, c := range found {
		out[i] = recaller.Memory{
			ID: recaller.MemoryID(s.NewID()), Caller: w.conv.Caller, Type: c.Type, Key: c.Key, Value: c.Value,
			Confidence: c.Confidence, Source: recaller.SourceExtraction, PrivacyScope: recaller.LineOnly,
			DueAt: c.DueAt, DueDay: c.DueDay,
			Provenance: recaller.Provenance{Conversation: w.conv.ID, Turns: c.Turns},
			// A fact is as old as its words, also when a past conversation is imported.
			CreatedAt: said(w, c.Turns), ConfirmedAt: said(w, c.Turns),
		}
	}
	return out
}

// said is when the last of the turns was said.
func said(w work, turns []int) time.Time {
	if len(turns) > 0 {
		if n := turns[len(turns)-1]; n >= 0 && n < len(w.turns) {
			return w.turns[n].At
		}
	}
	return w.conv.StartedAt
}

func (s *Service) observe(w work, r recaller.StepResult, written recaller.StepWritten, took time.Duration) {
	stored := 0
	for _, m := range written.Stored {
		if m.Action == recaller.MemoryCreated {
			stored++
		}
	}
	s.Metrics.steps.WithLabelValues(string(r.Step), string(r.State)).Inc()
	s.Metrics.seconds.WithLabelValues(string(r.Step)).Observe(took.Seconds())
	if r.Step == recaller.StepExtract && r.State == recaller.StepDone {
		s.Metrics.extracted.Observe(float64(len(r.Memories)))
		s.Metrics.stored.Add(float64(stored))
	}
	s.Log.Info("wrap-up step", "tenant", w.tenant.ID, "conversation", w.conv.ID, "step", r.Step, "state", r.State,
		"by", r.By, "turns", len(w.turns), "extracted", len(r.Memories), "stored", stored, "dur_ms", took.Milliseconds())
}

// Metrics counts what wrap-up does. Labels are closed sets.
type Metrics struct {
	steps     *prometheus.CounterVec
	seconds   *prometheus.HistogramVec
	extracted prometheus.Histogram
	stored    prometheus.Counter
}

// NewMetrics registers the metrics.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		steps:     prometheus.NewCounterVec(prometheus.CounterOpts{Name: "recaller_wrapup_steps_total", Help: "Wrap-up steps, by how they ended."}, []string{"step", "state"}),
		seconds:   prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "recaller_wrapup_step_duration_seconds", Help: "How long wrap-up steps took.", Buckets: prometheus.ExponentialBuckets(0.0005, 4, 9)}, []string{"step"}),
		extracted: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "recaller_memories_extracted", Help: "Memories found in one conversation.", Buckets: []float64{0, 1, 2, 5, 10, 20, 50}}),
		stored:    prometheus.NewCounter(prometheus.CounterOpts{Name: "recaller_memories_extracted_stored_total", Help: "Memories found in conversations that were new."}),
	}
	reg.MustRegister(m.steps, m.seconds, m.extracted, m.stored)
	return m
}
