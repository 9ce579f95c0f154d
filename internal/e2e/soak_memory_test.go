package e2e

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// soakThings are what memories are about.
var soakThings = []string{"spare key", "car", "umbrella", "ladder", "piano", "bicycle", "passport", "boat", "telescope", "kettle"}

// thing makes up a memory, under a key of its own.
func (w *soakWorker) thing(c *soakCaller) (m *soakMemory, value string) {
	what, word := soakThings[w.rnd.IntN(len(soakThings))], c.speak()
	m = &soakMemory{key: strings.ReplaceAll(what, " ", "_") + "_" + word, may: []string{""}}
	c.memories = append(c.memories, m)
	return m, fmt.Sprintf("The %s is at %s", what, word)
}

// stored takes in what became of a write to a memory.
func (w *soakWorker) stored(c *soakCaller, m *soakMemory, what, value, id string, out verdict) {
	switch {
	case out.err == nil:
		if m.id != "" && id != m.id {
			w.s.violated(c, "the memory %s has the id %s, and had %s", m.key, id, m.id)
		}
		m.id, m.may, m.versions = id, []string{value}, m.versions+1
	case out.refused() != 0:
		w.wasRefused(c, what, out)
	case !m.has(value):
		m.may = append(m.may, value)
	}
}

// remember stores a memory.
func (w *soakWorker) remember(c *soakCaller) {
	if c.id == "" {
		return
	}
	m, value := w.thing(c)
	var got client.MemoryResponse
	out := w.ask(c, "store "+m.key, false, func(ctx context.Context) (err error) {
		got, err = w.client(c).StoreMemory(once(ctx, m.key), c.id, client.MemoryInput{Type: recaller.Fact, Key: m.key, Value: value})
		return err
	})
	w.stored(c, m, "a memory", value, got.Memory.ID, out)
}

// rememberByTool stores a memory as an agent's model does.
func (w *soakWorker) rememberByTool(c *soakCaller) {
	call := c.open()
	if call == nil || w.s.current(call.began) != sure || len(call.turns) == 0 {
		return
	}
	m, value := w.thing(c)
	var got client.ToolAnswer
	out := w.ask(c, "tool store "+m.key, false, func(ctx context.Context) (err error) {
		got, err = w.client(c).StoreMemoryTool(once(ctx, m.key), client.StoreMemoryCall{
			ToolContext: client.ToolContext{CallSessionID: call.id, LineID: c.phone, AccountID: c.tenant.id},
			MemoryType:  recaller.Fact, Key: m.key, Value: value,
		})
		return err
	})
	w.stored(c, m, "a memory by a tool", value, got.MemoryID, out)
}

// one picks a memory whose value is known.
func (w *soakWorker) one(c *soakCaller) (m *soakMemory, value string) {
	var known []*soakMemory
	for _, m := range c.memories {
		if _, ok := m.told(); ok {
			known = append(known, m)
		}
	}
	if len(known) == 0 {
		return nil, ""
	}
	m = known[w.rnd.IntN(len(known))]
	value, _, _ = strings.Cut(m.may[0], " at ")
	return m, value + " at " + c.speak()
}

// update changes a memory. A repeat would be another change, so there is none.
func (w *soakWorker) update(c *soakCaller) {
	m, value := w.one(c)
	if m == nil {
		return
	}
	var got client.MemoryResponse
	tried := false
	out := w.ask(c, "update "+m.key, false, func(ctx context.Context) (err error) {
		if tried { // what was done is seen
			return w.seen(ctx, c, m)
		}
		tried = true
		got, err = w.client(c).UpdateMemory(ctx, m.id, client.MemoryPatch{Value: &value})
		return err
	})
	if out.err == nil && out.doubted {
		if !m.has(value) {
			m.may = append(m.may, value)
		}
		return
	}
	w.stored(c, m, "an update", value, got.Memory.ID, out)
}

// seen reads a memory.
func (w *soakWorker) seen(ctx context.Context, c *soakCaller, m *soakMemory) error {
	_, err := w.client(c).MemoryHistory(ctx, m.id)
	return err
}

// updateByTool changes a memory as an agent's model does.
func (w *soakWorker) updateByTool(c *soakCaller) {
	call := c.open()
	m, value := w.one(c)
	if call == nil || m == nil || c.id == "" || w.s.current(call.began) != sure { // who rang in an outage has no id yet
		return
	}
	var got client.ToolAnswer
	out := w.ask(c, "tool update "+m.key, false, func(ctx context.Context) (err error) {
		got, err = w.client(c).UpdateMemoryTool(once(ctx, value), client.UpdateMemoryCall{
			ToolContext: client.ToolContext{CallSessionID: call.id, LineID: c.id, AccountID: c.tenant.id},
			ExistingKey: m.key, NewValue: value,
		})
		return err
	})
	w.stored(c, m, "an update by a tool", value, got.MemoryID, out)
}

