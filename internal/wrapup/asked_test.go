package wrapup_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/llm/llmtest"
	"github.com/recallerhq/recaller/internal/wrapup"
)

// modelName is what the models of these stories are called.
const modelName = "parrot-1"

// asked is a model that answers as the story has it, and remembers what it was asked.
type asked struct {
	all       []recaller.Ask
	summary   func(recaller.Ask) (string, error) // nil: parroted
	memories  func(recaller.Ask) (string, error) // nil: parroted
	cut       bool                               // answers are cut off
	callsEach recaller.Cost                      // what each question costs
	keys      map[string]bool                    // of the memories that it claimed
}

// Model implements wrapup.Model.
func (m *asked) Model() string { return modelName }

// Ask implements wrapup.Model.
func (m *asked) Ask(_ context.Context, q recaller.Ask) (recaller.Answer, error) {
	m.all = append(m.all, q)
	answer := m.memories
	if answer == nil {
		answer = parrotMemories
	}
	if forSummary(q) {
		if answer = m.summary; answer == nil {
			answer = parrotSummary
		}
	}
	text, err := answer(q)
	if m.keys == nil {
		m.keys = map[string]bool{}
	}
	for _, key := range regexp.MustCompile(`"key":"([^"]*)"`).FindAllStringSubmatch(text, -1) {
		m.keys[key[1]] = true
	}
	return recaller.Answer{Text: text, Cut: m.cut, Cost: m.callsEach}, err
}

// forSummary reports whether a question is for a summary.
func forSummary(q recaller.Ask) bool { return strings.Contains(q.System, `"brief"`) }

// count tells how often the model was asked: for summaries, for memories.
func (m *asked) count() (summaries, memories int) {
	for _, q := range m.all {
		if forSummary(q) {
			summaries++
		} else {
			memories++
		}
	}
	return summaries, memories
}

// says is a model's answer, whatever it is asked.
func says(text string) func(recaller.Ask) (string, error) {
	return func(recaller.Ask) (string, error) { return text, nil }
}

// fails is a model's failure.
func fails(kind recaller.Kind) func(recaller.Ask) (string, error) {
	return func(recaller.Ask) (string, error) { return "", recaller.Errorf(kind, "the model is away") }
}

// oneAfterAnother answers with one after the other, and with the last from then on.
func oneAfterAnother(answers ...func(recaller.Ask) (string, error)) func(recaller.Ask) (string, error) {
	return func(q recaller.Ask) (string, error) {
		a := answers[0]
		if len(answers) > 1 {
			answers = answers[1:]
		}
		return a(q)
	}
}

// turnLine is a turn as a model reads it.
var turnLine = regexp.MustCompile(`(?m)^\[(\d+)\] (USER|ASSISTANT): (.*)$`)

// parrotSummary is a summary in the conversation's own words.
func parrotSummary(q recaller.Ask) (string, error) {
	var own []string
	for _, t := range turnLine.FindAllStringSubmatch(q.Text, -1) {
		if t[2] == "USER" {
			own = append(own, "Caller said “"+t[3]+"”")
		}
	}
	if len(own) == 0 { // write-ups of parts
		own = append(own, "In parts.")
	}
	return summaryJSON(recaller.Summary{Brief: own[0], Topics: []string{"parroted"}, Facts: own[1:min(len(own), 4)], Next: own[len(own)-1]}), nil
}

// parrotMemories finds a memory in every turn that says "I" plus a verb it knows, under the key of its noun.
func parrotMemories(q recaller.Ask) (string, error) {
	var out []claim
	for _, t := range turnLine.FindAllStringSubmatch(q.Text, -1) {
		n, _ := strconv.Atoi(t[1])
		for _, m := range regexp.MustCompile(`I (live|love|have|use) ([^.,]+)`).FindAllStringSubmatch(t[3], -1) {
			words := strings.Fields(m[2])
			key := map[string]string{"live": "living_situation"}[m[1]]
			if key == "" {
				key = m[1] + "_" + strings.Trim(words[len(words)-1], ".,")
			}
			if t[2] == "USER" {
				out = append(out, claim{Type: "fact", Key: key, Value: strings.Replace(m[1]+"s ", "haves", "has", 1) + m[2], Confidence: 0.9, Turns: []int{n}})
			}
		}
	}
	return claimsJSON(out...), nil
}

