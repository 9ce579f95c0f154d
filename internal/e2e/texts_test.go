package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/carrier/carriertest"
	"github.com/recallerhq/recaller/internal/llm/llmtest"
	"github.com/recallerhq/recaller/internal/telephony/telephonytest"
)

// texter is somebody who texts, and what he was told that was taken.
type texter struct {
	number string
	n      int
	acked  []string
	doubt  string // the text whose answer never came; the platform sends it again
}

func (w *texter) id() string { return fmt.Sprintf("SM-%s-%d", w.number, w.n) }

// sends sends a text, or the one in doubt again; false: the server is gone.
func (w *texter) sends(t *testing.T, p telephonytest.Platform) bool {
	words := w.doubt
	if words == "" {
		words = fmt.Sprintf("Thought %d of %s", w.n, w.number)
	}
	a, err := p.Try(t.Context(), "/webhook/message", telephonytest.Texted(w.id(), w.number, "+15550002222", words))
	if err != nil {
		w.doubt = words
		return false
	}
	if a.Status != http.StatusOK {
		t.Errorf("got %d %s", a.Status, a.Body)
	}
	w.acked, w.doubt = append(w.acked, words), ""
	w.n++
	return true
}

// Texts come in while the process is killed, and answers go out while it is killed: every text that was acknowledged is
// kept, once and in order, and whoever wrote last is answered what he wrote last. (ADR 63)
func TestTextsSurviveKillNine(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		carrier := carriertest.New(t)
		model := httptest.NewServer(llmtest.NewTalking(func(q llmtest.Request) llmtest.Said {
			lines := strings.Split(q.Messages[len(q.Messages)-1].Text, "\n")
			return llmtest.Said{Text: "You wrote: " + lines[len(lines)-1]}
		}))
		t.Cleanup(model.Close)
		s := serveIn(t, on,
			"RECALLER_PUBLIC_URL="+telephonytest.Public, "TWILIO_AUTH_TOKEN="+telephonytest.Token, "TWILIO_ACCOUNT_SID="+carriertest.Account,
			"RECALLER_TWILIO_URL="+carrier.URL, "RECALLER_LLM_BASE_URL="+model.URL+"/v1", "RECALLER_LLM_MODEL=m", "RECALLER_LLM_WORDS=quoted")
		numbers, reply := []string{"+15550002222"}, recaller.ReplyAgent
		set := client.TenantPatch{TenantSettings: client.TenantSettings{Numbers: &numbers, Texting: &client.TextingPatch{Reply: &reply}}}
		if _, err := s.admin.UpdateTenant(t.Context(), set); err != nil {
			t.Fatal(err)
		}
		crew := make([]*texter, 20)
		for i := range crew {
			crew[i] = &texter{number: fmt.Sprintf("+1555020%04d", i)}
		}
		// Killed once so many were acknowledged, while they write on.
		everybody := func(enough int64) {
			p := telephonytest.Platform{Server: s.url}
			var acked atomic.Int64
			var once, all sync.WaitGroup
			for _, w := range crew {
				all.Go(func() {
					for w.sends(t, p) {
						if acked.Add(1) == enough {
							once.Go(s.kill)
						}
						if enough == 0 {
							return
						}
					}
				})
			}
			all.Wait()
			once.Wait()
		}
		everybody(150)
		s.start()
		everybody(0) // what was in doubt comes again, and whoever was not has another thought
		carrier.WaitTexts(t, 5)
		s.kill() // while answers go out
		s.start()
		carrier.Wait(t, "everybody is answered what he wrote last", func() bool {
			return !slices.ContainsFunc(crew, func(w *texter) bool { return len(answersTo(carrier, w)) == 0 })
		})
		twice := 0
		for _, w := range crew {
			w.check(t, s.admin)
			twice += len(answersTo(carrier, w)) - 1
		}
		if twice > len(crew)/2 { // what the carrier took in the moment of the kill
			t.Errorf("%d of %d answers went out twice", twice, len(crew))
		}
		t.Logf("%d texts went out, %d of %d last answers twice", len(carrier.Texts()), twice, len(crew))
	})
}

// answersTo are the answers that went out to what somebody wrote last.
func answersTo(c *carriertest.Carrier, w *texter) (out []string) {
	last := w.acked[len(w.acked)-1]
	for _, text := range c.Texts() {
		if text.To == w.number && text.Words == "You wrote: "+last {
			out = append(out, text.Words)
		}
	}
	return out
}

// check wants every text that was acknowledged to be kept once, in order, in one conversation.
func (w *texter) check(t *testing.T, c *client.Client) {
	t.Helper()
	callers, err := c.CallersByPhone(t.Context(), w.number)
	if err != nil || len(callers) != 1 {
		t.Errorf("%s: got %d callers, %v", w.number, len(callers), err)
		return
	}
	list, err := c.Conversations(t.Context(), client.ConversationFilter{CallerID: callers[0].ID})
	if err != nil || len(list.Conversations) != 1 {
		t.Errorf("%s: got %d conversations, %v; want one", w.number, len(list.Conversations), err)
		return
	}
	rec, err := c.Conversation(t.Context(), list.Conversations[0].ID)
	if err != nil {
		t.Error(err)
		return
	}
	var got []string
	for _, turn := range rec.Turns {
		if turn.Speaker == recaller.User {
			got = append(got, turn.Text)
		}
	}
	if !slices.Equal(got, w.acked) {
		t.Errorf("%s: got %d texts %q, want %d %q", w.number, len(got), got, len(w.acked), w.acked)
	}
}
