// Package wrapup does the work after a conversation, in steps: summarise, analyse, extract, pin, embed, document (spec V5, V8, P4, P6,
// W9, B8, B10, P12; design decision 5). A step can be seen and retried. Repeating it has no second effect, because what it
// found and its own mark are one commit.
//
// The steps are rows of a list (list.go). A row says who does the step, on what conditions, and what happens while the
// model is away and when the step is given up. Beside it stand the kinds of conversation, each with the steps that it
// has. Plan tells the steps of a conversation that ends; they are stored with it, in their order, and Run does those.
//
// Summary and memories are written by the model if there is one, else by rules. The labels are always written by rules.
// The model is asked outside of any transaction. What it claims is checked against the words. If it is away, or makes
// no sense, the rules do its part (section 5 of the spec).
//
// The rules are in the packages below this one (summary, label, extract; answer and evidence for what a model says).
// They know no storage. The jobs package decides when work is tried again.
package wrapup

import (
	"context"
	"errors"
	"log/slog"
	"slices"
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

// DefaultWindow is how much of a conversation the model is given at once, in bytes, if Deps do not say: some 10,000
// tokens of English.
const DefaultWindow = 40 << 10

// Store is what this package asks of the store.
type Store interface {
	Conversation(ctx context.Context, tenant recaller.TenantID, ref string) (recaller.Conversation, error)
	// Conversations lists a caller's, newest first.
	Conversations(
		ctx context.Context, tenant recaller.TenantID, f recaller.ConversationFilter,
	) (list []recaller.Conversation, next string, err error)
	Caller(ctx context.Context, tenant recaller.TenantID, id recaller.CallerID) (recaller.Caller, error)
	// Resumable returns a caller's checkpoint with what may say more of his matter.
	Resumable(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) (recaller.Resumable, error)
	// ActiveMemories returns all that are active, newest confirmation first, and the content version that they are of. It
	// returns only the version if that is still the one that the caller of it has.
	ActiveMemories(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, has int64,
	) (list []recaller.Memory, version int64, err error)
	// Memories lists a caller's by a filter, last confirmed first.
	Memories(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, f recaller.MemoryFilter,
	) (list []recaller.Memory, next string, err error)
	// Forgotten returns every version of the memories that are forgotten. Forgettings returns a number that rises with
	// each change of them.
	Forgotten(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) ([]recaller.Memory, error)
	Forgettings(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) (int64, error)
	// Steps returns the steps of a conversation in the order in which they run.
	Steps(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation) ([]recaller.StepProgress, error)
	// TryStep counts an attempt. It returns false if the step needs no more doing.
	TryStep(
		ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, step recaller.Step,
	) (open bool, err error)
	// WriteStep writes what a step found and the step's own mark in one commit.
	WriteStep(ctx context.Context, tenant recaller.TenantID, in recaller.StepResult) (recaller.StepWritten, error)
	// WrittenUp tells that the wrap-up of a conversation is over, and may remove its job. It may be repeated.
	WrittenUp(
		ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, job recaller.Job, at time.Time,
	) error
	// AddCost adds to what the attempts at a step cost.
	AddCost(
		ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, step recaller.Step, cost recaller.Cost,
	) error
}

// Words reads a conversation's turns from wherever the retention keeps them.
type Words interface {
	Turns(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation) ([]recaller.Turn, error)
	// Discard lets words go that were kept only for the wrap-up. It reports whether there were any.
	Discard(tenant recaller.TenantID, conv recaller.Conversation) bool
}

// Tenants gives the settings of a tenant, defaults filled in, and the keyword packs that they name. A pack that is not
// known is Invalid.
type Tenants interface {
	Tenant(ctx context.Context, id recaller.TenantID) (recaller.Tenant, error)
	Packs(ctx context.Context, t recaller.Tenant) ([]label.Pack, error)
}

// Model answers questions. A failure is Invalid if the same question would be refused again. With any other Kind asking
// later may help. A failure tells what it cost, too.
type Model interface {
	Ask(ctx context.Context, q recaller.Ask) (recaller.Answer, error)
	Model() string // its name, as summaries tell it
}

// Deps are what a Service needs. All are required, except those whose comment says what a zero value means.
type Deps struct {
	Store   Store
	Words   Words
	Tenants Tenants
	Model   Model      // nil: everything by rules
	Trust   exam.Trust // in its own words; "": exam.Auto
	Window  int        // bytes of a conversation that the model is given at once; 0 or less: DefaultWindow
	Indexer Indexer    // nil: conversations are not made findable, and the step is skipped
	Pins    Pins       // nil: no topics are pinned, and the step is skipped
	// Documents is nil where voice conversations get no documents (V10); the step is skipped.
	Documents Documents
	Threads   Threads
	// EndStretch ends a conversation of a thread, which goes on in another one.
	EndStretch func(ctx context.Context, tenant recaller.TenantID, conv recaller.ConversationID) error
	Changed    func(recaller.Change) // told of every change, after its commit
	Log        *slog.Logger
	Metrics    *Metrics
	Now        func() time.Time
	NewID      func() string
}

// Service writes conversations up. Safe for concurrent use.
type Service struct {
	Deps
	steps  []step        // all that there are
	window *atomic.Int64 // of the model: Deps' until it says that it has less room
	record *exam.Record  // of the model: whether it may write in its own words
	long   chan struct{} // full while the rules write up a long conversation
}

// New returns a Service.
func New(deps Deps) *Service {
	if deps.Window <= 0 {
		deps.Window = DefaultWindow
	}
	s := &Service{Deps: deps, window: new(atomic.Int64), record: exam.NewRecord(deps.Trust), long: make(chan struct{}, 1)}
	s.window.Store(int64(deps.Window))
	s.steps = s.list()
	return s
}

// Run does the steps of a conversation's wrap-up that are open. A conversation that is gone needs none.
func (s *Service) Run(ctx context.Context, j recaller.Job) error {
	conv, open, err := s.open(ctx, j)
	if err != nil || conv.ID == "" {
		return err
	}
	if recaller.WrapupOf(conv) == recaller.JobLongWrapup && s.Model == nil { // also one that was queued as a short one
		select {
		case s.long <- struct{}{}:
			defer func() { <-s.long }()
		case <-ctx.Done():
			return recaller.Wrap(recaller.Timeout, ctx.Err(), "the conversation was not written up in time")
		}
	}
	w, err := s.read(ctx, j.Tenant, conv)
	if err != nil {
		return err
	}
	var cause error // why steps wait for the model
	var waiting []recaller.StepProgress
	for _, p := range open {
		st, known := s.find(p.Step)
		if !known {
			return recaller.Errorf(recaller.Unavailable, "only a later version can do a step of the wrap-up")
		}
		if cause != nil && !st.alone {
			waiting = append(waiting, p)
			continue
		}
		err := s.do(ctx, w, st, s.by(st))
		if _, away := failed(err); away {
			cause, waiting = err, append(waiting, p)
		} else if err != nil {
			return err
		}
	}
	if cause != nil {
		return s.meanwhile(ctx, w, waiting, cause)
	}
	return s.over(ctx, j, conv)
}

// over ends a wrap-up, and tells of it.
func (s *Service) over(ctx context.Context, j recaller.Job, conv recaller.Conversation) error {
	s.Words.Discard(j.Tenant, conv)
	return s.Store.WrittenUp(ctx, j.Tenant, conv, j, s.Now())
}

// open returns the conversation of a job, and the steps that are still to be done, in their order. The conversation is
// zero if it is gone.
func (s *Service) open(
	ctx context.Context, j recaller.Job,
) (recaller.Conversation, []recaller.StepProgress, error) {
	conv, err := s.Store.Conversation(ctx, j.Tenant, j.Subject)
	if errors.Is(err, recaller.NotFound) {
		return recaller.Conversation{}, nil, nil
	}
	if err != nil {
		return recaller.Conversation{}, nil, err
	}
	steps, err := s.Store.Steps(ctx, j.Tenant, conv)
	done := func(p recaller.StepProgress) bool { return p.State != recaller.StepPending }
	return conv, slices.DeleteFunc(steps, done), err
}

// by is who does a step.
func (s *Service) by(st step) part {
	if s.Model != nil && st.model != nil {
		return st.model
	}
	return st.rules
}

// GiveUp ends the wrap-up of a conversation that was tried too often. If there is a model, the rules do what it left
// open. If even they cannot, or if there is no model, the steps are marked as failed, so that a reader sees what there
// will not be. The embedding is left open for the nightly run.
func (s *Service) GiveUp(ctx context.Context, j recaller.Job, cause error) error {
	conv, open, err := s.open(ctx, j)
	if err != nil || conv.ID == "" {
		return err
	}
	var w work
	readable := false
	if s.Model != nil { // words that cannot be read now are not waited for
		w, err = s.read(ctx, j.Tenant, conv)
		readable = err == nil
	}
	for _, p := range open {
		st, known := s.find(p.Step)
		if readable && known {
			err = s.do(ctx, w, st, st.givenUp(cause))
		} else {
			err = s.fail(ctx, j.Tenant, conv, st, cause)
		}
		if err != nil {
			return err
		}
	}
	return s.over(ctx, j, conv)
}

// fail marks a step as failed, or leaves it to the nightly run.
func (s *Service) fail(
	ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, st step, cause error,
) error {
	state := recaller.StepFailed
	if st.nightly {
		state = recaller.StepPending
	}
	_, err := s.Store.WriteStep(ctx, tenant, recaller.StepResult{
		Conversation: conv.ID, Caller: conv.Caller, Step: st.name, State: state, Remembers: st.remembers,
		Reason: string(recaller.KindOf(cause)), At: s.Now(),
	})
	if err == nil {
		s.Metrics.steps.WithLabelValues(string(st.name), string(state)).Inc()
	}
	return err
}
