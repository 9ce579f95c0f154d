package recall_test

import (
	"context"
	"slices"
	"sync"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall"
	"github.com/recallerhq/recaller/internal/recall/kind"
)

// library is a store that holds notes too: of callers, and of tenants under the empty caller. This is all that a kind
// of texts has to bring.
type library struct {
	*memStore
	mu       sync.Mutex // guards what follows
	notes    map[[2]string][]recaller.Text
	versions map[recaller.TenantID]int64
	asked    int // for versions of tenants
	away     bool
}

func newLibrary() *library {
	return &library{memStore: newStore(), notes: map[[2]string][]recaller.Text{}, versions: map[recaller.TenantID]int64{}}
}

func (l *library) Notes(_ context.Context, t recaller.TenantID, c recaller.CallerID) ([]recaller.Text, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.notes[[2]string{string(t), string(c)}]), nil
}

func (l *library) HouseVersion(_ context.Context, t recaller.TenantID) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked++
	if l.away {
		return 0, recaller.Errorf(recaller.Unavailable, "the store is away")
	}
	return l.versions[t], nil
}

// note writes notes in the place of those of the same ids, or takes them away where they have no words.
func (l *library) note(t, c string, notes ...recaller.Text) recaller.Change {
	l.mu.Lock()
	k := [2]string{t, c}
	for i := range notes {
		notes[i].Kind = "note"
		l.notes[k] = slices.DeleteFunc(l.notes[k], func(o recaller.Text) bool { return o.ID == notes[i].ID })
		if notes[i].Text != "" {
			l.notes[k] = append(l.notes[k], notes[i])
		}
	}
	if c != "" {
		l.mu.Unlock()
		return l.write(t, c, func(*recaller.Corpus) recaller.Change { return recaller.Change{Texts: notes} })
	}
	defer l.mu.Unlock()
	l.versions[recaller.TenantID(t)]++
	return recaller.Change{Tenant: recaller.TenantID(t), Version: l.versions[recaller.TenantID(t)], Texts: notes}
}

// phone makes all conversations of a caller voice calls.
func (l *library) phone(t, c string) {
	l.write(t, c, func(corpus *recaller.Corpus) recaller.Change {
		for i := range corpus.Conversations {
			corpus.Conversations[i].Channel = recaller.ChannelVoice
		}
		return recaller.Change{}
	})
}

// with registers notes, and changes their row if change is not nil.
func (l *library) with(opts recall.Options, change func(*kind.Kind)) *recall.Service {
	row := kind.Kind{Name: "note", Words: true}
	if change != nil {
		change(&row)
	}
	opts.Kinds = []recall.Kind{{Kind: row, Texts: l.Notes}}
	return recall.New(l, opts)
}

// aboutTheFountain is a library in which a caller and his tenant hold notes of a fountain.
func aboutTheFountain() *library {
	l := newLibrary()
	l.say("acme", "ann", "c1", day(1), "Good morning.", "Good morning, how can I help?", "The fountain is dry.")
	l.say("acme", "bob", "c2", day(1), "Good morning.")
	l.say("else", "eve", "c3", day(1), "Good morning.")
	l.note("acme", "ann", recaller.Text{ID: "n1", Conversation: "c1", Title: "Repairs", Text: "The fountain was repaired by Miller.", At: day(2)})
	l.note("acme", "", recaller.Text{ID: "h1", Title: "Fountains", Text: "A fountain costs nine hundred."})
	l.note("else", "", recaller.Text{ID: "h2", Title: "Fountains", Text: "A fountain is never sold."})
	return l
}
