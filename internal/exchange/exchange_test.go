package exchange_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/agent"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/exchange"
	"github.com/recallerhq/recaller/internal/thread"
)

const tenant = recaller.TenantID("t1")

// at is when all of it is written.
var at = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// chats are threads in memory: each with one conversation, in which every request is carried out once.
type chats struct {
	mu    sync.Mutex
	said  map[recaller.ThreadID][]briefing.Said
	marks map[string][]recaller.TurnID
	away  bool
	ended bool   // the conversation is over
	gone  string // words that were forgotten
}

func (c *chats) Open(
	_ context.Context, _ recaller.TenantID, in thread.Opening,
) (recaller.Thread, recaller.Caller, bool, error) {
	t, err := c.Get(context.Background(), tenant, in.ExternalID)
	return t, recaller.Caller{ID: t.Caller}, true, err
}

func (c *chats) Get(_ context.Context, _ recaller.TenantID, ref string) (recaller.Thread, error) {
	if c.away {
		return recaller.Thread{}, recaller.Unavailable
	}
	return recaller.Thread{ID: recaller.ThreadID(ref), Caller: "c1", Channel: recaller.ChannelSMS}, nil
}

func (c *chats) Caller(context.Context, recaller.TenantID, recaller.CallerID) (recaller.Caller, error) {
	return recaller.Caller{ID: "c1", TimeZone: "Europe/Berlin"}, nil
}

func (c *chats) Say(
	_ context.Context, _ recaller.TenantID, t recaller.Thread, once recaller.Once, in []conversation.TurnInput,
) (conv recaller.Conversation, turns []recaller.Turn, durable bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	conv = recaller.Conversation{ID: "conv"}
	for _, turn := range in {
		if before := c.marks[once.Token]; before != nil {
			return conv, []recaller.Turn{{ID: before[0]}}, true, nil
		}
		kept := recaller.Turn{
			ID: recaller.TurnID(fmt.Sprint(len(c.said[t.ID]))), Number: len(c.said[t.ID]), Speaker: turn.Speaker,
			Text: strings.ReplaceAll(turn.Text, "hunter2", "[password]"), Interrupted: turn.Interrupted, At: at,
		}
		c.said[t.ID] = append(c.said[t.ID], briefing.Said{Conversation: conv.ID, Turn: kept})
		c.marks[once.Token] = []recaller.TurnID{kept.ID}
		turns = append(turns, kept)
	}
	return conv, turns, true, nil
}

func (c *chats) AddTurns(
	ctx context.Context, _ recaller.TenantID, _ string, once recaller.Once, in []conversation.TurnInput,
) ([]recaller.Turn, bool, error) {
	if c.ended {
		return nil, false, recaller.Conflict
	}
	_, turns, durable, err := c.Say(ctx, tenant, recaller.Thread{ID: "sms:1"}, once, in)
	return turns, durable, err
}

func (c *chats) Messages(_ context.Context, _ recaller.TenantID, ref string, most int) ([]briefing.Said, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := slices.Clone(c.said[recaller.ThreadID(ref)])
	all = slices.DeleteFunc(all, func(s briefing.Said) bool { return c.gone != "" && strings.Contains(s.Turn.Text, c.gone) })
	return all[max(0, len(all)-most):], nil
}

func (c *chats) AppendedBefore(
	_ context.Context, _ recaller.TenantID, _ recaller.CallerID, in recaller.Once,
) ([]recaller.TurnID, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.marks[in.Token], nil
}

func (c *chats) Briefing(context.Context, recaller.TenantID, string, briefing.Request) (recaller.Briefing, error) {
	return recaller.Briefing{Text: "He has a boiler."}, nil
}

// clerk answers with what it was told last, in pieces.
type clerk struct {
	asked  []agent.Asking
	during func() // while it thinks
	failed recaller.Kind
	cut    bool
}

func (a *clerk) Answer(_ context.Context, in agent.Asking, say func(string) error) (agent.Answer, error) {
	a.asked = append(a.asked, in)
	if a.during != nil {
		a.during()
	}
	out := agent.Answer{By: agent.ByModel, Interrupted: a.cut}
	text := "You wrote: " + in.Turns[len(in.Turns)-1].Text
	if a.failed != "" {
		text, out.By, out.Failed = "Sorry.", agent.ByFallback, a.failed
	}
	for _, piece := range strings.SplitAfter(text, " ") {
		if err := say(piece); err != nil {
			out.Interrupted = true
			return out, err
		}
		out.Text += piece
	}
	return out, nil
}

