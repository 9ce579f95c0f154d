package app

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/recallerhq/recaller/internal/telegram/telegramtest"
)

// speech is an endpoint that hears and speaks as OpenAI's does.
func speech(t *testing.T) string {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/audio/transcriptions", func(w http.ResponseWriter, r *http.Request) {
		file, header, err := r.FormFile("file")
		if err != nil || r.Header.Get("Authorization") != "Bearer ears" || r.FormValue("model") != "whisper-1" || header.Filename != "voice.ogg" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		raw, _ := io.ReadAll(file)
		_ = json.NewEncoder(w).Encode(map[string]string{"text": strings.TrimPrefix(string(raw), "OggS ")})
	})
	mux.HandleFunc("POST /v1/audio/speech", func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Input, Voice, Model string }
		if json.NewDecoder(r.Body).Decode(&in) != nil || in.Voice != "alloy" || in.Model != "tts-1" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		_, _ = w.Write([]byte("OggS " + in.Input))
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv.URL
}

// A voice message is written down, answered, and answered by voice where the model asks for it; pictures and files are
// references, those of an album in one message (L4).
func TestACompanionHearsAndSeesWhatThereIs(t *testing.T) {
	t.Parallel()
	at := speech(t)
	c := accompanied(t, "RECALLER_STT_BASE_URL="+at, "RECALLER_STT_API_KEY=ears", "RECALLER_TTS_BASE_URL="+at+"/v1")
	c.chat.File("v1", []byte("OggS I prefer larch."))
	c.to("I prefer larch.", "**Larch** it is.\n[VOICE_REPLY]")
	c.chat.Send(ana, map[string]any{"voice": map[string]any{"file_id": "v1", "file_unique_id": "u", "duration": 2}})
	voice := c.chat.Await(t, "sendVoice", 1)[0]
	if !bytes.Equal(voice.Files["voice"], []byte("OggS Larch it is.")) || voice.Params["caption"] != "Larch it is." {
		t.Errorf("got %+v, %q", voice.Params, voice.Files["voice"])
	}
	c.chat.Send(ana, map[string]any{"voice": map[string]any{"file_id": "gone", "file_unique_id": "u", "duration": 2}})
	c.hears(1)

	c.to("[File:", "A report.")
	c.chat.Send(ana, map[string]any{"document": map[string]any{"file_id": "d1", "file_unique_id": "u", "file_name": "re[port].pdf"}})
	c.want("a file that cannot be read", c.hears(2), "I cannot read this: re(port).pdf.")
	c.want("a file", c.hears(3), "A report.")
	if p := c.asked("[File:"); len(p) != 1 || !strings.Contains(p[0], "[File: re(port).pdf telegram:d1]\n\nAnalyze: re(port).pdf") {
		t.Errorf("got %q", p)
	}
	c.to("[Image:", "A garden.")
	photo := func(id, caption string) map[string]any {
		return map[string]any{
			"media_group_id": "g1", "caption": caption,
			"photo": []any{map[string]any{"file_id": "small", "width": 1}, map[string]any{"file_id": id, "width": 2}},
		}
	}
	c.chat.File("p1", []byte("JPEG"))
	c.chat.Send(ana, photo("p1", "My garden"))
	c.chat.Send(ana, photo("p2", ""))
	c.want("an album", c.hears(4), "A garden.")
	c.eventually("all updates are confirmed", func() bool { return c.chat.Unconfirmed() == 0 })
	p := c.asked("[Image:")
	if len(p) != 1 || !strings.Contains(p[0], "[Image: telegram:p1]\n[Image: telegram:p2]\n\nMy garden") || strings.Contains(p[0], "small") {
		t.Errorf("got %q", p)
	}
	shown := 0
	for _, q := range c.model.Requests() {
		shown += q.Images
	}
	if shown != 1 { // the other cannot be had
		t.Errorf("the model was shown %d pictures", shown)
	}
	c.edit(c.chat.Say(ana, "I want oak."), "I want larch after all.")
	c.hears(6)
	c.edit(1, "An old one.")
	c.eventually("all updates are confirmed", func() bool { return c.chat.Unconfirmed() == 0 })
	if len(c.asked("larch after all")) == 0 || len(c.asked("An old one")) != 0 {
		t.Errorf("want the edit of the last message answered, and no other: got %q and %q", c.asked("larch after all"), c.asked("An old one"))
	}
}

// Without ears it says so, and without a model too; what is written is kept, and commands work.
func TestACompanionSaysWhatItLacks(t *testing.T) {
	t.Parallel()
	c := accompanied(t, "RECALLER_LLM_PROVIDER=none")
	c.chat.Send(ana, map[string]any{"voice": map[string]any{"file_id": "v1"}, "from": map[string]any{"id": ana, "language_code": "es"}})
	c.want("a voice message", c.hears(1), "No puedo oír", "RECALLER_STT_BASE_URL")
	c.chat.Say(ana, "My daughter is Sarah.")
	c.want("a message", c.hears(2), "I have kept this", "RECALLER_LLM_BASE_URL")
	msgs, err := c.ThreadMessages(t.Context(), "telegram:111", 10)
	if err != nil || len(msgs.Messages) != 1 || msgs.Messages[0].Text != "My daughter is Sarah." {
		t.Errorf("got %+v, %v", msgs, err)
	}
	c.chat.Send(ana, map[string]any{"sticker": map[string]any{"file_id": "s"}})
	c.want("a sticker", c.hears(3), "not this")
	c.chat.Say(ana, "/memory")
	c.want("/memory", c.hears(4), "nothing of you yet")
}

