package chatproxy

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"github.com/recallerhq/recaller/internal/httpdoor"
)

// chat is the wire of OpenAI's chat completions.
type chat struct{}

const recallDefinition = `{"type":"function","function":{"name":"` + recallTool + `","description":` + recallAbout + `,"parameters":` + recallSchema + `}}`

func (chat) path() string     { return "/chat/completions" }
func (chat) messages() string { return "messages" }

func (chat) role(m gjson.Result) string { return m.Get("role").String() }

func (chat) reader(a *answer) reader { return &chatAnswer{answer: a} }

func (chat) failure(p *httpdoor.Problem) []byte { return errorBody(p) }

func (chat) event(failure []byte) string { return "data: " + string(failure) + "\n\n" }

func (chat) sign(h http.Header, key string) { h.Set("Authorization", "Bearer "+key) }

// remember puts the block in front of the user's newest message: all before it stays as it was the last time, so that
// the upstream's cache of prompts holds (ADR 54). Where the user has said nothing yet it comes last.
func (w chat) remember(q request, block string) request {
	text := `{"role":"` + w.aside(q) + `","content":` + quote(block) + `}`
	if q.newest < 0 {
		end := q.list[len(q.list)-1].end
		return q.with(end, end, ","+text)
	}
	at := q.list[q.newest].at
	return q.with(at, at, text+",")
}

// aside is the role of what the application says: a developer's where the client has that.
func (chat) aside(q request) string {
	if slices.ContainsFunc(q.list, func(m message) bool { return m.role == "developer" }) {
		return "developer"
	}
	return "system"
}

// offer adds our tool to the client's, unless one of them has its name, or the model may call none.
func (chat) offer(q request) (request, bool) {
	if q.root.Get("tool_choice").String() == "none" {
		return q, false
	}
	return offering(q, recallDefinition, "function.name")
}

// withdraw takes our tool away. Where it is the only one, it may not be called: the history has calls of it, which some
// upstreams take only beside its definition.
func (chat) withdraw(q request) request {
	return withdrawing(q, `"none"`)
}

// goOn puts calls and results behind the messages.
func (chat) goOn(q request, said string, results []result) request {
	text := "null"
	if said != "" {
		text = quote(said)
	}
	reply := `,{"role":"assistant","content":` + text
	var calls, found []string
	for _, r := range results {
		calls = append(calls, `{"id":`+quote(r.id)+`,"type":"function","function":{"name":"`+recallTool+`","arguments":`+quote(r.arguments)+`}}`)
		found = append(found, `,{"role":"tool","tool_call_id":`+quote(r.id)+`,"content":`+quote(r.found)+`}`)
	}
	reply += `,"tool_calls":[` + strings.Join(calls, ",") + `]}` + strings.Join(found, "")
	end := q.list[len(q.list)-1].end
	return q.with(end, end, reply)
}

// offering adds the definition of our tool, unless one of the client's has its name.
func offering(q request, definition, name string) (request, bool) {
	tools := q.root.Get("tools")
	known := slices.ContainsFunc(tools.Array(), func(t gjson.Result) bool { return t.Get(name).String() == recallTool })
	switch {
	case known || tools.Exists() && !tools.IsArray():
		return q, false
	case len(tools.Array()) == 0:
		return q.set("tools", "["+definition+"]"), true
	}
	return q.set("tools.-1", definition), true
}

// withdrawing takes our tool away, which is the last one; none is what no tool is, as JSON.
func withdrawing(q request, none string) request {
	tools := q.root.Get("tools").Array()
	if len(tools) == 1 {
		return q.set("tool_choice", none)
	}
	if out, err := sjson.DeleteBytes(q.body, "tools."+strconv.Itoa(len(tools)-1)); err == nil {
		return parse(q.wire, out)
	}
	return q
}
