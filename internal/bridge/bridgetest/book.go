package bridgetest

import (
	"context"
	"slices"
	"sync"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/bridge"
	"github.com/recallerhq/recaller/internal/conversation"
)

// The call of which a Book keeps turns.
const (
	Tenant       recaller.TenantID       = "acme"
	Conversation recaller.ConversationID = "conv"
)

// Book keeps the turns of a call in memory, once by their token. The zero value is empty. Safe for concurrent use.
type Book struct {
	mu    sync.Mutex
	turns []conversation.TurnInput
	once  map[string]bool
	fails func(n int) error
	calls int
}

var _ bridge.Turns = (*Book)(nil)

// AddTurns implements bridge.Turns.
func (b *Book) AddTurns(
	_ context.Context, tenant recaller.TenantID, ref string, once recaller.Once, in []conversation.TurnInput,
) ([]recaller.Turn, bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls++
	if b.fails != nil {
		if err := b.fails(b.calls); err != nil {
			return nil, false, err
		}
	}
	if tenant != Tenant || ref != string(Conversation) || once.Token == "" || b.once[once.Token] {
		return nil, false, recaller.Errorf(recaller.Internal, "%s %s %q", tenant, ref, once.Token)
	}
	if b.once == nil {
		b.once = map[string]bool{}
	}
	b.once[once.Token] = true
	b.turns = append(b.turns, in...)
	return nil, true, nil
}

// Fails has calls fail, from now on: the n-th of all as it says. nil: none does.
func (b *Book) Fails(how func(n int) error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fails = how
}

// Forget forgets all turns.
func (b *Book) Forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turns, b.once = nil, nil
}

// Turns returns what was kept.
func (b *Book) Turns() []conversation.TurnInput {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.turns)
}

// Said returns it as lines: "user: Hello", and a dash behind what was cut off.
func (b *Book) Said() (lines []string) {
	for _, t := range b.Turns() {
		line := string(t.Speaker) + ": " + t.Text
		if t.Interrupted {
			line += " —"
		}
		lines = append(lines, line)
	}
	return lines
}
