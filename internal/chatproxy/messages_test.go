package chatproxy

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/chatproxy/upstreamtest"
	"github.com/recallerhq/recaller/internal/tag"
)

// message puts an answer of Anthropic's wire together, of a stream as its clients do. It fails on a stream that they
// would not take: blocks out of turn, of unknown numbers, or empty.
func (d *door) message(raw string) gjson.Result {
	d.t.Helper()
	if !strings.Contains(raw, "data:") {
		return gjson.Parse(raw)
	}
	out, blocks, open := `{}`, []string{}, -1
	for line := range strings.Lines(raw) {
		data, ok := strings.CutPrefix(line, "data:")
		if !ok {
			continue
		}
		e := gjson.Parse(data)
		at := int(e.Get("index").Int())
		switch e.Get("type").String() {
		case "message_start":
			if out != `{}` {
				d.t.Errorf("a message begins twice")
			}
			out = e.Get("message").Raw
		case "content_block_start":
			if at != len(blocks) || open >= 0 {
				d.t.Errorf("block %d begins behind %d, while %d is open", at, len(blocks), open)
			}
			open, blocks = at, append(blocks, e.Get("content_block").Raw)
		case "content_block_delta":
			if at != open {
				d.t.Errorf("a piece of block %d in block %d", at, open)
				continue
			}
			field, piece := "text", e.Get("delta.text").String()
			if p := e.Get("delta.partial_json"); p.Exists() {
				field, piece = "partial", p.String()
			}
			blocks[at] = string(set([]byte(blocks[at]), field, quote(gjson.Get(blocks[at], field).String()+piece)))
		case "content_block_stop":
			if at != open {
				d.t.Errorf("block %d ends in block %d", at, open)
			}
			open = -1
		case "message_delta":
			out = string(set([]byte(out), "stop_reason", e.Get("delta.stop_reason").Raw))
			out = string(set([]byte(out), "usage", e.Get("usage").Raw))
		case "error":
			out = string(set([]byte(out), "error", e.Get("error").Raw))
		}
	}
	return gjson.Parse(string(set([]byte(out), "content", "["+strings.Join(blocks, ",")+"]")))
}

func (d *door) messages(body string, headers ...string) (*http.Response, gjson.Result) {
	d.t.Helper()
	res, got := d.askAt(MessagesPath, body, append([]string{"Anthropic-Version", "2023-06-01"}, headers...)...)
	return res, d.message(got)
}

const anthropic = `{ "model":"m-1", "max_tokens":100, "temperature":0.70, "system":[{"type":"text","text":"Be kind.","cache_control":{"type":"ephemeral"}}],
 "messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":[{"type":"text","text":"Hello."}]},
 {"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}},{"type":"text","text":"What is this?","cache_control":{"type":"ephemeral"}}]}],
 "tools":[{"name":"end_call","input_schema":{"type":"object"}}],"metadata":{"user_id":"ana"}%s}`

