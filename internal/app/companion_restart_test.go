package app

import (
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller/internal/telegram/telegramtest"
)

// edit has Ana edit a message.
func (c *companion) edit(message int, text string) {
	c.edits++
	c.chat.Push(telegramtest.Update{"edited_message": map[string]any{
		"message_id": message, "date": 1, "edit_date": time.Now().Unix() + c.edits, "text": text,
		"from": map[string]any{"id": ana}, "chat": map[string]any{"id": ana, "type": "private"},
	}})
}

// After a restart an edit counts as before it: that of the last message, if it says something else.
func TestACompanionAnswersEditsAfterARestart(t *testing.T) {
	t.Parallel()
	c := accompanied(t)
	first := c.chat.Say(ana, "I want oak.")
	c.hears(1)
	last := c.chat.Say(ana, "And three chairs.")
	c.hears(2)
	c.again()
	c.edit(first, "I want pine.")
	c.edit(last, "And three chairs.")
	c.edit(last, "And four chairs.")
	c.hears(3)
	c.eventually("all updates are confirmed", func() bool { return c.chat.Unconfirmed() == 0 })
	if n := len(c.chat.Calls("sendMessage")); n != 3 || len(c.asked("four chairs")) != 1 {
		t.Errorf("got %d messages, and %q, want the last edit answered only", n, c.asked("chairs"))
	}
}

// A reply that was spoken, and of which the words are still to be sent, is not spoken again.
func TestACompanionThatCrashedSpeaksOnce(t *testing.T) {
	t.Parallel()
	at := speech(t)
	c := accompanied(t, "RECALLER_STT_BASE_URL="+at, "RECALLER_STT_API_KEY=ears", "RECALLER_TTS_BASE_URL="+at+"/v1")
	c.to("Tell me", strings.Repeat("This is one of many sentences. ", 40)+"[VOICE_REPLY]")
	c.chat.Hold("sendMessage", 0, telegramtest.Failure{Status: 500, Description: "Internal Server Error"})
	c.chat.Say(ana, "Tell me.")
	c.chat.Await(t, "sendMessage failed", 1)
	c.again()
	c.chat.Release("sendMessage")
	c.want("the words", c.hears(1), "This is one of many sentences.")
	c.eventually("all updates are confirmed", func() bool { return c.chat.Unconfirmed() == 0 })
	if spoken, sent := len(c.chat.Calls("sendVoice")), len(c.chat.Calls("sendMessage")); spoken != 1 || sent != 1 {
		t.Errorf("it was spoken %d times and written %d times, want once each", spoken, sent)
	}
}
