// Package wrapup is the work after a conversation, as steps: summarise, analyse, extract, embed (spec V5, P4, P6, W9,
// B8, B10, P12; design decision 5). Each step can be seen, retried, and repeated without a second effect: what it found
// and its own mark are one commit.
//
// Summary and memories are written by rules, or by a model where there is one; the labels always by rules. A model is
// asked outside of any transaction, what it claims is held against the words, and where it stays away or makes no sense
// the rules do its part (section 5 of the spec).
//
// The rules are in the packages below it (summary, label, extract; answer and evidence for what a model says), which
// know no storage; when work is tried again is the jobs package's business.
package wrapup

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/exam"
	"github.com/recallerhq/recaller/internal/wrapup/label"
)

// By says who wrote what this package writes by rules.
const By = "rules"

// MinVoice is how long a call must have lasted for memories to be extracted from it (W9).
const MinVoice = 30 * time.Second

// DefaultWindow is how much of a conversation is given to a model at once, in bytes, where Deps do not say: some 10,000
// tokens of English.
const DefaultWindow = 40 << 10

// Store is what this package asks of the store.
type Store interface {
	Conversation(ctx context.Context, tenant recaller.TenantID, ref string) (recaller.Conversation, error)
	// Conversations lists a caller's, newest first.
	Conversations(ctx context.Context, tenant recaller.TenantID, f recaller.ConversationFilter) (list []recaller.Conversation, next string, err error)
	Caller(ctx context.Context, tenant recaller.TenantID, id recaller.CallerID) (recaller.Caller, error)
	// ActiveMemories returns all that are active, newest confirmation first, and the content version that they are of;
	// only that where it is the one asked with.
	ActiveMemories(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, has int64) (list []recaller.Memory, version int64, err error)
	// Memories lists a caller's by a filter, last confirmed first.
	Memories(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, f recaller.MemoryFilter) (list []recaller.Memory, next string, err error)
	// Forgotten returns every version of the memories that are forgotten, Forgettings a number that rises with each change
	// of them.
	Forgotten(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) ([]recaller.Memory, error)
	Forgettings(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) (int64, error)
	Steps(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation) ([]recaller.StepProgress, error)
	// TryStep counts an attempt; false if the step needs no more doing.
	TryStep(ctx context.Context, tenant recaller.TenantID, conv recaller.ConversationID, step recaller.Step) (open bool, err error)
	// WriteStep writes what a step found and the step's own mark in one commit.
	WriteStep(ctx context.Context, tenant recaller.TenantID, in recaller.StepResult) (recaller.StepWritten, error)
	// AddCost adds to what the attempts at a step cost.
	AddCost(ctx context.Context, tenant recaller.TenantID, conv recaller.ConversationID, step recaller.Step, cost recaller.Cost) error
}

// Words reads a conversation's turns from wherever the retention keeps them.
type Words interface {
	Turns(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation) ([]recaller.Turn, error)
	// Discard lets words go that were kept only for the wrap-up, and tells whether there were any.
	Discard(tenant recaller.TenantID, conv recaller.Conversation) bool
}

// Tenants gives the settings of a tenant, defaults filled in, and the keyword packs that they name; a pack that is not
// known is Invalid.
type Tenants interface {
	Tenant(ctx context.Context, id recaller.TenantID) (recaller.Tenant, error)
	Packs(ctx context.Context, t recaller.Tenant) ([]label.Pack, error)
}

// Model answers questions. A failure has a Kind: Invalid where the same question would be refused again, any other
// where asking later may help. What it cost is told with failures too.
type Model interface {
	Ask(ctx context.Context, q recaller.Ask) (recaller.Answer, error)
	Model() string // its name, as summaries tell it
}

