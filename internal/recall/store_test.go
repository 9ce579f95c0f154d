package recall_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall"
)

// memStore is a store in memory: writes raise the caller's content version by one and return the change they were.
type memStore struct {
	mu      sync.Mutex
	callers map[[2]string]*recaller.Corpus
	reads   int           // of whole corpora
	reading chan struct{} // if not nil, each reading of a corpus is told here …
	proceed chan struct{} // … and goes on, with what it has read, when it is told here
}

func newStore() *memStore { return &memStore{callers: make(map[[2]string]*recaller.Corpus)} }

func (m *memStore) ContentVersion(_ context.Context, t recaller.TenantID, c recaller.CallerID) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	corpus, ok := m.callers[[2]string{string(t), string(c)}]
	if !ok {
		return 0, recaller.Errorf(recaller.NotFound, "no such caller")
	}
	return corpus.Version, nil
}

func (m *memStore) Corpus(_ context.Context, t recaller.TenantID, c recaller.CallerID) (recaller.Corpus, error) {
	m.mu.Lock()
	corpus, ok := m.callers[[2]string{string(t), string(c)}]
	if !ok {
		m.mu.Unlock()
		return recaller.Corpus{}, recaller.Errorf(recaller.NotFound, "no such caller")
	}
	m.reads++
	snapshot := recaller.Corpus{Version: corpus.Version, Conversations: slices.Clone(corpus.Conversations), Turns: maps.Clone(corpus.Turns), Forgotten: corpus.Forgotten}
	for id, turns := range snapshot.Turns {
		snapshot.Turns[id] = slices.Clone(turns)
	}
	for _, mem := range corpus.Memories {
		known := slices.ContainsFunc(corpus.Memories, func(o recaller.Memory) bool { return o.ID == mem.ID && o.Status == recaller.MemoryActive })
		if known && mem.Status != recaller.MemoryForgotten {
			snapshot.Memories = append(snapshot.Memories, mem)
		}
	}
	m.mu.Unlock()
	if m.reading != nil {
		m.reading <- struct{}{}
		<-m.proceed
	}
	return snapshot, nil
}

func (m *memStore) write(t, c string, f func(*recaller.Corpus) recaller.Change) recaller.Change {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := [2]string{t, c}
	corpus := m.callers[k]
	if corpus == nil {
		corpus = &recaller.Corpus{Turns: make(map[recaller.ConversationID][]recaller.Turn)}
		m.callers[k] = corpus
	}
	corpus.Version++
	change := f(corpus)
	change.Tenant, change.Caller, change.Version = recaller.TenantID(t), recaller.CallerID(c), corpus.Version
	return change
}

// say adds turns to a conversation, caller and agent by turns, and begins the conversation if it is new.
func (m *memStore) say(t, c, conv string, at time.Time, texts ...string) recaller.Change {
	return m.write(t, c, func(corpus *recaller.Corpus) recaller.Change {
		id := recaller.ConversationID(conv)
		i := slices.IndexFunc(corpus.Conversations, func(c recaller.Conversation) bool { return c.ID == id })
		if i < 0 {
			i = len(corpus.Conversations)
			corpus.Conversations = append(corpus.Conversations, recaller.Conversation{ID: id, ExternalID: "ext-" + conv, StartedAt: at, Status: recaller.Active})
		}
		var turns []recaller.Turn
		for _, text := range texts {
			n := len(corpus.Turns[id]) + len(turns)
			speaker := recaller.User
			if n%2 == 1 {
				speaker = recaller.Assistant
			}
			turns = append(turns, recaller.Turn{ID: recaller.TurnID(fmt.Sprintf("%s/%d", conv, n)), Number: n, Speaker: speaker, Text: text, At: at})
		}
		corpus.Turns[id] = append(corpus.Turns[id], turns...)
		now := corpus.Conversations[i]
		return recaller.Change{Conversation: &now, Turns: turns}
	})
}

// summarise ends a conversation and gives it a summary.
func (m *memStore) summarise(t, c, conv string, at time.Time, s recaller.Summary) recaller.Change {
	return m.write(t, c, func(corpus *recaller.Corpus) recaller.Change {
		i := slices.IndexFunc(corpus.Conversations, func(c recaller.Conversation) bool { return c.ID == recaller.ConversationID(conv) })
		corpus.Conversations[i].Summary, corpus.Conversations[i].EndedAt = &s, at
		now := corpus.Conversations[i]
		return recaller.Change{Conversation: &now}
	})
}

// remember stores a new version of a memory, or closes it when the value is "".
func (m *memStore) remember(t, c, key, value string, at time.Time) recaller.Change {
	return m.write(t, c, func(corpus *recaller.Corpus) recaller.Change {
		next := recaller.Memory{ID: recaller.MemoryID("m-" + key), Version: 1, Type: recaller.Fact, Key: key, Value: value, Status: recaller.MemoryActive, CreatedAt: at}
		var change recaller.Change
		for i := range corpus.Memories {
			old := &corpus.Memories[i]
			if old.Key == key && old.Status == recaller.MemoryActive {
				next.Version = old.Version + 1
				old.Status, old.ClosedAt = recaller.MemorySuperseded, at
				if value == "" {
					old.Status = recaller.MemoryForgotten
				}
				change.Memories = append(change.Memories, *old)
			}
		}
		if value != "" {
			corpus.Memories = append(corpus.Memories, next)
			change.Memories = append(change.Memories, next)
		}
		return change
	})
}

// erase removes a caller without a trace.
func (m *memStore) erase(t, c string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.callers, [2]string{t, c})
}

func (m *memStore) readCount() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.reads
}

// day is noon of a day in May 2024.
func day(d int) time.Time { return time.Date(2024, time.May, d, 12, 0, 0, 0, time.UTC) }

// found asks for text and returns the ids of the hits, best first.
func found(t *testing.T, s *recall.Service, tenant, caller string, q recall.Query) []string {
	t.Helper()
	res, err := s.Recall(t.Context(), recaller.TenantID(tenant), recaller.CallerID(caller), q)
	if err != nil {
		t.Fatalf("recall: %v", err)
	}
	ids := make([]string, len(res.Hits))
	for i, h := range res.Hits {
		ids[i] = h.ID
	}
	return ids
}
