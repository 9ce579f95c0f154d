package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

// hearing is what was told of a tenant's events.
type hearing struct {
	mu     sync.Mutex
	told   []recaller.Event
	queued int
}

func (h *hearing) take() (out []recaller.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	out, h.told = h.told, nil
	return out
}

// announced has the first tenant's webhook told of some types of event. It must be the only goroutine then.
func (b *bench) announced(stream bool, types ...recaller.EventType) *hearing {
	h := &hearing{}
	b.Store.Announce(store.Herald{
		Audience: func(_ context.Context, tenant recaller.TenantID) (store.Audience, error) {
			if tenant != "t1" {
				return store.Audience{}, nil
			}
			return store.Audience{Webhook: types, Stream: stream}, nil
		},
		Committed: func(tenant recaller.TenantID, events []recaller.Event, queued bool) {
			h.mu.Lock()
			defer h.mu.Unlock()
			eq(b, "whose", tenant, "t1")
			h.told = append(h.told, events...)
			if queued {
				h.queued++
			}
		},
	})
	return h
}

// waiting returns what the first tenant's webhook has not taken, in the order in which it happened.
func (b *bench) waiting(status recaller.DispatchStatus) (list []recaller.Dispatch) {
	b.Helper()
	list, _, err := b.Store.Dispatches(b.ctx, "t1", recaller.DispatchFilter{Status: status})
	b.ok(err)
	b.own(list)
	out := make([]recaller.Dispatch, 0, len(list))
	for i := len(list) - 1; i >= 0; i-- {
		out = append(out, list[i])
	}
	return out
}

// named tells events as "conversation.ended; memory.created 1".
func named[E any](list []E, of func(E) recaller.Event) string {
	var out []string
	for _, one := range list {
		e := of(one)
		if e.Memory != "" {
			out = append(out, fmt.Sprint(e.Type, " ", e.MemoryVersion))
			continue
		}
		out = append(out, string(e.Type))
	}
	return strings.Join(out, "; ")
}

func told(e recaller.Event) recaller.Event { return e }

func dispatched(d recaller.Dispatch) recaller.Event { return d.Event }

func eventsOfCommits(b *bench) {
	h := b.announced(false, recaller.EventTypes()...)
	o := b.open("t1", opening{})
	eq(b, "a new caller", named(h.take(), told), "caller.created")
	b.open("t1", opening{}) // he is known
	b.now = b.now.Add(time.Second)
	m := b.remember("t1", o.Caller.ID, "tea", "Assam").Memory
	b.remember("t1", o.Caller.ID, "tea", "Assam") // a confirmation
	b.remember("t1", o.Caller.ID, "tea", "Darjeeling")
	b.forget(m.ID)
	_, err := b.undo(m.ID, 0)
	b.ok(err)
	eq(b, "of a memory", named(h.take(), told), "memory.created 1; memory.updated 2; memory.forgotten 2; memory.updated 3")
	b.now = b.now.Add(time.Second)
	closing := b.closing(o, recaller.Completed)
	closed, err := b.Store.CloseConversation(b.ctx, "t1", closing)
	b.ok(err)
	wrapup := *closing.Job
	wrapup.Tenant = "t1"
	b.close(o, recaller.Completed) // again: nothing ended
	b.ok(b.Store.WrittenUp(b.ctx, "t1", closed.Conversation, wrapup, b.later(time.Second)))
	b.ok(b.Store.WrittenUp(b.ctx, "t1", closed.Conversation, recaller.Job{}, b.later(time.Second))) // the job ran twice
	both := h.take()
	eq(b, "of the call", named(both, told), "conversation.ended; conversation.written_up; conversation.written_up")
	eq(b, "the same event", both[1].ID == both[2].ID && both[0].ID != both[1].ID, true)

	all := b.waiting("")
	eq(b, "each waits once", named(all, dispatched),
		"caller.created; memory.created 1; memory.updated 2; memory.forgotten 2; memory.updated 3; conversation.ended; conversation.written_up")
	ids, last := map[recaller.EventID]bool{}, int64(0)
	for _, d := range all {
		eq(b, "whole", fmt.Sprint(d.Caller, d.Status, d.Attempts, d.Reason, d.ClosedAt.IsZero()), fmt.Sprint(o.Caller.ID, recaller.DispatchPending, 0, "", true))
		ids[d.ID], last = true, max(last, d.Sequence)
		eq(b, "the sequence never falls", d.Sequence, last)
	}
	eq(b, "each has an id of its own", len(ids), len(all))
	jobs := map[string]recaller.Job{}
	for _, j := range b.claim(b.now.Add(time.Minute), b.now.Add(time.Hour), 50) {
		switch j.Kind {
		case recaller.JobDispatch:
			jobs[j.Subject] = j
		case recaller.JobWrapup:
			b.Error("the job of the wrap-up is there after it was told")
		}
	}
	for _, d := range all {
		eq(b, "and its job", jobs[string(d.ID)].Caller, o.Caller.ID)
	}
	eq(b, "each commit woke the workers", h.queued, 8)
}

