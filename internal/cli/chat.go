package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/cli/term"
	"github.com/recallerhq/recaller/internal/llm"
	"github.com/recallerhq/recaller/internal/tag"
)

// chatCmd is `recaller chat PHONE`.
type chatCmd struct {
	Phone  who    `arg:"" help:"Who chats"`
	Name   string `help:"The user's name, as a platform would know it"`
	Chat   string `placeholder:"ID" help:"The chat, by an id of your own (else: the user's one chat in the terminal)"`
	Topic  string `placeholder:"ID" help:"A topic in it, which has a thread of its own"`
	ByHand bool   `help:"Type the agent's replies too, although a model is configured"`
}

// Help says what it is.
func (*chatCmd) Help() string {
	return "A chat that never ends, typed: what a Telegram chat or a chat window would be. Leave with Ctrl-D and come back any time; " +
		"the thread goes on. With a model configured (RECALLER_LLM_BASE_URL and RECALLER_LLM_MODEL, XAI_API_KEY, or " +
		"OPENAI_API_KEY) it is the agent; without one you type the replies too, in turn, and may write [LEARN: fact], " +
		"[FORGET: words] and [VOICE_REPLY] in them as a model would.\n\n" +
		"/prompt shows what the agent is given, /thread what is known of the thread, /memories what is remembered; /persona TEXT gives " +
		"the thread a persona of its own."
}

// Examples are lines to try.
func (*chatCmd) Examples() []string {
	return []string{
		"recaller chat ext:ana",
		"recaller chat +15550100199 --topic house",
		"# a script: lines are typed for you",
		`printf 'I prefer larch.\nNoted. [LEARN: prefers larch]\n' | recaller chat ext:ana`,
	}
}

// Run holds the chat.
func (c *chatCmd) Run(ctx context.Context, s *session) error {
	api, err := s.api(ctx)
	if err != nil {
		return err
	}
	opened, err := api.OpenThread(ctx, client.ThreadRequest{
		Caller:     client.CallerRef{Phone: c.Phone.phone(), ExternalID: c.Phone.externalID(), Name: c.Name},
		ExternalID: cmp.Or(c.Chat, "terminal:"+string(c.Phone)), Topic: c.Topic,
	})
	if err != nil {
		return badPhone(err, c.Phone)
	}
	chat := &textChat{
		api: api, thread: opened.Thread, screen: &screen{out: s.out, live: s.out.Terminal && term.IsTerminal(s.in)},
	}
	if model, ok := s.model(); ok && !c.ByHand {
		chat.agent = model
	}
	chat.open(opened)
	return chat.talk(ctx, bufio.NewScanner(s.in))
}

// textChat is one sitting at a chat.
type textChat struct {
	api     *client.Client
	thread  client.Thread
	agent   *llm.Client // nil: typed by hand
	screen  *screen
	message string // that waits for a reply by hand
}

// open shows whose chat it is and where it stands.
func (c *textChat) open(opened client.ThreadResponse) {
	out := c.screen.out
	who := identityOf(opened.Caller)
	if name := opened.Caller.Name; name != "" {
		who = name + ", " + who
	}
	stands := "a new thread"
	if n := opened.Thread.Exchanges; n > 0 {
		stands = fmt.Sprintf("a thread, exchanges so far: %d", n)
	}
	c.screen.printf("%s %s: %s.", out.Good("●"), out.Bold(term.Clean(who)), stands)
	if c.thread.Summary != nil {
		c.screen.printf("%s", out.Dim(term.Clean(c.thread.Summary.Text)))
	}
	switch {
	case !c.screen.live:
	case c.agent != nil:
		c.screen.printf("%s", out.Dim("You are the user; "+c.agent.Model()+" answers. /help tells what else you can type."))
	default:
		c.screen.printf("%s", out.Dim("You type both sides in turn. /help tells what else you can type."))
	}
}

// talk goes on until somebody leaves.
func (c *textChat) talk(ctx context.Context, in *bufio.Scanner) error {
	reading, stop := context.WithCancel(ctx)
	defer stop()
	lines := typed(reading, in)
	for {
		c.screen.prompt(fmt.Sprintf("%-5s ", c.side()) + "› ")
		select {
		case <-ctx.Done():
			c.screen.leave()
			return nil
		case raw, ok := <-lines:
			if !ok {
				c.screen.leave()
				return in.Err()
			}
			c.screen.entered()
			over, err := c.take(ctx, strings.TrimSpace(raw))
			var refused *client.Problem
			if errors.As(err, &refused) {
				c.screen.printf("%s", c.screen.out.Bad(plain(err)))
			} else if err != nil {
				return err
			}
			if over {
				return nil
			}
		}
	}
}

// side is who speaks next.
func (c *textChat) side() string {
	if c.message != "" {
		return "agent"
	}
	return "user"
}

const chatHelp = `  /quit                leave; the thread goes on another time (Ctrl-D)
  /prompt              what the agent is given for the last message
  /thread              the thread's title and summary
  /memories            what is remembered about the user
  /persona TEXT        give the thread a persona of its own; without TEXT, the tenant's`

