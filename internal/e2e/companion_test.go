package e2e

import (
	"context"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/endpoint/endpointtest"
	"github.com/recallerhq/recaller/internal/llm/llmtest"
	"github.com/recallerhq/recaller/internal/telegram/telegramtest"
)

// Who writes to the companion in the story below, each in a chat of his own.
const (
	unanswered int64 = 111 + iota // the model has not answered yet
	unsent                        // the reply is kept, and was not sent
	halfSent                      // the first of two parts was sent
	unknown                       // Telegram has the reply, and its answer to us was lost
	declined                      // the model declined: the message is kept, and the notice was not sent
	forgetful                     // what he wanted forgotten is, and he was not told
	spoiled                       // of a file that he was to get, nothing was sent
)

// The companion is killed with updates of seven chats in its hands, each at another moment, and again when all is delivered
// and nothing confirmed. Each update is handled once: nothing is kept twice, nothing is asked or forgotten again, everybody
// gets every reply. One message comes twice: that of which Telegram's answer was lost.
func TestKillNineAmongUpdatesOfTelegram(t *testing.T) {
	t.Parallel()
	onBothStores(t, killedCompanion)
}

func killedCompanion(t *testing.T, on backing) {
	chat := telegramtest.New(t)
	long := strings.Repeat("This is one of many sentences. ", 200)
	model := llmtest.New(func(q llmtest.Request) string {
		switch {
		case strings.Contains(q.Text, "Tell me all"):
			return long
		case strings.Contains(q.Text, "Am I second"):
			return "Second."
		}
		return "Larch it is."
	})
	released, refusal := make(chan struct{}), llmtest.Refusal()
	release := sync.OnceFunc(func() { close(released) })
	hang := endpointtest.Hang(released)
	model.FailIf(func(q llmtest.Request) *endpointtest.Fault {
		switch {
		case strings.Contains(q.Text, "Am I first"):
			return &hang
		case strings.Contains(q.Text, "Decline this"):
			return &refusal
		}
		return nil
	})
	provider := httptest.NewServer(model)
	t.Cleanup(provider.Close)
	t.Cleanup(release)
	env := []string{
		"TELEGRAM_BOT_TOKEN=" + telegramtest.Token, "RECALLER_TELEGRAM_USERS=111,112,113,114,115,116,117", "RECALLER_TELEGRAM_URL=" + chat.URL,
		"RECALLER_LLM_BASE_URL=" + provider.URL + "/v1", "RECALLER_LLM_MODEL=test-model", "RECALLER_LLM_WORDS=quoted",
	}
	s := serveIn(t, on, env...)
	learn(s, forgetful, "plays chess on Sundays", "plays chess with Viktor on Mondays")

	for id, sent := range map[int64]int{unsent: 0, halfSent: 1, declined: 0, forgetful: 0} {
		chat.Stall("sendMessage", number64(id), sent, false)
	}
	chat.Stall("sendMessage", number64(unknown), 0, true)
	chat.Stall("sendDocument", number64(spoiled), 0, false)
	chat.Say(unsent, "I prefer larch.")
	chat.Say(halfSent, "Tell me all.")
	chat.Say(unknown, "I prefer larch.")
	chat.Say(declined, "Decline this, please.")
	chat.Say(forgetful, "/forget plays chess on Sundays")
	chat.Say(spoiled, "/export")
	chat.Await(t, "sendMessage stalled", 5)
	chat.Await(t, "sendDocument stalled", 1)
	// Last, because a model on this machine is asked one thing at a time until it has answered: with this one nothing else.
	chat.Say(unanswered, "Am I first?")
	chat.Say(unanswered, "Am I second?")
	eventually(t, "the model is asked", func() bool { return questions(model, "Am I first") == 1 })
	s.kill()

	chat.Unstall()
	release()
	chat.Stall("getUpdates", "", 1, false) // the first is answered, no other one is: nothing is confirmed
	s.start()
	eventually(t, "all updates are answered", func() bool {
		metrics, err := s.admin.Metrics(context.Background())
		return err == nil && strings.Contains(string(metrics), `recaller_telegram_updates_total{result="answered"} 8`)
	})
	s.kill()
	if n := chat.Unconfirmed(); n != 8 {
		t.Errorf("%d updates are unconfirmed, want all 8", n)
	}

	chat.Unstall()
	s.start()
	eventually(t, "all updates are confirmed", func() bool { return chat.Unconfirmed() == 0 })
	wantToldOnce(t, chat, long)
	wantKeptOnce(s)
	for words, want := range map[string]int{"Am I first": 2, "Am I second": 1, "I prefer larch": 2, "Tell me all": 1, "Decline this": 1} {
		if got := questions(model, words); got != want {
			t.Errorf("the model was asked %q %d times, want %d", words, got, want)
		}
	}
}

