package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/app"
	"github.com/recallerhq/recaller/internal/config"
)

// probes is how often the wall between two tenants is tried, on each store.
const probes = 15_500

// hidden is in every word of the first tenant's, and in no request of the others'.
const hidden = "zanzibarquagga"

// Two businesses and an operator on one Recaller. The first has something to hide; with every key of the others every
// operation of the description is tried, with the first one's ids, cursors, numbers and Idempotency-Keys in every place
// where there may be one, and with what is malformed or hostile. Nothing of the first one's shows in any answer or in
// the log, what it has is as it was, to the byte, and an id of its own is answered as one that nobody has.
func TestNoTenantReachesAnother(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		w := newWall(t, on)
		before := w.picture()
		w.learn(before)
		w.everyOperation()
		w.anything()
		if w.asked.Load() < probes || w.guessed < probes/4 {
			t.Errorf("asked %d times, %d of them at random; want %d and %d", w.asked.Load(), w.guessed, probes, probes/4)
		}
		if diff := cmp.Diff(before, w.picture()); diff != "" {
			t.Errorf("the first tenant's things changed (-before +after):\n%s", diff)
		}
		if strings.Contains(strings.ToLower(w.log.String()), hidden) {
			t.Error("the first tenant's words are in the log")
		}
	})
}

// wall is a whole Recaller in this process, and what is known of it.
type wall struct {
	*testing.T
	app   *app.App
	log   *logbook
	doc   document
	first *client.Client // of the one with something to hide: an admin key
	key   string         // its admin key
	asked atomic.Int64
	fault atomic.Int64

	guessed int // of those asked, at random

	keys    map[string]string   // of those who try: secrets by name
	theirs  map[string][]string // of the first: ids by placeholder
	ids     map[string]bool     // all of its ids
	cursors []string            // of its pages
}

