package httpapi

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/httpdoor"
)

func TestEveryKindOfFailureHasAStatus(t *testing.T) {
	t.Parallel()
	table := httpdoor.Outcomes()
	for _, kind := range recaller.Kinds() {
		o, ok := table[kind]
		if !ok || o.Status < 400 || o.Code == "" {
			t.Errorf("%q is mapped to %+v", kind, o)
		}
		p := httpdoor.ProblemOf(&recaller.Error{Kind: kind, Field: "f", Msg: "msg", Err: errors.New("secret cause")})
		if p.Status != o.Status || strings.Contains(fmt.Sprintf("%+v", p), "secret") {
			t.Errorf("%q: got %+v, want status %d and nothing of the cause", kind, p, o.Status)
		}
	}
	if len(table) != len(recaller.Kinds()) {
		t.Errorf("got %d rows, want %d", len(table), len(recaller.Kinds()))
	}
	for _, err := range []error{context.DeadlineExceeded, fmt.Errorf("read: %w", context.Canceled)} {
		if p := httpdoor.ProblemOf(err); p.Status != http.StatusGatewayTimeout {
			t.Errorf("%v: got %d, want 504", err, p.Status)
		}
	}
	if p := httpdoor.ProblemOf(errors.New("secret cause")); p.Status != 500 || strings.Contains(p.Detail, "secret") {
		t.Errorf("got %+v, want a 500 that tells nothing", p)
	}
}