// forget has a memory forgotten: from then on its words are told nowhere.
func (w *soakWorker) forget(c *soakCaller) {
	m, _ := w.one(c)
	if m == nil {
		return
	}
	words := soakWords.FindAllString(m.may[0], -1)
	out := w.ask(c, "forget "+m.key, false, func(ctx context.Context) error {
		_, err := w.client(c).ForgetMemory(ctx, m.id)
		return err
	})
	if status := out.refused(); out.doubted && (status == http.StatusNotFound || status == http.StatusConflict) {
		out.err = nil // an earlier try did it
	}
	w.stored(c, m, "to forget", "", m.id, out)
	if out.err == nil {
		m.gone, m.goneAt = append(m.gone, words...), time.Now()
	}
}

// known lists the memories of a caller, and holds them against what was stored.
func (w *soakWorker) known(c *soakCaller) {
	if c.id == "" {
		return
	}
	var list []client.Memory
	out := w.ask(c, "memories", false, func(ctx context.Context) (err error) {
		list, err = w.s.memories(ctx, w.client(c), c.id)
		return err
	})
	if out.err == nil {
		c.checkMemories(list)
	}
	w.wasRefused(c, "a list of memories", out)
}

// untold wants a text that was asked for at a time to have nothing that had been forgotten by then.
func (w *soakWorker) untold(c *soakCaller, where string, at time.Time, text string) {
	for _, m := range c.memories {
		for _, word := range m.gone {
			if m.goneAt.Before(at) && strings.Contains(text, word) {
				w.s.violated(c, "%s tells what was forgotten: %s of %s", where, word, m.key)
			}
		}
	}
}

// remind sets a reminder, which is due in a moment, by the server's clock where that is ahead.
func (w *soakWorker) remind(c *soakCaller) {
	m, _ := w.one(c)
	if m == nil {
		return
	}
	r := &soakReminder{memory: m, due: time.Now().Add(4*time.Second + max(0, time.Duration(w.s.off.Load()))).UTC().Truncate(time.Microsecond)}
	text := "Think of " + c.speak()
	var got client.Reminder
	out := w.ask(c, "remind of "+m.key, false, func(ctx context.Context) (err error) {
		got, err = w.client(c).SetReminder(once(ctx, text), m.id, client.ReminderInput{DueAt: r.due, Text: text})
		return err
	})
	if out.refused() == http.StatusUnprocessableEntity && (w.s.jumped.Load() || time.Now().After(r.due)) {
		return // it does not lie ahead any more
	}
	w.wasRefused(c, "a reminder", out)
	if out.err == nil {
		r.id = got.ID
		c.reminders = append(c.reminders, r)
		c.note("  it is reminder %s", r.id)
	}
}

// checkpoint saves where a matter stands.
func (w *soakWorker) checkpoint(c *soakCaller) {
	if c.id == "" {
		return
	}
	text := "They wait for " + c.speak()
	out := w.ask(c, "checkpoint "+text, false, func(ctx context.Context) error {
		_, err := w.client(c).PutCheckpoint(ctx, c.id, client.CheckpointInput{Intent: "job_creation", Summary: text})
		return err
	})
	w.wasRefused(c, "a checkpoint", out)
	if out.err == nil && !out.doubted {
		c.checkpoints = []string{text}
		return
	}
	c.checkpoints = append(c.checkpoints, text)
}

// erase has a caller erased. It is asked for until there is a receipt.
func (w *soakWorker) erase(c *soakCaller) {
	if c.id == "" || len(c.calls) < 3 {
		return
	}
	w.streams.hangUp()
	var receipt recaller.Receipt
	out := w.ask(c, "erase "+c.id, true, func(ctx context.Context) (err error) {
		receipt, err = w.client(c).EraseCaller(ctx, c.id)
		return err
	})
	w.wasRefused(c, "an erasure", out)
	if out.err != nil {
		return
	}
	if string(receipt.Caller) != c.id || !signed(receipt) {
		w.s.violated(c, "the receipt is not signed, or of somebody else: %s", receipt.ID)
	}
	c.buried(receipt)
	c.note("  erased, receipt %s", receipt.ID)
}

// signed reports whether a receipt's signature is that of its own key, over all of it.
func signed(r recaller.Receipt) bool {
	signature, public := r.Signature, ed25519.PublicKey(r.PublicKey)
	r.Signature, r.PublicKey = nil, nil
	text, err := json.Marshal(r)
	return err == nil && len(public) == ed25519.PublicKeySize && ed25519.Verify(public, text, signature)
}