// wantToldOnce wants each chat to have got what belongs to it.
func wantToldOnce(t *testing.T, chat *telegramtest.Server, long string) {
	t.Helper()
	got := map[int64][]string{}
	for _, c := range chat.Calls("sendMessage") {
		id, _ := strconv.ParseInt(c.Params["chat_id"], 10, 64)
		got[id] = append(got[id], c.Params["text"])
	}
	for id, want := range map[int64][]string{
		unanswered: {"Larch it is.", "Second."}, unsent: {"Larch it is."}, unknown: {"Larch it is.", "Larch it is."},
		declined: {"To this I have no answer. I have kept your message."}, forgetful: {"Forgotten: plays chess on Sundays"}, spoiled: nil,
	} {
		if !slices.Equal(got[id], want) {
			t.Errorf("%d got %q, want %q", id, got[id], want)
		}
	}
	if parts := got[halfSent]; len(parts) != 2 || strings.Join(parts, " ") != strings.TrimSpace(long) {
		t.Errorf("%d got %d parts, want the two of the reply", halfSent, len(parts))
	}
	if n := len(chat.Calls("sendDocument")); n != 1 {
		t.Errorf("%d exports were sent, want 1", n)
	}
}

// wantKeptOnce wants each exchange once in its thread, and the other memory still there.
func wantKeptOnce(s *server) {
	s.t.Helper()
	for id, want := range map[int64]int{unanswered: 4, unsent: 2, halfSent: 2, unknown: 2, declined: 1} {
		list, err := s.admin.ThreadMessages(context.Background(), "telegram:"+number64(id), 10)
		if err != nil || len(list.Messages) != want {
			s.t.Errorf("%d: got %d messages, %v, want %d", id, len(list.Messages), err, want)
		}
	}
	th, err := s.admin.Thread(context.Background(), "telegram:"+number64(forgetful))
	if err != nil {
		s.t.Fatal(err)
	}
	list, err := s.admin.Memories(context.Background(), th.CallerID, client.MemoryFilter{})
	if err != nil || len(list.Memories) != 1 || list.Memories[0].Value != "plays chess with Viktor on Mondays" {
		s.t.Errorf("got %+v, %v, want the other memory left", list, err)
	}
}

// learn has somebody known for something before he writes.
func learn(s *server, who int64, facts ...string) {
	s.t.Helper()
	id := "telegram:" + number64(who)
	_, err := s.admin.OpenThread(context.Background(), client.ThreadRequest{
		Caller: client.CallerRef{ExternalID: id}, ExternalID: id, Channel: "telegram",
	})
	if err != nil {
		s.t.Fatal(err)
	}
	reply := client.ReplyRequest{
		ThreadMessage: client.ThreadMessage{Message: "Let me tell you of my chess."},
		Reply:         "Nice. [LEARN: " + strings.Join(facts, "] [LEARN: ") + "]",
	}
	if out, err := s.admin.ThreadReply(context.Background(), id, reply); err != nil || len(out.Learned) != len(facts) {
		s.t.Fatalf("got %+v, %v", out, err)
	}
}

func questions(model *llmtest.Provider, words string) (n int) {
	for _, q := range model.Requests() {
		if strings.Contains(q.Text, words) && q.SchemaName == "" {
			n++
		}
	}
	return n
}

func number64(id int64) string { return strconv.FormatInt(id, 10) }