func TestProblemsNameTheField(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	conv := h.begun(t, "+4930901820")
	c, v := "/v1/callers/"+conv.Caller.ID, "/v1/conversations/"+conv.Conversation.ID
	tests := []struct {
		name, method, path, body string
		status                   int
		field                    string
	}{
		{"not JSON", "POST", "/v1/conversations", `{"caller":`, 400, ""},
		{"no body", "POST", "/v1/conversations", ``, 400, ""},
		{"a list", "POST", "/v1/conversations", `[]`, 422, ""},
		{"no caller", "POST", "/v1/conversations", `{}`, 422, "caller"},
		{"a caller who is nobody", "POST", "/v1/conversations", `{"caller":{}}`, 422, "caller"},
		{"a number that is none", "POST", "/v1/conversations", `{"caller":{"phone":"SECRET-12"}}`, 422, "caller.phone"},
		{"a number of the wrong type", "POST", "/v1/conversations", `{"caller":{"phone":491234567}}`, 422, "caller.phone"},
		{"an unknown field", "POST", "/v1/conversations", `{"caller":{"phone":"+4930901820"},"chanel":"voice"}`, 422, "chanel"},
		{"an unknown field inside", "POST", "/v1/conversations", `{"caller":{"phone":"+4930901820","fone":"SECRET"}}`, 422, "caller.fone"},
		{"a wrong channel", "POST", "/v1/conversations", `{"caller":{"phone":"+4930901820"},"channel":"SECRET"}`, 422, "channel"},
		{"metadata that is no object", "POST", "/v1/conversations", `{"caller":{"phone":"+4930901820"},"metadata":["SECRET"]}`, 422, "metadata"},
		{"a turn without a speaker", "POST", v + "/turns", `{"text":"SECRET"}`, 422, "speaker"},
		{"a turn without a text", "POST", v + "/turns", `{"speaker":"user"}`, 422, "text"},
		{"an empty text", "POST", v + "/turns", `{"speaker":"user","text":" "}`, 422, "text"},
		{"a wrong speaker in a batch", "POST", v + "/turns", `{"turns":[{"speaker":"user","text":"a"},{"speaker":"SECRET","text":"a"}]}`, 422, "turns[1].speaker"},
		{"a text that is a number", "POST", v + "/turns", `{"turns":[{"speaker":"user","text":7}]}`, 422, "turns[0].text"},
		{"a time that is none", "POST", v + "/turns", `{"speaker":"user","text":"a","at":"SECRET"}`, 422, "at"},
		{"milliseconds for a time", "POST", v + "/turns", `{"speaker":"user","text":"a","at":"58113-01-01T00:00:00Z"}`, 422, "at"},
		{"an unknown field of a turn", "POST", v + "/turns", `{"speaker":"user","text":"a","SECRET":1}`, 422, "SECRET"},
		{"confidence out of bounds", "POST", v + "/turns", `{"speaker":"user","text":"a","confidence":1.2}`, 422, "confidence"},
		{"a turn and turns", "POST", v + "/turns", `{"speaker":"user","turns":[]}`, 422, "turns"},
		{"no turns", "POST", v + "/turns", `{"turns":[]}`, 422, "turns"},
		{"turns that are null", "POST", v + "/turns", `{"turns":null}`, 422, "turns"},
		{"two bodies", "POST", v + "/turns", `{"speaker":"user","text":"a"}{}`, 400, ""},
		{"turns that are not JSON", "POST", v + "/turns", `SECRET`, 400, ""},
		{"a wrong end", "POST", v + "/end", `{"status":"active"}`, 422, "status"},
		{"an end before its time", "POST", v + "/end", `{"duration_seconds":-1}`, 422, "duration_seconds"},
		{"a memory of no type", "POST", c + "/memories", `{"type":"SECRET","key":"k","value":"v"}`, 422, "type"},
		{"a memory without a key", "POST", c + "/memories", `{"type":"fact","value":"v"}`, 422, "key"},
		{"a due time past all years", "POST", c + "/memories", `{"type":"fact","key":"k","value":"v","due_at":"9999-12-31T23:59:59-12:00"}`, 422, "due_at"},
		{"recall of nothing", "POST", c + "/recall", `{"query":" "}`, 422, "query"},
		{"recall of an unknown kind", "POST", c + "/recall", `{"query":"a","kinds":["SECRET"]}`, 422, "kinds[0]"},
		{"a checkpoint without a summary", "PUT", c + "/checkpoint", `{"intent":"x"}`, 422, "summary"},
		{"a checkpoint that is no object", "PUT", c + "/checkpoint", `{"summary":"x","staging_data":1}`, 422, "staging_data"},
		{"an unknown time zone", "PATCH", c, `{"time_zone":"SECRET/Zone"}`, 422, "time_zone"},
		{"a limit too large", "GET", "/v1/callers?limit=1000", "", 422, "limit"},
		{"a limit that is no number", "GET", "/v1/callers?limit=SECRET", "", 422, "limit"},
		{"an unknown parameter", "GET", "/v1/callers?fone=1", "", 422, "fone"},
		{"a number to find that is none", "GET", "/v1/callers?phone=SECRET", "", 422, "phone"},
		{"both ways to find", "GET", "/v1/callers?phone=1&external_id=2", "", 422, "external_id"},
		{"a status that is none", "GET", "/v1/conversations?status=SECRET", "", 422, "status"},
		{"a type that is none", "GET", c + "/memories?type=fact,SECRET", "", 422, "type[1]"},
		{"a budget below zero", "GET", c + "/briefing?max_tokens=-1", "", 422, "max_tokens"},
		{"a style that is none", "GET", c + "/briefing?style=SECRET", "", 422, "style"},
		{"a style that is none, of a conversation", "GET", v + "/briefing?style=SECRET", "", 422, "style"},
		{"a style that is none, at the start", "POST", "/v1/conversations", `{"caller":{"phone":"+4930901820"},"briefing_style":"SECRET"}`, 422, "briefing_style"},
		{"a cursor that is none", "GET", "/v1/callers?cursor=SECRET", "", 422, "cursor"},
		{"import without a time", "POST", "/v1/conversations/import", `{"caller":{"phone":"+4930901820"},"turns":[]}`, 422, "started_at"},
		{"import with an unknown field", "POST", "/v1/conversations/import", `{"caller":{"phone":"+4930901820"},"turns":[],"started":"x"}`, 422, "started"},
		{"a batch with more than conversations", "POST", "/v1/conversations/import", `{"conversations":[],"caller":{}}`, 422, "caller"},
		{"a batch that does not say whether", "POST", "/v1/conversations/import", `{"wrapup":"SECRET","conversations":[]}`, 422, "wrapup"},
		{"an unknown field of an import's caller", "POST", "/v1/conversations/import", `{"caller":{"phone":"+4930901820","fone":"SECRET"},"turns":[],"started_at":"2026-01-01T00:00:00Z"}`, 422, "caller.fone"},
		{"import with a recording that is no web address", "POST", "/v1/conversations/import", `{"caller":{"phone":"+4930901820"},"turns":[],"started_at":"2026-01-01T00:00:00Z","recording_url":"SECRET"}`, 422, "recording_url"},
		{"a recording that is no web address", "POST", v + "/end", `{"recording_url":"ftp://SECRET"}`, 422, "recording_url"},
		{"an end before the start", "POST", v + "/end", `{"ended_at":"2020-01-01T00:00:00Z"}`, 422, "ended_at"},
		{"a batch that is no list", "POST", "/v1/conversations/import", `{"conversations":{}}`, 422, "conversations"},
		{"a tenant's wrong region", "PATCH", "/v1/tenant", `{"default_region":"SECRET"}`, 422, "default_region"},
		{"a key of no scope", "POST", "/v1/keys", `{"scope":"SECRET"}`, 422, "scope"},
		{"an unknown caller", "GET", "/v1/callers/nobody", "", 404, ""},
		{"an unknown conversation", "GET", "/v1/conversations/none/briefing", "", 404, ""},
		{"an unknown memory", "PATCH", "/v1/memories/none", `{"value":"x"}`, 404, ""},
		{"an unknown caller's memories", "GET", "/v1/callers/nobody/memories", "", 404, ""},
		{"a route that is none", "GET", "/v1/nothing", "", 404, ""},
		{"a method that is none", "PUT", "/v1/conversations", `{}`, 405, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := h.refused(t, test.status, test.method, test.path, test.body)
			if p.Field != test.field {
				t.Errorf("got the field %q, want %q: %+v", p.Field, test.field, p)
			}
			if test.field != "" && (len(p.Errors) == 0 || p.Errors[0].Location != test.field) {
				t.Errorf("got errors %+v, want the field first", p.Errors)
			}
			if strings.Contains(p.Detail, "SECRET") && test.field != "SECRET" {
				t.Errorf("the problem repeats what was sent: %+v", p)
			}
		})
	}
}