// keys makes an API key, or deletes one: it works, or does not any more.
func (w *soakWorker) keys(c *soakCaller) {
	id, secret := c.tenant.takeKey()
	if secret == "" {
		w.makeKey(c)
		return
	}
	out := w.ask(c, "delete the key "+id, true, func(ctx context.Context) error {
		return w.client(c).DeleteKey(ctx, id)
	})
	if out.err != nil && (!out.doubted || out.refused() != http.StatusNotFound) {
		w.wasRefused(c, "to delete a key", out)
		return
	}
	out = w.ask(c, "ask with a deleted key", true, func(ctx context.Context) error {
		_, err := w.s.client(secret).Tenant(ctx)
		return err
	})
	if out.refused() != http.StatusUnauthorized {
		w.s.violated(c, "the key %s was deleted, and is answered: %v", id, out.err)
	}
}

// makeKey makes a key and asks with it. A repeat would make another, so if it has no answer there may be a key more.
func (w *soakWorker) makeKey(c *soakCaller) {
	var made client.KeyResponse
	out := w.ask(c, "make a key", true, func(ctx context.Context) (err error) {
		made, err = w.client(c).CreateKey(ctx, client.KeyInput{Scope: recaller.ScopeRead, Label: "soak"})
		return err
	})
	if out.err != nil {
		w.wasRefused(c, "to make a key", out)
		return
	}
	out = w.ask(c, "ask with a new key", true, func(ctx context.Context) error {
		_, err := w.s.client(made.APIKey).Tenant(ctx)
		return err
	})
	w.wasRefused(c, "a new key", out)
	c.tenant.mu.Lock()
	defer c.tenant.mu.Unlock()
	c.tenant.keys = append(c.tenant.keys, soakKey{made.Key.ID, made.APIKey})
}

// takeKey takes the oldest key of those that work, to be deleted; empty: there is none.
func (t *soakTenant) takeKey() (id, secret string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, k := range t.keys {
		if k.secret != "" {
			t.keys[i].secret = ""
			return k.id, k.secret
		}
	}
	return "", ""
}

// streams are the event streams that a worker listens to.
type streams struct {
	all    sync.WaitGroup
	cancel context.CancelFunc
}

func (l *streams) hangUp() {
	if l.cancel != nil {
		l.cancel()
	}
	l.all.Wait()
	l.cancel = nil
}

// soakPasses is how many events may come after a briefing was passed over, and before the newer one.
const soakPasses = 20

// listen listens to the call that goes on, for a while: ids rise by one, and where they do not, that is told, or a
// briefing was replaced, and the newer one comes.
func (w *soakWorker) listen(c *soakCaller) {
	call := c.open()
	if call == nil || w.s.current(call.began) == doubted {
		return
	}
	w.streams.hangUp()
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(2+w.rnd.IntN(20))*time.Second)
	w.streams.cancel = cancel
	api, id := w.client(c), call.id
	w.streams.all.Go(func() {
		defer cancel()
		w.s.follow(asker{c.tenant, c}.asks(ctx), api, c, id)
	})
}

// follow reads a stream, again and again if it breaks, until ctx or the call ends.
func (s *soak) follow(ctx context.Context, api *client.Client, c *soakCaller, id string) {
	last, told := uint64(0), true
	lacks := 0 // events since one was passed over, whose newer one has not come; 0: none was
	for ctx.Err() == nil {
		for e, err := range api.EventsAfter(ctx, id, last) {
			if err != nil {
				break
			}
			s.events.Add(1)
			text, _ := json.Marshal(e) // it was JSON a moment ago
			s.heard(asker{c.tenant, c}, "an event of "+id, time.Now().Add(-soakAsks), text)
			switch {
			case e.Type == client.EventConversationEnded, e.Type == client.EventError:
				return
			case e.Type == client.EventMissed:
				told = true
			case e.Type == client.EventBriefingUpdated:
				lacks = 0
			case e.ID == 0:
			case !told && e.ID != last+1, lacks > 0:
				lacks++
			}
			if lacks > soakPasses {
				s.violated(c, "an event of %s before %d did not come, nothing told of it, and no newer briefing came", id, last)
			}
			if e.ID > 0 {
				last, told = e.ID, false
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// memories lists all active memories of a caller.
func (s *soak) memories(ctx context.Context, api *client.Client, caller string) ([]client.Memory, error) {
	var all []client.Memory
	for page := (client.Page{Limit: 200}); ; {
		list, err := api.Memories(ctx, caller, client.MemoryFilter{Page: page})
		if err != nil {
			return nil, err
		}
		all = append(all, list.Memories...)
		if page.Cursor = list.NextCursor; page.Cursor == "" {
			return slices.Clip(all), nil
		}
	}
}
