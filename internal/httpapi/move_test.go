package httpapi

import (
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// What is asked wrongly is told so, in the terms of the request, and changes nothing.
func TestMovesAreRefusedInTheTermsOfTheRequest(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	ctx := t.Context()
	one, two := h.begun(t, "+4930901820"), h.begun(t, "+4930901821")
	a, b := one.Caller.ID, two.Caller.ID
	for path, want := range map[string]string{
		"/v1/callers/" + a + "/merge {}":                                                "422 from",
		"/v1/callers/" + a + `/merge {"from":"` + a + `"}`:                              "422 from",
		"/v1/callers/" + a + `/merge {"from":"nobody"}`:                                 "404",
		"/v1/callers/nobody" + `/merge {"from":"` + a + `"}`:                            "404",
		"/v1/callers/" + a + `/merge {"from":"` + b + `"}`:                              "409", // two is talking
		"/v1/callers/" + a + `/split {"conversations":[]}`:                              "422",
		"/v1/callers/" + a + `/split {"conversations":["x"]}`:                           "422 conversations[0]",
		"/v1/callers/" + a + `/split {"conversations":["x"],"name":"a\u0007b"}`:         "422 name",
		"/v1/callers/" + a + `/split {"conversations":["` + one.Conversation.ID + `"]}`: "409", // one is talking
		"/v1/callers/" + a + `/release {"phone":"Anna"}`:                                "422 phone",
		"/v1/callers/" + a + `/release {"phone":"+4930901829"}`:                         "404",
		"/v1/moves/nothing/undo ":                                                       "404",
	} {
		at, body, _ := strings.Cut(path, " ")
		status, field, _ := strings.Cut(want, " ")
		p := h.refused(t, map[string]int{"404": 404, "409": 409, "422": 422}[status], "POST", at, body)
		if field != "" && (len(p.Errors) == 0 || !strings.Contains(p.Errors[0].Location+p.Errors[0].Message, field)) {
			t.Errorf("%s: got %+v, want it to name %s", path, p, field)
		}
	}
	if got, err := h.admin.Caller(ctx, a); err != nil || got.MergedInto != "" || got.Phone != "+4930901820" {
		t.Errorf("got %+v, %v; want the caller as before", got, err)
	}
}

// A number that has a new owner leaves the caller, who keeps all else.
func TestANumberIsReleased(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	ctx := t.Context()
	was := h.begun(t, "+4930901820").Caller.ID
	if _, err := h.admin.StoreMemory(ctx, was, client.MemoryInput{Type: recaller.Fact, Key: "pet", Value: "a parrot"}); err != nil {
		t.Fatal(err)
	}
	c, err := h.admin.ReleaseNumber(ctx, was, client.CallerRelease{Phone: "030 901820"})
	if err != nil || c.Phone != "" || c.ID != was {
		t.Fatalf("got %+v, %v; want the caller without the number", c, err)
	}
	if list, err := h.admin.CallersByPhone(ctx, "+4930901820"); err != nil || len(list) != 0 {
		t.Errorf("got %+v, %v; want the number to be nobody's", list, err)
	}
	next := h.begun(t, "+4930901820")
	if next.Caller.ID == was || !next.Caller.FirstTime || strings.Contains(next.Briefing.Text, "parrot") {
		t.Errorf("got %+v; want somebody new, who is told nothing", next)
	}
	kept, err := h.admin.Memories(ctx, was, client.MemoryFilter{})
	if err != nil || len(kept.Memories) != 1 {
		t.Errorf("got %+v, %v; want what was known to stay", kept, err)
	}
}

// A merge that is repeated after a lost answer is done once.
func TestAMergeIsDoneOnce(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	a, b := h.begun(t, "+4930901820"), h.begun(t, "+4930901821")
	if _, err := h.admin.EndConversation(t.Context(), b.Conversation.ID, client.EndRequest{}); err != nil {
		t.Fatal(err)
	}
	ctx := client.WithIdempotencyKey(t.Context(), "merge-1")
	first, err := h.admin.MergeCallers(ctx, a.Caller.ID, client.CallerMerge{From: b.Caller.ID})
	if err != nil {
		t.Fatal(err)
	}
	again, err := h.admin.MergeCallers(ctx, a.Caller.ID, client.CallerMerge{From: b.Caller.ID})
	if err != nil || again.Move.ID != first.Move.ID || again.Caller.ID != a.Caller.ID {
		t.Errorf("got %+v, %v; want the first one's answer", again, err)
	}
	if _, err := h.admin.MergeCallers(t.Context(), a.Caller.ID, client.CallerMerge{From: b.Caller.ID}); !client.IsConflict(err) {
		t.Errorf("got %v, want a 409: it is merged already", err)
	}
}
