package agent_test

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/agent"
	"github.com/recallerhq/recaller/internal/app/views"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/feed"
	"github.com/recallerhq/recaller/internal/llm"
	"github.com/recallerhq/recaller/internal/llm/llmtest"
	"github.com/recallerhq/recaller/internal/memory"
	"github.com/recallerhq/recaller/internal/obs/obstest"
	"github.com/recallerhq/recaller/internal/recall"
	"github.com/recallerhq/recaller/internal/tool"
	"github.com/recallerhq/recaller/internal/usecasetest"
)

const tenant recaller.TenantID = "t1"

// bench is the agent with a real model client, real tools and a real store, in a call with Ana, who lives in New York.
type bench struct {
	testing.TB
	*usecasetest.Place
	agent    *agent.Agent
	wire     string
	provider *llmtest.Provider
	settings usecasetest.Settings
	memories *memory.Service
	recall   *recall.Service
	faults   *usecasetest.Faults
	log      *obstest.Stream
	registry *prometheus.Registry
	told     *feed.Feed
	call     recaller.Opened
	turns    []recaller.Turn

	mu     sync.Mutex // guards script
	script []llmtest.Said
}

// both runs a story with each provider's wire. The model says what the script has, one after another, and then "Yes?".
func both(t *testing.T, story func(t *testing.T, b *bench)) {
	t.Helper()
	for _, provider := range []string{llm.OpenAI, llm.Anthropic} {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			story(t, newBench(t, provider))
		})
	}
}

func newBench(t testing.TB, provider string) *bench {
	t.Helper()
	return newBenchWith(t, provider, func(*recaller.Tenant) {})
}

// newBenchWith is newBench for a tenant with other settings.
func newBenchWith(t testing.TB, provider string, change func(*recaller.Tenant)) *bench {
	t.Helper()
	b := &bench{TB: t, wire: provider, Place: usecasetest.Open(t), faults: &usecasetest.Faults{}, registry: prometheus.NewRegistry()}
	b.provider = llmtest.NewTalking(b.next)
	server := httptest.NewServer(b.provider)
	t.Cleanup(server.Close)
	var log *slog.Logger
	b.log, log = obstest.NewStream()
	settings := recaller.Tenant{ID: tenant, Name: "Fox Hollow", Profile: recaller.Profile{
		Business: "Fox Hollow", Description: "a golf course", Location: "Brookside, New Jersey", Personality: "friendly and brief",
		Hours: []recaller.Line{{Label: "Daily", Value: "7am-8pm"}}, Instructions: []string{"Confirm date, time and party size before you note a booking."},
		Greeting: "Thanks for calling Fox Hollow!",
	}}
	change(&settings)
	b.settings = usecasetest.Settings{tenant: b.MakeTenant(t, settings)}
	b.told = feed.New(feed.Options{})
	b.memories = memory.New(memory.Deps{
		Store: b.Place.Store, Tenants: b.settings, Now: b.Clock.Now, NewID: b.NewID, Changed: func(c recaller.Change) { b.told.Committed(c) },
	})
	b.recall = recall.New(b.Place.Store, recall.Options{Now: b.Clock.Now, Reached: b.told.Reached})
	b.Register(b.told, views.All{Memories: b.memories, Recall: b.recall})
	tools := tool.New(tool.Deps{
		Memories: faulty{b.memories, b.faults}, Store: b.Place.Store, Words: b.Place.Store, Tenants: b.settings, Recall: b.recall,
		Log: log, Metrics: tool.NewMetrics(b.registry), Now: b.Clock.Now, NewID: b.NewID,
		Speakers: anybody{b}, LastTurn: func(recaller.TenantID, recaller.ConversationID) (int, bool) { return len(b.turns) - 1, true },
	})
	b.agent = agent.New(agent.Deps{
		Model: llm.New(llm.Settings{Provider: provider, BaseURL: server.URL, APIKey: "key", Model: "m", HTTP: server.Client(), Tries: 1}),
		Tools: tools, Tenants: b.settings, Log: log, Metrics: agent.NewMetrics(b.registry), Now: b.Clock.Now,
	})
	b.call = b.opens("CA1")
	return b
}

// anybody has the call go on as somebody new's.
type anybody struct{ b *bench }

func (a anybody) SomeoneElse(
	_ context.Context, _ recaller.TenantID, _ string, in recaller.Speaking,
) (recaller.Handed, error) {
	return recaller.Handed{Caller: recaller.Caller{ID: "new", Name: in.Name}, Conversation: a.b.call.Conversation, Changes: make([]recaller.Change, 2)}, nil
}

