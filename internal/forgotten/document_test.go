package forgotten_test

import (
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
	"github.com/recallerhq/recaller/internal/pin"
)

// A pin is told without the quotations of what was forgotten since, and all of it is back when that is undone.
func TestAPinWithoutWhatWasForgotten(t *testing.T) {
	at := time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)
	said := func(turn int, text string) pin.Quote {
		return pin.Quote{Conversation: "c1", Turn: turn, Speaker: recaller.User, Text: "“" + text + "”", At: at}
	}
	leak, key := said(1, "The boiler is leaking."), said(3, "The key for the boiler is under the third flowerpot.")
	pinned := pin.Topic{
		Title: "Boiler", Lead: []string{"boiler"}, Seen: 1, First: at, Latest: at, Pinned: true,
		About: key, Now: []pin.Quote{leak, key}, History: []pin.Change{{Quote: key}},
	}.Onto(recaller.Document{Origin: recaller.DocumentPin, CreatedAt: at, Pinned: true}, at)
	gone := func(key, value string, turns ...int) forgotten.View {
		return forgotten.New([]recaller.Memory{{
			ID: "m1", Key: key, Value: value, Status: recaller.MemoryForgotten, CreatedAt: at, ClosedAt: at.Add(time.Hour),
			Provenance: recaller.Provenance{Conversation: "c1", Turns: turns},
		}})
	}
	snap := recaller.Snapshot{Forgotten: []recaller.Memory{{
		ID: "m1", Key: "key_place", Value: "under the third flowerpot", Status: recaller.MemoryForgotten, CreatedAt: at, ClosedAt: at.Add(time.Hour),
		Provenance: recaller.Provenance{Conversation: "c1", Turns: []int{3}},
	}}, Pinned: []recaller.Document{pinned}}
	forgotten.Snapshot(&snap)
	if d := snap.Pinned[0]; strings.Contains(d.Content+string(d.State), "flowerpot") || !strings.Contains(d.Content, "**About:** 4 May 2026, caller: “The boiler is leaking.”") {
		t.Errorf("got %s", d.Content)
	}
	if d := (forgotten.View{}).Document(pinned, nil); d.Content != pinned.Content {
		t.Errorf("nothing is forgotten, and it is told as %s", d.Content)
	}
	for name, v := range map[string]forgotten.View{"all its turns": gone("leak", "a leak", 1, 3), "its title": gone("boiler", "boiler")} {
		if d := v.Document(pinned, nil); d.Title != "" || d.Content != "" || d.State != nil {
			t.Errorf("%s: got %+v, want nothing told", name, d)
		}
	}
}

func TestADocumentWithoutWhatWasForgotten(t *testing.T) {
	at := time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)
	v := forgotten.New([]recaller.Memory{{
		ID: "m1", Key: "key_place", Value: "under the third flowerpot", Status: recaller.MemoryForgotten, CreatedAt: at, ClosedAt: at.Add(time.Hour),
	}})
	d := v.Document(recaller.Document{Origin: recaller.DocumentWritten, Title: "House", CreatedAt: at, Content: "Ring twice.\nThe key is under the third flowerpot."}, nil)
	if d.Title != "House" || d.Content != "Ring twice." {
		t.Errorf("got %+v", d)
	}
}