func eventsOfSteps(b *bench) {
	h := b.announced(false, recaller.EventMemoryCreated, recaller.EventConversationEnded)
	o := b.open("t1", opening{})
	b.say("t1", o, "user: I keep bees")
	said := []recaller.Memory{b.memory(o.Caller.ID, "hobby", "bees"), b.memory(o.Caller.ID, "home", "Ely")}
	b.close(o, recaller.Completed)
	_, err := b.Store.WriteStep(b.ctx, "t1", recaller.StepResult{
		Conversation: o.Conversation.ID, Caller: o.Caller.ID, Step: recaller.StepExtract, Remembers: true, State: recaller.StepDone,
		Memories: said, At: b.later(time.Minute),
	})
	b.ok(err)
	found := h.take()
	eq(b, "what it asks for", named(found, told), "conversation.ended; memory.created 1; memory.created 1")
	eq(b, "what is found happened when it was found", found[1].At, b.now)
	b.announced(false)
	b.remember("t1", o.Caller.ID, "tea", "Assam")
	eq(b, "where it asks for nothing, nothing waits", len(b.waiting("")), 3)
	h = b.announced(true)
	_, err = b.Store.Introduce(b.ctx, "t1", recaller.Introducing{
		Identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: "+15551239999"}}, NewCaller: "new", At: b.now,
	})
	b.ok(err)
	eq(b, "who listens is told", named(h.take(), told), "caller.created")
	eq(b, "and nothing is queued", fmt.Sprint(len(b.waiting("")), h.queued), "3 0")
}

func endedTwice(b *bench) {
	h := b.announced(false, recaller.EventConversationEnded, recaller.EventConversationWrittenUp)
	o := b.open("t1", opening{external: "CA9"})
	closing := b.closing(o, recaller.Failed)
	closing.Cut = true
	first, err := b.Store.CloseConversation(b.ctx, "t1", closing)
	b.ok(err)
	req := b.request(opening{external: "CA9"})
	req.Resume = true
	_, err = b.Store.OpenConversation(b.ctx, "t1", req)
	b.ok(err)
	b.ok(b.Store.WrittenUp(b.ctx, "t1", first.Conversation, recaller.Job{}, b.now)) // the first wrap-up comes to its end meanwhile
	eq(b, "one that goes on is not written up", named(h.take(), told), "conversation.ended")
	b.later(time.Minute)
	b.close(o, recaller.Completed)
	eq(b, "it ended again", named(h.take(), told), "conversation.ended")
	ends := b.waiting("")
	eq(b, "which is another event", len(ends) == 2 && ends[0].ID != ends[1].ID, true)
}

