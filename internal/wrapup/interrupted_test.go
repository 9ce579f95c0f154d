package wrapup_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/usecasetest"
	"github.com/recallerhq/recaller/internal/wrapup"
)

// frail is a store and a model of which every call may fail, before it is carried out or after.
type frail struct {
	*store.Store
	usecasetest.Faults
	model wrapup.Model
}

// call makes a call that gives something.
func call[T any](f *frail, name string, do func() (T, error)) (out T, err error) {
	err = f.Call(name, func() (err error) {
		out, err = do()
		return err
	})
	return out, err
}

func (f *frail) Conversation(ctx context.Context, tenant recaller.TenantID, ref string) (recaller.Conversation, error) {
	return call(f, "Conversation", func() (recaller.Conversation, error) { return f.Store.Conversation(ctx, tenant, ref) })
}

func (f *frail) Conversations(ctx context.Context, tenant recaller.TenantID, filter recaller.ConversationFilter) (list []recaller.Conversation, next string, err error) {
	list, err = call(f, "Conversations", func() (list []recaller.Conversation, err error) {
		list, next, err = f.Store.Conversations(ctx, tenant, filter)
		return list, err
	})
	return list, next, err
}

func (f *frail) Caller(ctx context.Context, tenant recaller.TenantID, id recaller.CallerID) (recaller.Caller, error) {
	return call(f, "Caller", func() (recaller.Caller, error) { return f.Store.Caller(ctx, tenant, id) })
}

func (f *frail) ActiveMemories(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, has int64) (list []recaller.Memory, version int64, err error) {
	list, err = call(f, "ActiveMemories", func() (found []recaller.Memory, err error) {
		found, version, err = f.Store.ActiveMemories(ctx, tenant, caller, has)
		return found, err
	})
	return list, version, err
}

func (f *frail) Memories(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, filter recaller.MemoryFilter) (list []recaller.Memory, next string, err error) {
	list, err = call(f, "Memories", func() (list []recaller.Memory, err error) {
		list, next, err = f.Store.Memories(ctx, tenant, caller, filter)
		return list, err
	})
	return list, next, err
}

func (f *frail) Steps(
	ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation,
) ([]recaller.StepProgress, error) {
	return call(f, "Steps", func() ([]recaller.StepProgress, error) { return f.Store.Steps(ctx, tenant, conv) })
}

func (f *frail) TryStep(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, step recaller.Step) (bool, error) {
	return call(f, "TryStep", func() (bool, error) { return f.Store.TryStep(ctx, tenant, conv, step) })
}

func (f *frail) WriteStep(ctx context.Context, tenant recaller.TenantID, in recaller.StepResult) (recaller.StepWritten, error) {
	return call(f, "WriteStep", func() (recaller.StepWritten, error) { return f.Store.WriteStep(ctx, tenant, in) })
}

func (f *frail) AddCost(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, step recaller.Step, cost recaller.Cost) error {
	return f.Call("AddCost", func() error { return f.Store.AddCost(ctx, tenant, conv, step, cost) })
}

// Model implements wrapup.Model.
func (f *frail) Model() string { return f.model.Model() }

// Ask implements wrapup.Model.
func (f *frail) Ask(ctx context.Context, q recaller.Ask) (recaller.Answer, error) {
	return call(f, "Ask", func() (recaller.Answer, error) { return f.model.Ask(ctx, q) })
}

// left is what a wrap-up leaves, without what may differ from run to run: ids, attempts, costs, the times of work.
type left struct {
	Steps    string
	Summary  recaller.Summary
	Analysis recaller.Analysis
	Name     string
	Memories []string
	By       []string
}

func (h *house) left(conv recaller.Conversation) left {
	h.Helper()
	conv = h.conversation(conv.ID)
	c, err := h.store.Caller(h.ctx, "t1", conv.Caller)
	h.ok(err)
	out := left{Steps: h.steps(conv), Summary: *conv.Summary, Analysis: *conv.Analysis, Name: c.Name}
	for key, m := range h.memories(conv.Caller) {
		dispute := ""
		if m.Dispute != nil {
			dispute = m.Dispute.Value
		}
		out.Memories = append(out.Memories, fmt.Sprintf("%s=%s %v %.2f v%d %v %s", key, m.Value, m.Provenance.Turns, m.Confidence, m.Version, m.CreatedAt.Sub(conv.StartedAt), dispute))
	}
	slices.Sort(out.Memories)
	for _, step := range order {
		p := h.progress(conv, step)
		out.By = append(out.By, fmt.Sprintf("%s %s found %d dropped %d stored %d", p.By, p.Prompt, p.Found, p.Dropped, p.Stored))
	}
	return out
}

