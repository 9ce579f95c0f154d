package storetest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

// heard is what the words of an ended conversation say: it opens one, and writes its extraction.
func (b *bench) heard(s *store.Store, o recaller.Opened, memories ...recaller.Memory) (recaller.StepWritten, error) {
	b.Helper()
	for i := range memories {
		memories[i].Source = recaller.SourceExtraction
		memories[i].Provenance = recaller.Provenance{Conversation: o.Conversation.ID, Turns: []int{i}}
	}
	return s.WriteStep(b.ctx, "t1", recaller.StepResult{
		Conversation: o.Conversation.ID, Caller: o.Caller.ID, Step: recaller.StepExtract, Remembers: true, State: recaller.StepDone, By: "rules", At: b.now, Memories: memories,
	})
}

// ended is a conversation whose wrap-up is pending.
func (b *bench) ended() recaller.Opened {
	b.Helper()
	o := b.open("t1", opening{})
	b.close(o, recaller.Completed)
	return o
}

// hear is heard where nothing may go wrong.
func (b *bench) hear(memories ...recaller.Memory) recaller.StepWritten {
	b.Helper()
	out, err := b.heard(b.Store, b.ended(), memories...)
	b.ok(err)
	b.own(out)
	return out
}

// disputed is the other value of a memory; "" if there is none.
func (b *bench) disputed(id recaller.MemoryID) string {
	b.Helper()
	if d := b.newest(id).Dispute; d != nil {
		return d.Value
	}
	return ""
}

func disputes(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	home := b.remember("t1", caller, "home", "Ely").Memory
	before, err := b.Store.ContentVersion(b.ctx, "t1", caller)
	b.ok(err)
	o := b.ended()
	m := b.memory(caller, "HOME", "York")
	out, err := b.heard(b.Store, o, m)
	b.ok(err)
	kept := out.Stored[0]
	eq(b, "extraction never overwrites", fmt.Sprint(kept.Action, kept.Memory.Version, kept.Memory.Value), fmt.Sprint(recaller.MemoryKept, 1, "Ely"))
	eq(b, "listeners are told", fmt.Sprint(len(out.Changes), out.Changes[0].Memories[0].Dispute.Value), "1York")
	after, err := b.Store.ContentVersion(b.ctx, "t1", caller)
	b.ok(err)
	eq(b, "the end of the conversation and the dispute", after, before+3)
	d := b.newest(home.ID).Dispute
	eq(b, "when and where it was said", fmt.Sprint(d.Value, d.At, d.Provenance), fmt.Sprint("York", m.CreatedAt, recaller.Provenance{Conversation: o.Conversation.ID, Turns: []int{0}}))
	eq(b, "the memory stays as it was", b.told(home.ID), "1 active home=Ely")
	progress, err := b.Store.Steps(b.ctx, "t1", o.Conversation)
	b.ok(err)
	eq(b, "a dispute is nothing new stored", fmt.Sprint(progress[2].Found, progress[2].Stored), "1 0")

	b.hear(b.memory(caller, "home", "Leeds"))
	eq(b, "the latest is kept", b.disputed(home.ID), "Leeds")
	snap, err := b.Store.Snapshot(b.ctx, "t1", caller)
	b.ok(err)
	corpus, err := b.Store.Corpus(b.ctx, "t1", caller)
	b.ok(err)
	eq(b, "every reader sees it", snap.Memories[0].Dispute.Value+corpus.Memories[0].Dispute.Value+b.active(caller)[0].Dispute.Value, "LeedsLeedsLeeds")

	b.remember("t1", caller, "home", "ely ")
	eq(b, "a confirmation settles it", b.disputed(home.ID), "")
	b.hear(b.memory(caller, "home", "Hull"))
	b.remember("t1", caller, "home", "Hull")
	eq(b, "so does another value", b.disputed(home.ID)+b.newest(home.ID).Value, "Hull")
	b.hear(b.memory(caller, "home", "Bath"))
	eq(b, "again", b.disputed(home.ID), "Bath")
	_, err = b.undo(home.ID, 0)
	b.ok(err)
	eq(b, "and an undo", b.disputed(home.ID)+b.newest(home.ID).Value, "Ely")
	b.hear(b.memory(caller, "home", "Bath"))
	private := recaller.LineOnly
	_, err = b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: home.ID, Patch: recaller.MemoryPatch{PrivacyScope: &private, At: b.later(time.Second)}})
	b.ok(err)
	eq(b, "and a change", b.disputed(home.ID), "")
}