// claim is an entry of a model's answer.
type claim = llmtest.Entry

// fact is a claim that a turn says so.
func fact(key, value string, turns ...int) claim {
	return claim{Type: "fact", Key: key, Value: value, Confidence: 0.9, Turns: turns}
}

func claimsJSON(list ...claim) string {
	raw, err := json.Marshal(map[string]any{"memories": append([]claim{}, list...)})
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func claims(list ...claim) func(recaller.Ask) (string, error) { return says(claimsJSON(list...)) }

func summaryJSON(s recaller.Summary) string {
	none := func(list []string) []string { return append([]string{}, list...) }
	raw, err := json.Marshal(map[string]any{
		"brief": s.Brief, "topics": none(s.Topics), "decisions": none(s.Decisions), "actions": none(s.Actions), "facts": none(s.Facts), "next": s.Next,
	})
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// newHouseWith is a house with a model.
func newHouseWith(t *testing.T, settings recaller.Tenant, m *asked) *house {
	t.Helper()
	h := newHouse(t, settings)
	h.model = m
	h.reopen()
	return h
}

// values are the caller's active memories as "key: value", in the order of their keys; with a model those that it
// claimed, or that were there before, for what rules find beside it is another story.
func (h *house) values(c recaller.CallerID) map[string]string {
	h.Helper()
	out := map[string]string{}
	for key, m := range h.memories(c) {
		if a, ok := h.model.(*asked); !ok || len(a.keys) == 0 || a.keys[key] || m.Source == recaller.SourceConversation {
			out[key] = m.Value
		}
	}
	return out
}

// progress is how far a step is.
func (h *house) progress(conv recaller.Conversation, step recaller.Step) recaller.StepProgress {
	h.Helper()
	list, err := h.store.Steps(h.ctx, "t1", conv)
	h.ok(err)
	for _, p := range list {
		if p.Step == step {
			return p
		}
	}
	h.Fatalf("there is no step %s", step)
	return recaller.StepProgress{}
}

// conversation is one as a reader finds it now.
func (h *house) conversation(id recaller.ConversationID) recaller.Conversation {
	h.Helper()
	conv, err := h.store.Conversation(h.ctx, "t1", string(id))
	h.ok(err)
	return conv
}

// remember stores a memory as an agent does it while it talks.
func (h *house) remember(conv recaller.Conversation, key, value string, at time.Time, during bool) recaller.Memory {
	h.Helper()
	m := recaller.Memory{
		ID: recaller.MemoryID(h.id("m")), Caller: conv.Caller, Type: recaller.Fact, Key: key, Value: value, Confidence: 1,
		Source: recaller.SourceConversation, PrivacyScope: recaller.LineOnly, CreatedAt: at, ConfirmedAt: at,
	}
	if during {
		m.Provenance.Conversation = conv.ID
	}
	w, err := h.store.StoreMemory(h.ctx, "t1", recaller.Storing{Memory: m})
	h.ok(err)
	return w.Memory
}

// metric is the sum of a counter over its labels, or of one of them: "reason=model away".
func (h *house) metric(name string, label ...string) float64 {
	h.Helper()
	families, err := h.metrics.Gather()
	h.ok(err)
	sum := 0.0
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
		for _, m := range f.GetMetric() {
			has := len(label) == 0
			for _, l := range m.GetLabel() {
				has = has || fmt.Sprintf("%s=%s", l.GetName(), l.GetValue()) == label[0]
			}
			if has {
				sum += m.GetCounter().GetValue()
			}
		}
	}
	return sum
}

var _ wrapup.Model = (*asked)(nil)