// Telegram refuses entities, asks for patience, and fails: the reply arrives once, plain if it must be.
func TestACompanionGetsItsReplyThrough(t *testing.T) {
	t.Parallel()
	c := accompanied(t)
	c.to("Hello", "**Hi.**")
	c.chat.Fail("sendMessage",
		telegramtest.Failure{Status: 429, Description: "Too Many Requests: retry after 1", RetryAfter: 1},
		telegramtest.Failure{Status: 502, Description: "Bad Gateway"},
		telegramtest.Failure{Status: 400, Description: "Bad Request: can't parse entities"})
	c.chat.Fail("getUpdates", telegramtest.Failure{Status: 409, Description: "Conflict: terminated by other getUpdates request"})
	c.chat.Say(ana, "Hello")
	sent := c.chat.Await(t, "sendMessage", 1)[0]
	if sent.Params["text"] != "Hi." || sent.Params["entities"] != "" {
		t.Errorf("got %+v", sent.Params)
	}
	long := strings.Repeat("This is one of many sentences. ", 200)
	c.to("Tell me all", long+"\n```go\n"+strings.Repeat("x := 1 // a line of code\n", 100)+"```")
	c.chat.Say(ana, "Tell me all")
	parts := c.chat.Await(t, "sendMessage", 4)[1:]
	var all strings.Builder
	for _, p := range parts {
		all.WriteString(p.Params["text"] + " ")
	}
	if n := strings.Count(all.String(), "This is one of many sentences."); n != 200 || strings.Count(all.String(), "x := 1") != 100 {
		t.Errorf("got %d sentences in %d parts", n, len(parts))
	}
	c.chat.Fail("sendMessage", telegramtest.Failure{Status: 403, Description: "Forbidden: bot was blocked by the user"})
	c.chat.Say(ana, "Hello again")
	c.eventually("who blocked the bot is left alone", func() bool { return c.chat.Unconfirmed() == 0 })
}

// A process is killed after it kept an exchange, and after it sent the first part: the next one sends the rest, asks the
// model nothing again, and keeps nothing twice.
func TestACompanionThatCrashedDeliversTheRest(t *testing.T) {
	t.Parallel()
	c := accompanied(t)
	c.to("Tell me all", strings.Repeat("This is one of many sentences. ", 200))
	// The first part gets through, the second does not.
	c.chat.Hold("sendMessage", 1, telegramtest.Failure{Status: 500, Description: "Internal Server Error"})
	c.chat.Say(ana, "Tell me all")
	c.hears(1)
	c.chat.Await(t, "sendMessage failed", 1)
	if n := len(c.asked("Tell me all")); n != 1 {
		t.Fatalf("the model was asked %d times", n)
	}
	c.again()
	c.chat.Release("sendMessage")
	c.hears(2)
	c.eventually("the update is confirmed", func() bool { return c.chat.Unconfirmed() == 0 })
	sent := c.chat.Calls("sendMessage")
	if len(sent) != 2 || sent[0].Params["text"] == sent[1].Params["text"] || len(c.asked("Tell me all")) != 1 {
		t.Errorf("got %d messages, asked %d times", len(sent), len(c.asked("Tell me all")))
	}
	if th := c.thread("telegram:111"); th.Exchanges != 1 {
		t.Errorf("got %d exchanges", th.Exchanges)
	}
}

// By a webhook: Telegram's requests are taken by their secret, others' are not, and an update that comes twice is
// answered once.
func TestACompanionTakesWhatTelegramSends(t *testing.T) {
	t.Parallel()
	var h atomic.Pointer[App]
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if app := h.Load(); app != nil {
			app.Handler().ServeHTTP(w, r)
			return
		}
		w.WriteHeader(http.StatusBadGateway)
	}))
	t.Cleanup(front.Close)
	c := accompanied(t, "RECALLER_PUBLIC_URL="+front.URL)
	h.Store(c.app)
	set := c.chat.Await(t, "setWebhook", 1)[0]
	if set.Params["url"] != front.URL+"/telegram" || len(set.Params["secret_token"]) < 32 {
		t.Errorf("got %+v", set.Params)
	}
	c.to("Hello", "Hi.")
	c.chat.Say(ana, "Hello")
	c.want("the answer", c.hears(1), "Hi.")
	post := func(secret string) int {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, front.URL+"/telegram", strings.NewReader(
			`{"update_id":7001,"message":{"message_id":101,"date":1,"text":"Hello","from":{"id":111},"chat":{"id":111,"type":"private"}}}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Telegram-Bot-Api-Secret-Token", secret)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		return res.StatusCode
	}
	if got := post(""); got != http.StatusUnauthorized {
		t.Errorf("without the secret: got %d", got)
	}
	if got := post(set.Params["secret_token"] + "x"); got != http.StatusUnauthorized {
		t.Errorf("with another: got %d", got)
	}
	if got := post(set.Params["secret_token"]); got != http.StatusOK || len(c.chat.Calls("sendMessage")) != 1 {
		t.Errorf("again: got %d and %d messages", got, len(c.chat.Calls("sendMessage")))
	}
}
