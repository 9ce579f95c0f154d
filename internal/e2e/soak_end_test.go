package e2e

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// How a soak ends: what was held is stored, calls end and are written up, the server starts once more, and all that it says and
// has on its disk is held against what the agents know.

func problemOf(err error, p **client.Problem) { errors.As(err, p) }

// finish has all that is in doubt decided, and checks everything that the server says.
func (s *soak) finish() {
	s.log("the end begins")
	s.off.Store(0)
	if s.setClock != nil {
		s.end(false)
		s.begin(s.server.command("serve"), false)
		s.quiet()
	}
	s.each((*soakWorker).settleAll)
	s.end(true)
	s.begin(s.server.command("serve"), false)
	s.quiet()
	s.still.Store(true)
	s.each((*soakWorker).checkAll)
	for _, t := range s.tenants {
		s.checkTenant(t)
	}
	s.checkVitals()
}

func (s *soak) each(do func(*soakWorker)) {
	var all sync.WaitGroup
	for _, w := range s.workers {
		all.Go(func() { do(w) })
	}
	all.Wait()
}

// until asks until the answer is yes.
func (w *soakWorker) until(c *soakCaller, what string, ask func() bool) {
	pause := 5 * time.Millisecond
	for began := time.Now(); !ask(); pause = min(2*pause, time.Second) {
		if time.Since(began) > soakPatience {
			w.s.violated(c, "waited %v in vain: %s", soakPatience, what)
			return
		}
		<-time.After(pause)
	}
}

// settleAll has all that is held stored, ends most calls, and waits until they are written up.
func (w *soakWorker) settleAll() {
	for _, c := range w.callers {
		for _, call := range c.calls {
			if call.id == "" || call.imported {
				continue
			}
			if call.ended.sureness == held {
				w.until(c, "the end of "+call.id+" is stored", func() bool {
					return w.endStored(c, call, true) || w.s.current(call.ended) == doubted
				})
			}
			if call.ended.sureness == unasked {
				w.lastWords(c, call)
			}
		}
		for _, call := range c.calls {
			if call.id != "" && call.ended.sureness == sure {
				w.writtenUp(c, call)
			}
		}
	}
	for _, c := range w.callers {
		for _, r := range c.reminders {
			if _, ok := r.memory.told(); ok && r.due.Before(time.Now()) {
				w.until(c, "the webhook is told of reminder "+r.id, func() bool { return w.s.hooks.has(r.id) })
			}
		}
	}
}

// lastWords says one thing more in a call that goes on, until that is stored, and ends most of them.
func (w *soakWorker) lastWords(c *soakCaller, call *soakCall) {
	if _, ok := w.read(c, call, true); !ok {
		return
	}
	w.until(c, "turns of "+call.id+" are durable", func() bool {
		durable := w.add(c, call, []*soakTurn{w.turn(c)}, true)
		return durable || c.tenant.retention == recaller.Ephemeral || call.ended.sureness != unasked
	})
	if call.ended.sureness == unasked && w.rnd.IntN(3) > 0 {
		w.end(c, call, true)
		w.until(c, "the end of "+call.id+" is stored", func() bool { return w.endStored(c, call, true) })
	}
}

// writtenUp waits until a call is written up, every step once.
func (w *soakWorker) writtenUp(c *soakCaller, call *soakCall) {
	var rec client.ConversationRecord
	w.until(c, call.id+" is written up", func() bool {
		var ok bool
		rec, ok = w.read(c, call, true)
		return !ok || rec.Wrapup.Done
	})
	steps := map[recaller.Step]bool{}
	for _, step := range rec.Wrapup.Steps {
		if step.State == recaller.StepFailed || steps[step.Step] {
			w.s.violated(c, "call %s: the step %s is %s (%s)", call.id, step.Step, step.State, step.Reason)
		}
		steps[step.Step] = true
	}
	if len(rec.Wrapup.Steps) == 0 || rec.Conversation.Summary == nil && len(call.turns) > 0 && c.tenant.retention != recaller.Ephemeral {
		w.s.violated(c, "call %s has %d steps, and the summary %v", call.id, len(rec.Wrapup.Steps), rec.Conversation.Summary)
	}
}