// disturb runs one wrap-up on a house of its own until it is done; hit is told of every call, and may make it fail.
func disturb(t *testing.T, hit func(f *frail)) left {
	t.Helper()
	f := &frail{model: &asked{callsEach: recaller.Cost{Calls: 1}, memories: claims(
		fact("home_life", "lives alone", 1), fact("living_situation", "lives alone since my wife died", 1), fact("nonsense", "owns a submarine in Murmansk", 1),
		claim{Type: "follow_up", Key: "doctor_appointment", Value: "doctor's appointment tomorrow at three", Confidence: 0.9, Turns: []int{3}},
	)}}
	h := newHouse(t, recaller.Tenant{})
	f.Store, h.model = h.store, f
	h.behind = func(*store.Store) wrapup.Store { return f }
	h.reopen()
	conv, job := h.hold(past{words: append([]string{"assistant: Hello.", "user: My name is Rosa Klein, and I live alone since my wife died."}, chat[2:]...)})
	h.remember(conv, "living_situation", "shares a house with Otto", conv.StartedAt.Add(-7*24*3600e9), false)
	hit(f)
	for range 10 {
		if err := h.service.Run(h.ctx, job); err == nil {
			return h.left(conv)
		}
		h.reopen() // by another process
	}
	t.Fatal("ten runs did not wrap the conversation up")
	return left{}
}

// A process may die, and a provider or the database may fail, before any call and after it: what is left in the end is
// what one undisturbed run leaves.
func TestAWrapUpDisturbedAnywhereLeavesTheSame(t *testing.T) {
	t.Parallel()
	var calls []string
	var whole *frail
	want := disturb(t, func(f *frail) { whole = f })
	calls = whole.Seen()
	if len(calls) < 15 || !slices.Contains(calls, "Ask") || want.Steps != "summarise done, analyse done, extract done" || len(want.Memories) < 3 {
		t.Fatalf("got %v and %+v, want a wrap-up with everything in it", calls, want)
	}
	for i, name := range calls {
		nth := 0
		for _, earlier := range calls[:i] {
			if earlier == name {
				nth++
			}
		}
		for _, when := range []string{"before", "after"} {
			t.Run(fmt.Sprintf("%s call %d %s", when, i, name), func(t *testing.T) {
				t.Parallel()
				got := disturb(t, func(f *frail) {
					set := map[string]func(string, func() error){"before": f.Before, "after": f.After}[when]
					set(name, failAt(nth, recaller.Wrap(recaller.Unavailable, errDied, "away")))
				})
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("left (-undisturbed +disturbed):\n%s", diff)
				}
			})
		}
	}
}

// failAt is a fault of the nth call only, counted from 0.
func failAt(nth int, err error) func() error {
	n := -1
	return func() error {
		if n++; n == nth {
			return err
		}
		return nil
	}
}

// A job that is run twice at once, as it is when its lease runs out under a slow model, leaves what one run leaves.
func TestTwoProcessesWithTheSameJobDoubleNothing(t *testing.T) {
	m := &asked{}
	h := newHouseWith(t, recaller.Tenant{}, m)
	conv, job := h.hold(past{words: chat})
	first := h.service
	m.memories = func(q recaller.Ask) (string, error) {
		m.memories = parrotMemories
		h.reopen()
		h.ok(h.service.Run(h.ctx, job)) // the other one, from beginning to end
		return claimsJSON(fact("living_situation", "lives alone", 1), fact("home_life", "lives alone", 1)), nil
	}
	if err := first.Run(h.ctx, job); err != nil && !errors.Is(err, recaller.Conflict) {
		t.Fatal(err)
	}
	for key, held := range h.memories(conv.Caller) {
		if held.Version != 1 || held.Dispute != nil {
			t.Errorf("%s: got version %d, disputed by %v", key, held.Version, held.Dispute)
		}
	}
	if p := h.progress(conv, recaller.StepExtract); p.Stored != len(h.memories(conv.Caller)) {
		t.Errorf("got %d counted and %v held, want as many", p.Stored, h.values(conv.Caller))
	}
	if _, there := h.values(conv.Caller)["home_life"]; there {
		t.Errorf("got %v, want only what the run that was done first found", h.values(conv.Caller))
	}
}
