package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/cli/term"
	"github.com/recallerhq/recaller/internal/llm"
)

// callCmd is `recaller call PHONE`.
type callCmd struct {
	Phone    who    `arg:"" optional:"" help:"Who calls; with --audio it may be left out"`
	Name     string `help:"The caller's name, as a phone network would show it"`
	Channel  string `default:"voice" placeholder:"CHANNEL" enum:"voice,sms,whatsapp,web-chat,telegram,api" help:"Over what: voice, sms, whatsapp, web-chat, telegram, api"`
	Verified bool   `help:"It is known that it is this caller: the agent is told what was marked private, too"`
	ByHand   bool   `help:"Type the agent's side too, although a model is configured"`
	Quiet    bool   `short:"q" help:"Do not show the briefing at the start"`

	audioFlags `embed:""`
}

// Help says what it is.
func (*callCmd) Help() string {
	return "A telephone call, typed. The briefing is what an agent would be told before it says hello. With a model " +
		"configured (RECALLER_LLM_BASE_URL and RECALLER_LLM_MODEL, XAI_API_KEY, or OPENAI_API_KEY) it is the agent; " +
		"without one you type both sides: the turns alternate, an empty line passes the turn, and a line may " +
		"begin with \"C:\" or \"A:\" to say who speaks.\n\n" +
		"/hangup or Ctrl-D ends the call, /drop or Ctrl-C breaks it off as a lost connection would. /briefing, " +
		"/recall QUERY, /remember KEY: VALUE and /help are for the one who watches; nobody on the phone hears them.\n\n" +
		"With --audio it is spoken, and goes the way of a call at Twilio: a signed webhook, TwiML, a socket with sound, the bridge, " +
		"and a realtime model. Telephone and model are played; the model understands a few words by rules, and has what it knows " +
		"from its briefing and the memory tools. What the caller says is typed, or is a script, a line each: one that begins with \"!\" is said over " +
		"the agent, /wait SECONDS waits, /hangup and /drop end the call. It is kept in a folder of its own, rehearsal in the data folder, " +
		"unless --data names one; neither environment nor file changes it. espeak-ng speaks, if it is installed."
}

// Examples are lines to try.
func (*callCmd) Examples() []string {
	return []string{
		"recaller call +15550100199",
		"recaller call +15550100199 --name 'Maria Lopez'",
		"# a script: lines are typed for you",
		`printf 'A: Hello!\nC: My daughter Ana visits on Sundays.\n' | recaller call +15550100199`,
		"# a call that is spoken; the second time the agent knows who calls",
		`printf 'Hi, this is Ana Keller.\n!Wait, my dog limps.\n' | recaller call --audio --out call.wav`,
	}
}

// Run holds the call.
func (c *callCmd) Run(ctx context.Context, s *session) error {
	if err := c.check(); err != nil {
		return err
	}
	if c.Audio {
		return c.rehearse(ctx, s)
	}
	api, err := s.api(ctx)
	if err != nil {
		return err
	}
	started, err := api.StartConversation(ctx, client.StartRequest{
		Caller:  client.CallerRef{Phone: c.Phone.phone(), ExternalID: c.Phone.externalID(), Name: c.Name},
		Channel: recaller.Channel(c.Channel), Verified: c.Verified,
	})
	if err != nil {
		return badPhone(err, c.Phone)
	}
	call := &phoneCall{
		patience: 5 * time.Second, // what is held is tried twice a second
		api:      api,
		conv:     started.Conversation.ID,
		caller:   started.Caller.Caller,
		sides:    sides{next: recaller.User},
		screen:   &screen{out: s.out, live: s.out.Terminal && term.IsTerminal(s.in)},
		begun:    s.now(),
		clock:    s.now,
	}
	if model, ok := s.model(); ok && !c.ByHand {
		call.agent, call.sides.alone = model, true
	}
	call.open(started, c.Quiet)
	status, reason, err := call.talk(ctx, bufio.NewScanner(s.in))
	// Even after Ctrl-C the call is ended, and its write-up awaited.
	ctx = context.WithoutCancel(ctx)
	if err != nil {
		// the first error tells more
		_, _ = api.EndConversation(ctx, call.conv, client.EndRequest{Status: recaller.Failed, Reason: "error"})
		return err
	}
	return call.hangUp(ctx, status, reason)
}

// phoneCall is one call in progress.
type phoneCall struct {
	api    *client.Client
	conv   string
	caller client.Caller
	sides  sides
	agent  *llm.Client // nil: typed by hand
	said   []llm.Message
	screen *screen
	begun  time.Time
	spoken time.Duration // how long it would take to say all that was typed
	clock  func() time.Time

	patience time.Duration // with a store that does not say yet who calls
}

