package bridge

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory"
	"github.com/recallerhq/recaller/internal/realtime"
	"github.com/recallerhq/recaller/internal/repeat"
	"github.com/recallerhq/recaller/internal/tool"
)

// The tool that is the bridge's own.
const (
	endCall   = "end_call"
	endText   = "End the call when the caller says goodbye or wants to hang up, and nothing is left to be done. Say goodbye first, in a few words: the call ends when they have been heard. If the caller goes on speaking, the call goes on."
	endSchema = `{"type":"object","properties":{},"additionalProperties":false}`
	endAnswer = `{"success":true,"message":"The call ends when your goodbye has been heard. If you have not said it, say it now, in a few words."}`
)

const (
	maxCalls  = 64               // of the model's, that are under way
	toolLimit = 10 * time.Second // for one
)

// function is the definition of a tool.
type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// functions are the definitions of the tools that a model is given; nil: all.
func functions(want []recaller.Tool) []function {
	var out []function
	for _, d := range tool.Definitions() {
		if want == nil || slices.Contains(want, d.Name) {
			out = append(out, function{string(d.Name), d.Description, d.Parameters})
		}
	}
	return append(out, function{endCall, endText, json.RawMessage(endSchema)})
}

// job is a call of the model's, and the session that made it.
type job struct {
	session   int
	call      realtime.Call
	cancelled *atomic.Bool // before it was carried out, or while it was
	after     int          // how often somebody else spoke before it was made
}

// done is a call that was carried out.
type done struct {
	job
	output   string
	handed   bool // somebody else speaks now
	who      recaller.CallerID
	briefing string // of them
}

// called has a call of the model's carried out.
func (t *talk) called(m *session, c realtime.Call) {
	switch {
	case c.Name == endCall:
		t.leaving, m.goodbye = t.Time, c.ID
		t.send(m.wire.answer(c, endAnswer))
		if !m.spoke { // then the goodbye is still to be said
			t.owed(m)
		}
	case t.pending == maxCalls, m.habits.goesOn && m.rounds > maxRounds:
		t.send(m.wire.answer(c, tooFew))
		if t.owed(m); m.rounds > 2*maxRounds {
			t.broke("failed", false)
		}
	default:
		t.pending++
		m.calls[c.ID] = &atomic.Bool{}
		t.jobs <- job{m.n, c, m.calls[c.ID], t.handed} // has room for all that are under way
	}
}

// callOff takes back a call: nobody waits for its result any more.
func (t *talk) callOff(m *session, id string) {
	if cancelled := m.calls[id]; cancelled != nil {
		cancelled.Store(true)
	}
	if id == m.goodbye {
		t.leaving = time.Time{}
	}
}

// work carries out calls, one after the other: one may forget what the one before has stored. ctx outlives the call, so
// that what was asked for last is done, too.
func (t *talk) work(ctx context.Context) {
	handed := 0
	for {
		var j job
		select {
		case next, ok := <-t.jobs:
			if !ok {
				return
			}
			j = next
		case <-ctx.Done():
			return // it is given up
		}
		out := done{job: j, output: another}
		if j.after == handed {
			out = t.carryOut(ctx, j)
		}
		if out.handed {
			handed++
		}
		select {
		case t.results <- out:
		case <-t.Ctx.Done(): // nobody waits for it
		}
	}
}

