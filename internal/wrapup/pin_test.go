package wrapup_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/pin"
)

// cabinet keeps the documents of topics in a house's store.
type cabinet struct {
	*house
	races int  // how often somebody is quicker
	dies  bool // the process dies behind the next write
}

// Topics implements wrapup.Pins.
func (s *cabinet) Topics(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID,
) (out []recaller.Document, err error) {
	list, _, err := s.store.Documents(ctx, tenant, recaller.DocumentFilter{Caller: caller, Archived: true})
	for _, d := range list {
		if _, ok := pin.Of(d); ok {
			out = append(out, d)
		}
	}
	return out, err
}

// FileTopic implements wrapup.Pins.
func (s *cabinet) FileTopic(ctx context.Context, tenant recaller.TenantID, d recaller.Document) error {
	if s.races > 0 {
		s.races--
		return recaller.Errorf(recaller.Conflict, "somebody was quicker")
	}
	_, err := s.store.FileDocument(ctx, tenant, recaller.Filing{Document: d})
	if s.dies {
		return errDied
	}
	return err
}

// pinning has a house keep pins.
func pinning(h *house) *house {
	h.pins = &cabinet{house: h}
	h.reopen()
	return h
}

// calls writes up calls of one caller, in each of which he says one thing, a week apart.
func (h *house) calls(texts ...string) (last recaller.Conversation) {
	h.Helper()
	for _, text := range texts {
		h.now = h.now.AddDate(0, 0, 7)
		_, job := h.hold(past{words: []string{
			"assistant: Good morning, how can I help?", "user: " + text, "assistant: Thank you, I've noted that.", "user: Bye now.",
		}})
		last = h.run(job)
	}
	return last
}

// pinned are the documents of topics, and those that a client took over, the newest first.
func (h *house) pinned() (out []recaller.Document) {
	h.Helper()
	list, _, err := h.store.Documents(h.ctx, "t1", recaller.DocumentFilter{Archived: true})
	h.ok(err)
	for _, d := range list {
		if d.Origin != recaller.DocumentSession {
			out = append(out, d)
		}
	}
	return out
}

// put has a client change a document.
func (h *house) put(d recaller.Document) {
	h.Helper()
	_, err := h.store.FileDocument(h.ctx, "t1", recaller.Filing{Document: d})
	h.ok(err)
}

// onlyPin is the one document that there is.
func (h *house) onlyPin() recaller.Document {
	h.Helper()
	list := h.pinned()
	if len(list) != 1 {
		h.Fatalf("got %d documents, want one: %+v", len(list), list)
	}
	return list[0]
}

var boilerCalls = []string{"My boiler is leaking.", "Is there any news about the boiler?", "The boiler is still leaking, and it's getting worse."}

// A topic is pinned with the third conversation that touches it, kept up to date, closed when it is settled, and comes
// back.
func TestATopicIsPinned(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, h *house) {
		pinning(h)
		conv := h.calls(boilerCalls[:2]...)
		if list := h.pinned(); len(list) != 0 {
			t.Fatalf("got %+v after two conversations", list)
		}
		h.calls("What are your opening hours?", boilerCalls[2])
		d := h.onlyPin()
		if d.Title != "Boiler" || !d.Pinned || d.Origin != recaller.DocumentPin || d.Caller != conv.Caller {
			t.Errorf("got %+v", d)
		}
		for _, want := range []string{
			"**About:** 29 November 2026, caller: “My boiler is leaking.”", "### Current state\n- 20 December 2026, caller: “The boiler is still leaking",
			"- 6 December 2026, caller: “Is there any news about the boiler?”",
		} {
			if !strings.Contains(d.Content, want) {
				t.Errorf("want %q in\n%s", want, d.Content)
			}
		}
		snap, err := h.store.Snapshot(h.ctx, "t1", conv.Caller)
		h.ok(err)
		if len(snap.Pinned) != 1 || snap.Pinned[0].ID != d.ID {
			t.Errorf("a briefing has %+v", snap.Pinned)
		}
		h.calls("The boiler is fixed now, thank you.")
		if d := h.onlyPin(); d.Pinned || !strings.Contains(d.Content, "- settled: 27 December 2026, caller: “The boiler is fixed now, thank you.”") {
			t.Errorf("after it was settled: %+v", d)
		}
		h.calls("The boiler has broken down again.")
		if d := h.onlyPin(); !d.Pinned || !strings.Contains(d.Content, "- reopened: 3 January 2027") {
			t.Errorf("after it broke: %+v", d)
		}
	})
}