// bench is a chat with somebody.
type bench struct {
	*exchange.Service
	t     *testing.T
	chats *chats
	clerk *clerk
	chat  recaller.Thread
	now   time.Time
}

func setup(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, chats: &chats{said: map[recaller.ThreadID][]briefing.Said{}, marks: map[string][]recaller.TurnID{}}, clerk: &clerk{}, now: at}
	b.Service = exchange.New(exchange.Deps{
		Threads: b.chats, Store: b.chats, Conversations: b.chats, Agent: b.clerk, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return b.now },
	})
	var err error
	b.chat, _, err = b.Open(t.Context(), tenant, exchange.Party{Channel: recaller.ChannelSMS, Chat: "sms:1", Caller: conversation.CallerRef{Phone: "+15550001111"}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bench) writes(id, text string) {
	b.t.Helper()
	if got, err := b.Keep(b.t.Context(), tenant, b.chat, exchange.Written{ID: id, Text: text, At: time.Time{}}); err != nil || !got.Durable {
		b.t.Fatalf("got %+v, %v", got, err)
	}
}

func (b *bench) asks(id string) exchange.Asking {
	return exchange.Asking{Thread: b.chat.ID, ID: id, Patience: time.Minute}
}

func (b *bench) answers(in exchange.Asking) exchange.Answered {
	b.t.Helper()
	got, err := b.Answer(b.t.Context(), tenant, in)
	if err != nil {
		b.t.Fatal(err)
	}
	return got
}

// has wants these turns.
func (b *bench) has(want ...string) {
	b.t.Helper()
	var got []string
	for _, s := range b.chats.said[b.chat.ID] {
		line := string(s.Turn.Speaker) + ": " + s.Turn.Text
		if s.Turn.Interrupted {
			line += "—"
		}
		got = append(got, line)
	}
	if !slices.Equal(got, want) {
		b.t.Errorf("got %q, want %q", got, want)
	}
}

func TestWhatIsWrittenIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.writes("m1", "When do you open?")
	b.writes("m1", "When do you open?") // it came again
	if got := b.answers(b.asks("m1")); got.Text != "You wrote: When do you open?" || got.Before {
		t.Errorf("got %+v", got)
	}
	if got := b.answers(b.asks("m1")); got.Text != "You wrote: When do you open?" || !got.Before || len(b.clerk.asked) != 1 {
		t.Errorf("again: got %+v, asked %d times", got, len(b.clerk.asked))
	}
	b.has("user: When do you open?", "assistant: You wrote: When do you open?")
	if in := b.clerk.asked[0]; in.Briefing.Text != "He has a boiler." || in.Channel != recaller.ChannelSMS || in.Caller.TimeZone != "Europe/Berlin" {
		t.Errorf("the agent was told %+v", in)
	}
}

// Of what came in a burst the last is answered, with all of it before the agent's eyes.
func TestABurstIsAnsweredTogether(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.writes("m1", "Hi")
	b.clerk.during = func() { b.writes("m2", "When do you open?"); b.clerk.during = nil }
	if got := b.answers(b.asks("m1")); !got.Newer || got.Text != "" {
		t.Errorf("the first: got %+v, want that something newer came", got)
	}
	if got := b.answers(b.asks("m1")); !got.Newer || len(b.clerk.asked) != 1 {
		t.Errorf("the first again: got %+v after %d questions", got, len(b.clerk.asked))
	}
	if got := b.answers(b.asks("m2")); got.Text != "You wrote: When do you open?" || len(b.clerk.asked[1].Turns) != 2 {
		t.Errorf("the last: got %+v", got)
	}
	if got := b.answers(b.asks("m1")); !got.Newer || len(b.clerk.asked) != 2 { // jobs come in any order
		t.Errorf("the first, after the last: got %+v after %d questions", got, len(b.clerk.asked))
	}
	b.has("user: Hi", "user: When do you open?", "assistant: You wrote: When do you open?")
}

