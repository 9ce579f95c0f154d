package disktest_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/disktest"
	"github.com/recallerhq/recaller/internal/memory"
	"github.com/recallerhq/recaller/internal/usecasetest"
)

// story is a whole life of an installation on a simulated disk: people call, are remembered, forgotten and erased, a
// copy is made, and processes come and go. It notes what was acknowledged, and when.
type story struct {
	disk  *disktest.Disk
	dir   string
	clock *usecasetest.Clock
	newID func() string
	*process

	tries  int // of each step
	houses int // who calls; the last one's call goes on
	rounds int // of the crowd
	failed []error
	facts  []fact
	made   map[recaller.TenantID]bool
}

// fact is something that was acknowledged.
type fact struct {
	what  string
	from  int // steps of the disk when it was acknowledged
	until int // and when somebody began to take it back; 0: nobody did
	holds func(p *process) error
	gone  [][]byte // what no file has any more
}

func newStory(disk *disktest.Disk, dir string, tries int) *story {
	return &story{
		disk: disk, dir: dir, clock: usecasetest.NewClock(), newID: usecasetest.IDs(), tries: tries, houses: 5, rounds: 16,
		made: map[recaller.TenantID]bool{},
	}
}

var errHeld = recaller.Errorf(recaller.Unavailable, "something is held")

// step does something as often as it takes. It fails where it was tried in vain.
func (s *story) step(what string, do func(ctx context.Context) error) error {
	var err error
	for range s.tries {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		err = do(ctx)
		if err == nil && s.process != nil {
			if s.conversations.FlushHeld(ctx) > 0 {
				err = errHeld
			}
		}
		cancel()
		if err == nil {
			return nil
		}
		s.failed = append(s.failed, fmt.Errorf("%s: %w", what, err))
	}
	return fmt.Errorf("%s: %w", what, err)
}

func (s *story) acknowledged(what string, holds func(p *process) error) *fact {
	s.facts = append(s.facts, fact{what: what, from: s.disk.Now(), holds: holds})
	return &s.facts[len(s.facts)-1]
}

// tell tells the story to its end, or to where it does not go on.
func (s *story) tell() (err error) {
	defer func() {
		if s.process != nil {
			err = errors.Join(err, s.close())
		}
	}()
	for _, chapter := range []func() error{
		s.begin, s.people, s.erase(0), s.newcomer, s.erase(newcomer), s.crowd, s.restart, s.forget, s.erase(2), s.after, s.copied, s.restart, s.after,
	} {
		if err := chapter(); err != nil {
			return err
		}
	}
	return nil
}

func (s *story) begin() error {
	err := s.step("start", func(context.Context) (err error) {
		s.process, err = start(s.dir, s.clock, s.newID)
		return err
	})
	if err != nil {
		return err
	}
	for _, id := range tenants {
		if s.made[id] {
			continue
		}
		err := s.step("tenant", func(ctx context.Context) error {
			k := recaller.APIKey{ID: recaller.KeyID("key-" + id), Tenant: id, Scope: recaller.ScopeAgent, CreatedAt: s.clock.Now()}
			err := s.Store.CreateTenant(ctx, tenant(id, s.clock).WithDefaults(), k, []byte(id))
			if len(s.failed) > 0 && errors.Is(err, recaller.Conflict) { // an earlier try whose answer was lost
				return nil
			}
			return err
		})
		if err != nil {
			return err
		}
		s.made[id] = true
		s.acknowledged("tenant "+string(id), func(p *process) error { _, err := p.Store.Tenant(context.Background(), id); return err })
	}
	return nil
}

func (s *story) restart() error {
	err := s.close()
	s.process = nil
	if err != nil {
		s.failed = append(s.failed, fmt.Errorf("close: %w", err))
	}
	return s.begin()
}

// said has somebody say something, and looks for it afterwards.
func (s *story) said(t recaller.TenantID, call string, number int, text string) error {
	err := s.step("turn", func(ctx context.Context) error {
		_, _, err := s.conversations.AddTurns(ctx, t, call, recaller.Once{Token: text, Request: text}, []conversation.TurnInput{{Speaker: recaller.User, Text: text}})
		return err
	})
	if err != nil {
		return err
	}
	s.heard(t, call, number, text)
	return nil
}