// Repeating the step, racing with somebody else and dying in the middle have no second effect.
func TestPinsAreKeptOnce(t *testing.T) {
	t.Parallel()
	h := pinning(newHouse(t, recaller.Tenant{}))
	h.calls(boilerCalls[:2]...)
	h.pins.(*cabinet).races = 2
	h.now = h.now.AddDate(0, 0, 7)
	_, job := h.hold(past{words: []string{"user: " + boilerCalls[2], "assistant: I see."}})
	h.pins.(*cabinet).dies = true
	if err := h.service.Run(h.ctx, job); !errors.Is(err, errDied) {
		t.Fatalf("got %v, want the process to die", err)
	}
	h.pins.(*cabinet).dies = false
	h.run(job)
	h.run(job)
	if d := h.onlyPin(); !strings.Contains(d.Content, "in 3 conversations") {
		t.Errorf("got %s", d.Content)
	}
}

// What a client decides about a pin stands.
func TestPinsAreInTheHandsOfClients(t *testing.T) {
	t.Parallel()
	t.Run("unpinned", func(t *testing.T) {
		t.Parallel()
		h := pinning(newHouse(t, recaller.Tenant{}))
		h.calls(boilerCalls...)
		d := h.onlyPin()
		d.Pinned = false
		h.put(d)
		h.calls("The boiler is fixed now.", "The boiler has broken down again.")
		if d := h.onlyPin(); d.Pinned || !strings.Contains(d.Content, "has broken down again") {
			t.Errorf("got %+v; want it kept up to date, and not pinned", d)
		}
		d = h.onlyPin()
		d.Pinned = true
		h.put(d)
		h.calls("Well, the boiler is fixed now.")
		if d := h.onlyPin(); !d.Pinned {
			t.Errorf("got %+v; want it pinned, because a client pinned it", d)
		}
	})
	t.Run("rewritten", func(t *testing.T) {
		t.Parallel()
		h := pinning(newHouse(t, recaller.Tenant{}))
		h.calls(boilerCalls...)
		d := h.onlyPin()
		d.Content, d.Origin = "We replace it in May.", recaller.DocumentWritten
		h.put(d)
		h.calls("The boiler is fixed now.", "The boiler has broken down again.", "Look at the boiler, please.")
		if got := h.onlyPin(); got.Content != d.Content || got.Version != d.Version+1 {
			t.Errorf("got %+v, want it left alone", got)
		}
	})
}

func TestWhatIsNotPinned(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		settings recaller.Tenant
		past     past
	}{
		"by the setting":                         {settings: recaller.Tenant{PinAfter: recaller.NoPins}},
		"by a higher setting":                    {settings: recaller.Tenant{PinAfter: 4}},
		"words that are not kept":                {settings: recaller.Tenant{Retention: recaller.Ephemeral}, past: past{ephemeral: true}},
		"a reminder call":                        {past: past{reminder: true}},
		"words that the business says of itself": {settings: recaller.Tenant{Profile: recaller.Profile{Business: "The Boiler Shop"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := pinning(newHouse(t, tt.settings))
			for _, text := range boilerCalls {
				h.now = h.now.AddDate(0, 0, 7)
				p := tt.past
				p.words = []string{"user: " + text, "assistant: I see."}
				_, job := h.hold(p)
				h.run(job)
			}
			if list := h.pinned(); len(list) != 0 {
				t.Errorf("got %+v", list)
			}
		})
	}
}

// Where the words of earlier conversations are gone, the quotations of their summaries count.
func TestSummariesStandForWordsThatAreGone(t *testing.T) {
	t.Parallel()
	h := pinning(newHouse(t, recaller.Tenant{Retention: recaller.Archive}))
	for _, text := range boilerCalls {
		h.now = h.now.AddDate(0, 0, 7)
		p := past{ephemeral: true, words: []string{"assistant: How can I help?", "user: " + text, "assistant: I'll have somebody look at that.", "user: Thanks."}}
		_, job := h.hold(p)
		h.run(job) // the words are discarded with it
	}
	if d := h.onlyPin(); d.Title != "Boiler" || !strings.Contains(d.Content, "“My boiler is leaking.”") {
		t.Errorf("got %+v", d)
	}
}

// What was said of a topic and forgotten before is in no pin.
func TestPinsTellNothingForgotten(t *testing.T) {
	t.Parallel()
	h := pinning(newHouse(t, recaller.Tenant{}))
	h.calls("My boiler is leaking.", "The key for the boiler is under the third flowerpot.", "Please forget what I said about the third flowerpot.", "The boiler is still leaking.", "The boiler is no better.")
	for _, d := range h.pinned() {
		if strings.Contains(d.Content, "flowerpot") || strings.Contains(string(d.State), "flowerpot") {
			t.Errorf("got %s", d.Content)
		}
	}
	if d := h.onlyPin(); d.Title != "Boiler" {
		t.Errorf("got %+v", d)
	}
}