// Of every parameter that is true or false, and every one that is a number, another value is named, with what was
// expected.
func TestQueriesThatAreNotWhatTheyShouldBe(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	_, _, raw := h.call(t, "GET", "/openapi.json", "")
	var doc struct {
		Paths map[string]map[string]struct {
			Parameters []struct {
				Name, In string
				Schema   struct{ Type any }
			}
		}
	}
	if err := json.Unmarshal([]byte(raw), &doc); err != nil {
		t.Fatal(err)
	}
	wants := map[any]string{"boolean": "must be true or false", "integer": "must be a whole number"}
	asked := map[any]int{}
	for path, methods := range doc.Paths {
		for method, operation := range methods {
			for _, p := range operation.Parameters {
				want, ok := wants[p.Schema.Type]
				if !ok || p.In != "query" {
					continue
				}
				asked[p.Schema.Type]++
				got := h.refused(t, 422, strings.ToUpper(method), strings.NewReplacer("{", "", "}", "").Replace(path)+"?"+p.Name+"=maybe", "{}")
				i := slices.IndexFunc(got.Errors, func(e client.FieldError) bool { return e.Location == p.Name })
				if i < 0 || got.Errors[i].Message != want {
					t.Errorf("%s %s: got %+v, want %s named: %s", method, path, got.Errors, p.Name, want)
				}
			}
		}
	}
	if asked["boolean"] < 8 || asked["integer"] < 8 {
		t.Errorf("only %v were asked", asked)
	}
}

