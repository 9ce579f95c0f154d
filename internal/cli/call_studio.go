package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/cli/term"
	"github.com/recallerhq/recaller/internal/rehearsal"
)

// studio is a call that is spoken, with all that plays in it.
type studio struct {
	cmd      *callCmd
	session  *session
	screen   *screen
	cues     []cue
	typed    bool
	from     string // who calls
	folder   string
	api      *client.Client
	platform rehearsal.Platform
	model    *rehearsal.Model
	mind     *rehearsal.Mind
	caller   *rehearsal.Caller
	phone    *rehearsal.Phone
	player   *player // nil: nobody listens
	unsaid   int     // lines of the script that were not said: the agent had hung up

	mu     sync.Mutex // guards what follows
	agents int        // turns of the agent's that were kept
}

// did shows a tool call.
func (st *studio) did(d rehearsal.Did) {
	answer := gjson.Parse(d.Answer)
	came := answer.Get("error").String()
	switch {
	case answer.Get("recalled").Exists():
		came = count(len(answer.Get("recalled").Array()), "thing") + " found"
	case answer.Get("action").Exists():
		came = answer.Get("action").String()
	case came == "" && answer.Get("success").Bool():
		came = "done"
	}
	with := []string{d.Tool}
	for _, field := range gjson.Get(d.Arguments, "[memory_type,key,value,query]").Array() {
		with = append(with, field.String())
	}
	text := term.Short(term.Clean(strings.Join(with, " · ")), max(40, st.screen.out.Width-len(came)-22))
	st.screen.printf("%s", st.screen.out.Dim(fmt.Sprintf("%6s tool   › %s → %s", stamp(st.caller.Length()), text, term.Clean(came))))
}

// live has the call played while it goes on.
func (st *studio) live(said, heard []byte) {
	if st.player != nil {
		st.player.hear(said, heard)
	}
}

// stamp is a time of the call.
func stamp(d time.Duration) string {
	return fmt.Sprintf("%d:%02d", int(d.Minutes()), int(d.Seconds())%60)
}

// hold holds the call, from the ringing to what is made of it.
func (st *studio) hold(ctx context.Context) error {
	answer, err := st.ring(ctx)
	if err != nil || answer.Stream == "" {
		return err
	}
	opened := time.Now()
	pace := time.Duration(0)
	if st.cmd.Fast {
		pace = paceFast
	}
	st.phone, err = st.platform.Open(ctx, answer, rehearsal.PhoneOptions{Pace: pace, Tape: st.caller.Tape})
	if err != nil {
		return err
	}
	st.caller.Hold(st.phone)
	st.step("the socket is open after %s", brief(time.Since(opened)))
	lasting := context.WithoutCancel(ctx) // after Ctrl-C the call is ended, and its write-up awaited
	watching, stop := context.WithCancel(lasting)
	defer stop()
	go st.watch(watching)
	over := make(chan error, 1)
	go func() {
		over <- st.phone.Run(watching)
		st.caller.Over()
	}()
	if err := st.begun(ctx); err != nil {
		return err
	}
	how, failed := st.talk(ctx)
	err = st.end(lasting, answer, how, failed, over)
	if st.player != nil {
		st.player.close()
	}
	return errors.Join(err, st.show(lasting, stop))
}

func (st *studio) step(format string, args ...any) {
	st.screen.printf("%s", st.screen.out.Dim("  "+fmt.Sprintf(format, args...)))
}

// ring has the call come in.
func (st *studio) ring(ctx context.Context) (rehearsal.Answer, error) {
	out := st.screen.out
	st.screen.printf("%s %s rings %s", out.Good("●"), out.Bold(term.Clean(st.platform.From)), st.platform.To)
	began := time.Now()
	answer, err := st.platform.Ring(ctx)
	if err != nil {
		return answer, err
	}
	st.step("the webhook, signed as Twilio does, is answered in %s: %s", brief(time.Since(began)), strings.Join(answer.Verbs, ", "))
	if answer.Stream == "" {
		st.screen.printf("%s", out.Bad("the call is not bridged: "+term.Clean(answer.Spoken)))
	}
	return answer, nil
}

// begun shows who calls, and what the model is told.
func (st *studio) begun(ctx context.Context) error {
	record, err := st.api.ConversationWithoutTurns(ctx, st.platform.Call)
	if err != nil {
		return err
	}
	known := "nobody is known by it"
	if id := record.Conversation.CallerID; id != "" {
		caller, err := st.api.Caller(ctx, id)
		if err != nil {
			return err
		}
		if n := caller.Conversations; n > 0 {
			known = strings.TrimSpace(term.Clean(caller.Name)+" calls") + " for the " + ordinal(n+1) + " time"
		}
	}
	st.step("the conversation has begun: %s", known)
	if !st.cmd.Quiet {
		b, err := st.api.ConversationBriefing(ctx, st.platform.Call, client.BriefingQuery{})
		if err != nil {
			return err
		}
		st.step("the model is told this, after how to talk on the telephone:")
		st.screen.show(func(out term.Out) { writeBriefing(out, b) })
	}
	st.screen.printf("")
	return nil
}