// faulty is the memories, which may fail.
type faulty struct {
	*memory.Service
	f *usecasetest.Faults
}

func (s faulty) Store(ctx context.Context, t recaller.TenantID, c recaller.CallerID, once recaller.Once, in memory.Input) (out recaller.MemoryWritten, err error) {
	err = s.f.Call("store", func() (err error) { out, err = s.Service.Store(ctx, t, c, once, in); return err })
	return out, err
}

// next is what the model says.
func (b *bench) next(llmtest.Request) llmtest.Said {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.script) == 0 {
		return llmtest.Said{Text: "Yes?"}
	}
	said := b.script[0]
	b.script = b.script[1:]
	return said
}

// says sets what the model says next: words, and calls as "name {arguments}".
func (b *bench) says(words string, calls ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	said := llmtest.Said{Text: words}
	for _, c := range calls {
		name, arguments, _ := strings.Cut(c, " ")
		said.Calls = append(said.Calls, llmtest.Call{Name: name, Arguments: arguments})
	}
	b.script = append(b.script, said)
}

// opens opens a conversation with Ana.
func (b *bench) opens(external string) recaller.Opened {
	b.Helper()
	opened, err := b.Place.Store.OpenConversation(b.Context(), tenant, recaller.Opening{
		Identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: "+12125550143"}}, NewCaller: recaller.CallerID(b.NewID()),
		Conversation: recaller.Conversation{
			ID: recaller.ConversationID(b.NewID()), ExternalID: external, Channel: recaller.ChannelVoice, Direction: recaller.Inbound,
			Status: recaller.Active, StartedAt: b.Clock.Now(), LastActivityAt: b.Clock.Now(),
		},
	})
	b.ok(err)
	b.told.Committed(opened.Change)
	return opened
}

// turn adds a turn to a conversation.
func (b *bench) turn(of recaller.Opened, who recaller.Speaker, text string) recaller.Turn {
	b.Helper()
	t := recaller.Turn{ID: recaller.TurnID(b.NewID()), Speaker: who, Text: text, At: b.Clock.Now()}
	done, err := b.Place.Store.AppendTurns(b.Context(), tenant, recaller.Appending{
		Conversation: of.Conversation.ID, Caller: of.Caller.ID, Turns: []recaller.Turn{t}, At: b.Clock.Now(),
	})
	b.ok(err)
	b.told.Committed(done.Change)
	return t
}

// hears adds what the caller says, and returns what the agent is asked.
func (b *bench) hears(text string) agent.Asking {
	b.Helper()
	b.turns = append(b.turns, b.turn(b.call, recaller.User, text))
	return b.asking(recaller.ChannelVoice, recaller.StyleSystemPrompt)
}

func (b *bench) asking(channel recaller.Channel, style recaller.BriefingStyle) agent.Asking {
	b.Helper()
	req := agent.Wants(b.turns)
	req.Style, req.Exclude = style, b.call.Conversation.ID
	brief, err := briefing.New(b.Place.Store, briefing.Options{Now: b.Clock.Now, Deadline: time.Minute}).
		Briefing(b.Context(), tenant, b.call.Caller.ID, req)
	b.ok(err)
	return agent.Asking{Tenant: tenant, Conversation: "CA1", Caller: b.call.Caller, Channel: channel, Briefing: brief, Turns: b.turns}
}

// answers has the agent answer, and checks that what was heard is what is told.
func (b *bench) answers(in agent.Asking) agent.Answer {
	b.Helper()
	var heard strings.Builder
	got, err := b.agent.Answer(b.Context(), in, func(piece string) error { heard.WriteString(piece); return nil })
	b.ok(err)
	if strings.TrimSpace(heard.String()) != got.Text {
		b.Errorf("heard %q, told %q", heard.String(), got.Text)
	}
	return got
}

func (b *bench) ok(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// remembered is what is kept of Ana: key to value.
func (b *bench) remembered() map[string]string {
	b.Helper()
	list, _, err := b.Place.Store.Memories(b.Context(), tenant, b.call.Caller.ID, recaller.MemoryFilter{})
	b.ok(err)
	out := map[string]string{}
	for _, m := range list {
		if m.Status == recaller.MemoryActive {
			out[m.Key] = m.Value
		}
	}
	return out
}

// results are the results of tools in the last request, in order.
func (b *bench) results() (out []string) {
	all := b.provider.Requests()
	for _, m := range all[len(all)-1].Messages {
		if m.Role == "tool" {
			out = append(out, m.Text)
		}
	}
	return out
}
