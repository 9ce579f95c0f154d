package app

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/llm/llmtest"
	"github.com/recallerhq/recaller/internal/webchat"
	"github.com/recallerhq/recaller/internal/webchat/webchattest"
)

// counter is a Recaller whose tenant chats with visitors of its pages, with a fake model.
type counter struct {
	*exchange
	model *llmtest.Provider
	next  chan struct{} // lets a slow answer begin, and lets it go on after "One two"; nil: answers come at once
}

// receptionist is the model of the chat: it speaks slowly if it is told to, and says again what it is told to.
func receptionist(q llmtest.Request) llmtest.Said {
	last := q.Messages[len(q.Messages)-1].Text
	switch {
	case strings.HasSuffix(last, "slowly"):
		return llmtest.Said{Text: "One two three."}
	case strings.HasPrefix(last, "Echo: "):
		return llmtest.Said{Text: strings.TrimPrefix(last, "Echo: ")}
	}
	return clinic(q)
}

// reception puts up a counter. Nobody may chat until the settings say so.
func reception(t *testing.T, o webchat.Options, env ...string) *counter {
	t.Helper()
	c := receptionIn(t, t.TempDir(), o, env...)
	c.start()
	return c
}

// receptionIn is a reception in a folder, whose work in the background has not begun.
func receptionIn(t *testing.T, dir string, o webchat.Options, env ...string) *counter {
	t.Helper()
	model := llmtest.NewTalking(receptionist)
	c := &counter{model: model}
	provider := httptest.NewServer(http.HandlerFunc(c.paced))
	t.Cleanup(provider.Close)
	env = append([]string{
		"RECALLER_LLM_BASE_URL=" + provider.URL + "/v1", "RECALLER_LLM_MODEL=test-model", "RECALLER_LLM_WORDS=quoted", "RECALLER_WORKERS=1",
	}, env...)
	c.exchange = &exchange{house: build(t, dir, Options{WebChat: o}, env...)}
	return c
}

// paced has the model speak; where it is told to speak slowly, it waits for c.next.
func (c *counter) paced(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if at := bytes.LastIndex(body, []byte(`slowly"`)); at > bytes.LastIndex(body, []byte(`"user"`)) && c.next != nil {
		w = &pacing{ResponseWriter: w, wait: func() {
			select {
			case <-c.next:
			case <-r.Context().Done():
			}
		}}
	}
	c.model.ServeHTTP(w, r)
}

// pacing waits before the first write, and after the one that says "two".
type pacing struct {
	http.ResponseWriter
	wait  func()
	flows bool
}

func (p *pacing) Write(b []byte) (int, error) {
	if !p.flows {
		p.wait()
	}
	p.flows = !bytes.Contains(b, []byte("two"))
	n, err := p.ResponseWriter.Write(b)
	if f, ok := p.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
	return n, err
}

func (p *pacing) Unwrap() http.ResponseWriter { return p.ResponseWriter }

const shop = "https://shop.example"

// opens turns a tenant's chat on for the pages of a shop.
func (c *counter) opens(p client.WebChatPatch) {
	c.t.Helper()
	if p.Reply == nil {
		reply := recaller.WebChatAgent
		p.Reply = &reply
	}
	if p.Origins == nil {
		p.Origins = &[]string{shop}
	}
	c.set(client.TenantSettings{WebChat: &p})
}

// visitor is somebody who has not been there before.
func (c *counter) visitor() *webchattest.Visitor {
	return &webchattest.Visitor{Chat: c.url + "/chat/default", Origin: shop}
}

// connects opens a socket, or a stream.
func (c *counter) connects(v *webchattest.Visitor, stream bool) *webchattest.Connection {
	c.t.Helper()
	open := v.Socket
	if stream {
		open = v.Stream
	}
	got, err := open(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(got.Drop)
	return got
}

// asks has a visitor write, and wants the answer, in pieces.
func (c *counter) asks(v *webchattest.Connection, ref, words, want string) {
	c.t.Helper()
	if err := v.Say(c.t.Context(), ref, words); err != nil {
		c.t.Fatal(err)
	}
	done, before, err := v.Until(c.t.Context(), "done")
	if err != nil || done.Text != want {
		c.t.Fatalf("%q was answered with %q, %v; want %q", words, done.Text, err, want)
	}
	pieces, echo := "", 0
	for _, f := range before {
		switch {
		case f.Type == "piece":
			pieces += f.Text
		case f.Type == "message" && f.Ref == ref && f.From == "visitor":
			echo++
		}
	}
	if pieces != want || echo != 1 {
		c.t.Fatalf("%q: got the pieces %q and %d echoes; want %q and one", words, pieces, echo, want)
	}
}

// forgotten reports whether no talk is remembered.
func (c *counter) forgotten() bool {
	families, err := c.app.registry.Gather()
	if err != nil {
		c.t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "recaller_web_chat_talks" {
			return f.GetMetric()[0].GetGauge().GetValue() == 0
		}
	}
	return false
}

// words lists what a session tells: "visitor: …".
func words(list []webchattest.Frame) (out []string) {
	for _, m := range list {
		out = append(out, m.From+": "+m.Text)
	}
	return out
}

// only is the one conversation that there is.
func (c *counter) only() client.Conversation {
	c.t.Helper()
	page, err := c.Conversations(c.t.Context(), client.ConversationFilter{})
	if err != nil || len(page.Conversations) != 1 {
		c.t.Fatalf("got %d conversations, %v; want one", len(page.Conversations), err)
	}
	return page.Conversations[0]
}

func (c *counter) same(what string, got, want []string) {
	c.t.Helper()
	if !slices.Equal(got, want) {
		c.t.Errorf("%s: got %q, want %q", what, got, want)
	}
}
