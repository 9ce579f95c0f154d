package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// What agents know, held against what the server says.

// look reads a call.
func (w *soakWorker) look(c *soakCaller) {
	if len(c.calls) == 0 {
		return
	}
	call := c.calls[w.rnd.IntN(len(c.calls))]
	if call.id == "" {
		return
	}
	w.read(c, call, false)
}

// read reads a call and holds it against what was said in it.
func (w *soakWorker) read(c *soakCaller, call *soakCall, must bool) (rec client.ConversationRecord, ok bool) {
	out := w.ask(c, "read "+call.id, must, func(ctx context.Context) (err error) {
		rec, err = w.client(c).ConversationWithForgotten(ctx, call.id)
		return err
	})
	switch {
	case out.refused() == http.StatusNotFound && w.s.current(call.began) == doubted:
		call.lost()
		return rec, false
	case out.err != nil:
		w.wasRefused(c, "to read a call", out)
		return rec, false
	}
	if w.s.current(call.began) == doubted {
		call.began.sureness = sure // it is there
	}
	c.checkCall(call, rec.Conversation, rec.Turns, rec.Damaged)
	return rec, true
}

// checkCall holds a call, as it was read, against what was said in it.
func (c *soakCaller) checkCall(call *soakCall, conv client.Conversation, turns []client.Turn, damaged int) {
	wrong := func(format string, args ...any) { c.s.violated(c, "call "+call.id+": "+format, args...) }
	if damaged > 0 {
		wrong("%d rows are damaged", damaged)
	}
	if conv.CallerID != "" {
		c.is(conv.CallerID)
	}
	if at := c.s.current(call.ended); at == sure && conv.Status == recaller.Active || at == unasked && conv.Status != recaller.Active && !c.s.jumped.Load() {
		wrong("it is %s (%s)", conv.Status, conv.EndReason)
	}
	if c.tenant.retention == recaller.Ephemeral && len(turns) == 0 {
		return
	}
	// A turn whose answer nobody waited for may come in while a call is read: the count is read first.
	late := !c.s.still.Load() && slices.ContainsFunc(call.turns, func(k *soakTurn) bool { return c.s.current(k.fate) == doubted })
	if conv.TurnCount != len(turns) && c.tenant.retention != recaller.Ephemeral && !late {
		wrong("it has %d turns, and counts %d", len(turns), conv.TurnCount)
	}
	there := map[string]client.Turn{}
	for i, t := range turns {
		word := string(soakWords.Find([]byte(t.Text)))
		known := slices.IndexFunc(call.turns, func(k *soakTurn) bool { return k.word == word })
		_, twice := there[word]
		switch {
		case known < 0:
			wrong("nobody asked for turn %d: %s", t.Number, word)
			continue
		case twice:
			wrong("turn %s is there twice", word)
		case call.turns[known].text != t.Text || call.turns[known].speaker != t.Speaker:
			wrong("turn %s was said otherwise, or by the other side", word)
		case t.Number != i && c.tenant.retention != recaller.Ephemeral:
			wrong("turn %d is in place %d", t.Number, i)
		}
		there[word] = t
	}
	before := -1
	for _, k := range call.turns {
		if c.s.current(k.fate) != sure || c.tenant.retention == recaller.Ephemeral {
			continue
		}
		t, ok := there[k.word]
		switch {
		case !ok:
			wrong("turn %s was acknowledged as %d and is not there", k.word, k.number)
			continue
		case k.firm && (t.Number != k.number || k.id != "" && t.ID != k.id):
			wrong("turn %s was acknowledged as %d (%s) and is %d (%s)", k.word, k.number, k.id, t.Number, t.ID)
		case t.Number <= before:
			wrong("turn %s was acknowledged after one that is %d, and is %d", k.word, before, t.Number)
		}
		before = t.Number
	}
}

// checkMemories holds the active memories of a caller against what was stored.
func (c *soakCaller) checkMemories(list []client.Memory) {
	values, byKey := map[string]bool{}, map[string]client.Memory{}
	for _, m := range list {
		if values[m.Value] {
			c.s.violated(c, "two memories say the same: %s", m.Key)
		}
		values[m.Value], byKey[m.Key] = true, m
		if m.Source != recaller.SourceExtraction && !slices.ContainsFunc(c.memories, func(k *soakMemory) bool { return k.key == m.Key }) {
			c.s.violated(c, "nobody asked for the memory %s", m.Key)
		}
	}
	for _, k := range c.memories {
		m, ok := byKey[k.key]
		switch {
		case !ok && !k.has(""):
			c.s.violated(c, "the memory %s was acknowledged and is not there", k.key)
		case ok && !k.has(m.Value):
			c.s.violated(c, "the memory %s says %q, want one of %q", k.key, m.Value, k.may)
		case ok && (m.Version < k.versions || k.id != "" && m.ID != k.id):
			c.s.violated(c, "the memory %s (%s) has version %d as %s, want %d or more", k.key, k.id, m.Version, m.ID, k.versions)
		}
	}
}