// One block more, behind the user's words, and our tool behind the client's: all else stays byte for byte.
func TestAnthropicsMessagesAreRememberedToo(t *testing.T) {
	t.Parallel()
	d := open(t, Options{})
	d.up.Say("A larch. [LEARN: looks at", " larches]")
	for _, more := range []string{"", `,"stream":true`} {
		res, got := d.messages(fmt.Sprintf(anthropic, more), "Anthropic-Beta", "x-1")
		expect(t, "memory", res.Header.Get(statusHeader), "applied")
		expect(t, "delivered", strings.TrimSpace(got.Get("content.0.text").String()), "A larch.")
		expect(t, "blocks", got.Get("content.#").Int(), 1)
		expect(t, "the end", got.Get("stop_reason").String(), "end_turn")
		last := d.up.Last()
		expect(t, "the path", last.Path, "/v1/messages")
		expect(t, "the key", last.Header.Get("X-Api-Key")+last.Header.Get("Authorization"), "sk-configured")
		expect(t, "headers", last.Header.Get("Anthropic-Version")+last.Header.Get("Anthropic-Beta"), "2023-06-01x-1")
		block := last.Body.Get("messages.2.content.2")
		if !isBlock(block.Get("text").String()) || !strings.Contains(block.Raw, "likes larch") {
			t.Errorf("the block: got %s", block.Raw)
		}
		without := strings.NewReplacer(","+block.Raw, "", ","+messagesTool, "").Replace(last.Body.Raw)
		expect(t, "all else", without, fmt.Sprintf(anthropic, more))
	}
	kept := d.kept()
	if len(kept) != 1 || kept[0].Message.Text != "What is this?" || len(kept[0].Message.Media) != 1 || kept[0].Reply != "A larch." || kept[0].Tags[0].Text != "looks at larches" {
		t.Errorf("got %+v", kept)
	}

	// A text that is no list becomes one; who names nobody gets all as it is, both ways.
	_, _ = d.messages(`{"messages":[{"role":"user","content":"Hi \u00e4"}],"metadata":{"user_id":"bob"}}`)
	if got := d.up.Last().Body.Get("messages.0.content"); got.Get("0").Raw != `{"type":"text","text":"Hi \u00e4"}` || !isBlock(got.Get("1.text").String()) {
		t.Errorf("got %s", got.Raw)
	}
	const lines = "event: message_start\ndata: {\"type\":\"message_start\"}\n\n: x\r\n\r\nevent: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"[LEARN: a]\"}}\n\n"
	d.up.Answer(func(upstreamtest.Request) upstreamtest.Answer { return upstreamtest.Answer{Lines: lines} })
	nobody := strings.Replace(fmt.Sprintf(anthropic, `,"stream":true`), `"user_id":"ana"`, `"x":"y"`, 1)
	_, got := d.askAt(MessagesPath, nobody)
	expect(t, "the stream", got, lines)
	expect(t, "the request", d.up.Last().Body.Raw, nobody)
}

// However a reply is cut, its tags are gone, no block is empty, and the numbers of blocks have no gap.
func TestTagsAreTakenOutOfBlocks(t *testing.T) {
	t.Parallel()
	const first, alone, third = "Larch [LEARN: prefers [red] larch] it is. [", "[forget: oak] ", "Bye [not a tag"
	var tags []tag.Tag
	for _, s := range []string{first, alone, third} {
		_, some := tag.Parse(s)
		tags = append(tags, some...)
	}
	want, _ := tag.Parse(first)
	for size := 1; size < 40; size += 3 {
		d := open(t, Options{})
		var pieces []string
		for _, rest := range []string{first, alone, third} {
			pieces = append(pieces, "\n")
			for rest != "" {
				n := min(size, len(rest))
				pieces, rest = append(pieces, rest[:n]), rest[n:]
			}
		}
		d.up.Answer(func(upstreamtest.Request) upstreamtest.Answer {
			return upstreamtest.Answer{Pieces: pieces, Calls: []upstreamtest.Call{{ID: "toolu_1", Name: "book", Arguments: `{"at":10}`}}}
		})
		for _, stream := range []string{"true", "false"} {
			_, got := d.messages(`{"stream":` + stream + `,"messages":[{"role":"user","content":"Hi ` + stream + `"}],"metadata":{"user_id":"ana"}}`)
			expect(t, "the first", got.Get("content.0.text").String(), want)
			expect(t, "the second", got.Get("content.1.text").String(), third)
			expect(t, "the call", got.Get("content.2.name").String()+got.Get("content.2.id").String(), "booktoolu_1")
			expect(t, "blocks", got.Get("content.#").Int(), 3)
		}
		d.proxy.Settle(t.Context())
		kept := d.kept()
		if len(kept) != 2 || kept[0].Reply != want+"\n\n"+third || fmt.Sprint(kept[0].Tags) != fmt.Sprint(tags) {
			t.Errorf("in pieces of %d: got %+v, want %q, %v", size, kept, want, tags)
		}
	}
}