func TestBodiesThatAreNotWhatTheyShouldBe(t *testing.T) {
	t.Parallel()
	h := setup(t, func(_ *Deps, o *Options) { o.MaxBody, o.MaxImport = 1000, 4000 })
	conv := h.begun(t, "+4930901820").Conversation.ID
	turn := func(n int) string { return `{"speaker":"user","text":"` + strings.Repeat("a", n) + `"}` }
	h.refused(t, 413, "POST", "/v1/conversations/"+conv+"/turns", turn(2000))
	h.refused(t, 413, "POST", "/v1/conversations/import", turn(5000))
	if p := h.refused(t, 422, "POST", "/v1/conversations/import", turn(2000)); p.Field == "" {
		t.Errorf("got %+v, want a field at fault: the import takes more bytes", p)
	}
	h.refused(t, 415, "POST", "/v1/conversations", `<caller/>`, "Content-Type", "text/xml")
	if status, _, body := h.call(t, "POST", "/v1/conversations/"+conv+"/end", ""); status != 202 {
		t.Errorf("an end without a body: got %d %s, want 202", status, body)
	}
}

// A body that breaks off is the client's fault, and what came of it is not taken for the whole.
func TestABrokenBodyIsNotTakenForAWhole(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	conv := h.begun(t, "+4930901820").Conversation.ID
	for _, rest := range []string{"ZZ\r\n", "5;\x01\r\nhello"} {
		c, err := net.Dial("tcp", h.http.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		whole := `{"speaker":"user","text":"yes"}`
		fmt.Fprintf(c, "POST /v1/conversations/%s/turns HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n%s", conv, bootstrap, len(whole), whole, rest)
		if err := c.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		res, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		if res.StatusCode != 400 {
			t.Errorf("%q: got %d, want 400", rest, res.StatusCode)
		}
	}
	if rec, err := h.admin.Conversation(context.Background(), conv); err != nil || rec.Conversation.TurnCount != 0 {
		t.Errorf("got %d turns, %v; want none", rec.Conversation.TurnCount, err)
	}
}

// failing is conversations that fail as they are told.
type failing struct {
	Conversations
	end func() error
}

func (f failing) End(context.Context, recaller.TenantID, string, conversation.End) (recaller.Conversation, error) {
	return recaller.Conversation{}, f.end()
}

func TestFailuresTellNothingAndAreLoggedOnce(t *testing.T) {
	t.Parallel()
	var next atomic.Pointer[func() error]
	h := setup(t, func(d *Deps, _ *Options) {
		d.Conversations = failing{d.Conversations, func() error { return (*next.Load())() }}
	})
	tests := []struct {
		status int
		retry  string
		end    func() error
	}{
		{500, "", func() error { return errors.New("disk at /secret/path") }},
		{503, "2", func() error {
			return recaller.Wrap(recaller.Unavailable, errors.New("disk at /secret/path"), "the disk is full")
		}},
		{500, "", func() error { panic("disk at /secret/path") }},
		{500, "", func() error { return fmt.Errorf("%v", make([]string, 1)[len(os.Args)+1]) }},
	}
	for i, test := range tests {
		next.Store(&test.end)
		status, header, body := h.call(t, "POST", "/v1/conversations/x/end", `{}`, "X-Request-Id", fmt.Sprintf("req-%d", i))
		if status != test.status || header.Get("Retry-After") != test.retry || header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%d: got %d %v, want %d", i, status, header, test.status)
		}
		if strings.Contains(body, "secret") || strings.Contains(body, ".go") {
			t.Errorf("%d: the answer tells too much: %s", i, body)
		}
	}
	logs := h.logs.String()
	if strings.Count(logs, `"msg":"request"`) != len(tests) || strings.Count(logs, `"msg":"panic in a request"`) != 2 {
		t.Errorf("got logs %s, want each request once and two panics", logs)
	}
	if !strings.Contains(logs, `"request_id":"req-1"`) || !strings.Contains(logs, "index out of range") {
		t.Errorf("got logs %s, want the request id, and what the runtime said", logs)
	}
}
