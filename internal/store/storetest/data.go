package storetest

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

// Data is a store with one tenant, "t", for tests and benchmarks that make callers, conversations and memories as they
// need them. Many may make them at once.
type Data struct {
	testing.TB
	*store.Store
	Now time.Time

	ctx context.Context
	ids atomic.Int64
}

// NewData makes the tenant in an empty store.
func NewData(t testing.TB, s *store.Store) *Data {
	t.Helper()
	d := &Data{TB: t, Store: s, Now: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC), ctx: context.Background()}
	d.OK(d.CreateTenant(d.ctx, recaller.Tenant{ID: "t", Name: "T", CreatedAt: d.Now}.WithDefaults(), recaller.APIKey{ID: "k", Tenant: "t"}, []byte("hash")))
	return d
}

// OK ends the test where there is an error.
func (d *Data) OK(err error) {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
}

// ID makes an id that nothing else of this data has.
func (d *Data) ID(kind string) string { return fmt.Sprintf("%s-%08d", kind, d.ids.Add(1)) }

// Opening is a call from a number, to be opened.
func (d *Data) Opening(number string) recaller.Opening {
	return recaller.Opening{
		Identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: number}}, NewCaller: recaller.CallerID(d.ID("caller")),
		Name: "Maud", NameSource: recaller.NameGiven,
		Conversation: recaller.Conversation{
			ID: recaller.ConversationID(d.ID("conv")), Channel: recaller.ChannelVoice, Direction: recaller.Inbound,
			Status: recaller.Active, StartedAt: d.Now, LastActivityAt: d.Now,
		},
	}
}

// Call opens a call from a number.
func (d *Data) Call(number string) recaller.Opened {
	d.Helper()
	o, err := d.OpenConversation(d.ctx, "t", d.Opening(number))
	d.OK(err)
	return o
}

// Calls opens calls from as many numbers.
func (d *Data) Calls(n int) []recaller.Opened {
	d.Helper()
	calls := make([]recaller.Opened, n)
	for i := range calls {
		calls[i] = d.Call(fmt.Sprintf("+1555%07d", i))
	}
	return calls
}

// Appending is so many turns of a caller, to be appended.
func (d *Data) Appending(o recaller.Opened, n int) recaller.Appending {
	turns := make([]recaller.Turn, n)
	for i := range turns {
		turns[i] = recaller.Turn{
			ID: recaller.TurnID(d.ID("turn")), Speaker: recaller.User, At: d.Now, Confidence: 1,
			Text: "I would like to move my appointment from Tuesday to Thursday, if that is possible at all",
		}
	}
	return recaller.Appending{Conversation: o.Conversation.ID, Caller: o.Caller.ID, Turns: turns, At: d.Now}
}

// Say appends so many turns of a caller.
func (d *Data) Say(o recaller.Opened, n int) {
	d.Helper()
	_, err := d.AppendTurns(d.ctx, "t", d.Appending(o, n))
	d.OK(err)
}

// Memory is a memory of a caller, to be stored.
func (d *Data) Memory(caller recaller.CallerID, key, value string) recaller.Memory {
	return recaller.Memory{
		ID: recaller.MemoryID(d.ID("memory")), Caller: caller, Type: recaller.Fact, Key: key, Value: value,
		Confidence: 0.9, Source: recaller.SourceAPI, PrivacyScope: recaller.LineOnly, CreatedAt: d.Now, ConfirmedAt: d.Now,
	}
}

// Remember stores so many memories of a caller.
func (d *Data) Remember(caller recaller.CallerID, n int) {
	d.Helper()
	for i := range n {
		_, err := d.StoreMemory(d.ctx, "t", recaller.Storing{Memory: d.Memory(caller, fmt.Sprint("key_", i), "has three grandchildren, the eldest is Tom")})
		d.OK(err)
	}
}

// End ends a call and sums it up.
func (d *Data) End(o recaller.Opened) {
	d.Helper()
	_, err := d.CloseConversation(d.ctx, "t", recaller.Closing{Conversation: o.Conversation.ID, Status: recaller.Completed, EndedAt: d.Now, Duration: time.Minute, Steps: planned()})
	d.OK(err)
	_, err = d.WriteStep(d.ctx, "t", recaller.StepResult{
		Conversation: o.Conversation.ID, Caller: o.Caller.ID, Step: recaller.StepSummarise, State: recaller.StepDone, At: d.Now,
		Summary: &recaller.Summary{Brief: strings.Repeat("She moved her appointment. ", 4), Topics: []string{"appointments", "opening hours"}},
	})
	d.OK(err)
}
