package chatproxy

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/admission"
	"github.com/recallerhq/recaller/internal/chatproxy/upstreamtest"
	"github.com/recallerhq/recaller/internal/recall"
	"github.com/recallerhq/recaller/internal/tag"
	"github.com/recallerhq/recaller/internal/thread"
)

// memory is threads in memory: it tells the same of everybody, and notes what is kept.
type memory struct {
	mu      sync.Mutex // guards what follows
	opened  []string
	known   map[string]bool
	kept    []thread.Replying
	refs    []string
	ahead   []string // threads that were read ahead
	tells   string
	err     error         // of prompts
	down    int           // how many more replies fail
	slow    chan struct{} // a prompt waits for it
	queries []string
	asked   []thread.Asking
}

func (m *memory) Open(_ context.Context, _ recaller.TenantID, in thread.Opening) (recaller.Thread, recaller.Caller, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.opened = append(m.opened, fmt.Sprintf("%s %s%s", in.ExternalID, in.Caller.Phone, in.Caller.ExternalID))
	m.known[in.ExternalID] = true
	return recaller.Thread{}, recaller.Caller{}, false, nil
}

func (m *memory) Prompt(_ context.Context, _ recaller.TenantID, ref string, in thread.Asking) (out thread.Prompted, err error) {
	if m.slow != nil {
		<-m.slow
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.known[ref] {
		return out, recaller.Errorf(recaller.NotFound, "there is no such thread")
	}
	m.asked = append(m.asked, in)
	out.Thread.Caller, out.Prompt.Text, out.Rights = "c-1", m.tells, recaller.Tenant{}.Rights(recaller.TrustClaimed)
	return out, m.err
}

func (m *memory) Reply(_ context.Context, _ recaller.TenantID, ref string, in thread.Replying) (thread.Replied, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.down > 0 {
		m.down--
		return thread.Replied{}, recaller.Errorf(recaller.Unavailable, "the store is away")
	}
	for i := range m.kept {
		if m.kept[i].Once == in.Once {
			return thread.Replied{}, nil
		}
	}
	if !m.known[ref] {
		return thread.Replied{}, recaller.Errorf(recaller.NotFound, "there is no such thread")
	}
	m.kept, m.refs = append(m.kept, in), append(m.refs, ref)
	return thread.Replied{}, nil
}

func (m *memory) Ahead(_ context.Context, _ recaller.TenantID, ref string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ahead = append(m.ahead, ref)
	return nil
}

// told returns the messages that are kept.
func (m *memory) told() (out []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, k := range m.kept {
		out = append(out, k.Message.Text)
	}
	return out
}

func (m *memory) Recall(_ context.Context, _ recaller.TenantID, who recaller.CallerID, q recall.Query) (recall.Result, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.queries = append(m.queries, string(who)+": "+q.Text)
	return recall.Result{Hits: []recaller.Hit{{Text: "The plumber comes on Friday.", Speaker: recaller.User}}}, nil
}

type onlyKeys map[string]recaller.APIKey

func (k onlyKeys) Authenticate(_ context.Context, secret string) (recaller.APIKey, error) {
	if key, known := k[secret]; known {
		return key, nil
	}
	return recaller.APIKey{}, recaller.Errorf(recaller.Unauthenticated, "the API key is not known")
}

// chosen is the upstream that the tenant of the tests has set.
type chosen struct {
	is  recaller.Upstream
	err error
}

func (c *chosen) Upstream(context.Context, recaller.TenantID) (recaller.Upstream, error) {
	return c.is, c.err
}

// door is a proxy between a client and an upstream.
type door struct {
	t      *testing.T
	url    string
	proxy  *Server
	memory *memory
	own    *chosen
	up     *upstreamtest.Upstream
}

func open(t *testing.T, opts Options) *door {
	t.Helper()
	d := &door{t: t, own: &chosen{}, memory: &memory{known: map[string]bool{}, tells: "What is known: likes larch."}, up: upstreamtest.New(t)}
	if opts.Upstream.BaseURL == "" {
		opts.Upstream = recaller.Upstream{BaseURL: d.up.URL + "/v1/", APIKey: "sk-configured", Model: opts.Upstream.Model}
	}
	if opts.Deadline == 0 {
		opts.Deadline = time.Minute
	}
	if opts.Chosen == nil {
		opts.Chosen = http.DefaultTransport.(*http.Transport)
	}
	log := slog.New(slog.DiscardHandler)
	var err error
	d.proxy, err = New(Deps{
		Gate: admission.New(onlyKeys{
			"rk_ours": {ID: "k1", Tenant: "golf", Scope: recaller.ScopeAgent}, "reader": {ID: "k2", Tenant: "golf", Scope: recaller.ScopeRead},
		}, log, admission.Options{Failures: -1}),
		Threads: d.memory, Recall: d.memory, Upstreams: d.own, Log: log, Registerer: prometheus.NewRegistry(), Now: time.Now,
	}, opts)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(d.proxy)
	t.Cleanup(srv.Close)
	d.url = srv.URL
	return d
}

// post sends a request, with the key of ours unless the headers say otherwise.
func (d *door) post(ctx context.Context, body string, headers ...string) *http.Response {
	d.t.Helper()
	return d.postAt(ctx, ChatPath, body, headers...)
}

func (d *door) postAt(ctx context.Context, path, body string, headers ...string) *http.Response {
	d.t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.url+path, strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer rk_ours")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

func (d *door) ask(body string, headers ...string) (*http.Response, string) {
	d.t.Helper()
	return d.askAt(ChatPath, body, headers...)
}

func (d *door) askAt(path, body string, headers ...string) (*http.Response, string) {
	d.t.Helper()
	res := d.postAt(d.t.Context(), path, body, headers...)
	text, err := io.ReadAll(res.Body)
	if err != nil && d.t.Context().Err() != nil {
		d.t.Fatal(err)
	}
	d.proxy.order.wait(d.t.Context())
	return res, string(text)
}

func (d *door) kept() []thread.Replying {
	d.proxy.order.wait(context.Background())
	d.memory.mu.Lock()
	defer d.memory.mu.Unlock()
	return bytesClone(d.memory.kept)
}

func bytesClone[T any](in []T) []T { return append([]T(nil), in...) }

// text puts the content of a stream together.
func text(stream string) string {
	var out bytes.Buffer
	for line := range strings.Lines(stream) {
		if data, ok := strings.CutPrefix(line, "data:"); ok {
			if c := parse(chat{}, []byte(strings.TrimSpace(data))).root.Get("choices.0"); c.Get("index").Int() == 0 {
				out.WriteString(c.Get("delta.content").String())
			}
		}
	}
	return out.String()
}

func expect(t *testing.T, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s:\ngot  %v\nwant %v", what, got, want)
	}
}

const odd = `{ "model" : "m-1","stream":true,  "temperature":0.70, "seed": 12345678901234567890, "messages":[
  {"role":"system","content":"Be kind."} , {"role":"user","content":[{"type":"text","text":"What is this?"},
  {"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA","detail":"low"}}], "name":"ana"}
 ],"tools":[{"type":"function","function":{"name":"end_call","parameters":{"type":"object","properties":{}}}}],"tool_choice":"auto","x_unknown":{"a":[1,null,"\u003c"]} }`

// Nobody is named: both ways byte for byte, comments and unknown events with them.
func TestWhatNamesNobodyGoesThroughAsItIs(t *testing.T) {
	t.Parallel()
	d := open(t, Options{})
	const lines = ": keep-alive\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"[LEARN: a]\"}}],\"odd\":1.50}\r\n\r\nevent: x\ndata: y\n\ndata: [DONE]\n\n"
	d.up.Answer(func(upstreamtest.Request) upstreamtest.Answer { return upstreamtest.Answer{Lines: lines} })
	res, got := d.ask(odd)
	expect(t, "the stream", got, lines)
	expect(t, "the request", d.up.Last().Body.Raw, odd)
	expect(t, "memory", res.Header.Get(statusHeader), "none")
	if len(d.kept())+len(d.memory.opened) > 0 {
		t.Errorf("got %v, %v, want nothing kept", d.kept(), d.memory.opened)
	}
	_, got = d.ask(`{"messages":"odd"`, "X-Memory-User", "ana")
	if last := d.up.Last().Path; last != "/v1/chat/completions" || got == "" {
		t.Errorf("a body that is none: got %s, %s", last, got)
	}
}

// Somebody is named: one block more, in front of the newest message, and our tool behind the client's. All else stays.
func TestMemoryIsPutInFrontOfTheNewestMessage(t *testing.T) {
	t.Parallel()
	d := open(t, Options{})
	_, _ = d.ask(odd, "X-Memory-User", "ana", "X-Memory-Session", "s-1")
	block := `{"role":"system","content":` + quote(blockOf(d.memory.tells)) + `},`
	want := strings.Replace(odd, `{"role":"user"`, block+`{"role":"user"`, 1)
	want = strings.Replace(want, `}}}}],"tool_choice"`, `}}}},`+recallDefinition+`],"tool_choice"`, 1)
	expect(t, "the request", d.up.Last().Body.Raw, want)
	kept := d.kept()
	if len(kept) != 1 || kept[0].Message.Text != "What is this?" || len(kept[0].Message.Media) != 1 ||
		!strings.HasPrefix(kept[0].Message.Media[0].Ref, "data:image/png;sha256=") || kept[0].Reply != "Hello." {
		t.Errorf("got %+v", kept)
	}
	expect(t, "opened", d.memory.opened, "[proxy:ana/s-1 ana]")

	// A block that comes back is taken out, wherever it stands, and the user's words stay as they are.
	_, _ = d.ask(`{"messages":[{"role":"system","content":"A"},{"role":"system","content":` + quote(blockOf("old")) +
		`},{"role":"assistant","content":` + quote("Yes. "+blockOf("old")) + `},{"role":"user","content":"B"}]}`)
	expect(t, "the request", d.up.Last().Body.Raw,
		`{"messages":[{"role":"system","content":"A"},{"role":"assistant","content":"Yes. "},{"role":"user","content":"B"}]}`)

	// What somebody said cannot end the block; developers' messages stay of one role; the agent may begin.
	d.memory.tells = "said </recaller_memory> and more"
	_, _ = d.ask(`{"user":"ana","messages":[{"role":"developer","content":"A"}]}`)
	last := d.up.Last().Body
	if got := last.Get("messages.1.content").String(); last.Get("messages.1.role").String() != "developer" || strings.Count(got, markEnd) != 1 {
		t.Errorf("got %s", last.Raw)
	}
}

func TestWhoseMemory(t *testing.T) {
	t.Parallel()
	const body = `"call":{"id":"v-1","customer":{"number":"+14155550100"}},"elevenlabs_extra_body":{"person":"el","conversation_id":"el-1"},` +
		`"user_id":"uid","safety_identifier":"safe","user":"usr","metadata":{"user_id":"meta","session_id":"m-1"}`
	for name, test := range map[string]struct {
		body    string
		headers []string
		want    string
	}{
		"nobody":                     {`"model":"m"`, nil, ""},
		"our headers":                {body, []string{"X-Memory-User", "ana", "X-Memory-Session", "s", "X-Sm-User-Id", "sm"}, "proxy:ana/s ana"},
		"supermemory's":              {body, []string{"x-sm-user-id", "sm", "x-sm-conversation-id", "c"}, "proxy:sm/c sm"},
		"mastra's":                   {body, []string{"x-resource-id", "r", "x-thread-id", "t"}, "proxy:r/t r"},
		"vapi's call":                {body, nil, "proxy:%2B14155550100/v-1 +14155550100"},
		"elevenlabs' extra body":     {body[strings.Index(body, `"elevenlabs`):], nil, "proxy:el/el-1 el"},
		"elevenlabs' conversation":   {`"user_id":"uid"`, []string{"X-Conversation-Id", "c-9"}, "proxy:uid/c-9 uid"},
		"the safety identifier":      {body[strings.Index(body, `"safety`):], nil, "proxy:safe/m-1 safe"},
		"the user":                   {`"user":"usr"`, nil, "proxy:usr/ usr"},
		"metadata":                   {`"metadata":{"user_id":"meta"}`, nil, "proxy:meta/ meta"},
		"an empty header is none":    {`"user":"usr"`, []string{"X-Memory-User", " "}, "proxy:usr/ usr"},
		"a slash is no way out":      {`"user":"a/b"`, []string{"X-Memory-Session", "c\\d"}, "proxy:a%2Fb/c%5Cd a/b"},
		"a number without a country": {`"user":"4155550100"`, nil, "proxy:4155550100/ 4155550100"},
		"an object is no user":       {`"user":{"id":1}`, nil, ""},
		"a number of JSON":           {`"user":42`, nil, "proxy:42/ 42"},
	} {
		d := open(t, Options{})
		_, _ = d.ask(`{"messages":[{"role":"user","content":"Hi"}],`+test.body+`}`, test.headers...)
		expect(t, name, strings.Join(d.memory.opened, ", "), test.want)
		last := d.up.Last()
		for _, gone := range []string{"X-Memory-User", "X-Memory-Session", "X-Sm-User-Id", "X-Sm-Conversation-Id", "X-Resource-Id", "X-Thread-Id", "X-Conversation-Id"} {
			if last.Header.Get(gone) != "" {
				t.Errorf("%s: %s went on", name, gone)
			}
		}
		for _, gone := range []string{"call", "elevenlabs_extra_body", "user_id"} {
			if last.Body.Get(gone).Exists() {
				t.Errorf("%s: %s went on: %s", name, gone, last.Body.Raw)
			}
		}
	}
}

func TestTwoKeysAreKeptApart(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		headers []string
		status  int
		want    string // of the upstream
	}{
		"ours as Bearer":              {[]string{"Authorization", "Bearer rk_ours"}, 200, "Bearer sk-configured"},
		"ours beside the provider's":  {[]string{"Authorization", "Bearer sk-own", "X-API-Key", "rk_ours"}, 200, "Bearer sk-own"},
		"the same, by its other name": {[]string{"Authorization", "Bearer sk-own", "X-Memory-API-Key", "rk_ours"}, 200, "Bearer sk-own"},
		"ours alone":                  {[]string{"Authorization", "", "X-API-Key", "rk_ours"}, 200, "Bearer sk-configured"},
		"ours twice":                  {[]string{"Authorization", "Bearer rk_ours", "X-API-Key", "rk_ours"}, 200, "Bearer sk-configured"},
		"another of ours":             {[]string{"Authorization", "Bearer rk_other_key", "X-API-Key", "rk_ours"}, 200, "Bearer sk-configured"},
		"the provider's only":         {[]string{"Authorization", "Bearer sk-own"}, 401, ""},
		"none":                        {[]string{"Authorization", ""}, 401, ""},
		"of too narrow a scope":       {[]string{"Authorization", "Bearer reader"}, 403, ""},
	} {
		d := open(t, Options{})
		res, got := d.ask(`{"messages":[]}`, append(test.headers, "Cookie", "a=b")...)
		expect(t, name, res.StatusCode, test.status)
		if test.status != 200 {
			if e := parse(chat{}, []byte(got)).root.Get("error"); e.Get("message").String() == "" || e.Get("type").String() != "invalid_request_error" || len(d.up.Requests()) > 0 {
				t.Errorf("%s: got %s, %d requests", name, got, len(d.up.Requests()))
			}
			continue
		}
		h := d.up.Last().Header
		expect(t, name, h.Get("Authorization"), test.want)
		if h.Get("X-Api-Key")+h.Get("X-Memory-Api-Key")+h.Get("Cookie") != "" {
			t.Errorf("%s: got %v", name, h)
		}
	}
}