// Our tool is carried out here: the client gets one message, and its own calls only.
func TestAnthropicsModelRecallsByATool(t *testing.T) {
	t.Parallel()
	for _, stream := range []string{"false", "true"} {
		d := open(t, Options{})
		d.up.Answer(func(r upstreamtest.Request) upstreamtest.Answer {
			calls := []upstreamtest.Call{{ID: "toolu_1", Name: recallTool, Arguments: `{"query":"plumber"}`}}
			switch r.N {
			case 1:
				return upstreamtest.Answer{Pieces: []string{"Let me see."}, Calls: calls}
			case 2:
				return upstreamtest.Answer{Pieces: []string{"On Friday."}, Calls: append(calls, upstreamtest.Call{ID: "toolu_2", Name: "book", Arguments: `{"at":10}`})}
			}
			return upstreamtest.Answer{Pieces: []string{"Booked."}}
		})
		body := `{"stream":` + stream + `,"tools":[{"name":"book","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"When does the plumber come?"}%s],"metadata":{"user_id":"ana"}}`
		_, got := d.messages(fmt.Sprintf(body, ""))
		expect(t, "what is said", got.Get("content.#.text").Raw, `["Let me see.","On Friday."]`)
		expect(t, "the client's call", got.Get("content.2.name").String()+got.Get("content.3").Raw, "book")
		expect(t, "the end", got.Get("id").String()+got.Get("stop_reason").String(), "msg_1tool_use")
		expect(t, "usage", got.Get("usage.output_tokens").Int(), 6)
		expect(t, "what is looked for", d.memory.queries, "[c-1: plumber]")
		second := d.up.Last().Body
		expect(t, "the call", second.Get("messages.1.content.#.type").Raw, `["text","tool_use"]`)
		expect(t, "its arguments", second.Get("messages.1.content.1.input").Raw, `{"query":"plumber"}`)
		expect(t, "its result", second.Get("messages.2.content.0.type").String()+second.Get("messages.2.content.0.tool_use_id").String(), "tool_resulttoolu_1")
		if !strings.Contains(second.Get("messages.2.content.0.content").String(), "comes on Friday") {
			t.Errorf("got %s", second.Get("messages.2"))
		}

		// The client's result goes on with the same exchange: the block stays where it was.
		_, got = d.messages(fmt.Sprintf(body, `,{"role":"assistant","content":[{"type":"text","text":"Let me see."},{"type":"text","text":"On Friday."},{"type":"tool_use","id":"toolu_2","name":"book","input":{"at":10}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_2","content":"ok"}]}`))
		expect(t, "the rest", got.Get("content.0.text").String(), "Booked.")
		last := d.up.Last().Body
		if !isBlock(last.Get("messages.0.content.1.text").String()) || strings.Count(last.Raw, markOpen) != 1 {
			t.Errorf("got %s", last.Raw)
		}
		kept := d.kept()
		if len(kept) != 1 || kept[0].Reply != "Let me see.\nOn Friday.\nBooked." {
			t.Errorf("got %+v", kept)
		}
	}
}

func TestAnthropicsModelThatSaysTagsAlone(t *testing.T) {
	t.Parallel()
	for _, stream := range []string{"false", "true"} {
		d := open(t, Options{})
		d.up.Answer(func(r upstreamtest.Request) upstreamtest.Answer {
			if r.N > 1 {
				return upstreamtest.Answer{Pieces: []string{"Larch it is."}}
			}
			return upstreamtest.Answer{Pieces: []string{"[LEARN: likes", " larch]\n"}}
		})
		_, got := d.messages(`{"stream":` + stream + `,"messages":[{"role":"user","content":"I like larch."}],"metadata":{"user_id":"ana"}}`)
		expect(t, "delivered", got.Get("content.#.text").Raw, `["Larch it is."]`)
		expect(t, "roles", d.up.Last().Roles(), "user")
		if kept := d.kept(); len(kept) != 1 || kept[0].Reply != "Larch it is." || len(kept[0].Tags) != 1 {
			t.Errorf("got %+v", kept)
		}
	}
}

// Where the model thinks, or may call nothing, our tool is not offered.
func TestWhenAnthropicsModelIsOfferedNoTool(t *testing.T) {
	t.Parallel()
	d := open(t, Options{})
	for _, more := range []string{`,"thinking":{"type":"enabled","budget_tokens":1024}`, `,"thinking":{"type":"adaptive"}`, `,"tool_choice":{"type":"none"}`} {
		_, _ = d.messages(fmt.Sprintf(anthropic, more))
		if got := d.up.Last().Body.Get("tools.#").Int(); got != 1 {
			t.Errorf("%s: got %d tools", more, got)
		}
	}
}