// watch shows what is kept, as it is kept.
func (st *studio) watch(ctx context.Context) {
	for event, err := range st.api.Events(ctx, st.platform.Call) {
		if err != nil {
			return // the end shows everything
		}
		for _, turn := range event.Turns {
			if turn.Speaker == recaller.Assistant {
				st.heard(turn)
			}
		}
	}
}

// heard shows what was heard of the agent.
func (st *studio) heard(turn client.Turn) {
	st.mu.Lock()
	n := st.agents
	st.agents++
	st.mu.Unlock()
	out, at, how := st.screen.out, "", ""
	if spans := st.caller.Agent(); n < len(spans) {
		span := spans[n]
		at = stamp(span.From)
		switch {
		case turn.Interrupted:
			how = out.Warn(fmt.Sprintf(" — cut off: %.1f s were heard", span.Length().Seconds()))
		case span.After > 0 && !st.cmd.Fast:
			how = out.Dim(fmt.Sprintf(" (after %.1f s)", span.After.Seconds()))
		}
	}
	st.screen.printf("%s %s%s", out.Accent(fmt.Sprintf("%6s agent  ›", at)), term.Clean(turn.Text), how)
}

// says has the caller say something.
func (st *studio) says(ctx context.Context, text string, over bool) error {
	at, err := st.caller.Say(ctx, text)
	if err != nil {
		return err
	}
	how := ""
	if over {
		how = st.screen.out.Warn(" (over the agent)")
	}
	if !st.typed {
		st.screen.printf("%s %s%s", st.screen.out.Accent(fmt.Sprintf("%6s caller ›", stamp(at))), term.Clean(text), how)
	}
	return nil
}

// talk goes on until there is no more to be said, and returns how it ends: "hangup", "drop", or "over" where the agent
// has hung up.
func (st *studio) talk(ctx context.Context) (how string, err error) {
	if st.typed {
		how, err = st.converse(ctx)
	} else {
		how, err = st.play(ctx)
	}
	switch {
	case errors.Is(err, rehearsal.ErrOver):
		return "over", nil
	case ctx.Err() != nil:
		return "drop", nil //nolint:nilerr // Ctrl-C is how the call ends
	}
	return how, err
}

// play has the caller say the lines of the script.
func (st *studio) play(ctx context.Context) (string, error) {
	for i, c := range st.cues {
		how, err := st.cue(ctx, c)
		if left := len(st.cues) - i; errors.Is(err, rehearsal.ErrOver) {
			st.unsaid = left
		}
		if how != "" || err != nil {
			return how, err
		}
	}
	_, err := st.caller.Listen(ctx)
	return "hangup", err
}

// cue carries out one line of the script, when its time has come. how is how the call ends; empty: it goes on.
func (st *studio) cue(ctx context.Context, c cue) (how string, err error) {
	if c.pause > 0 {
		return "", st.caller.Pause(ctx, c.pause)
	}
	amid := false
	if c.over || st.cmd.Interrupt && c.command == "" {
		amid, err = st.caller.Amid(ctx, time.Second)
	} else {
		_, err = st.caller.Listen(ctx)
	}
	if err != nil || c.command != "" {
		return c.command, err
	}
	return "", st.says(ctx, c.text, amid)
}

// converse has the caller say what is typed, at once.
func (st *studio) converse(ctx context.Context) (string, error) {
	st.screen.printf("%s", st.screen.out.Dim("You are the caller: type what he says, also while the agent speaks. /hangup (Ctrl-D) "+
		"ends the call, /drop (Ctrl-C) breaks it off."))
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	over := make(chan error, 1)
	go func() { over <- st.caller.Pause(ctx, longestCall) }()
	lines := typed(ctx, bufio.NewScanner(st.session.in))
	for {
		st.screen.prompt("caller › ")
		select {
		case err := <-over:
			st.screen.leave()
			return "hangup", err
		case raw, ok := <-lines:
			st.screen.entered()
			if !ok {
				st.screen.leave()
				return "hangup", nil
			}
			c, ok, err := cueOf(raw)
			switch {
			case err != nil:
				st.screen.printf("%s", st.screen.out.Warn(err.Error()))
			case ok && c.command != "":
				return c.command, nil
			case ok && c.text != "":
				if err := st.says(ctx, c.text, false); err != nil {
					return "", err
				}
			}
		}
	}
}

const longestCall = time.Hour