func TestFailuresOfTheUpstreamPassThrough(t *testing.T) {
	t.Parallel()
	d := open(t, Options{})
	for _, status := range []int{400, 401, 404, 429, 500, 503} {
		body := fmt.Sprintf(`{"error":{"message":"no %d","type":"t","param":null,"code":"c"}}`, status)
		d.up.Answer(func(upstreamtest.Request) upstreamtest.Answer {
			return upstreamtest.Answer{Status: status, Body: body, Header: map[string]string{"Retry-After": "7", "X-Ratelimit-Remaining-Requests": "0"}}
		})
		res, got := d.ask(`{"user":"ana","stream":true,"messages":[{"role":"user","content":"Hi"}]}`)
		expect(t, "the answer", fmt.Sprint(res.StatusCode, got, res.Header.Get("Retry-After"), res.Header.Get("X-Request-Id")),
			fmt.Sprint(status, body, "7", fmt.Sprintf("req_%d", d.up.Last().N)))
	}
	if len(d.kept()) > 0 {
		t.Errorf("got %+v, want nothing kept", d.kept())
	}
	d.up.Close()
	res, got := d.ask(`{"messages":[]}`)
	if res.StatusCode != 502 || !strings.Contains(got, `"code":"upstream_unreachable"`) || strings.Contains(got, "127.0.0.1") {
		t.Errorf("got %d %s", res.StatusCode, got)
	}
}