// Errors have Anthropic's form: those of the upstream as they come, ours, and what breaks in a stream.
func TestErrorsOfAnthropicsWire(t *testing.T) {
	t.Parallel()
	d := open(t, Options{})
	const refused = `{"type":"error","error":{"type":"overloaded_error","message":"busy"}}`
	const hi = `{"stream":true,"messages":[{"role":"user","content":"Hi"}],"metadata":{"user_id":"ana"}}`
	d.up.Answer(func(upstreamtest.Request) upstreamtest.Answer {
		return upstreamtest.Answer{Status: 529, Body: refused, Header: map[string]string{"Retry-After": "3"}}
	})
	res, raw := d.askAt(MessagesPath, hi)
	expect(t, "of the upstream", fmt.Sprint(res.StatusCode, res.Header.Get("Retry-After"), raw), "5293"+refused)
	d.up.Answer(func(upstreamtest.Request) upstreamtest.Answer {
		return upstreamtest.Answer{Pieces: []string{"Half a sen", "tence"}, Break: true}
	})
	_, got := d.messages(hi)
	expect(t, "in a stream", got.Get("error.type").String()+got.Get("content.0.text").String(), "api_errorHalf a sentence")
	for secret, want := range map[string]string{"wrong": "401 authentication_error", "reader": "403 permission_error"} {
		res, got = d.messages(hi, "Authorization", "", "X-API-Key", secret)
		expect(t, secret, fmt.Sprint(res.StatusCode, got.Get("error.type")), want)
		expect(t, "the kind", got.Get("type").String(), "error")
	}
	res, raw = d.askAt(MessagesPath+"/batches", hi)
	expect(t, "another path", fmt.Sprint(res.StatusCode, gjson.Get(raw, "error.type")), "404 not_found_error")
	_, raw = d.askAt(countPath, hi)
	expect(t, "the count", raw, `{"input_tokens":9}`)
	expect(t, "what was counted", d.up.Last().Body.Raw, hi)
}

// Which of the keys is ours, which is the provider's, and where that goes.
func TestKeysOfAnthropicsWire(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ api, bearer, ours, want string }{
		{api: "rk_ours", want: "key sk-configured"},
		{bearer: "rk_ours", want: "key sk-configured"},
		{api: "rk_ours", bearer: "sk-own", want: "bearer sk-own"},
		{api: "sk-own", bearer: "rk_ours", want: "key sk-own"},
		{api: "sk-own", ours: "rk_ours", want: "key sk-own"},
		{bearer: "sk-own", ours: "rk_ours", want: "bearer sk-own"},
		{api: "rk_ours", bearer: "rk_ours", ours: "rk_ours", want: "key sk-configured"},
		{api: "rk_other", ours: "rk_ours", want: "key sk-configured"},
	} {
		d := open(t, Options{})
		headers := []string{"Authorization", ""}
		for name, v := range map[string]string{"X-API-Key": c.api, "Authorization": c.bearer, "X-Memory-API-Key": c.ours} {
			if v != "" && name == "Authorization" {
				v = "Bearer " + v
			}
			if v != "" {
				headers = append(headers, name, v)
			}
		}
		_, _ = d.messages(`{"messages":[{"role":"user","content":"Hi"}]}`, headers...)
		h := d.up.Last().Header
		got := "key " + h.Get("X-Api-Key")
		if bearer := strings.TrimPrefix(h.Get("Authorization"), "Bearer "); bearer != "" {
			got = "bearer " + bearer
		}
		expect(t, fmt.Sprint(c), got, c.want)
		raw, _ := json.Marshal(h)
		if strings.Contains(string(raw), "rk_") {
			t.Errorf("a key of ours went on: %s", raw)
		}
	}
	d := open(t, Options{})
	d.own.is = recaller.Upstream{BaseURL: d.up.URL + "/v1", APIKey: "sk-tenant", Model: "claude"}
	_, _ = d.messages(`{"model":"m","messages":[{"role":"user","content":"Hi"}]}`)
	expect(t, "the tenant's", d.up.Last().Header.Get("X-Api-Key")+d.up.Last().Body.Get("model").String(), "sk-tenantclaude")
}