func dispatches(b *bench) {
	b.announced(false, recaller.EventTypes()...)
	o := b.open("t1", opening{})
	b.later(time.Second)
	b.close(o, recaller.Completed)
	b.announced(false)
	list := b.waiting(recaller.DispatchPending)
	first, second := list[0], list[1]
	b.fails(b.Store.TryDispatch(b.ctx, "t1", first, "what the receiver said"), recaller.Internal)
	b.ok(b.Store.TryDispatch(b.ctx, "t1", first, recaller.ReasonServerError))
	b.ok(b.Store.TryDispatch(b.ctx, "t1", first, recaller.ReasonUnreachable))
	got, err := b.Store.Dispatch(b.ctx, "t1", first.ID)
	b.ok(err)
	eq(b, "tries are counted", fmt.Sprintln(got.Attempts, got.Reason, got.Status), "2 unreachable pending\n")
	b.ok(b.Store.BuryDispatch(b.ctx, "t1", first, recaller.ReasonUnreachable, b.now))
	b.ok(b.Store.TryDispatch(b.ctx, "t1", first, recaller.ReasonRefused)) // a try that was late changes nothing
	dead := b.waiting(recaller.DispatchDead)
	eq(b, "the dead ones", fmt.Sprint(named(dead, dispatched), dead[0].ClosedAt, dead[0].Reason), fmt.Sprint("caller.created", b.now, "unreachable"))
	eq(b, "the others", named(b.waiting(recaller.DispatchPending), dispatched), "conversation.ended")
	ids, err := b.Store.DeadDispatches(b.ctx, "t1", 10)
	b.ok(err)
	eq(b, "their ids", fmt.Sprint(ids), fmt.Sprint([]recaller.EventID{first.ID}))
	_, err = b.Store.ReviveDispatch(b.ctx, "t2", first.ID, "job", b.now)
	b.fails(err, recaller.NotFound)

	at := b.now.AddDate(0, 1, 0)
	again, err := b.Store.ReviveDispatch(b.ctx, "t1", first.ID, "once more", at)
	b.ok(err)
	eq(b, "it is pending again", fmt.Sprintln(again.Status, again.Attempts, again.Reason, again.ClosedAt.IsZero()), "pending 0  true\n")
	b.ok(b.Store.FinishJob(b.ctx, recaller.Job{ID: string(first.ID), Tenant: "t1", Kind: recaller.JobDispatch, Subject: string(first.ID)})) // who ran the old one
	due, err := b.Store.DueJobs(b.ctx, at, "t1", 50)
	b.ok(err)
	var revived []string
	for _, j := range due {
		if j.Subject == string(first.ID) {
			revived = append(revived, j.ID)
		}
	}
	eq(b, "with a job of its own", fmt.Sprint(revived), "[once more]")

	b.ok(b.Store.FinishDispatch(b.ctx, "t1", second))
	b.ok(b.Store.FinishDispatch(b.ctx, "t1", second))
	_, err = b.Store.Dispatch(b.ctx, "t1", second.ID)
	b.fails(err, recaller.NotFound)
	b.ok(b.Store.BuryDispatch(b.ctx, "t1", first, recaller.ReasonRefused, b.now))
	b.ok(b.Store.PruneDispatches(b.ctx, b.now))
	eq(b, "one that was just given up on stays", len(b.waiting("")), 1)
	b.ok(b.Store.PruneDispatches(b.ctx, b.now.Add(time.Microsecond)))
	eq(b, "an old one goes", len(b.waiting("")), 0)
}

func dispatchPages(b *bench) {
	b.announced(false, recaller.EventMemoryCreated)
	o := b.open("t1", opening{})
	for i := range 5 {
		b.remember("t1", o.Caller.ID, fmt.Sprint("key_", i), "x")
	}
	f := recaller.DispatchFilter{Status: recaller.DispatchPending, Page: recaller.Page{Limit: 2}}
	var sizes []int
	seen := map[recaller.EventID]bool{}
	for {
		list, next, err := b.Store.Dispatches(b.ctx, "t1", f)
		b.ok(err)
		sizes = append(sizes, len(list))
		for _, d := range list {
			seen[d.ID] = true
		}
		if f.Page.Cursor = next; next == "" {
			break
		}
	}
	eq(b, "pages", fmt.Sprint(sizes, len(seen)), "[2 2 1] 5")
}

func dispatchesOfErased(b *bench) {
	b.announced(false, recaller.EventTypes()...)
	o := b.open("t1", opening{})
	closed := b.close(o, recaller.Completed)
	d := b.waiting("")[0]
	b.ok(b.Store.BuryDispatch(b.ctx, "t1", d, recaller.ReasonRefused, b.now))
	b.ok(b.Store.BeginErasure(b.ctx, "t1", o.Caller.ID, b.eraseJob(o.Caller.ID)))
	_, err := b.Store.Dispatch(b.ctx, "t1", d.ID)
	b.fails(err, recaller.NotFound)
	eq(b, "nothing is listed of him", len(b.waiting("")), 0)
	ids, err := b.Store.DeadDispatches(b.ctx, "t1", 10)
	b.ok(err)
	eq(b, "nor sent again", len(ids), 0)
	_, err = b.Store.ReviveDispatch(b.ctx, "t1", d.ID, "job", b.now)
	b.fails(err, recaller.NotFound)
	b.ok(b.Store.WrittenUp(b.ctx, "t1", closed.Conversation, recaller.Job{}, b.now)) // his wrap-up comes to its end
	erased, err := b.Store.EraseRows(b.ctx, "t1", o.Caller.ID)
	b.ok(err)
	eq(b, "the receipt counts them", erased.Rows["webhook_deliveries"], 2)
}

