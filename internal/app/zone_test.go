package app

import (
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// B8: at eight in the morning in Auckland, when UTC still has the day before, "yesterday" is the caller's yesterday:
// the evening before, and not the day before that, which it would be in London.
func TestYesterdayIsTheCallersOwn(t *testing.T) {
	t.Parallel()
	h := build(t, t.TempDir(), Options{})
	h.gardener(client.CallerRef{Phone: "+6495551234"})
	h.wantYesterday("+6495551234", "The gardener planted the roses.")
}

// A zone that is set for a caller, or for the tenant, counts from the next question on, and so does a number that
// becomes known.
func TestDaysMoveWithTheCaller(t *testing.T) {
	t.Parallel()
	h := build(t, t.TempDir(), Options{})
	const nowhere = "+15550100142" // a number of no region
	caller := h.gardener(client.CallerRef{Phone: nowhere})
	h.wantYesterday(nowhere, "The gardener mowed the lawn.")
	for _, step := range []struct{ zone, want string }{
		{"Pacific/Auckland", "The gardener planted the roses."},
		{"Europe/London", "The gardener mowed the lawn."},
	} {
		if _, err := h.UpdateCaller(t.Context(), caller.ID, client.CallerPatch{TimeZone: &step.zone}); err != nil {
			t.Fatal(err)
		}
		h.wantYesterday(nowhere, step.want)
	}

	if _, err := h.UpdateCaller(t.Context(), caller.ID, client.CallerPatch{TimeZone: new(string)}); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ zone, want string }{
		{"Pacific/Auckland", "The gardener planted the roses."},
		{"Europe/London", "The gardener mowed the lawn."},
	} {
		if _, err := h.UpdateTenant(t.Context(), client.TenantPatch{TenantSettings: client.TenantSettings{TimeZone: &step.zone}}); err != nil {
			t.Fatal(err)
		}
		h.wantYesterday(nowhere, step.want)
	}

	visitor := h.gardener(client.CallerRef{ExternalID: "visitor-7"})
	h.wantFirst(visitor.ID, "The gardener mowed the lawn.")
	if _, err := h.StartConversation(t.Context(), client.StartRequest{Caller: client.CallerRef{ExternalID: "visitor-7", Phone: "+6495551235"}}); err != nil {
		t.Fatal(err)
	}
	h.wantFirst(visitor.ID, "The gardener planted the roses.")
}

// gardener is two past calls: at three in the afternoon of Monday in Auckland, when it was Monday everywhere, and at
// eight in the evening of Tuesday. The clock shows eight in the morning of Wednesday there.
func (h *house) gardener(who client.CallerRef) (c client.Caller) {
	h.t.Helper()
	monday := time.Date(2026, time.March, 2, 2, 0, 0, 0, time.UTC)
	tuesday := time.Date(2026, time.March, 3, 7, 0, 0, 0, time.UTC)
	h.clock.turn(time.Date(2026, time.March, 3, 19, 0, 0, 0, time.UTC).Sub(h.clock.Now()))
	for at, text := range map[time.Time]string{monday: "The gardener mowed the lawn.", tuesday: "The gardener planted the roses."} {
		done, err := h.ImportConversation(h.t.Context(), client.ImportRequest{
			Caller: who, Channel: recaller.ChannelAPI, StartedAt: at, Turns: []client.TurnInput{{Speaker: recaller.User, Text: text}},
		})
		if err != nil {
			h.t.Fatal(err)
		}
		c = done.Caller
	}
	return c
}

func (h *house) wantYesterday(phone, want string) {
	h.t.Helper()
	callers, err := h.CallersByPhone(h.t.Context(), phone)
	if err != nil || len(callers) != 1 {
		h.t.Fatalf("got %+v, %v; want the caller", callers, err)
	}
	h.wantFirst(callers[0].ID, want)
}

// wantFirst asks what the gardener did yesterday.
func (h *house) wantFirst(caller, want string) {
	h.t.Helper()
	found, err := h.Recall(h.t.Context(), caller, client.RecallRequest{Query: "What did the gardener do yesterday?", Explain: true})
	if err != nil {
		h.t.Fatal(err)
	}
	if len(found.Results) != 2 || found.Results[0].Text != want {
		h.t.Fatalf("got %+v, want first %q", found.Results, want)
	}
	if times := found.Results[0].Why.Times; len(times) != 1 || times[0].Phrase != "yesterday" || times[0].Days != 0 {
		h.t.Errorf("got %+v, want it said on the day that yesterday means", times)
	}
}
