package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/tool"
)

// endCall is the agent's own tool: the model wants to hang up.
const endCall = "end_call"

const (
	endCallText = `End the call: once the caller has said goodbye, or wants nothing more.
Say your goodbye in the same reply before you call this. The call ends when it was heard.`
	endCallNote   = "The call ends after your next words. If you have not said goodbye, say it now, in a few words."
	endCallSchema = `{"type":"object","properties":{},"additionalProperties":false}`
	toolLimit     = 5 * time.Second // of one call
)

// may reports whether the model may call a tool here.
func (in Asking) may(t recaller.Tool) bool {
	return t.Valid() && !slices.Contains(in.Briefing.Refused, t) && (t != recaller.ToolSomeoneElse || in.Anew != nil)
}

// offered returns the tools, always in the same order, because providers keep the beginning of a prompt.
func (in Asking) offered() []recaller.ModelTool {
	var out []recaller.ModelTool
	for _, d := range tool.Definitions() {
		if !in.may(d.Name) {
			continue
		}
		out = append(out, recaller.ModelTool{Name: string(d.Name), Description: d.Description, Parameters: d.Parameters})
	}
	if in.Channel == recaller.ChannelVoice {
		out = append(out, recaller.ModelTool{
			Name: endCall, Description: endCallText, Parameters: json.RawMessage(endCallSchema),
		})
	}
	return out
}

// carryOut carries out the calls of a round, in their order, even if nobody listens any more. Each has a result, but for
// those behind a hand-over: they were made of what is another's.
func (r *reply) carryOut(ctx context.Context, calls []recaller.ModelCall) []recaller.CallResult {
	ctx = context.WithoutCancel(ctx)
	results := make([]recaller.CallResult, 0, len(calls))
	for i, c := range calls {
		found, err := r.carry(ctx, c, i)
		kind := kindOf(err)
		r.out.Calls = append(r.out.Calls, Called{c.Name, kind})
		if err != nil {
			found = failed(err)
		}
		results = append(results, recaller.CallResult{ID: c.ID, Text: found.text(), Failed: err != nil})
		if r.handed {
			break
		}
	}
	return results
}

// carry carries out the i-th call of a round.
func (r *reply) carry(ctx context.Context, c recaller.ModelCall, i int) (told, error) {
	switch {
	case i >= maxCalls:
		return told{}, recaller.Errorf(recaller.Exhausted, "too many calls at once: at most %d are carried out", maxCalls)
	case c.Name == endCall && r.in.Channel == recaller.ChannelVoice: // there is nothing in its arguments
		r.out.HangUp = true
		return told{Done: true, Note: endCallNote}, nil
	case !r.in.may(recaller.Tool(c.Name)):
		return told{}, recaller.Errorf(recaller.NotFound, "there is no such tool")
	case c.Broken:
		return told{}, recaller.Errorf(recaller.Invalid, "the arguments were no JSON object: call it again with all of them")
	}
	ctx, cancel := context.WithTimeout(ctx, toolLimit)
	defer cancel()
	res, err := r.Tools.Do(ctx, tool.Call{
		Tenant: r.in.Tenant, Conversation: r.in.Conversation,
		Name: recaller.Tool(c.Name), Arguments: c.Arguments, Once: r.once(c),
	})
	if err != nil {
		return told{}, err
	}
	r.handed = res.Done == recaller.ToolHanded
	return r.found(res), nil
}

// once marks a call, so that an answer that is asked for again does the same only once: by the turn that it answers, by
// the tool, and by the arguments, in whatever order they stand.
func (r *reply) once(c recaller.ModelCall) recaller.Once {
	hash := sha256.New()
	write := func(part any) { fmt.Fprintf(hash, "%v\x00", part) }
	write(r.in.Conversation)
	if n := len(r.in.Turns); n > 0 {
		t := r.in.Turns[n-1]
		write(t.ID)
		if t.ID == "" {
			write(t.Number)
			write(t.Text)
		}
	}
	write(c.Name)
	var arguments any
	if json.Unmarshal(c.Arguments, &arguments) == nil {
		sorted, err := json.Marshal(arguments) // sorts the names
		if err == nil {
			write(string(sorted))
		}
	}
	token := hex.EncodeToString(hash.Sum(nil))
	return recaller.Once{Token: "agent:" + token, Request: token}
}
