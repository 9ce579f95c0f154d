package tool

import (
	"context"
	"errors"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/identity"
	"github.com/recallerhq/recaller/internal/memory"
)

// exchange is a call with what is known of its conversation.
type exchange struct {
	call     Call
	args     Arguments
	conv     recaller.Conversation
	caller   recaller.Caller
	said     time.Time // when the words were said, in the caller's zone: relative dates count from it
	now      time.Time // in the caller's zone
	dayFirst bool      // 5/12 is 5 December
	tenant   recaller.Tenant
	rights   recaller.Rights
	turns    []int // the turns that a memory of this call came from
}

// enter finds the conversation of a call, and checks that it belongs to the account and the caller that the call names.
func (s *Service) enter(ctx context.Context, x *exchange) error {
	if err := s.find(ctx, x); err != nil {
		return err
	}
	if x.call.Account != "" && x.call.Account != string(x.call.Tenant) {
		return recaller.Errorf(recaller.NotFound, "there is no such account")
	}
	tenant, err := s.Tenants.Tenant(ctx, x.call.Tenant)
	if err != nil {
		return err
	}
	x.tenant = tenant
	if x.caller, err = s.Store.Caller(ctx, x.call.Tenant, x.conv.Caller); err != nil {
		return err
	}
	if !isCaller(x.call.Caller, x.caller, tenant) && !x.begunAs() {
		return recaller.Errorf(recaller.NotFound, "the conversation is not with this line")
	}
	x.rights = tenant.Rights(x.conv.Trust)
	zone := identity.ZoneOf(x.caller, tenant)
	x.now = s.Now().In(zone)
	x.said = x.now
	if x.conv.Status != recaller.Active && !x.conv.EndedAt.IsZero() {
		x.said = x.conv.EndedAt.In(zone)
	}
	x.dayFirst = identity.DayFirst(x.caller, tenant)
	if n, ok := s.lastTurn(x); ok {
		x.turns = []int{n}
	}
	return nil
}

// begunAs reports whether a call names the caller with whom the conversation was begun: an agent goes on to name him when
// somebody else speaks.
func (x exchange) begunAs() bool {
	return x.call.Caller != "" && x.call.Caller == string(x.conv.BegunAs)
}

// find finds the conversation of a call. Outside of any there is none, but it is known with whom it would be.
func (s *Service) find(ctx context.Context, x *exchange) (err error) {
	switch {
	case x.call.Outside:
		x.conv = recaller.Conversation{Caller: recaller.CallerID(x.call.Caller), Status: recaller.Active, Trust: x.call.Trust}
	case x.call.Conversation == "":
		err = recaller.InvalidField("callSessionId", "is required")
	default:
		x.conv, err = s.Store.Conversation(ctx, x.call.Tenant, x.call.Conversation)
	}
	return err
}

func (s *Service) lastTurn(x *exchange) (int, bool) {
	if s.LastTurn == nil {
		return 0, false
	}
	n, ok := s.LastTurn(x.call.Tenant, x.conv.ID)
	return n, ok && n >= 0 && n < x.conv.Turns // a turn that is not durable yet is no provenance
}

// isCaller reports whether a call names its caller correctly, by id, number or external id, or not at all.
func isCaller(said string, c recaller.Caller, t recaller.Tenant) bool {
	if said == "" || said == string(c.ID) {
		return true
	}
	number, noNumber := identity.Phone(said, t.DefaultRegion)
	external, noID := identity.ExternalID(said)
	if errors.Is(noNumber, identity.ErrWithheld) && len(c.Identities) == 0 {
		return true
	}
	for _, id := range c.Identities {
		switch {
		case id.Kind == recaller.IdentityPhone && noNumber == nil && id.Value == number,
			id.Kind == recaller.IdentityExternal && noID == nil && id.Value == external:
			return true
		}
	}
	return false
}

// record returns the record of the call. The use case of memories fills in its id and time when it writes it.
func (x exchange) record(result string) recaller.ToolCall {
	return recaller.ToolCall{Conversation: x.conv.ID, Caller: x.conv.Caller, Tool: x.call.Name, Result: result}
}

// recorded returns the record of a call that writes, whose result is that of the write; nil outside of a conversation.
func (x exchange) recorded() *recaller.ToolCall {
	if x.call.Outside {
		return nil
	}
	c := x.record("")
	return &c
}

// provenance returns where what this call stores came from.
func (x exchange) provenance() recaller.Provenance {
	return recaller.Provenance{Conversation: x.conv.ID, Turns: x.turns, Thread: x.conv.Thread}
}

// sight is what of the caller's memories may be seen here.
func (x exchange) sight() memory.Sight {
	return memory.Sight{Rights: x.rights, Conversation: x.conv.ID}
}