// open shows who calls and what the agent is told.
func (c *phoneCall) open(started client.StartResponse, quiet bool) {
	out := c.screen.out
	known := "for the first time"
	if n := started.Caller.Conversations; !started.Caller.FirstTime && n > 0 {
		known = "for the " + ordinal(n+1) + " time"
	}
	who := identityOf(started.Caller.Caller)
	if name := started.Caller.Name; name != "" {
		who = name + ", " + who + ","
	}
	c.screen.printf("%s %s calls %s.", out.Good("●"), out.Bold(term.Clean(who)), known)
	if !quiet {
		c.screen.printf("")
		writeBriefing(out, started.Briefing)
		c.screen.printf("")
	}
	if !c.screen.live {
		return
	}
	if c.agent != nil {
		c.screen.printf("%s", out.Dim("You are the caller; "+c.agent.Model()+" answers. /help tells what else you "+
			"can type."))
	} else {
		c.screen.printf("%s", out.Dim("You type both sides in turn; an empty line passes the turn. /help tells what "+
			"else you can type."))
	}
}

// talk goes on until somebody hangs up, or the line breaks.
func (c *phoneCall) talk(ctx context.Context, in *bufio.Scanner) (recaller.Status, string, error) {
	listening, stop := context.WithCancel(ctx)
	defer stop()
	go c.listen(listening)
	lines := typed(listening, in)
	for {
		c.screen.prompt(c.promptText())
		select {
		case <-ctx.Done():
			c.screen.leave()
			return recaller.Failed, "connection lost", nil
		case raw, ok := <-lines:
			if !ok {
				c.screen.leave()
			}
			c.screen.entered()
			if !ok && in.Err() != nil {
				return "", "", fmt.Errorf("read what was typed: %w", in.Err())
			}
			if !ok {
				return recaller.Completed, "hangup", nil
			}
			over, status, reason, err := c.take(ctx, c.sides.read(raw))
			if ctx.Err() != nil {
				return recaller.Failed, "connection lost", nil
			}
			if over || err != nil {
				return status, reason, err
			}
		}
	}
}