func (t *talk) carryOut(ctx context.Context, j job) (out done) {
	out.job = j
	if j.cancelled.Load() {
		return out
	}
	defer func() {
		if crash := recover(); crash != nil {
			t.Log.Error("panic in a tool of a bridged call", "tool", j.call.Name, "stack", string(debug.Stack()))
			out.output = failed
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, toolLimit)
	defer cancel()
	name := recaller.Tool(j.call.Name)
	if t.call.Tools != nil && !slices.Contains(t.call.Tools, name) {
		out.output = noTool
		return out
	}
	if name == recaller.ToolSomeoneElse { // what was said until then is whose it was
		t.Keep.Wait(ctx)
	}
	res, err := t.Tools.Do(ctx, tool.Call{
		Tenant: t.call.Tenant, Conversation: string(t.call.Conversation), Name: name, Arguments: j.call.Arguments,
		Once: recaller.Once{Token: "bridge call " + string(t.call.Conversation) + " " + j.call.ID},
	})
	if out.handed = err == nil && res.Done == recaller.ToolHanded && t.call.Anew != nil; out.handed {
		out.who, out.briefing = t.call.Anew(ctx)
	}
	out.output = written(res, err, cmp.Or(t.call.Clock, time.UTC))
	return out
}

// written is what a model reads of what came of a call.
func written(res tool.Result, err error, clock *time.Location) string {
	var out any = answerOf(res, clock)
	if err != nil {
		out = refusalOf(err)
	}
	text, err := json.Marshal(out)
	if err != nil {
		return failed
	}
	return string(text)
}

const (
	failed = `{"success":false,"error":"it did not work just now"}`
	noTool = `{"success":false,"error":"there is no such tool"}`
	// another is the answer to a call that was made of what is another's.
	another = `{"success":false,"error":"somebody else speaks now: ask them"}`
	tooFew  = `{"success":false,"error":"too many calls at once"}`
)

// answer is what a model reads of a result, in the words of the API's answers to tools.
type answer struct {
	Success     bool                  `json:"success"`
	Verified    *bool                 `json:"verified,omitempty"`
	MemoryID    recaller.MemoryID     `json:"memoryId,omitempty"`
	Action      recaller.MemoryAction `json:"action,omitempty"`
	Suggest     bool                  `json:"suggestReminder,omitempty"`
	Message     string                `json:"message,omitempty"`
	ReminderID  recaller.ReminderID   `json:"reminderId,omitempty"`
	DueAt       time.Time             `json:"dueAt,omitzero"`
	Repeats     string                `json:"repeats,omitempty"`
	Reaching    string                `json:"reaching,omitempty"`
	Reminders   []waiting             `json:"reminders,omitempty"`
	Recalled    []recalled            `json:"recalled,omitempty"`
	Intent      string                `json:"intent,omitempty"`
	Summary     string                `json:"summary,omitempty"`
	StagingData json.RawMessage       `json:"stagingData,omitempty"`
}

type waiting struct {
	ReminderID recaller.ReminderID `json:"reminderId"`
	Text       string              `json:"text"`
	DueAt      time.Time           `json:"dueAt"`
	Repeats    string              `json:"repeats,omitempty"`
	Reaching   string              `json:"reaching,omitempty"`
}

type recalled struct {
	Text    string           `json:"text"`
	Speaker recaller.Speaker `json:"speaker,omitempty"`
	When    string           `json:"when"`
	Unsure  bool             `json:"unsure,omitempty"`
}

// answerOf has times by the caller's clock: a model says the hour as it stands.
func answerOf(r tool.Result, clock *time.Location) answer {
	out := answer{Success: true, MemoryID: r.MemoryID, Action: r.Action, Suggest: r.SuggestReminder, Message: r.Message, Verified: r.Proof()}
	if m := r.Reminder; m != nil {
		out.ReminderID, out.DueAt, out.Repeats, out.Reaching = m.ID, m.DueAt.In(clock), repeat.Words(m.Rule), r.Reaching
	}
	for _, w := range r.Waiting {
		out.Reminders = append(out.Reminders, waiting{w.ID, w.Text, w.DueAt.In(clock), repeat.Words(w.Rule), w.Reaching})
	}
	for _, h := range r.Recalled {
		out.Recalled = append(out.Recalled, recalled{h.Text, h.Speaker, h.When, h.Weak})
	}
	if c := r.Checkpoint; c != nil {
		out.Intent, out.Summary, out.StagingData = c.Intent, c.Summary, c.StagingData
	}
	return out
}

// refusal is what a model reads of a call that did nothing.
type refusal struct {
	Success    bool        `json:"success"`
	Error      string      `json:"error"`
	Candidates []candidate `json:"candidates,omitempty"`
}

type candidate struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// refusalOf tells what was wrong with a call; of a fault of ours only that there was one.
func refusalOf(err error) refusal {
	out := refusal{Error: "it did not work just now"}
	var of *recaller.Error
	if errors.As(err, &of) {
		switch of.Kind {
		case recaller.Invalid, recaller.NotFound, recaller.Conflict:
			out.Error = of.Msg
			if of.Field != "" {
				out.Error = of.Field + ": " + of.Msg
			}
		default:
		}
	}
	var several *memory.SeveralError
	if errors.As(err, &several) {
		for _, m := range several.Candidates {
			out.Candidates = append(out.Candidates, candidate{m.Key, m.Value})
		}
	}
	return out
}