// Deps are what a Service needs; all are required but the Model, its Window and the Indexer.
type Deps struct {
	Store   Store
	Words   Words
	Tenants Tenants
	Model   Model      // nil: everything by rules
	Trust   exam.Trust // in its own words; "": exam.Auto
	Window  int        // bytes of a conversation that the model is given at once; 0: DefaultWindow
	Indexer Indexer    // nil: conversations are not made findable, and the step is skipped
	Changed func(recaller.Change)
	Log     *slog.Logger
	Metrics *Metrics
	Now     func() time.Time
	NewID   func() string
}

// Service writes conversations up. Safe for concurrent use.
type Service struct {
	Deps
	writer writer
	window *atomic.Int64 // of the model: Deps' until it says that it has less room
	record *exam.Record  // of the model: whether it may write in its own words
}

// writer writes the parts of a wrap-up that rules and models both can. An error means: again later; nothing was
// written.
type writer interface {
	summarise(ctx context.Context, w work) (recaller.StepResult, error)
	extract(ctx context.Context, w work) (recaller.StepResult, error)
}

// New returns a Service.
func New(deps Deps) *Service {
	if deps.Window <= 0 {
		deps.Window = DefaultWindow
	}
	s := &Service{Deps: deps, window: new(atomic.Int64), record: exam.NewRecord(deps.Trust)}
	s.window.Store(int64(deps.Window))
	s.writer = rules{s}
	if deps.Model != nil {
		s.writer = model{Service: s, rules: rules{s}}
	}
	return s
}

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
	var waits error // for the model, which the labels do not need
	for _, step := range recaller.Steps() {
		if waits != nil && step != recaller.StepAnalyse {
			continue
		}
		err := s.step(ctx, w, step, s.writer)
		if _, away := failed(err); err != nil && !away {
			return err
		}
		waits = cmp.Or(waits, err)
	}
	if waits != nil {
		return s.meanwhile(ctx, w, waits)
	}
	s.Words.Discard(j.Tenant, conv)
	return nil
}

// GiveUp ends the wrap-up of a conversation that was tried too often. Where there is a model the rules do what it left
// open; where even they cannot, and where there is none, the steps are marked as failed, so that a reader sees what
// there will not be. The embedding is left open for the nightly run, which needs no model and no job.
func (s *Service) GiveUp(ctx context.Context, j recaller.Job, cause error) error {
	conv, err := s.Store.Conversation(ctx, j.Tenant, j.Subject)
	if errors.Is(err, recaller.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if s.Model == nil {
		err = s.fail(ctx, j.Tenant, conv, cause)
	} else {
		err = s.byRules(ctx, j.Tenant, conv, cause)
	}
	if err != nil {
		return err
	}
	s.Words.Discard(j.Tenant, conv)
	return nil
}

// byRules does the open steps without the model. Words that cannot be read now are not waited for.
func (s *Service) byRules(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, cause error) error {
	w, err := s.read(ctx, tenant, conv)
	if err != nil {
		return s.fail(ctx, tenant, conv, cause)
	}
	instead := substitute{rules: rules{s}, reason: ReasonTooOften}
	if _, away := failed(cause); away {
		instead.reason = ReasonTooLongAway
	}
	for _, step := range recaller.Steps() {
		if err := s.step(ctx, w, step, instead); err != nil {
			return err
		}
	}
	return nil
}

// fail marks the steps that are open as failed, but for the embedding: the nightly run makes it of what there is.
func (s *Service) fail(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, cause error) error {
	for _, step := range recaller.Steps() {
		state := recaller.StepFailed
		if step == recaller.StepEmbed {
			state = recaller.StepPending
		}
		_, err := s.Store.WriteStep(ctx, tenant, recaller.StepResult{
			Conversation: conv.ID, Caller: conv.Caller, Step: step, State: state,
			Reason: string(recaller.KindOf(cause)), At: s.Now(),
		})
		if err != nil {
			return err
		}
		s.Metrics.steps.WithLabelValues(string(step), string(state)).Inc()
	}
	return nil
}
