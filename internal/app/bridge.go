package app

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/bridge"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/config"
	"github.com/recallerhq/recaller/internal/mediastream"
	"github.com/recallerhq/recaller/internal/prompt"
	"github.com/recallerhq/recaller/internal/telephony"
)

// bridging makes the socket by which calls go on to a realtime model.
func (a *App) bridging(speaks config.Realtime, tools bridge.Tools) telephony.Socket {
	b := &bridged{app: a, provider: bridge.Provider{
		Maker: bridge.Maker(speaks.Provider), URL: speaks.URL, Key: speaks.APIKey.Reveal(),
		Model: speaks.Model, Voice: speaks.Voice, Transcriber: speaks.Hears,
		Beta: speaks.Beta, TurnDetection: json.RawMessage(speaks.Turns),
	}}
	b.bridge = bridge.New(bridge.Deps{
		Dial: bridge.Dial(&http.Client{}), Tools: tools, Turns: a.conversations, Events: a.events, Log: a.log,
		Metrics: bridge.NewMetrics(a.registry),
		Now:     time.Now, // bounds of sockets go by the machine's clock, which does not jump
	}, bridge.Options{})
	return b
}

// bridged knows whose the bridged calls are.
type bridged struct {
	app      *App
	bridge   *bridge.Bridge
	provider bridge.Provider
}

// Serve serves the socket of a call.
func (b *bridged) Serve(w http.ResponseWriter, r *http.Request, take telephony.Take) {
	b.bridge.Serve(w, r, func(ctx context.Context, start mediastream.Start) (bridge.Call, bool) {
		line, ok := take(start.Call, tokensOf(start, r)...)
		if !ok || line.Conversation == "" { // the door answers otherwise where nothing can be kept
			return bridge.Call{}, false
		}
		return b.call(ctx, line), true
	})
}

// briefingPatience is how long a call may wait for its briefing before it goes on without one. A new one may follow.
const briefingPatience = 2 * time.Second

// call says what the model is told of a call. Its conversation ends when all of it is kept.
func (b *bridged) call(ctx context.Context, line *telephony.Line) bridge.Call {
	call := line.Call
	t, err := b.app.tenants.Tenant(ctx, call.Tenant)
	if err != nil { // without his settings it is bridged all the same, by ours
		b.app.log.WarnContext(ctx, "a bridged call goes by the settings of nobody", "tenant", call.Tenant, "err", err)
		t = recaller.Tenant{ID: call.Tenant}
	}
	out := bridge.Call{
		Tenant: call.Tenant, Conversation: call.Conversation, Caller: call.Caller, Provider: b.provider,
		Anew:     func(ctx context.Context) (recaller.CallerID, string) { return b.anew(ctx, call) },
		Briefing: b.briefing(ctx, call), Greeting: call.Greeting, SpeaksFirst: true,
		Leaving: func(o bridge.Outcome) { line.Leave(ctx, o.Apologise() || o.End().Status == recaller.Failed) },
		Over: func(ctx context.Context, o bridge.Outcome) {
			end := o.End()
			end.Duration = o.Lasted
			line.Over(ctx, &end)
		},
	}
	if zone, err := time.LoadLocation(call.TimeZone); err == nil {
		out.Clock = zone
	}
	out.Prompt, _ = prompt.For(t, prompt.Voice)
	if !t.MemoryTools {
		out.Tools = []recaller.Tool{}
	}
	out.Provider.Language, _, _ = strings.Cut(call.Language, "-")
	return out
}

// anew is who speaks, and what the model is told of them, once somebody else does.
func (b *bridged) anew(ctx context.Context, call telephony.Call) (recaller.CallerID, string) {
	conv, err := b.app.conversations.Find(ctx, call.Tenant, string(call.Conversation))
	if err != nil {
		b.app.log.WarnContext(ctx, "who speaks in a bridged call is not known",
			"tenant", call.Tenant, "conversation", call.Conversation, "err", err)
	}
	return conv.Caller, b.briefing(ctx, call)
}

// telnyxToken is where Telnyx shows the token that it was told to.
const telnyxToken = "X-Telnyx-Streaming-Auth-Token" //nolint:gosec // the name of a header

// tokensOf are the places where the platforms show the token of a stream.
func tokensOf(start mediastream.Start, r *http.Request) []string {
	return []string{start.Parameters[telephony.TokenParameter], start.Token, r.Header.Get(telnyxToken)}
}

// briefing is what the model is told of the caller as the call begins.
func (b *bridged) briefing(ctx context.Context, call telephony.Call) string {
	ctx, cancel := context.WithTimeout(ctx, briefingPatience)
	defer cancel()
	brief, err := b.app.conversations.Briefing(ctx, call.Tenant, string(call.Conversation), briefing.Request{})
	if err != nil {
		b.app.log.WarnContext(ctx, "a bridged call begins without a briefing",
			"tenant", call.Tenant, "conversation", call.Conversation, "err", err)
	}
	return cmp.Or(brief.Text, prompt.Unbriefed)
}