func noDisputes(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	early := b.memory(caller, "home", "Leeds") // said before all that follows
	home := b.remember("t1", caller, "home", "Ely").Memory
	b.remember("t1", caller, "home", "York")
	quiet := func(what string, m recaller.Memory) {
		b.Helper()
		was := b.newest(home.ID)
		out := b.hear(m)
		eq(b, what, fmt.Sprint(out.Stored[0].Action, len(out.Changes), b.told(home.ID)), fmt.Sprint(recaller.MemoryKept, 0, "2 active home=York; 1 superseded updated home=Ely"))
		eq(b, what+": nothing moved", fmt.Sprint(b.newest(home.ID).ConfirmedAt, b.disputed(home.ID)), fmt.Sprint(was.ConfirmedAt, b.disputed(home.ID)))
	}
	quiet("the same value", b.memory(caller, "home", "  york "))
	quiet("words of an imported call, from before it was confirmed", early)
	quiet("a value that it had before", b.memory(caller, "home", "ELY"))
	eq(b, "no dispute", b.disputed(home.ID), "")
	between := b.memory(caller, "home", "Hull")
	b.hear(b.memory(caller, "home", "Bath"))
	eq(b, "a dispute", b.disputed(home.ID), "Bath")
	quiet("the same dispute", b.memory(caller, "home", "BATH"))
	quiet("one that was said before it", between)
	eq(b, "the later one stays", b.disputed(home.ID), "Bath")

	out, err := b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{Memory: b.memory(caller, "home", "Rome"), Mode: recaller.IfAbsent})
	b.ok(err)
	eq(b, "who only asks for what is absent disputes nothing", fmt.Sprint(out.Action, out.Change.Version, b.disputed(home.ID)), fmt.Sprint(recaller.MemoryKept, 0, "Bath"))
}

func foundByAlias(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	pet := b.remember("t1", caller, "pet", "a dog named Rex").Memory
	b.into(pet.ID, b.memory(caller, "Dog_Name", "a dog named Rex"))
	b.hear(b.memory(caller, "DOG_name", "a dog named Rex"))
	eq(b, "nothing is stored under an alias", fmt.Sprint(len(b.active(caller)), b.disputed(pet.ID)), "1")
	b.hear(b.memory(caller, "dog_name", "a dog named Max"))
	eq(b, "another value is disputed", fmt.Sprint(len(b.active(caller)), b.disputed(pet.ID)), "1a dog named Max")
	b.remember("t1", caller, "dog_name", "Fido")
	out := b.hear(b.memory(caller, "dog_name", "Bello"))
	eq(b, "a memory with the key comes before the alias", fmt.Sprint(out.Stored[0].Memory.Value, " ", out.Stored[0].Memory.Dispute.Value), "Fido Bello")
	b.forget(pet.ID)
	b.into("", b.memory(caller, "cat", "Tom"))
	eq(b, "an alias ends with its memory", b.hear(b.memory(caller, "pet", "a cat")).Stored[0].Action, recaller.MemoryCreated)
}

// meanwhile is an engine on which something happens just before each write.
type meanwhile struct {
	store.Engine
	mu   *sync.Mutex
	then []func() // one for each write to come
}

func (m *meanwhile) Write(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, fn func(store.Tx) error) error {
	m.mu.Lock()
	var now func()
	if len(m.then) > 0 {
		now, m.then = m.then[0], m.then[1:]
	}
	m.mu.Unlock()
	if now != nil {
		now()
	}
	return m.Engine.Write(ctx, tenant, caller, fn)
}

// aliasMeanwhile has a memory merged, and another forgotten, after the step has read the aliases and before it writes.
func aliasMeanwhile(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	pet := b.remember("t1", caller, "pet", "a dog named Rex").Memory
	alias := b.memory(caller, "dog_name", "a dog named Rex")
	e := &meanwhile{Engine: b.Engine, mu: &sync.Mutex{}}
	s := store.New(e, b.Vault)
	o := b.ended()
	e.then = []func(){func() { b.into(pet.ID, alias) }}
	out, err := b.heard(s, o, b.memory(caller, "dog_name", "a dog named Rex"), b.memory(caller, "home", "Ely"))
	b.ok(err)
	eq(b, "the alias counts", fmt.Sprint(out.Stored[0].Action, out.Stored[1].Action, len(b.active(caller))), fmt.Sprint(recaller.MemoryKept, recaller.MemoryCreated, 2))

	// A caller who never stops: the step is given up for now, and nothing of it is written.
	o = b.ended()
	late := b.memory(caller, "work", "a baker")
	for i := range 50 {
		say := b.memory(caller, fmt.Sprint("key_", i), "x")
		e.then = append(e.then, func() {
			_, err := b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{Memory: say})
			b.ok(err)
		})
	}
	_, err = b.heard(s, o, late)
	b.fails(err, recaller.Unavailable)
	e.then = nil
	open, err := b.Store.TryStep(b.ctx, "t1", o.Conversation, recaller.StepExtract)
	b.ok(err)
	eq(b, "the step is still to be done", open, true)
	out, err = b.heard(s, o, late)
	b.ok(err)
	eq(b, "later it is", out.Stored[0].Action, recaller.MemoryCreated)
}