// checkAll checks all that is known of a worker's callers.
func (w *soakWorker) checkAll() {
	for _, c := range w.callers {
		for _, ghost := range c.past {
			w.checkGhost(c, ghost)
		}
		if c.id == "" {
			continue
		}
		w.known(c)
		w.briefed(c)
		w.export(c)
		w.checkHistories(c)
		w.checkCalls(c)
		w.checkCheckpoint(c)
	}
}

// checkCheckpoint wants the checkpoint that was saved last. One that nobody saved may have taken its place since: it quotes
// the caller, and what is heard is held against his words. Then the other is in the history, unless ten are there.
func (w *soakWorker) checkCheckpoint(c *soakCaller) {
	var at client.Checkpoint
	out := w.ask(c, "read the checkpoint", true, func(ctx context.Context) (err error) {
		at, err = w.client(c).Checkpoint(ctx, c.id)
		return err
	})
	if out.err != nil && out.refused() != http.StatusNotFound || at.Source != recaller.CheckpointFound && slices.Contains(c.checkpoints, at.Summary) {
		return
	}
	var past client.CheckpointHistory
	out = w.ask(c, "the checkpoint's history", true, func(ctx context.Context) (err error) {
		past, err = w.client(c).CheckpointHistory(ctx, c.id)
		return err
	})
	was := slices.ContainsFunc(past.States, func(s client.CheckpointState) bool { return slices.Contains(c.checkpoints, s.Summary) })
	if out.err == nil && !was && len(past.States) < 10 && !slices.Contains(c.checkpoints, "") {
		w.s.violated(c, "the checkpoint says %q, and its history nothing of any of %q", at.Summary, c.checkpoints)
	}
}

// checkHistories wants the versions of every memory without a gap.
func (w *soakWorker) checkHistories(c *soakCaller) {
	for _, m := range c.memories {
		if m.id == "" {
			continue
		}
		var versions []client.Memory
		out := w.ask(c, "history of "+m.key, true, func(ctx context.Context) (err error) {
			versions, err = w.client(c).MemoryHistoryWithForgotten(ctx, m.id)
			return err
		})
		w.wasRefused(c, "the history of a memory", out)
		for i, v := range versions {
			if v.Version != len(versions)-i {
				w.s.violated(c, "the memory %s has the version %d as number %d of %d", m.key, v.Version, i, len(versions))
			}
		}
	}
}

// checkCalls checks the list of a caller's calls, and how many the caller is said to have.
func (w *soakWorker) checkCalls(c *soakCaller) {
	var who client.Caller
	var list []client.Conversation
	out := w.ask(c, "list calls", true, func(ctx context.Context) (err error) {
		if who, err = w.client(c).Caller(ctx, c.id); err != nil {
			return err
		}
		list = nil
		for page := (client.Page{Limit: 200}); ; {
			got, err := w.client(c).CallerConversations(ctx, c.id, client.ConversationFilter{Page: page})
			if err != nil {
				return err
			}
			list = append(list, got.Conversations...)
			if page.Cursor = got.NextCursor; page.Cursor == "" {
				return nil
			}
		}
	})
	w.wasRefused(c, "a list of calls", out)
	ended, there := 0, map[string]bool{}
	for _, conv := range list {
		if conv.Status != recaller.Active {
			ended++
		}
		known := slices.ContainsFunc(c.calls, func(k *soakCall) bool {
			return k.id == conv.ID || k.id == "" && k.externalID == conv.ExternalID || k.externalID == conv.ExternalID && w.s.current(k.began) == doubted
		})
		if !known || there[conv.ID] {
			w.s.violated(c, "the list has the call %s (%s), which nobody began, or which it had before", conv.ID, conv.ExternalID)
		}
		there[conv.ID] = true
	}
	for _, k := range c.calls {
		if k.id != "" && w.s.current(k.began) == sure && !there[k.id] {
			w.s.violated(c, "the list lacks the call %s", k.id)
		}
	}
	if who.Conversations != ended {
		w.s.violated(c, "the caller is said to have %d ended calls, and has %d", who.Conversations, ended)
	}
}

