package app

import (
	"strings"
	"testing"

	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/telegram/telegramtest"
)

// The preview of a persona in a thread is that thread's prompt with it, and nothing else of it changes.
func TestAPersonaIsTriedOutInAThread(t *testing.T) {
	t.Parallel()
	h := build(t, t.TempDir(), Options{}).start()
	id := h.chat("telegram:111", "telegram:111", "").ID
	h.exchange(id, "I prefer larch.", "Noted. [LEARN: prefers larch]")
	if _, err := h.SetPersona(t.Context(), client.PersonaInput{Text: "You are a butler."}); err != nil {
		t.Fatal(err)
	}
	now := h.prompt(id, "Which wood?")
	preview := func(in client.PersonaPreview) string {
		in.ThreadID, in.Query = "telegram:111", "Which wood?"
		b, err := h.PreviewPersona(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		return b.Text
	}
	text, first := "You are a pirate.", 1
	if got := preview(client.PersonaPreview{}); got != now.Prompt {
		t.Errorf("got %q, want the prompt as it is", got)
	}
	pirate := preview(client.PersonaPreview{Text: &text})
	if pirate != strings.Replace(now.Prompt, "You are a butler.", text, 1) || !strings.Contains(pirate, "prefers larch") {
		t.Errorf("got %q, want the same prompt with the pirate in it", pirate)
	}
	if _, err := h.UpdateThread(t.Context(), id, client.ThreadPatch{Persona: &client.ThreadPersona{Text: "You are a gardener."}}); err != nil {
		t.Fatal(err)
	}
	if got := preview(client.PersonaPreview{Version: &first}); got != now.Prompt {
		t.Errorf("got %q, want the butler in place of the thread's own", got)
	}
	if got := preview(client.PersonaPreview{}); !strings.Contains(got, "You are a gardener.") {
		t.Errorf("got %q, want the thread's own", got)
	}
}

// /persona shows how the companion is, and offers the tenant's versions; one is chosen by a button or by its number.
func TestACompanionIsAsItsUserChooses(t *testing.T) {
	t.Parallel()
	c := accompanied(t)
	for label, text := range map[string]string{"butler": "You are a butler.", "": "You are a pirate who speaks of nothing but the seven seas and the rum in them."} {
		if _, err := c.SetPersona(t.Context(), client.PersonaInput{Text: text, Label: label}); err != nil {
			t.Fatal(err)
		}
	}
	versions, err := c.PersonaVersions(t.Context(), client.Page{})
	if err != nil {
		t.Fatal(err)
	}
	active, other := versions.Versions[0], versions.Versions[1]
	c.chat.Say(ana, "/persona")
	c.want("/persona", c.hears(1), active.Text)
	ways := c.chat.Await(t, "sendMessage", 2)[1]
	c.want("what else there is", ways.Params["reply_markup"], `"persona:1"`)
	if strings.Contains(ways.Params["reply_markup"], `"persona:2"`) || strings.Contains(ways.Params["reply_markup"], `"persona:0"`) {
		t.Errorf("got %s, want no button for what is so", ways.Params["reply_markup"])
	}
	press := func(data string) {
		c.chat.Push(telegramtest.Update{"callback_query": map[string]any{
			"id": "q" + data, "from": map[string]any{"id": ana, "first_name": "Ana", "language_code": "es"}, "data": data,
			"message": map[string]any{"message_id": 300, "date": 1, "chat": map[string]any{"id": ana, "type": "private"}},
		}})
	}
	press("persona:1")
	c.want("the button", c.chat.Await(t, "editMessageText", 1)[0].Params["text"], "versión 1")
	c.chat.Say(ana, "/persona")
	c.want("/persona", c.hears(3), other.Text)
	c.want("what else there is", c.chat.Await(t, "sendMessage", 4)[3].Params["reply_markup"], `"persona:2"`, `"persona:0"`, "As elsewhere")
	c.chat.Say(ana, "/persona 9")
	c.want("a version that there is not", c.hears(5), "There is no version 9")
	c.chat.Say(ana, "/persona 2")
	c.want("by its number", c.hears(6), "version 2")
	if p := c.thread("telegram:111").Persona; p == nil || p.Version != 2 {
		t.Errorf("got %+v, want version 2", p)
	}
	press("persona:0")
	c.want("the button", c.chat.Await(t, "editMessageText", 2)[1].Params["text"], "como soy en otros lugares")
	if p := c.thread("telegram:111").Persona; p != nil {
		t.Errorf("got %+v, want none of its own", p)
	}
}