// forgottenByTool has an agent forget, in a conversation, what is older than it.
func forgottenByTool(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	dog := b.remember("t1", caller, "dog", "a dog called Max").Memory
	b.into(dog.ID, b.memory(caller, "pet_name", "a dog called Max"))
	tea := b.remember("t1", caller, "tea", "Assam").Memory
	o := b.open("t1", opening{})
	said := []recaller.Memory{b.memory(caller, "Dog", "Max"), b.memory(caller, "pet_name", "Max"), b.memory(caller, "tea", "Oolong"), b.memory(caller, "home", "Ely")}
	for _, id := range []recaller.MemoryID{dog.ID, tea.ID} {
		_, err := b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: id, Forget: true, Patch: recaller.MemoryPatch{At: b.now}, Call: b.toolCall(o, recaller.ToolForgetMemory)})
		b.ok(err)
	}
	_, err := b.undo(tea.ID, 0)
	b.ok(err)
	b.close(o, recaller.Completed)
	said[2].CreatedAt = b.later(time.Second) // since the undo
	out, err := b.heard(b.Store, o, said...)
	b.ok(err)
	var got []string
	for _, w := range out.Stored {
		got = append(got, string(w.Action))
	}
	eq(b, "the words from before do not bring it back", strings.Join(got, " "), "kept kept kept created")
	eq(b, "what was brought back by an undo is there", b.disputed(tea.ID), "Oolong")
	earlier := b.open("t1", opening{})
	b.close(earlier, recaller.Completed)
	out, err = b.heard(b.Store, earlier, said[1])
	b.ok(err)
	eq(b, "nor do those in another conversation", out.Stored[0].Action, recaller.MemoryKept)
	eq(b, "said anew", b.hear(b.memory(caller, "dog", "a dog called Max")).Stored[0].Action, recaller.MemoryCreated)
}

func interim(b *bench) {
	o := b.ended()
	write := func(r recaller.StepResult) recaller.StepWritten {
		b.Helper()
		r.Conversation, r.Caller, r.Step, r.At = o.Conversation.ID, o.Caller.ID, recaller.StepSummarise, b.later(time.Second)
		out, err := b.Store.WriteStep(b.ctx, "t1", r)
		b.ok(err)
		b.own(out)
		return out
	}
	read := func() (string, recaller.StepProgress) {
		b.Helper()
		c, err := b.Store.Conversation(b.ctx, "t1", string(o.Conversation.ID))
		b.ok(err)
		steps, err := b.Store.Steps(b.ctx, "t1", c)
		b.ok(err)
		return c.Summary.Brief, steps[0]
	}
	for _, brief := range []string{"by rules", "by rules again"} {
		out := write(recaller.StepResult{State: recaller.StepPending, By: "rules", Summary: &recaller.Summary{Brief: brief, By: "rules"}})
		eq(b, "listeners are told", fmt.Sprint(out.Already, out.Changes[0].Conversation.Summary.Brief), "false"+brief)
		got, step := read()
		eq(b, "the summary is there", got, brief)
		eq(b, "and the step open", fmt.Sprint(step.State, step.By, step.FinishedAt.IsZero()), fmt.Sprint(recaller.StepPending, "rules", true))
		open, err := b.Store.TryStep(b.ctx, "t1", o.Conversation, recaller.StepSummarise)
		b.ok(err)
		eq(b, "to be tried", open, true)
	}
	out := write(recaller.StepResult{State: recaller.StepDone, By: "grok", Prompt: "summary/1", Summary: &recaller.Summary{Brief: "by a model", By: "grok"}})
	eq(b, "written", out.Already, false)
	got, step := read()
	eq(b, "the later one", got, "by a model")
	eq(b, "done", fmt.Sprint(step.State, step.By, step.Prompt, step.Attempts, step.FinishedAt), fmt.Sprint(recaller.StepDone, "grok", "summary/1", 2, b.now))
	eq(b, "an interim one comes too late", write(recaller.StepResult{State: recaller.StepPending, By: "rules", Summary: &recaller.Summary{Brief: "late"}}).Already, true)
	got, _ = read()
	eq(b, "nothing changed", got, "by a model")
}

func costs(b *bench) {
	o := b.ended()
	first := recaller.Cost{Calls: 2, TokensIn: 1000, TokensOut: 20, Took: 1500 * time.Millisecond}
	second := recaller.Cost{Calls: 1, TokensIn: 7, TokensOut: 3, Took: 250 * time.Microsecond}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if err := b.Store.AddCost(b.ctx, "t1", o.Conversation, recaller.StepExtract, first); err != nil {
				b.Error(err)
			}
		})
	}
	wg.Wait()
	b.ok(b.Store.AddCost(b.ctx, "t1", o.Conversation, recaller.StepExtract, second))
	_, err := b.heard(b.Store, o)
	b.ok(err)
	b.ok(b.Store.AddCost(b.ctx, "t1", o.Conversation, recaller.StepExtract, second)) // of an attempt that came too late
	steps, err := b.Store.Steps(b.ctx, "t1", o.Conversation)
	b.ok(err)
	want := first.Plus(first).Plus(first).Plus(first).Plus(second).Plus(second)
	eq(b, "they add up", steps[2].Cost, want)
	eq(b, "step by step", steps[0].Cost, recaller.Cost{})
	b.fails(b.Store.AddCost(b.ctx, "t1", recaller.Conversation{ID: "none", Caller: o.Caller.ID}, recaller.StepExtract, first), recaller.NotFound)
}