// checkGhost wants nothing left of somebody erased, but for a receipt that holds.
func (w *soakWorker) checkGhost(c *soakCaller, g soakGhost) {
	gone := func(what string, request func(context.Context) error) {
		if out := w.ask(c, what, true, request); out.refused() != http.StatusNotFound {
			w.s.violated(c, "%s of somebody erased (%s): got %v, want nothing", what, g.id, out.err)
		}
	}
	api := w.client(c)
	gone("the caller", func(ctx context.Context) error { _, err := api.Caller(ctx, g.id); return err })
	gone("the export", func(ctx context.Context) error { _, err := api.ExportCaller(ctx, g.id); return err })
	gone("the briefing", func(ctx context.Context) error {
		_, err := api.CallerBriefing(ctx, g.id, client.BriefingQuery{})
		return err
	})
	for _, id := range g.calls {
		gone("a call", func(ctx context.Context) error { _, err := api.Conversation(ctx, id); return err })
	}
	var again recaller.Receipt
	var check client.ReceiptCheck
	out := w.ask(c, "the receipt", true, func(ctx context.Context) (err error) {
		if again, err = api.EraseCaller(ctx, g.id); err != nil {
			return err
		}
		check, err = api.CheckReceipt(ctx, g.receipt)
		return err
	})
	if out.err != nil || again.ID != g.receipt.ID || !check.Intact || !check.Ours {
		w.s.violated(c, "the receipt %s: got %s when erased again, and %+v, %v", g.receipt.ID, again.ID, check, out.err)
	}
}

// checkTenant checks the lists of a tenant: its callers, and its keys.
func (s *soak) checkTenant(t *soakTenant) {
	ctx, cancel := context.WithTimeout(asker{tenant: t}.asks(context.Background()), soakPatience)
	defer cancel()
	api := s.client(t.key)
	there := map[string]bool{}
	for page := (client.Page{Limit: 200}); ; {
		list, err := api.Callers(ctx, page)
		if err != nil {
			s.violated(nil, "the list of callers: %v", err)
			return
		}
		if list.Damaged > 0 {
			s.violated(nil, "the list of callers lacks %d damaged rows", list.Damaged)
		}
		for _, one := range list.Callers {
			i := slices.IndexFunc(t.callers, func(c *soakCaller) bool { return c.phone == one.Phone })
			if i < 0 || there[one.Phone] || t.callers[i].id != "" && t.callers[i].id != one.ID {
				s.violated(nil, "the list has the caller %s, whom nobody knows, or somebody twice", one.ID)
			}
			there[one.Phone] = true
		}
		if page.Cursor = list.NextCursor; page.Cursor == "" {
			break
		}
	}
	for _, c := range t.callers {
		if c.id != "" && !there[c.phone] {
			s.violated(c, "the list of callers lacks %s", c.id)
		}
	}
	keys, err := api.Keys(ctx)
	if err != nil {
		s.violated(nil, "the list of keys: %v", err)
	}
	for _, k := range t.keys {
		if listed := slices.ContainsFunc(keys, func(l client.Key) bool { return l.ID == k.id }); listed != (k.secret != "") {
			s.violated(nil, "the key %s is in the list: %v, and works: %v", k.id, listed, k.secret != "")
		}
	}
}

// checkAtRest looks at what the stopped server left: the doctor, the files, and the last backup.
func (s *soak) checkAtRest() {
	if out, err := s.server.command("doctor").CombinedOutput(); err != nil {
		s.violated(nil, "the doctor: %v\n%s", err, out)
	}
	erased := map[string]*soakCaller{}
	for _, t := range s.tenants {
		for _, c := range t.callers {
			for _, g := range c.past {
				for _, id := range g.calls {
					erased[id] = c
				}
			}
		}
	}
	s.search(s.server.dir, erased)
	if s.db.Super != "" {
		for name, content := range tables(s.t, s.db) {
			s.searchText("table "+name, content, erased)
		}
	}
}

var ids = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)

// search looks through the files of a folder: none has a word, and none the id of a call of somebody erased.
func (s *soak) search(dir string, erased map[string]*soakCaller) {
	files := 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		content, err := os.ReadFile(path)
		s.searchText(filepath.Base(path), content, erased)
		return err
	})
	if err != nil || files == 0 {
		s.violated(nil, "%d files were looked through: %v", files, err)
	}
}

func (s *soak) searchText(where string, content []byte, erased map[string]*soakCaller) {
	if word := soakWords.Find(content); word != nil {
		s.violated(nil, "%s has a word: %s", where, word)
	}
	for _, id := range ids.FindAll(content, -1) {
		if c := erased[string(id)]; c != nil {
			s.violated(c, "%s has the id of a call of somebody erased: %s", where, id)
		}
	}
}