func (s *story) heard(t recaller.TenantID, call string, number int, text string) {
	s.acknowledged("turn "+text, func(p *process) error {
		record, err := p.record(t, call)
		if err != nil {
			return err
		}
		if record.Conversation.Turns != len(record.Turns) {
			return fmt.Errorf("%d turns are counted and %d are there", record.Conversation.Turns, len(record.Turns))
		}
		times := 0
		for i, turn := range record.Turns {
			if turn.Number != i {
				return fmt.Errorf("turn %d has number %d", i, turn.Number)
			}
			if turn.Text == text {
				times++
			}
		}
		if times != 1 || number >= 0 && record.Turns[number].Text != text {
			return fmt.Errorf("it is there %d times, or not where it was", times)
		}
		return nil
	})
}

func (s *story) opens(t recaller.TenantID, phone, call string) (started conversation.Started, err error) {
	err = s.step("call", func(ctx context.Context) (err error) {
		started, err = s.conversations.Start(ctx, t, conversation.Start{Caller: conversation.CallerRef{Phone: phone}, ExternalID: call})
		return err
	})
	if err != nil {
		return started, err
	}
	// Where the store was away, whose number it is was found out later.
	err = s.step("look", func(ctx context.Context) error {
		conv, err := s.conversations.Find(ctx, t, call)
		started.Conversation, started.Caller.ID = conv, conv.Caller
		return err
	})
	s.acknowledged("call "+call, func(p *process) error {
		c, err := p.Store.CallerByIdentity(context.Background(), t, recaller.Identity{Kind: recaller.IdentityPhone, Value: phone})
		if err == nil && c.ID != started.Caller.ID {
			err = errors.New("the number is somebody else's")
		}
		return err
	})
	return started, err
}

func call(n int) string { return fmt.Sprint("call-", n) }

func phone(n int) string { return fmt.Sprintf("+1202555%04d", n) }

// people has some people call, and all be remembered that there is to remember.
func (s *story) people() error {
	for i := range s.houses {
		if err := s.person(i, kept); err != nil {
			return err
		}
	}
	return s.person(ofArchive, archived)
}

const (
	ofArchive = 8
	newcomer  = 9
)

// newcomer has somebody call whose key is in the log only when he is erased.
func (s *story) newcomer() error { return s.person(newcomer, kept) }

func (s *story) person(i int, t recaller.TenantID) error {
	call := call(i)
	opened, err := s.opens(t, phone(i), call)
	if err != nil {
		return err
	}
	caller := opened.Caller.ID
	songs, song := 2, ""
	if t == archived { // each turn in several sectors of a file
		songs, song = 4, strings.Repeat(" la", 500)
	}
	for n := range songs {
		if err := s.said(t, call, n, fmt.Sprint("the parrot of house ", i, " sang song ", n, song)); err != nil {
			return err
		}
	}
	for n := range 2 {
		key, value := fmt.Sprint("pet_", n), fmt.Sprint("parrot of house ", i, " and song ", n)
		err := s.step("memory", func(ctx context.Context) error {
			_, err := s.memories.Store(ctx, t, caller, recaller.Once{Token: value, Request: value}, memory.Input{Type: recaller.Fact, Key: key, Value: value})
			return err
		})
		if err != nil {
			return err
		}
		s.acknowledged("memory "+value, remembered(t, caller, key, value))
		if err := s.versioned(t, caller, call); err != nil {
			return err
		}
	}
	err = s.step("checkpoint", func(ctx context.Context) error {
		_, _, err := s.memories.PutCheckpoint(ctx, t, caller, memory.CheckpointInput{Intent: "buying a cage", Summary: "was choosing a size"})
		return err
	})
	if err != nil || i == s.houses-1 {
		return err
	}
	s.acknowledged(fmt.Sprint("checkpoint of ", call), func(p *process) error { _, err := p.Store.Checkpoint(context.Background(), t, caller); return err })
	err = s.step("end", func(ctx context.Context) error {
		_, err := s.conversations.End(ctx, t, call, conversation.End{Reason: "hung up"})
		return err
	})
	if err != nil {
		return err
	}
	s.acknowledged("end of "+call, func(p *process) error {
		c, err := p.Store.Conversation(context.Background(), t, call)
		if err == nil && c.Status != recaller.Completed {
			err = fmt.Errorf("it is %s", c.Status)
		}
		return err
	})
	return s.writtenUp(t, i, opened.Conversation)
}