func newWall(t *testing.T, on backing) *wall {
	t.Helper()
	settings := map[string]string{"RECALLER_DATA": t.TempDir(), "RECALLER_RATE_LIMIT": "0", "RECALLER_WEBHOOK_ALLOW": "127.0.0.0/8", "RECALLER_SIGNIN_FAILURES": "0", "RECALLER_BRIEFING_DEADLINE": "10s"}
	for _, e := range on.settings(t) {
		name, value, _ := strings.Cut(e, "=")
		settings[name] = value
	}
	cfg, err := config.Load(config.Options{Env: func(k string) (string, bool) { v, ok := settings[k]; return v, ok }})
	if err != nil {
		t.Fatal(err)
	}
	w := &wall{T: t, log: &logbook{}, keys: map[string]string{}, theirs: map[string][]string{}}
	log := slog.New(slog.NewJSONHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	if w.app, err = app.New(context.Background(), cfg, app.Options{Log: log, Version: "test"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.app.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if err := w.app.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	operator := w.client(w.app.BootstrapKey())
	raw, err := operator.OpenAPI(t.Context())
	w.ok(err)
	w.ok(json.Unmarshal(raw, &w.doc))
	w.fillFirst(operator)
	w.fillSecond(operator)
	return w
}

func (w *wall) ok(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// RoundTrip makes a request inside this process.
func (w *wall) RoundTrip(r *http.Request) (*http.Response, error) {
	rec := httptest.NewRecorder()
	w.app.Handler().ServeHTTP(rec, r)
	return rec.Result(), nil
}

func (w *wall) client(key string) *client.Client {
	w.Helper()
	c, err := client.New("http://in.process", key, client.WithHTTPClient(&http.Client{Transport: w}), client.WithRetries(0))
	w.ok(err)
	return c
}

// shared is what both tenants know a caller or a conversation by.
const (
	sharedPhone    = "+14155550177"
	sharedCustomer = "customer-9"
	sharedOrder    = "order-77"
	firstPhone     = "+14155550178" // of a caller whom only the first knows
	firstCustomer  = "customer-of-the-first"
	firstOrder     = "order-of-the-first"
	firstNumber    = "+14155550179" // reaches its agent
	firstOnce      = "once-of-the-first"
)

// fillFirst makes the tenant with something to hide, with one of everything.
func (w *wall) fillFirst(operator *client.Client) {
	w.Helper()
	ctx, word := w.Context(), hidden
	lines := []client.Line{{Label: word, Value: word}}
	made, err := operator.CreateTenant(ctx, client.NewTenant{Name: word, TenantSettings: client.TenantSettings{
		Numbers: &[]string{firstNumber}, Profile: &client.ProfilePatch{Business: &word, Greeting: &word, Hours: &lines}, Prompts: map[string]*string{"summary": &word},
	}})
	w.ok(err)
	w.key, w.first = made.APIKey, w.client(made.APIKey)
	c := w.first
	_, err = c.CreateKey(ctx, client.KeyInput{Scope: recaller.ScopeAgent, Label: word})
	w.ok(err)
	_, err = c.SetWebhook(ctx, client.WebhookInput{URL: "http://127.0.0.1:1/" + word})
	w.ok(err)
	_, err = c.PutPack(ctx, client.Pack{Name: word, Intents: []client.PackRule{{Label: word, Phrases: []string{word}}}})
	w.ok(err)
	p := phone{w.T, c}
	for _, who := range []client.CallerRef{
		{Phone: sharedPhone, Name: word}, {Phone: firstPhone, Name: word}, {ExternalID: sharedCustomer, Name: word}, {ExternalID: firstCustomer},
	} {
		w.speak(p, client.StartRequest{Caller: who})
	}
	w.speak(p, client.StartRequest{Caller: client.CallerRef{Phone: sharedPhone}, ExternalID: sharedOrder, PlatformIDs: map[string]string{"twilio": word}})
	w.speak(p, client.StartRequest{Caller: client.CallerRef{Phone: sharedPhone}, ExternalID: firstOrder, Metadata: []byte(`{"note":"` + word + `"}`)})
	caller := p.ring(sharedPhone) // and is still on the line
	p.say(caller.Conversation.ID, user("This is "+word+" again."))
	for i := range 3 {
		_, err = c.StoreMemory(ctx, caller.Caller.ID, client.MemoryInput{Type: recaller.Fact, Key: fmt.Sprint(word, i), Value: strings.Repeat(word+" ", i+1)})
		w.ok(err)
	}
	follow, err := c.StoreMemory(ctx, caller.Caller.ID, client.MemoryInput{Type: recaller.FollowUp, Key: "call", Value: "call " + word})
	w.ok(err)
	_, err = c.SetReminder(ctx, follow.Memory.ID, client.ReminderInput{DueAt: time.Now().AddDate(1, 0, 0)})
	w.ok(err)
	value := word + " by another name"
	_, err = c.UpdateMemory(ctx, follow.Memory.ID, client.MemoryPatch{Value: &value})
	w.ok(err)
	_, err = c.PutCheckpoint(ctx, caller.Caller.ID, client.CheckpointInput{Summary: word, StagingData: []byte(`{"step":"` + word + `"}`)})
	w.ok(err)
	for _, in := range []client.DocumentInput{
		{Title: word, Content: word, Source: word, Tags: client.Tags{word}}, {Title: "Paper", Content: word, CallerID: caller.Caller.ID, Pinned: true},
	} {
		_, err = c.CreateDocument(ctx, in)
		w.ok(err)
	}
	chat, err := c.OpenThread(ctx, client.ThreadRequest{Caller: client.CallerRef{Phone: firstPhone}, ExternalID: word, Title: word})
	w.ok(err)
	_, err = c.ThreadReply(ctx, chat.Thread.ID, client.ReplyRequest{ThreadMessage: client.ThreadMessage{Message: word}, Reply: word})
	w.ok(err)
	within := client.ToolContext{CallSessionID: caller.Conversation.ID, LineID: caller.Caller.ID, AccountID: made.Tenant.ID}
	_, err = c.StoreMemoryTool(ctx, client.StoreMemoryCall{ToolContext: within, MemoryType: recaller.Fact, Key: "tool", Value: word})
	w.ok(err)
	gone := p.call("+14155550176", user("Forget "+word+"."), agent("Gone."))
	_, err = c.EraseCaller(ctx, gone.Caller.ID)
	w.ok(err)
	w.theirs["caller"] = append(w.theirs["caller"], gone.Caller.ID)
	w.theirs["tenant"] = []string{made.Tenant.ID}
	w.raw(attempt{method: "POST", path: "/v1/conversations", key: w.key, body: onceBody, header: map[string]string{"Idempotency-Key": firstOnce}})
	w.raw(attempt{method: "POST", path: "/v1/callers/" + caller.Caller.ID + "/memories", key: w.key, body: `{"type":"fact","key":"once","value":"` + word + `"}`, header: map[string]string{"Idempotency-Key": firstOnce}})
}

// onceBody is a request that both tenants make with one Idempotency-Key.
const onceBody = `{"caller":{"phone":"` + sharedPhone + `"},"channel":"sms"}`

// speak is a whole conversation, written up.
func (w *wall) speak(p phone, in client.StartRequest) {
	w.Helper()
	s := p.start(in)
	p.say(s.Conversation.ID, user("My name is Anna and I love "+hidden+"."), agent("A "+hidden+", how nice."), user("Book a "+hidden+" for Saturday at nine, please."))
	p.hangUp(s.Conversation.ID)
	p.writtenUp(s.Conversation.ID)
}

// fillSecond makes the tenant that tries, who knows people by the same numbers and ids, and the keys to try with.
func (w *wall) fillSecond(operator *client.Client) {
	w.Helper()
	made, err := operator.CreateTenant(w.Context(), client.NewTenant{Name: "Second"})
	w.ok(err)
	second := w.client(made.APIKey)
	for _, in := range []client.StartRequest{
		{Caller: client.CallerRef{Phone: sharedPhone}}, {Caller: client.CallerRef{Phone: sharedPhone}, ExternalID: sharedOrder}, {Caller: client.CallerRef{ExternalID: sharedCustomer}},
	} {
		s := phone{w.T, second}.start(in)
		phone{w.T, second}.say(s.Conversation.ID, user("I would like a table for two."))
		w.theirs["second's conversation"] = append(w.theirs["second's conversation"], s.Conversation.ID)
		w.theirs["second's caller"] = append(w.theirs["second's caller"], s.Caller.ID)
	}
	w.theirs["second"] = []string{made.Tenant.ID}
	w.keys["admin"] = made.APIKey
	for _, scope := range []recaller.Scope{recaller.ScopeAgent, recaller.ScopeRead} {
		k, err := second.CreateKey(w.Context(), client.KeyInput{Scope: scope})
		w.ok(err)
		w.keys[string(scope)] = k.APIKey
	}
	w.keys["operator"] = w.app.BootstrapKey()
}

// forged are keys that are none: the second's secret under the first's name, and the like.
func (w *wall) forged() []string {
	second, first := w.theirs["second"][0], w.theirs["tenant"][0]
	secret := strings.TrimPrefix(w.keys["admin"], "rk_"+second+"_")
	return []string{
		"", "rk_" + first + "_" + secret, "rk_*_" + secret, "rk_" + first + "_", "rk_" + first, first, w.key + "x", w.key[:len(w.key)-1],
		strings.ToUpper(w.key), "rk_" + first + "_" + w.keys["admin"],
	}
}

// learn takes the ids out of what the first tenant sees of itself.
func (w *wall) learn(picture string) {
	w.Helper()
	w.ids = map[string]bool{}
	for _, id := range anID.FindAllString(picture, -1) {
		w.ids[id] = true
	}
	for _, named := range []struct{ placeholder, in string }{
		{"conversation", "/v1/conversations?limit=200"},
		{"caller", "/v1/callers?limit=200"},
		{"reminder", "/v1/reminders"},
		{"key", "/v1/keys"},
		{"document", "/v1/documents?limit=200&include_archived=true"},
		{"thread", "/v1/threads?limit=200"},
	} {
		w.theirs[named.placeholder] = append(w.theirs[named.placeholder], w.idsOf(named.in)...)
	}
	for _, caller := range w.idsOf("/v1/callers?limit=200") {
		w.theirs["memory"] = append(w.theirs["memory"], w.idsOf("/v1/callers/"+caller+"/memories?limit=200")...)
		for _, list := range []string{"/v1/callers/" + caller + "/memories?limit=1", "/v1/callers/" + caller + "/conversations?limit=1"} {
			w.cursors = append(w.cursors, w.cursorOf(list)...)
		}
	}
	w.cursors = append(w.cursors, append(w.cursorOf("/v1/conversations?limit=1"), w.cursorOf("/v1/callers?limit=1")...)...)
	for name, least := range map[string]int{"conversation": 8, "caller": 5, "memory": 5, "reminder": 1, "key": 2, "document": 8} {
		if len(w.theirs[name]) < least {
			w.Fatalf("the first tenant has %d of %s, want %d at least", len(w.theirs[name]), name, least)
		}
	}
	if len(w.cursors) < 4 || len(w.ids) < 25 {
		w.Fatalf("got %d cursors and %d ids: this story looks in the wrong place", len(w.cursors), len(w.ids))
	}
}

func (w *wall) idsOf(list string) []string {
	var out []string
	var answer map[string]json.RawMessage
	w.ok(json.Unmarshal([]byte(w.see(list)), &answer))
	for _, raw := range answer {
		var entries []struct {
			ID string `json:"id"`
		}
		if json.Unmarshal(raw, &entries) == nil {
			for _, e := range entries {
				out = append(out, e.ID)
			}
		}
	}
	return out
}

func (w *wall) cursorOf(list string) []string {
	var answer struct {
		Next string `json:"next_cursor"`
	}
	w.ok(json.Unmarshal([]byte(w.see(list)), &answer))
	if answer.Next == "" {
		return nil
	}
	return []string{answer.Next}
}

// see reads as the first tenant does.
func (w *wall) see(path string) string {
	w.Helper()
	a := w.raw(attempt{method: "GET", path: path, key: w.key})
	if a.status != http.StatusOK && a.status != http.StatusNotFound {
		w.Fatalf("GET %s: got %d %s", path, a.status, cut(a.body))
	}
	return a.body
}

// picture is all that the first tenant can see of its own.
func (w *wall) picture() string {
	w.Helper()
	var all strings.Builder
	look := func(path string) {
		var pretty bytes.Buffer
		body := w.see(path)
		if json.Indent(&pretty, []byte(body), "", " ") != nil {
			w.Fatalf("GET %s: got what is no JSON", path)
		}
		fmt.Fprintf(&all, "%s\n%s\n", path, exportedAt.ReplaceAllString(pretty.String(), ""))
	}
	for _, path := range []string{
		"/v1/tenant", "/v1/keys", "/v1/webhook", "/v1/oauth", "/v1/upstream", "/v1/packs", "/v1/packs/" + hidden, "/v1/prompts", "/v1/reminders?limit=200",
		"/v1/callers?limit=200", "/v1/conversations?limit=200", "/v1/documents?limit=200&include_archived=true",
	} {
		look(path)
	}
	for _, caller := range w.idsOf("/v1/callers?limit=200") {
		for _, part := range []string{"", "/export", "/memories?status=active,superseded,forgotten&limit=200", "/conversations?limit=200", "/reminders?limit=200", "/checkpoint"} {
			look("/v1/callers/" + caller + part)
		}
		for _, memory := range w.idsOf("/v1/callers/" + caller + "/memories?limit=200") {
			look("/v1/memories/" + memory + "/history")
		}
	}
	for _, conversation := range w.idsOf("/v1/conversations?limit=200") {
		look("/v1/conversations/" + conversation)
	}
	return all.String()
}

var (
	exportedAt = regexp.MustCompile(`"exported_at": "[^"]*"`)
	anID       = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)
	varies     = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[0-9:.]+Z|"took_ms":[0-9.e+-]+`)
)

// attempt is one request.
type attempt struct {
	op, method, path, key, body string
	header                      map[string]string
}

// answered is what came of it.
type answered struct {
	status int
	header http.Header
	body   string
}

// same is what must not tell one id from another.
func (a answered) same() string {
	h := a.header.Clone()
	for _, name := range []string{"X-Request-Id", "Date", "Content-Length"} {
		h.Del(name)
	}
	return fmt.Sprintln(a.status, h) + varies.ReplaceAllString(a.body, "#")
}

// raw makes a request. An event stream is left as soon as it begins.
func (w *wall) raw(in attempt) answered {
	w.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, in.method, "http://in.process"+in.path, strings.NewReader(in.body))
	if err != nil {
		return answered{status: http.StatusBadRequest} // it cannot even be sent
	}
	r.Header.Set("Content-Type", "application/json")
	if in.key != "" {
		r.Header.Set("Authorization", "Bearer "+in.key)
	}
	for name, value := range in.header {
		r.Header.Set(name, value)
	}
	rec := &hangUp{ResponseRecorder: httptest.NewRecorder(), leave: cancel}
	w.app.Handler().ServeHTTP(rec, r)
	return answered{status: rec.Code, header: rec.Header(), body: rec.Body.String()}
}

// hangUp takes an answer, and leaves when it is an event stream.
type hangUp struct {
	*httptest.ResponseRecorder
	leave func()
}

// Write takes a part of the answer.
func (l *hangUp) Write(p []byte) (int, error) {
	if strings.HasPrefix(l.Header().Get("Content-Type"), "text/event-stream") {
		l.leave()
	}
	return l.ResponseRecorder.Write(p)
}

// probe makes a request of one who tries, and wants nothing of the first tenant's in the answer.
func (w *wall) probe(in attempt) answered {
	w.asked.Add(1)
	a := w.raw(in)
	if a.status >= http.StatusInternalServerError {
		w.wrong("%s: %s %s: got %d %s", in.op, in.method, in.path, a.status, cut(a.body))
	}
	if in.op == "list-tenants" && in.key == w.keys["operator"] {
		return a // the operator made the tenants, and sees their settings
	}
	if _, query, _ := strings.Cut(in.path, "?"); a.status/100 == 3 && strings.HasSuffix(a.header.Get("Location"), query) {
		return a // a path with two slashes is told back as it should be written: what was asked, and nothing else
	}
	text := fmt.Sprintln(a.header) + a.body
	if strings.Contains(strings.ToLower(text), hidden) {
		w.wrong("%s: %s %s: the first tenant's words are in the answer: %s", in.op, in.method, in.path, cut(a.body))
	}
	for _, id := range anID.FindAllString(text, -1) {
		if w.ids[id] {
			w.wrong("%s: %s %s: an id of the first tenant's is in the answer: %s", in.op, in.method, in.path, cut(a.body))
		}
	}
	return a
}

// crowd runs work on several hands at once.
func crowd(n int, work func(i int, random *rand.Rand)) {
	var wg sync.WaitGroup
	var next atomic.Int64
	for range 8 {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				work(i, rand.New(rand.NewPCG(4, uint64(i)))) // the same probes every time
			}
		})
	}
	wg.Wait()
}

// everyOperation tries each operation with every id of the first tenant's where there may be one, and holds the answer
// against that for an id of nobody.
func (w *wall) everyOperation() {
	w.Helper()
	known := reaches()
	type try struct {
		op    described
		reach reach
		pick  int
	}
	var tries []try
	for _, op := range w.doc.operations() {
		list, ok := known[op.ID]
		if !ok {
			w.wrong("%s is new: say in reaches what it answers to another tenant's ids", op.ID)
		}
		for _, r := range list {
			for pick := range w.picks(op.path+r.query, r.body) {
				tries = append(tries, try{op, r, pick})
			}
		}
		delete(known, op.ID)
	}
	for id := range known {
		w.wrong("%s is no operation any more", id)
	}
	names := slices.Sorted(maps.Keys(w.keys))
	crowd(len(tries), func(i int, _ *rand.Rand) {
		t := tries[i]
		for _, name := range names {
			if name == "operator" && t.op.ID == "rotate-encryption" {
				continue // what the operator does to the server is for other stories
			}
			in := attempt{op: t.op.ID, method: t.op.method, key: w.keys[name]}
			theirs, nobodys := in, in
			theirs.path, theirs.body = w.fill(t.op.path+t.reach.query, t.pick, false), w.fill(t.reach.body, t.pick, false)
			nobodys.path, nobodys.body = w.fill(t.op.path+t.reach.query, t.pick, true), w.fill(t.reach.body, t.pick, true)
			got := w.probe(theirs)
			want := t.reach.status
			if !w.may(name, t.op) {
				want = http.StatusForbidden
			}
			if got.status != want {
				w.wrong("%s with a key of scope %s: %s %s: got %d %s, want %d", t.op.ID, name, theirs.method, theirs.path, got.status, cut(got.body), want)
			}
			if t.reach.alone {
				continue
			}
			if diff := cmp.Diff(w.probe(nobodys).same(), got.same()); diff != "" {
				w.wrong("%s %s tells another tenant's id from one of nobody (-nobody +another):\n%s", theirs.method, theirs.path, diff)
			}
		}
		forged := w.forged()
		in := attempt{op: t.op.ID, method: t.op.method, path: w.fill(t.op.path+t.reach.query, t.pick, false), body: w.fill(t.reach.body, t.pick, false), key: forged[i%len(forged)]}
		if got := w.probe(in); t.op.Scope != "" && got.status != http.StatusUnauthorized {
			w.wrong("%s with a forged key: got %d, want 401", t.op.ID, got.status)
		}
	})
}

// may reports whether a key is strong enough for an operation.
func (w *wall) may(key string, op described) bool {
	if key == "operator" {
		return true
	}
	if op.Scope == "" {
		return true
	}
	return !op.operators() && recaller.Scope(key).Allows(recaller.Scope(op.Scope))
}

// anything tries what comes to mind, until the number of probes is full.
func (w *wall) anything() {
	w.Helper()
	ops, names := w.doc.operations(), slices.Sorted(maps.Keys(w.keys))
	w.guessed = max(0, probes-int(w.asked.Load()))
	crowd(w.guessed, func(_ int, random *rand.Rand) {
		m := maker{wall: w, random: random}
		op := ops[random.IntN(len(ops))]
		name := names[random.IntN(len(names))]
		if name == "operator" && op.operators() {
			name = "admin" // what the operator does to the server is for other stories
		}
		w.probe(m.request(op, w.keys[name]))
	})
}

// wrong tells what is wrong, but not ten thousand times.
func (w *wall) wrong(format string, args ...any) {
	w.Helper()
	if w.fault.Add(1) <= 20 {
		w.Errorf(format, args...)
	}
}