// Who writes on and on gets an answer all the same, and what he wrote meanwhile is what the next one answers.
func TestWhatHasWaitedForLongEnoughIsAnsweredBeforeWhatIsNewer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.writes("m1", "Hi")
	late := b.asks("m1")
	late.Patience = time.Minute
	b.now = b.now.Add(time.Minute)
	b.clerk.during = func() { b.writes("m2", "And on Sunday?"); b.clerk.during = nil }
	if got := b.answers(late); got.Text != "You wrote: Hi" {
		t.Errorf("got %+v", got)
	}
	if got := b.answers(b.asks("m2")); got.Text != "You wrote: And on Sunday?" {
		t.Errorf("the next: got %+v", got)
	}
	b.has("user: Hi", "user: And on Sunday?", "assistant: You wrote: Hi", "assistant: You wrote: And on Sunday?")
}

func TestTheModelIsAway(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.writes("m1", "Wann haben Sie heute geöffnet, und was kostet der Eintritt für uns?")
	b.clerk.failed = recaller.Unavailable
	if _, err := b.Answer(t.Context(), tenant, b.asks("m1")); recaller.KindOf(err) != recaller.Unavailable {
		t.Errorf("got %v, want unavailable", err)
	}
	b.has("user: Wann haben Sie heute geöffnet, und was kostet der Eintritt für uns?")
	for _, before := range []bool{false, true} {
		got, err := b.Apologise(t.Context(), tenant, b.asks("m1"), recaller.Unavailable)
		if err != nil || !strings.HasPrefix(got.Text, "Entschuldigung") || got.Before != before {
			t.Errorf("got %+v, %v", got, err)
		}
	}
	if got := b.answers(b.asks("m1")); !got.Before {
		t.Errorf("after the apology: got %+v", got)
	}
}

// What did not arrive stands so behind it, once, where the agent reads it; it is no answer, and nobody waits less for it.
func TestAnAnswerDidNotArrive(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.writes("m1", "When do you open?")
	for _, id := range []string{"m0", "m1"} {
		if err := b.Undelivered(t.Context(), tenant, "sms:1", id); recaller.KindOf(err) != recaller.NotFound {
			t.Errorf("%s: got %v, want that there is no answer", id, err)
		}
	}
	b.answers(b.asks("m1"))
	for range 2 { // two parts of it
		if err := b.Undelivered(t.Context(), tenant, "sms:1", "m1"); err != nil {
			t.Error(err)
		}
	}
	b.writes("m2", "Hello?")
	one := b.asks("m2")
	one.Most = 2
	if got := b.answers(one); got.TooMany || got.Text != "You wrote: Hello?" {
		t.Errorf("got %+v", got)
	}
	b.has("user: When do you open?", "assistant: You wrote: When do you open?", "assistant: "+exchange.NotDelivered, "user: Hello?", "assistant: You wrote: Hello?")
	if told := b.clerk.asked[1].Turns; len(told) != 4 || told[2].Text != exchange.NotDelivered {
		t.Errorf("the agent was told %+v", told)
	}
	b.chats.ended = true
	if err := b.Undelivered(t.Context(), tenant, "sms:1", "m2"); recaller.KindOf(err) != recaller.Conflict {
		t.Errorf("of a conversation that is over: got %v", err)
	}
}

func TestThereIsNothingToAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if _, err := b.Answer(t.Context(), tenant, b.asks("m0")); recaller.KindOf(err) != recaller.NotFound {
		t.Errorf("never written: got %v", err)
	}
	b.writes("m1", "My name is Ann")
	b.chats.gone = "Ann"
	if _, err := b.Answer(t.Context(), tenant, b.asks("m1")); recaller.KindOf(err) != recaller.NotFound {
		t.Errorf("forgotten: got %v", err)
	}
	b.chats.away = true
	if _, err := b.Answer(t.Context(), tenant, b.asks("m1")); recaller.KindOf(err) != recaller.Unavailable {
		t.Errorf("away: got %v", err)
	}
}

func TestWhatIsToldIsKeptOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 2 {
		if _, err := b.Tell(t.Context(), tenant, b.chat, "r1", "Your boiler is due."); err != nil {
			t.Fatal(err)
		}
	}
	b.has("assistant: Your boiler is due.")
}