// recall looks for a sentence of a caller's: what was acknowledged is found at once.
func (w *soakWorker) recall(c *soakCaller) {
	var all []*soakTurn
	for _, call := range c.calls {
		for _, t := range call.turns {
			if t.sureness == sure && len(t.text) < 200 { // in a long story one word hardly counts
				all = append(all, t)
			}
		}
	}
	if c.id == "" || len(all) == 0 {
		return
	}
	t, began, calm := all[w.rnd.IntN(len(all))], time.Now(), w.s.trouble.Load()
	var got client.RecallResponse
	out := w.ask(c, "recall "+t.word, false, func(ctx context.Context) (err error) {
		got, err = w.client(c).Recall(ctx, c.id, client.RecallRequest{Query: t.word, Limit: 20, Kinds: []recaller.HitKind{recaller.HitTurn}})
		return err
	})
	w.wasRefused(c, "recall", out)
	if out.err != nil {
		return
	}
	w.untoldIn(c, "recall", began, got)
	found := slices.ContainsFunc(got.Results, func(r client.RecallResult) bool { return r.Text == t.text })
	if !found && c.tenant.retention == recaller.Keep && got.Degraded == "" && !out.doubted && w.s.calmSince(calm) && !c.hidden(t) {
		w.s.violated(c, "turn %s was acknowledged and is not recalled, but %d others", t.word, len(got.Results))
	}
}

// hidden reports whether a turn may have gone with what was forgotten: the words that told it do.
func (c *soakCaller) hidden(*soakTurn) bool {
	return slices.ContainsFunc(c.memories, func(m *soakMemory) bool { return m.has("") && m.versions > 0 })
}

func (w *soakWorker) untoldIn(c *soakCaller, where string, at time.Time, got any) {
	text, _ := json.Marshal(got) // it was JSON a moment ago
	w.untold(c, where, at, string(text))
}

// briefed asks for a briefing: nothing of what was forgotten is told.
func (w *soakWorker) briefed(c *soakCaller) {
	if c.id == "" {
		return
	}
	var got client.Briefing
	began := time.Now()
	out := w.ask(c, "briefing", false, func(ctx context.Context) (err error) {
		got, err = w.client(c).CallerBriefing(ctx, c.id, client.BriefingQuery{})
		return err
	})
	w.wasRefused(c, "a briefing", out)
	w.untoldIn(c, "the briefing", began, got)
}

// search searches the tenant's conversations. What it tells is looked through by whoever hears it.
func (w *soakWorker) search(c *soakCaller) {
	query := fmt.Sprintf(soakSentences[w.rnd.IntN(len(soakSentences))], "the house")
	out := w.askAll(c, "search", false, func(ctx context.Context) error {
		_, err := w.client(c).SearchConversations(ctx, client.SearchRequest{Query: query})
		return err
	})
	w.wasRefused(c, "a search", out)
}

// askAll asks about all callers of a tenant.
func (w *soakWorker) askAll(c *soakCaller, what string, must bool, request func(context.Context) error) verdict {
	return w.ask(c, what, must, func(ctx context.Context) error {
		return request(asker{tenant: c.tenant}.asks(ctx))
	})
}

// imports imports a past conversation.
func (w *soakWorker) imports(c *soakCaller) {
	call := &soakCall{externalID: fmt.Sprintf("soak-%d-%d-%d-%d", c.tenant.n, c.n, c.self(), len(c.calls)), imported: true}
	in := client.ImportRequest{
		Caller: client.CallerRef{Phone: c.phone}, ExternalID: call.externalID,
		StartedAt: w.s.began.AddDate(0, 0, -1-w.rnd.IntN(100)).UTC().Truncate(time.Second),
	}
	for i := range 2 + w.rnd.IntN(6) {
		t := w.turn(c)
		t.number, t.firm = i, true
		call.turns = append(call.turns, t)
		in.Turns = append(in.Turns, client.TurnInput{Speaker: t.speaker, Text: t.text})
	}
	c.calls = append(c.calls, call)
	var got client.ImportResponse
	out := w.ask(c, "import "+call.externalID, false, func(ctx context.Context) (err error) {
		got, err = w.client(c).ImportConversation(once(ctx, call.externalID), in)
		return err
	})
	w.wasRefused(c, "an import", out)
	at := fate{doubted, out.life}
	if out.err == nil {
		call.id, at.sureness = got.Conversation.ID, sure
		c.is(got.Caller.ID)
	}
	call.began, call.ended = at, at
	for _, t := range call.turns {
		t.fate, t.at = at, w.s.tick.Add(1)
	}
}

// export exports a caller: all is there, and nothing of anybody else.
func (w *soakWorker) export(c *soakCaller) {
	if c.id == "" {
		return
	}
	var got client.Export
	out := w.ask(c, "export", false, func(ctx context.Context) (err error) {
		got, err = w.client(c).ExportCaller(ctx, c.id)
		return err
	})
	w.wasRefused(c, "an export", out)
	if out.err != nil {
		return
	}
	if got.Damaged > 0 {
		w.s.violated(c, "the export lacks %d damaged rows", got.Damaged)
	}
	for _, call := range c.calls {
		i := slices.IndexFunc(got.Conversations, func(e client.ExportedConversation) bool { return e.ID == call.id })
		if i >= 0 {
			c.checkCall(call, got.Conversations[i].Conversation, got.Conversations[i].Turns, 0)
		} else if call.began.sureness == sure {
			w.s.violated(c, "the call %s is not in the export", call.id)
		}
	}
}