// An answer that breaks off is told in the stream; what was delivered is kept as a reply that broke off.
func TestAStreamThatBreaksOff(t *testing.T) {
	t.Parallel()
	d := open(t, Options{})
	d.up.Answer(func(upstreamtest.Request) upstreamtest.Answer {
		return upstreamtest.Answer{Pieces: []string{"The plumber ", "comes [LEARN: has a leak] on", " [LEARN: has"}, Break: true}
	})
	_, got := d.ask(`{"user":"ana","stream":true,"messages":[{"role":"user","content":"When?"}]}`)
	if !strings.Contains(got, `data: {"error":{"code":"upstream_broke_off"`) || strings.Contains(got, "[DONE]") {
		t.Errorf("got %s", got)
	}
	kept := d.kept()
	if fmt.Sprint(d.memory.ahead) != fmt.Sprint(d.memory.refs) {
		t.Errorf("read ahead are %q, want those that are kept: %q", d.memory.ahead, d.memory.refs)
	}
	if len(kept) != 1 || !kept[0].Interrupted || !strings.HasPrefix(kept[0].Reply, "The plumber comes on") ||
		fmt.Sprint(kept[0].Tags) != fmt.Sprint([]tag.Tag{{Kind: tag.Learn, Text: "has a leak"}}) {
		t.Errorf("got %+v", kept)
	}
}

// Who hangs up ends the request upstream, and what was delivered is kept.
func TestAClientThatGoesAway(t *testing.T) {
	t.Parallel()
	d := open(t, Options{})
	d.up.Answer(func(upstreamtest.Request) upstreamtest.Answer {
		return upstreamtest.Answer{Pieces: []string{"Your appointment is ", "on Friday."}, Hang: true}
	})
	ctx, cancel := context.WithCancel(t.Context())
	res := d.post(ctx, `{"user":"ana","stream":true,"messages":[{"role":"user","content":"When?"}]}`)
	got := ""
	for part := make([]byte, 4096); !strings.Contains(text(got), "on Friday."); {
		n, err := res.Body.Read(part)
		if err != nil {
			t.Fatal(err)
		}
		got += string(part[:n])
	}
	cancel()
	<-d.up.Gone()
	tick := time.NewTicker(time.Millisecond) // the handler's end is seen by nobody
	defer tick.Stop()
	for len(d.kept()) == 0 {
		<-tick.C
	}
	if kept := d.kept(); kept[0].Reply != "Your appointment is on Friday." || !kept[0].Interrupted {
		t.Errorf("got %+v", kept)
	}
}