// typed reads lines in the background, so that a call can end while nobody types.
func typed(ctx context.Context, in *bufio.Scanner) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for in.Scan() {
			select {
			case lines <- in.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}

func (c *phoneCall) promptText() string {
	return fmt.Sprintf("%-6s ", sideName(c.sides.next)) + "› "
}

// take carries out one line.
func (c *phoneCall) take(ctx context.Context, l line) (over bool, status recaller.Status, reason string, err error) {
	switch l.command {
	case "":
		return false, "", "", c.speak(ctx, l)
	case "hangup", "bye", "quit", "exit":
		return true, recaller.Completed, "hangup", nil
	case "drop":
		return true, recaller.Failed, "connection lost", nil
	case "briefing":
		err = c.brief(ctx)
	case "recall":
		err = c.recall(ctx, l.rest)
	case "remember":
		err = c.remember(ctx, l.rest)
	case "help":
		c.screen.printf("%s", callHelp)
	default:
		c.screen.printf("%s", c.screen.out.Warn("there is no /"+term.Clean(l.command)+"; /help tells what there is"))
	}
	var refused *client.Problem
	if errors.As(err, &refused) {
		c.screen.printf("%s", c.screen.out.Bad(plain(err)))
		err = nil
	}
	return false, "", "", err
}

const callHelp = `  /hangup              end the call (Ctrl-D)
  /drop                break it off, as a lost connection would (Ctrl-C)
  /briefing            what the agent would be told now
  /recall QUERY        search what this caller said and was told
  /remember KEY: VALUE keep something about this caller
  C: TEXT, A: TEXT     say TEXT as the caller, as the agent
  an empty line        let the other side speak`

// speak makes one side say something, and the model answer, if there is one.
func (c *phoneCall) speak(ctx context.Context, l line) error {
	if l.text == "" {
		return nil
	}
	if !c.screen.live {
		c.screen.printf("%s %s", c.screen.out.Accent(fmt.Sprintf("%-6s ›", sideName(l.speaker))), term.Clean(l.text))
	}
	c.spoken += spoken(l.text)
	if _, err := c.api.AddTurns(ctx, c.conv, client.TurnInput{Speaker: l.speaker, Text: l.text}); err != nil {
		return err
	}
	if c.agent == nil {
		return nil
	}
	c.said = append(c.said, llm.Message{Speaker: l.speaker, Text: l.text})
	return c.answer(ctx)
}

// answer makes the model speak as the agent. If the model fails, that costs its turn, not the call.
func (c *phoneCall) answer(ctx context.Context) error {
	briefing, err := c.api.ConversationBriefing(ctx, c.conv, client.BriefingQuery{})
	if err != nil {
		return err
	}
	c.screen.begin(fmt.Sprintf("%-6s › ", "agent"))
	reply, failed := c.agent.Reply(ctx, briefing.Text, c.said, c.screen.piece)
	c.screen.end()
	if failed != nil && ctx.Err() == nil {
		c.screen.printf("%s", c.screen.out.Bad(plain(failed)))
	}
	if reply == "" {
		return nil
	}
	c.spoken += spoken(reply)
	c.said = append(c.said, llm.Message{Speaker: recaller.Assistant, Text: reply})
	_, err = c.api.AddTurns(context.WithoutCancel(ctx), c.conv, client.TurnInput{
		Speaker: recaller.Assistant, Text: reply, Interrupted: failed != nil,
	})
	return err
}

func (c *phoneCall) brief(ctx context.Context) error {
	b, err := c.api.ConversationBriefing(ctx, c.conv, client.BriefingQuery{})
	if err == nil {
		c.screen.show(func(out term.Out) { writeBriefing(out, b) })
	}
	return err
}

func (c *phoneCall) recall(ctx context.Context, query string) error {
	if query == "" {
		c.screen.printf("%s", c.screen.out.Warn("/recall what? Give some words to look for"))
		return nil
	}
	caller, err := c.callerID(ctx)
	if err != nil {
		return err
	}
	found, err := c.api.Recall(ctx, caller, client.RecallRequest{Query: query, Limit: 3, Trust: recaller.TrustVerified})
	if err != nil {
		return err
	}
	c.screen.show(func(out term.Out) {
		for i, hit := range found.Results {
			writeHit(out, i+1, hit)
		}
	})
	if len(found.Results) == 0 {
		c.screen.printf("%s", c.screen.out.Dim("nothing found"))
	}
	return nil
}

func (c *phoneCall) remember(ctx context.Context, rest string) error {
	key, value, ok := strings.Cut(rest, ":")
	key, value = strings.TrimSpace(key), strings.TrimSpace(value)
	if !ok || key == "" || value == "" {
		c.screen.printf("%s", c.screen.out.Warn("/remember KEY: VALUE, such as /remember daughter: Ana, visits on "+
			"Sundays"))
		return nil
	}
	caller, err := c.callerID(ctx)
	if err != nil {
		return err
	}
	_, err = c.api.StoreMemory(ctx, caller, client.MemoryInput{
		Type: recaller.Fact, Key: strings.ReplaceAll(strings.ToLower(key), " ", "_"), Value: value,
		Source: recaller.SourceConversation, Provenance: &client.Provenance{ConversationID: c.conv},
	})
	return err
}

// callerID returns the id of who calls. A start while the store was away had none; the conversation has it once the
// store is back. callerID waits for that as long as its patience lasts, then it fails with Unavailable.
func (c *phoneCall) callerID(ctx context.Context) (string, error) {
	for began := time.Now(); c.caller.ID == ""; {
		record, err := c.api.ConversationWithoutTurns(ctx, c.conv)
		if err != nil {
			return "", err
		}
		if c.caller.ID = record.Conversation.CallerID; c.caller.ID != "" {
			break
		}
		if time.Since(began) >= c.patience {
			return "", recaller.Errorf(recaller.Unavailable, "who calls is not known yet: the store was away when the call began")
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	return c.caller.ID, nil
}

// listen shows what is remembered while the call goes on.
func (c *phoneCall) listen(ctx context.Context) {
	for event, err := range c.api.Events(ctx, c.conv) {
		if err != nil {
			return // the call can do without, and the end shows everything
		}
		if event.Memory == nil {
			continue
		}
		switch event.Type {
		case client.EventMemoryStored:
			c.screen.printf("%s", memoryLine(c.screen.out, "+ remembered", *event.Memory))
		case client.EventMemoryUpdated:
			c.screen.printf("%s", memoryLine(c.screen.out, "~ updated", *event.Memory))
		case client.EventMemoryForgotten:
			// what it said must not be shown
			c.screen.printf("%s", c.screen.out.Good("- forgotten")+c.screen.out.Dim(" ("+string(event.Memory.Type)+")"))
		}
	}
}

func memoryLine(out term.Out, what string, m client.Memory) string {
	text := fmt.Sprintf("%s: %s", term.Clean(strings.ReplaceAll(m.Key, "_", " ")), term.Clean(m.Value))
	return out.Good(what) + " " + term.Short(text, max(40, out.Width-len(what)-20)) + out.Dim(" ("+string(m.Type)+")")
}

// ordinal returns a number as people count: 2nd, 3rd, 11th.
func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprintf("%d%s", n, suffix)
}