// versioned holds that the caller's version never goes back.
func (s *story) versioned(t recaller.TenantID, caller recaller.CallerID, call string) error {
	var version int64
	err := s.step("version", func(ctx context.Context) (err error) {
		version, err = s.Store.ContentVersion(ctx, t, caller)
		return err
	})
	s.acknowledged("version of "+call, func(p *process) error {
		now, err := p.Store.ContentVersion(context.Background(), t, caller)
		if err == nil && now < version {
			err = fmt.Errorf("it is %d after %d", now, version)
		}
		return err
	})
	return err
}

func remembered(t recaller.TenantID, caller recaller.CallerID, key, value string) func(p *process) error {
	return func(p *process) error {
		list, _, err := p.Store.Memories(context.Background(), t, caller, recaller.MemoryFilter{Key: key})
		if err == nil && (len(list) != 1 || list[0].Value != value) {
			err = fmt.Errorf("there are %d of it, or it is another", len(list))
		}
		return err
	}
}

func (s *story) writtenUp(t recaller.TenantID, i int, conv recaller.Conversation) error {
	err := s.step("summary", func(ctx context.Context) error {
		_, err := s.Store.WriteStep(ctx, t, recaller.StepResult{
			Conversation: conv.ID, Caller: conv.Caller, Step: recaller.StepSummarise, State: recaller.StepDone, By: "rules", At: s.clock.Now(),
			Summary: &recaller.Summary{Brief: fmt.Sprint("House ", i, " has a parrot."), By: "rules"},
		})
		return err
	})
	if err != nil {
		return err
	}
	s.acknowledged(fmt.Sprint("summary of call-", i), func(p *process) error {
		c, err := p.Store.Conversation(context.Background(), t, string(conv.ID))
		if err == nil && (c.Summary == nil || c.Summary.Brief != fmt.Sprint("House ", i, " has a parrot.")) {
			err = errors.New("there is none, or it is another")
		}
		return err
	})
	rng := rand.New(rand.NewPCG(uint64(i), 1))
	vector := make([]float32, 256)
	for at := range vector {
		vector[at] = rng.Float32() - 0.5
	}
	return s.step("index", func(ctx context.Context) error {
		return s.Store.PutIndexing(ctx, t, recaller.Indexing{
			Conversation: conv.ID, Caller: conv.Caller, At: s.clock.Now(),
			Stems:      map[string]int{fmt.Sprint("stem-", i): 1, fmt.Sprint("other-", i): 2, "parrot": 1},
			Embeddings: []recaller.Embedding{{Model: "m", Vector: vector}},
		})
	})
}

// crowd has four calls talk at once, so that they share commits, for so long that the log is moved into the database.
func (s *story) crowd() error {
	for i := range 4 {
		if _, err := s.opens(kept, phone(10+i), fmt.Sprint("crowd-", i)); err != nil {
			return err
		}
	}
	for n := range s.rounds {
		err := s.step("turns", func(ctx context.Context) error {
			errs := make([]error, 4)
			var all sync.WaitGroup
			for i := range errs {
				all.Go(func() {
					text := fmt.Sprint("many words ", i, " and ", n)
					_, _, errs[i] = s.conversations.AddTurns(ctx, kept, fmt.Sprint("crowd-", i), recaller.Once{Token: text, Request: text}, []conversation.TurnInput{{Speaker: recaller.User, Text: text}})
				})
			}
			all.Wait()
			return errors.Join(errs...)
		})
		if err != nil {
			return err
		}
		for i := range 4 {
			s.heard(kept, fmt.Sprint("crowd-", i), n, fmt.Sprint("many words ", i, " and ", n))
		}
	}
	return nil
}

func (s *story) caller(ctx context.Context, i int) (recaller.CallerID, error) {
	c, err := s.Store.CallerByIdentity(ctx, kept, recaller.Identity{Kind: recaller.IdentityPhone, Value: phone(i)})
	return c.ID, err
}

// after has the last one's call go on, and somebody else call.
func (s *story) after() error {
	again := fmt.Sprint("again-", len(s.facts))
	if _, err := s.opens(kept, phone(20), again); err != nil {
		return err
	}
	if err := s.said(kept, again, 0, "hello again, says "+again); err != nil {
		return err
	}
	return s.said(kept, fmt.Sprint("call-", s.houses-1), -1, "the call goes on after "+again)
}
