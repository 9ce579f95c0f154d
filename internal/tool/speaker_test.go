package tool_test

import (
	"context"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/tool"
)

// speakers has Ana's conversation go on as whoever is asked for; those with these names were here before.
type speakers struct {
	conv  recaller.Conversation
	told  []recaller.Speaking
	known map[string]recaller.Caller
}

func (s *speakers) SomeoneElse(
	_ context.Context, _ recaller.TenantID, ref string, in recaller.Speaking,
) (recaller.Handed, error) {
	s.told = append(s.told, in)
	if ref != string(s.conv.ID) {
		return recaller.Handed{}, recaller.Errorf(recaller.NotFound, "there is no such conversation")
	}
	who, ok := s.known[in.Name]
	if !ok {
		who = recaller.Caller{ID: "new", Name: in.Name}
	}
	out := recaller.Handed{Caller: who, Conversation: s.conv}
	if who.ID != s.conv.Caller {
		out.Changes = []recaller.Change{{Caller: s.conv.Caller}, {Caller: who.ID}}
	}
	return out, nil
}

// A model is told with whom it speaks, whether anything is known of them, and that what it knew is another's.
func TestAModelIsToldThatSomebodyElseSpeaks(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.speakers.known = map[string]recaller.Caller{"Anna": {ID: "anna", Name: "Anna", Conversations: 2}}
	for args, want := range map[string]string{
		`{"name":"Anna"}`:                 "You speak with Anna now. They were here before: use recall",
		`{"name":" Eve "}`:                "You speak with Eve now. Nothing is known of them yet.",
		`{}`:                              "You speak with somebody else now, whose name is not known. Nothing is known",
		`{"name":null,"recycled":"true"}`: "You speak with somebody else now, whose name is not known. Nothing is known",
	} {
		res := b.does(recaller.ToolSomeoneElse, args)
		if !strings.HasPrefix(res.Message, want) || !strings.HasSuffix(res.Message, "do not tell it.") {
			t.Errorf("%s: got %q, want %q …", args, res.Message, want)
		}
	}
	calls, err := b.tools.Calls(t.Context(), tenant, b.ana.Conversation.ID)
	b.ok(err)
	if len(calls) != 4 || calls[0].Result != recaller.ToolHanded {
		t.Errorf("got %+v, want each on the record", calls)
	}
	recycled := 0
	for _, in := range b.speakers.told {
		if in.Recycled {
			recycled++
		}
	}
	if recycled != 1 {
		t.Errorf("got %+v, want one of a new owner", b.speakers.told)
	}
	b.speakers.known["Ana"] = b.ana.Caller
	if res := b.does(recaller.ToolSomeoneElse, `{"name":"Ana"}`); res.Done != recaller.ToolSame || res.Message != "You speak with the same person as before: go on." {
		t.Errorf("got %+v, want it said that nobody else speaks", res)
	}
	_, err = b.tools.Do(t.Context(), tool.Call{Tenant: tenant, Caller: string(b.ana.Caller.ID), Outside: true, Name: recaller.ToolSomeoneElse})
	b.is(err, recaller.Invalid, "callSessionId")
}
