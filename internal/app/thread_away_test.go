package app

import (
	"errors"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/client"
)

// Spec section 5: while the store is away, a thread's prompt has what is left, and says so; a reply that is not kept is not
// acknowledged, and is kept once when it is repeated.
func TestTheStoreIsAwayInAThread(t *testing.T) {
	t.Parallel()
	h := build(t, t.TempDir(), Options{}).start()
	if _, err := h.SetPersona(t.Context(), client.PersonaInput{Text: "You are a butler."}); err != nil {
		t.Fatal(err)
	}
	id := h.chat("telegram:111", "telegram:111", "").ID
	h.exchange(id, "I prefer larch.", "Noted. [LEARN: prefers larch]")
	whole := h.prompt(id, "Which wood?")
	if whole.Degraded || !strings.Contains(whole.Prompt, "prefers larch") {
		t.Errorf("got %+v, want all that is known", whole)
	}
	h.store.is(away)
	p := h.prompt(id, "Which wood?")
	if !p.Degraded || p.Reason != "store unavailable" || strings.Contains(p.Prompt, "larch") {
		t.Errorf("got %+v, want it degraded", p)
	}
	for _, part := range []string{"You are a butler.", "Current time: ", "[LEARN: concise fact", "User: Which wood?"} {
		if !strings.Contains(p.Prompt, part) {
			t.Errorf("got %q, want %q in it", p.Prompt, part)
		}
	}
	ctx := client.WithIdempotencyKey(t.Context(), "once")
	said := client.ReplyRequest{ThreadMessage: client.ThreadMessage{Message: "Which wood?"}, Reply: "Larch."}
	var refused *client.Problem
	if _, err := h.ThreadReply(ctx, id, said); !errors.As(err, &refused) || refused.Status != 503 {
		t.Errorf("got %v, want 503", err)
	}
	h.store.is(well)
	for range 2 {
		out, err := h.ThreadReply(ctx, id, said)
		if err != nil || !out.Durable || out.Thread.Exchanges != 2 {
			t.Errorf("got %+v, %v, want it kept once", out, err)
		}
	}
	if p := h.prompt(id, "Which wood?"); p.Degraded || !strings.Contains(p.Prompt, "prefers larch") {
		t.Errorf("got %+v, want all that is known again", p)
	}
}