// take carries out one line.
func (c *textChat) take(ctx context.Context, line string) (over bool, err error) {
	if line == "" {
		return false, nil
	}
	command, rest, _ := strings.Cut(line, " ")
	switch command {
	case "/quit", "/exit", "/bye":
		return true, nil
	case "/help":
		c.screen.printf("%s", chatHelp)
	case "/prompt":
		return false, c.show(ctx)
	case "/thread":
		return false, c.stands(ctx)
	case "/memories":
		return false, c.memories(ctx)
	case "/persona":
		c.thread, err = c.api.UpdateThread(ctx, c.thread.ID, client.ThreadPatch{
			Persona: &client.ThreadPersona{Text: strings.TrimSpace(rest)},
		})
		return false, err
	default:
		if strings.HasPrefix(line, "/") {
			c.screen.printf("%s", c.screen.out.Warn("there is no "+term.Clean(command)+"; /help tells what there is"))
			return false, nil
		}
		return false, c.say(ctx, line)
	}
	return false, nil
}

// say takes what was typed: a message, or by hand the reply to one.
func (c *textChat) say(ctx context.Context, text string) error {
	if !c.screen.live {
		c.screen.printf("%s %s", c.screen.out.Accent(fmt.Sprintf("%-5s ›", c.side())), term.Clean(text))
	}
	if c.message != "" {
		message := c.message
		c.message = ""
		return c.keep(ctx, message, text)
	}
	if c.agent == nil {
		c.message = text
		return nil
	}
	return c.answer(ctx, text)
}

// answer has the model reply. What is shown has no tags.
func (c *textChat) answer(ctx context.Context, message string) error {
	p, err := c.api.ThreadPrompt(ctx, c.thread.ID, client.PromptRequest{ThreadMessage: client.ThreadMessage{Message: message}})
	if err != nil {
		return err
	}
	var tags tag.Reader
	c.screen.begin(fmt.Sprintf("%-5s › ", "agent"))
	said := []llm.Message{{Speaker: recaller.User, Text: p.Message}}
	reply, failed := c.agent.Reply(ctx, p.System, said, func(piece string) { c.screen.piece(tags.Write(piece)) })
	c.screen.piece(tags.Close())
	c.screen.end()
	if failed != nil && ctx.Err() == nil {
		c.screen.printf("%s", c.screen.out.Bad(plain(failed)))
	}
	if reply == "" {
		return nil
	}
	return c.keep(context.WithoutCancel(ctx), message, reply)
}

// keep keeps an exchange, and shows what the reply's tags did.
func (c *textChat) keep(ctx context.Context, message, reply string) error {
	got, err := c.api.ThreadReply(ctx, c.thread.ID, client.ReplyRequest{
		ThreadMessage: client.ThreadMessage{Message: message}, Reply: reply,
	})
	if err != nil {
		return err
	}
	c.thread = got.Thread
	for _, t := range got.Tags {
		line := strings.ReplaceAll(t.Result, "_", " ") + ": " + t.Text
		if t.Reason != "" {
			line += " (" + t.Reason + ")"
		}
		for _, m := range t.Candidates {
			line += "\n  " + m.Key + ": " + m.Value
		}
		c.screen.printf("%s", c.screen.out.Dim(term.CleanLines(line)))
	}
	if got.VoiceReply {
		c.screen.printf("%s", c.screen.out.Dim("to be spoken"))
	}
	return nil
}

// show shows what the agent is given for the message that waits, or for none in particular.
func (c *textChat) show(ctx context.Context) error {
	p, err := c.api.ThreadPrompt(ctx, c.thread.ID, client.PromptRequest{
		ThreadMessage: client.ThreadMessage{Message: cmp.Or(c.message, "…")},
	})
	if err == nil {
		c.screen.show(func(out term.Out) {
			writeBriefing(out, client.Briefing{Text: p.Prompt, Parts: p.Parts, Tokens: p.Tokens, Degraded: p.Degraded, Reason: p.Reason})
		})
	}
	return err
}

func (c *textChat) stands(ctx context.Context) (err error) {
	if c.thread, err = c.api.Thread(ctx, c.thread.ID); err != nil {
		return err
	}
	summary := "not summarised yet: that is done after every five exchanges"
	if s := c.thread.Summary; s != nil {
		summary = s.Text + " (by " + s.By + ")"
	}
	title := cmp.Or(c.thread.Title, "without a title")
	c.screen.printf("%s, exchanges: %d\n%s", c.screen.out.Bold(term.Clean(title)), c.thread.Exchanges, term.Clean(summary))
	return nil
}

func (c *textChat) memories(ctx context.Context) error {
	list, err := allMemories(ctx, c.api, c.thread.CallerID, client.MemoryFilter{})
	if err != nil {
		return err
	}
	for _, m := range list {
		c.screen.printf("%s: %s", term.Clean(m.Key), term.Clean(m.Value))
	}
	if len(list) == 0 {
		c.screen.printf("%s", c.screen.out.Dim("nothing is remembered yet"))
	}
	return nil
}