// dispatchOfNoise leaves the second tenant something to be sent.
func (b *bench) dispatchOfNoise() recaller.Dispatch {
	b.Helper()
	b.Store.Announce(store.Herald{
		Audience: func(context.Context, recaller.TenantID) (store.Audience, error) {
			return store.Audience{Webhook: recaller.EventTypes()}, nil
		},
		Committed: func(recaller.TenantID, []recaller.Event, bool) {},
	})
	c, err := b.Store.Conversation(b.ctx, "t2", string(b.noise.second))
	b.ok(err)
	b.ok(b.Store.WrittenUp(b.ctx, "t2", c, recaller.Job{}, b.now))
	list, _, err := b.Store.Dispatches(b.ctx, "t2", recaller.DispatchFilter{})
	b.ok(err)
	return list[0]
}

func (b *bench) dispatchReaches(theirs recaller.Dispatch) []reach {
	s, ctx := b.Store, b.ctx
	return []reach{
		{"Dispatch", func() (int, error) { _, err := s.Dispatch(ctx, "t1", theirs.ID); return 0, err }, recaller.NotFound},
		{"Dispatches", func() (int, error) {
			l, _, err := s.Dispatches(ctx, "t1", recaller.DispatchFilter{})
			return count(slices.ContainsFunc(l, func(d recaller.Dispatch) bool { return d.ID == theirs.ID })), err
		}, ""},
		{"DeadDispatches", func() (int, error) { l, err := s.DeadDispatches(ctx, "t1", 10); return len(l), err }, ""},
		{"FinishDispatch", func() (int, error) { return 0, s.FinishDispatch(ctx, "t1", theirs) }, ""},
		{"TryDispatch", func() (int, error) { return 0, s.TryDispatch(ctx, "t1", theirs, recaller.ReasonRefused) }, ""},
		{"BuryDispatch", func() (int, error) { return 0, s.BuryDispatch(ctx, "t1", theirs, recaller.ReasonRefused, b.now) }, ""},
		{"ReviveDispatch", func() (int, error) {
			_, err := s.ReviveDispatch(ctx, "t1", theirs.ID, "job", b.now)
			return 0, err
		}, recaller.NotFound},
		{"WrittenUp", func() (int, error) {
			return 0, s.WrittenUp(ctx, "t1", recaller.Conversation{ID: b.noise.second, Caller: theirs.Caller, EndedAt: theirs.At}, recaller.Job{}, b.now)
		}, ""},
	}
}

// What nobody asks to be told costs no statement.
func eventsOfNobody(b *bench) {
	number := 0
	asked := func(audience *store.Audience) map[string]int {
		var l Listener
		s := store.New(l.To(b.Engine), b.Vault)
		if audience != nil {
			s.Announce(store.Herald{
				Audience:  func(context.Context, recaller.TenantID) (store.Audience, error) { return *audience, nil },
				Committed: func(recaller.TenantID, []recaller.Event, bool) {},
			})
		}
		number++
		o, err := s.OpenConversation(b.ctx, "t1", b.request(opening{identities: []recaller.Identity{{Kind: recaller.IdentityExternal, Value: fmt.Sprint("nobody-", number)}}}))
		b.ok(err)
		m, err := s.StoreMemory(b.ctx, "t1", recaller.Storing{Memory: b.memory(o.Caller.ID, "tea", "Assam")})
		b.ok(err)
		_, err = s.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: m.Memory.ID, Forget: true, Patch: recaller.MemoryPatch{At: b.later(time.Second)}})
		b.ok(err)
		closed, err := s.CloseConversation(b.ctx, "t1", b.closing(o, recaller.Completed))
		b.ok(err)
		b.ok(s.WrittenUp(b.ctx, "t1", closed.Conversation, recaller.Job{}, b.now))
		return l.Asked()
	}
	before := asked(nil)
	for name, a := range map[string]store.Audience{"no webhook": {}, "one for reminders": {Webhook: []recaller.EventType{recaller.EventReminderDue}}} {
		for query := range asked(&a) {
			if _, ok := before[query]; !ok {
				b.Errorf("%s: it is asked\n%s", name, query)
			}
		}
	}
	more := 0
	for query := range asked(&store.Audience{Webhook: recaller.EventTypes()}) {
		if _, ok := before[query]; !ok {
			more++
		}
	}
	eq(b, "statements for a webhook that asks for all", more, 4)
}
