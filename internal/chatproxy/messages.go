package chatproxy

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/recallerhq/recaller/internal/httpdoor"
)

// messages is the wire of Anthropic's messages (ADR 50).
type messages struct{}

const messagesTool = `{"name":"` + recallTool + `","description":` + recallAbout + `,"input_schema":` + recallSchema + `}`

func (messages) path() string     { return "/messages" }
func (messages) messages() string { return "messages" }

// role tells results of tools, which come as messages of the user's, from what the user says.
func (messages) role(m gjson.Result) string {
	role, content := m.Get("role").String(), m.Get("content")
	if role != "user" || !content.IsArray() {
		return role
	}
	said := len(content.Array()) == 0
	content.ForEach(func(_, part gjson.Result) bool {
		said = said || part.Get("type").String() != "tool_result"
		return !said
	})
	if said {
		return role
	}
	return "tool"
}

// remember puts the block behind what the user says, in the same message: there is no other place in a conversation for
// what is not said. Behind it, and not in front, because a client marks up to where the cache of prompts is to reach.
func (messages) remember(q request, block string) request {
	if q.newest < 0 {
		return q
	}
	part := `{"type":"text","text":` + quote(block) + `}`
	content := q.list[q.newest].content
	from, to := content.Index, content.Index+len(content.Raw)
	if content.Type == gjson.String && strings.TrimSpace(content.String()) != "" {
		return q.with(from, to, `[{"type":"text","text":`+content.Raw+`},`+part+`]`)
	}
	parts := content.Array()
	if !content.IsArray() || len(parts) == 0 {
		return q.with(from, to, `[`+part+`]`)
	}
	last := parts[len(parts)-1]
	end := last.Index + len(last.Raw)
	return q.with(end, end, ","+part)
}

// offer adds our tool, unless the model may call none. Where it thinks aloud, what it thinks is signed, and would have to
// come back with each call: then the tool is not offered.
func (messages) offer(q request) (request, bool) {
	thinks := q.root.Get("thinking.type").String()
	if q.root.Get("tool_choice.type").String() == "none" || thinks != "" && thinks != "disabled" {
		return q, false
	}
	return offering(q, messagesTool, "name")
}

func (messages) withdraw(q request) request { return withdrawing(q, `{"type":"none"}`) }

// goOn puts calls and results behind the messages.
func (messages) goOn(q request, said string, results []result) request {
	var reply, found []string
	if strings.TrimSpace(said) != "" {
		reply = append(reply, `{"type":"text","text":`+quote(strings.TrimSpace(said))+`}`)
	}
	for _, r := range results {
		input := r.arguments
		if !gjson.Valid(input) || !gjson.Parse(input).IsObject() {
			input = "{}"
		}
		reply = append(reply, `{"type":"tool_use","id":`+quote(r.id)+`,"name":"`+recallTool+`","input":`+input+`}`)
		found = append(found, `{"type":"tool_result","tool_use_id":`+quote(r.id)+`,"content":`+quote(r.found)+`}`)
	}
	end := q.list[len(q.list)-1].end
	return q.with(end, end, `,{"role":"assistant","content":[`+strings.Join(reply, ",")+`]},{"role":"user","content":[`+strings.Join(found, ",")+`]}`)
}

func (messages) reader(a *answer) reader { return &messagesAnswer{answer: a} }

func (messages) event(failure []byte) string {
	return "event: error\ndata: " + string(failure) + "\n\n"
}

// failure writes a problem as Anthropic's clients read it.
func (messages) failure(p *httpdoor.Problem) []byte {
	kind, known := map[int]string{
		http.StatusUnauthorized: "authentication_error", http.StatusForbidden: "permission_error", http.StatusNotFound: "not_found_error",
		http.StatusRequestEntityTooLarge: "request_too_large", http.StatusTooManyRequests: "rate_limit_error", http.StatusGatewayTimeout: "timeout_error",
	}[p.Status]
	switch {
	case known:
	case p.Status >= http.StatusInternalServerError:
		kind = "api_error"
	default:
		kind = "invalid_request_error"
	}
	out, _ := json.Marshal(map[string]any{ // of texts, which cannot fail
		"type": "error", "error": map[string]any{"type": kind, "message": p.Detail},
	})
	return out
}

// keys parts the keys of a request. Anthropic's clients have the provider's in X-API-Key or in Authorization; ours may be
// in either, or beside them in X-Memory-API-Key.
func (messages) keys(h http.Header) keys {
	api, bearer := strings.TrimSpace(h.Get("X-API-Key")), bearerOf(h)
	k := keys{ours: strings.TrimSpace(h.Get("X-Memory-API-Key"))}
	switch {
	case k.ours != "":
	case api == "" || strings.HasPrefix(bearer, ourPrefix):
		k.ours, bearer = bearer, ""
	default:
		k.ours, api = api, ""
	}
	for _, theirs := range []keys{{theirs: api}, {theirs: bearer, bearer: true}} {
		if theirs.theirs != "" && theirs.theirs != k.ours && !strings.HasPrefix(theirs.theirs, ourPrefix) {
			k.theirs, k.bearer = theirs.theirs, theirs.bearer
			break
		}
	}
	return k
}

func (messages) sign(h http.Header, key string) { h.Set("X-Api-Key", key) }
