package llm_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/endpoint/endpointtest"
	"github.com/recallerhq/recaller/internal/llm"
	"github.com/recallerhq/recaller/internal/llm/llmtest"
)

func conversation() []llm.Message {
	return []llm.Message{
		{Speaker: recaller.User, Text: "hello"},
		{Speaker: recaller.Assistant, Text: "hi"},
		{Speaker: recaller.User, Text: "my " + secret + " is red"},
	}
}

// hear asks for a reply and returns it with the pieces as they were heard.
func hear(ctx context.Context, c *llm.Client, messages []llm.Message) (reply string, pieces []string, err error) {
	reply, err = c.Reply(ctx, "be kind", messages, func(piece string) { pieces = append(pieces, piece) })
	return reply, pieces, err
}

func TestAReplyStreamsWhatTheModelSays(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *house) {
		reply, pieces, err := hear(t.Context(), h.client, conversation())
		if err != nil || reply != "I heard 5 words." {
			t.Fatalf("got %q, %v", reply, err)
		}
		if diff := cmp.Diff([]string{"I", " heard", " 5", " words."}, pieces); diff != "" {
			t.Errorf("heard (-want +got):\n%s", diff)
		}
		want := []llmtest.Message{{Role: "user", Text: "hello"}, {Role: "assistant", Text: "hi"}, {Role: "user", Text: "my " + secret + " is red"}}
		q := h.provider.Requests()[0]
		if diff := cmp.Diff(want, q.Messages); diff != "" {
			t.Errorf("messages (-want +got):\n%s", diff)
		}
		if q.System != "be kind" || !q.Stream || q.Model != "m" || q.Key != "key" || q.MaxTokens != 600 || q.Heat != nil {
			t.Errorf("asked %+v", q)
		}
	})
}

func TestTheModelMaySpeakFirst(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *house) {
		if reply, err := h.client.Reply(t.Context(), "greet", nil, nil); err != nil || reply == "" {
			t.Errorf("got %q, %v", reply, err)
		}
		if q := h.provider.Requests()[0]; len(q.Messages) != 1 || q.Messages[0].Role != "user" {
			t.Errorf("asked with %+v, want something of the user's, without which not every endpoint answers", q.Messages)
		}
	})
}

func TestWhatTheModelThinksIsNotSaid(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *house) {
		h.provider.Fail(llmtest.Thinking())
		reply, pieces, err := hear(t.Context(), h.client, conversation())
		if err != nil || reply != "I heard 5 words." || strings.Join(pieces, "") != reply {
			t.Errorf("got %q, heard %q, %v", reply, pieces, err)
		}
	})
}

func TestAReplyThatFailsIsToldWithWhatWasHeard(t *testing.T) {
	t.Parallel()
	tests := []struct {
		fault endpointtest.Fault
		heard bool // something was, so that it is not asked again
		kind  recaller.Kind
	}{
		{endpointtest.Unauthorized(), false, recaller.Unauthenticated},
		{endpointtest.NoSuchModel(), false, recaller.NotFound},
		{llmtest.NoContent(), false, recaller.Invalid},
		{llmtest.Refusal(), false, recaller.Invalid},
		{endpointtest.CutBody(), true, recaller.Unavailable},
		{llmtest.BreakStream(), true, recaller.Unavailable},
		{llmtest.Huge(9 << 20), true, recaller.Invalid},
	}
	both(t, func(t *testing.T, h *house) {
		for _, test := range tests {
			h.with(func(s *llm.Settings) { s.Tries = 3 })
			before := h.provider.Count()
			h.provider.Fail(test.fault)
			reply, pieces, err := hear(t.Context(), h.client, conversation())
			if recaller.KindOf(err) != test.kind || (reply != "") != test.heard || strings.TrimSpace(strings.Join(pieces, "")) != reply {
				t.Errorf("%s: got %q, %v; want kind %q, heard %v", test.fault.Name, clipped(reply), err, test.kind, test.heard)
			}
			if sent := h.provider.Count() - before; sent != 1 {
				t.Errorf("%s: %d requests, want 1", test.fault.Name, sent)
			}
			keepsQuiet(t, err)
		}
	})
}

func clipped(s string) string { return s[:min(len(s), 80)] }

func TestAReplyThatBreaksOffBeforeAWordIsAskedForAgain(t *testing.T) {
	t.Parallel()
	inTime(t, func(t *testing.T, h *house) {
		h.provider.FailNext(endpointtest.ServerError(), endpointtest.Reset())
		reply, pieces, err := hear(t.Context(), h.client, conversation())
		if err != nil || strings.Join(pieces, "") != reply || h.provider.Count() != 3 {
			t.Errorf("got %q, heard %q, %v after %d requests", reply, pieces, err, h.provider.Count())
		}
	})
}

func TestAReplyThatStallsEndsWithItsTime(t *testing.T) {
	t.Parallel()
	inTime(t, func(t *testing.T, h *house) {
		for _, fault := range []endpointtest.Fault{endpointtest.Hang(nil), endpointtest.HangAfterPiece(), endpointtest.Drip(time.Second)} {
			h.with(func(*llm.Settings) {})
			h.provider.Fail(fault)
			began := time.Now()
			_, _, err := hear(t.Context(), h.client, conversation())
			if took := time.Since(began); recaller.KindOf(err) != recaller.Timeout || took != 30*time.Second {
				t.Errorf("%s: got %v after %v, want a timeout after 30 s", fault.Name, err, took)
			}
		}
	})
}

func TestACheckTellsWhetherTheEndpointAnswersAndTakesTheKey(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *house) {
		if err := h.client.Check(t.Context()); err != nil || h.provider.Count() != 0 {
			t.Errorf("got %v and %d questions", err, h.provider.Count())
		}
		h.provider.RequireKey("another")
		if err := h.client.Check(t.Context()); recaller.KindOf(err) != recaller.Unauthenticated {
			t.Errorf("the wrong key: got %v", err)
		}
		h.provider.RequireKey("")
		h.provider.Fail(endpointtest.Status(404))
		if err := h.client.Check(t.Context()); err != nil {
			t.Errorf("an endpoint without a list: %v", err)
		}
		gone := h.with(func(s *llm.Settings) { s.BaseURL = "http://127.0.0.1:1/v1" })
		if got := recaller.KindOf(gone.Check(t.Context())); got != recaller.Unavailable {
			t.Errorf("no endpoint: got kind %q", got)
		}
	})
}
