package document_test

import (
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/document"
	"github.com/recallerhq/recaller/internal/pin"
)

// pins writes the document of a topic of ana's.
func (b *bench) pins(title string) recaller.Document {
	b.Helper()
	now := b.Clock.Now()
	said := pin.Quote{Conversation: b.ana.Conversation.ID, Speaker: recaller.User, Text: "“The " + title + " leaks.”", At: now}
	t := pin.Topic{
		Title: title, Lead: []string{strings.ToLower(title)}, Seen: 3, First: now, Latest: now, Pinned: true,
		About: said, Now: []pin.Quote{said}, History: []pin.Change{{Quote: said}},
	}
	d := t.Onto(recaller.Document{
		ID: recaller.DocumentID(b.NewID()), Caller: b.ana.Caller.ID, Origin: recaller.DocumentPin, CreatedAt: now,
	}, now)
	b.ok(b.FileTopic(b.Context(), tenant, d))
	return b.reads(d.ID)
}

func (b *bench) reads(id recaller.DocumentID) recaller.Document {
	b.Helper()
	d, err := b.Get(b.Context(), tenant, id)
	b.ok(err)
	return d
}

func (b *bench) topics() []recaller.Document {
	b.Helper()
	list, err := b.Topics(b.Context(), tenant, b.ana.Caller.ID)
	b.ok(err)
	return list
}

func TestPinsAreMerged(t *testing.T) {
	b := newBench(t)
	radiator := b.pins("Radiator")
	b.Clock.Advance(time.Hour)
	boiler := b.pins("Boiler")
	for range 2 { // an answer was lost
		d, err := b.Merge(b.Context(), tenant, radiator.ID, boiler.ID)
		b.ok(err)
		if d.ID != boiler.ID || d.Title != "Boiler" || strings.Count(d.Content, "The Radiator leaks") != 2 || !d.Pinned {
			t.Errorf("got %+v", d)
		}
	}
	list := b.topics()
	if len(list) != 1 {
		t.Fatalf("got %d topics, want one", len(list))
	}
	if topic, _ := pin.Of(list[0]); len(topic.Also) != 1 || topic.Also[0][0] != "radiator" {
		t.Errorf("got %+v, want later words about a radiator to be of it", topic)
	}
	if _, err := b.Get(b.Context(), tenant, radiator.ID); recaller.KindOf(err) != recaller.NotFound {
		t.Errorf("got %v, want it gone", err)
	}
}

func TestWhatCannotBeMerged(t *testing.T) {
	b := newBench(t)
	boiler, note := b.pins("Boiler"), b.writes(document.Input{Caller: b.ana.Caller.ID, Title: "Note", Content: "x"})
	for name, ids := range map[string][2]recaller.DocumentID{
		"itself": {boiler.ID, boiler.ID}, "into what is no pin": {boiler.ID, note.ID}, "into nothing": {boiler.ID, "none"},
		"into what is not said": {boiler.ID, ""},
	} {
		if _, err := b.Merge(b.Context(), tenant, ids[0], ids[1]); recaller.KindOf(err) != recaller.Invalid || !strings.Contains(err.Error(), "into") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := b.Merge(b.Context(), tenant, note.ID, boiler.ID); recaller.KindOf(err) != recaller.Invalid {
		t.Errorf("what is no pin: got %v", err)
	}
	if _, err := b.Merge(b.Context(), tenant, "none", boiler.ID); recaller.KindOf(err) != recaller.NotFound {
		t.Errorf("nothing: got %v", err)
	}
}

// A client's words are the client's: the topic stays known, so that it is not pinned anew.
func TestAPinThatAClientTakesOver(t *testing.T) {
	b := newBench(t)
	d := b.changes1(b.pins("Boiler"), document.Patch{Content: ptr("We replace it in May.")})
	if d.Origin != recaller.DocumentWritten || len(b.topics()) != 1 {
		t.Errorf("got %+v, and %d topics", d, len(b.topics()))
	}
	d = b.changes1(b.pins("Radiator"), document.Patch{Pinned: ptr(false)})
	if topic, ok := pin.Of(d); !ok || d.Origin != recaller.DocumentPin || topic.Hand != pin.HandOff {
		t.Errorf("got %+v", topic)
	}
}
