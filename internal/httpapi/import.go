package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/admission"
	"github.com/recallerhq/recaller/internal/conversation"
)

// importAnswer is an answer to an import: of one conversation, or of several.
type importAnswer = answer[any]

// carrying is what an import does with a conversation: keep it, or only check it.
type carrying func(context.Context, recaller.TenantID, conversation.Import) (conversation.Imported, error)

func (s *server) importRoute() {
	add(s, route{
		id: "import-conversations", method: http.MethodPost, path: "/v1/conversations/import", tag: tagConversations,
		status: http.StatusCreated, rawBody: true, summary: "Import past conversations",
		about: "One past conversation, or several in `conversations`. When it answers, the words are durable and can " +
			"be recalled; the write-up runs in the background. One conversation: 201, 200 if its external id was " +
			"there already, or the problem. Several: 201 if any was new, else 200, with a result for each, in order, " +
			"some of which may be problems; fields are named from the conversation on (`turns[3].text`).",
		statuses: []int{http.StatusConflict},
	}, s.importConversations)
	s.bodyIs("/v1/conversations/import", reflect.TypeFor[client.ImportRequest](),
		reflect.TypeFor[client.ImportBatchRequest]())
	s.importAnswers()
}

// importAnswers describes both answers to an import.
func (s *server) importAnswers() {
	api := s.api.OpenAPI()
	schemas := api.Components.Schemas
	either := &huma.Schema{OneOf: []*huma.Schema{
		schemas.Schema(reflect.TypeFor[client.ImportResponse](), true, ""),
		schemas.Schema(reflect.TypeFor[client.ImportBatchResponse](), true, ""),
	}}
	content := map[string]*huma.MediaType{"application/json": {Schema: either}}
	res := api.Paths["/v1/conversations/import"].Post.Responses
	res["201"].Content = content
	res["200"] = &huma.Response{Description: "Nothing was new.", Content: content}
}

func (s *server) importConversations(ctx context.Context, x *exchange, in *struct {
	RawInput
	Check bool `query:"check" doc:"true: nothing is kept; what is wrong with the request is told all the same." example:"false"`
},
) (*importAnswer, error) {
	if err := x.Whole(); err != nil {
		return nil, err
	}
	if err := x.Take(ctx, s.imports); err != nil {
		return nil, err
	}
	once, err := x.Once()
	if err != nil {
		return nil, err
	}
	carry := s.Conversations.Import
	if in.Check {
		carry = s.Conversations.CheckImport
	}
	head, err := headOf(in.RawBody)
	if err != nil {
		return nil, err
	}
	if head.Conversations != nil {
		return s.importBatch(ctx, x, once, in.RawBody, head, carry)
	}
	done, err := s.importOne(ctx, x, once, in.RawBody, carry)
	if err != nil {
		return nil, err
	}
	status := http.StatusCreated
	if done.Existing || in.Check {
		status = http.StatusOK
	}
	return &importAnswer{Status: status, Body: done}, nil
}

func (s *server) importOne(
	ctx context.Context, x *exchange, once recaller.Once, raw []byte, carry carrying,
) (client.ImportResponse, error) {
	b, err := decode[client.ImportRequest](s, raw)
	if err != nil {
		return client.ImportResponse{}, err
	}
	return importIn(ctx, x, once, b, carry)
}

func importIn(
	ctx context.Context, x *exchange, once recaller.Once, b client.ImportRequest, carry carrying,
) (client.ImportResponse, error) {
	turns := turnInputs(b.Turns)
	if b.Turns == nil { // nil means that they were left out
		turns = nil
	}
	_, offset := b.StartedAt.Zone()
	done, err := carry(ctx, x.Tenant, conversation.Import{
		Start: conversation.Start{
			Once: once, Caller: conversation.CallerRef(b.Caller), ExternalID: b.ExternalID, Channel: b.Channel,
			Direction: b.Direction, PlatformIDs: b.PlatformIDs, Reminder: b.Reminder, Metadata: b.Metadata,
		},
		StartedAt: b.StartedAt.UTC(), Offset: time.Duration(offset) * time.Second, EndedAt: b.EndedAt.UTC(),
		Status: b.Status, Turns: turns, Duration: seconds(b.DurationSeconds), RecordingURL: b.RecordingURL,
		NoWrapup: b.Wrapup != nil && !*b.Wrapup,
	})
	if err != nil {
		return client.ImportResponse{}, err
	}
	return client.ImportResponse{
		Conversation: conversationOut(done.Conversation), Caller: callerOut(done.Caller), Existing: done.Existing,
	}, nil
}

// importWorkers is how many conversations of a batch are imported at once, so that they share commits. Conversations
// that name their caller in the same way go to one worker, and stay in order.
const importWorkers = 8

// item is one conversation of a batch.
type item struct {
	index int
	body  client.ImportRequest
}

func (s *server) importBatch(
	ctx context.Context, x *exchange, once recaller.Once, raw []byte, head batchHead, carry carrying,
) (*importAnswer, error) {
	b := &batch{s: s, x: x, once: once, carry: carry, wrapup: head.Wrapup, queues: make([]chan item, importWorkers)}
	var workers sync.WaitGroup
	for i := range b.queues {
		b.queues[i] = make(chan item, 4)
		workers.Go(func() { b.work(ctx, b.queues[i]) })
	}
	err := b.feed(raw)
	for _, q := range b.queues {
		close(q)
	}
	workers.Wait()
	if b.crashed != nil {
		panic(b.crashed) // as if the request's own goroutine had panicked
	}
	if err != nil {
		return nil, err
	}
	out := b.response()
	status := http.StatusOK
	if out.Imported > 0 {
		status = http.StatusCreated
	}
	return &importAnswer{Status: status, Body: out}, nil
}

// batch is several imports at work.
type batch struct {
	s      *server
	x      *exchange
	once   recaller.Once
	carry  carrying
	wrapup *bool // for the conversations that do not say it
	queues []chan item

	mu      sync.Mutex // guards what follows
	results []client.ImportResult
	crashed any
}

// feed hands out the conversations one by one, so that only a few are decoded at once.
func (b *batch) feed(raw []byte) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	_, _ = dec.Token() // the object
	for key, _ := dec.Token(); key != json.Token("conversations"); key, _ = dec.Token() {
		_ = dec.Decode(&skipped{}) // headOf read it
	}
	if t, err := dec.Token(); err != nil || t != json.Delim('[') {
		return recaller.InvalidField("conversations", "expected array")
	}
	for i := 0; dec.More(); i++ {
		var one json.RawMessage
		if err := dec.Decode(&one); err != nil {
			return simple(http.StatusBadRequest, "invalid", "the body is not valid JSON")
		}
		b.grow(i)
		body, err := decode[client.ImportRequest](b.s, one)
		if err != nil {
			b.failed(i, err)
			continue
		}
		if body.Wrapup == nil {
			body.Wrapup = b.wrapup
		}
		b.queues[queueOf(body.Caller)] <- item{i, body}
	}
	return nil
}

// batchHead is what a batch says beside its conversations. Conversations is nil if the body is no batch.
type batchHead struct {
	Conversations *skipped `json:"conversations"`
	Wrapup        *bool    `json:"wrapup"`
}

// headOf tells whether a body is a batch, and reads what a batch says of all its conversations.
func headOf(raw []byte) (head batchHead, err error) {
	var fields map[string]skipped
	if !json.Valid(raw) {
		return head, simple(http.StatusBadRequest, "invalid", "the body is not valid JSON")
	}
	_ = json.Unmarshal(raw, &fields) // without fields it is no batch, and importOne says what is wrong
	if _, ok := fields["conversations"]; !ok {
		return head, nil
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if name != "conversations" && name != "wrapup" {
			return head, recaller.InvalidField(printable(name), "is not a field of this request")
		}
	}
	head.Conversations = &skipped{}
	if json.Unmarshal(raw, &head) != nil {
		return head, recaller.InvalidField("wrapup", "expected boolean")
	}
	return head, nil
}

// skipped is a value that is passed over without a copy.
type skipped struct{}

// UnmarshalJSON passes the value over.
func (*skipped) UnmarshalJSON([]byte) error { return nil }

func queueOf(c client.CallerRef) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(c.ExternalID + "\x00" + c.Phone)) // a hash never fails
	return int(h.Sum32() % importWorkers)
}

func (b *batch) work(ctx context.Context, queue <-chan item) {
	defer func() {
		if crash := recover(); crash != nil {
			b.mu.Lock()
			b.crashed = crash
			b.mu.Unlock()
			for range queue { // so that the feeder does not wait for ever
				continue
			}
		}
	}()
	for it := range queue {
		if ctx.Err() != nil {
			b.failed(it.index, ctx.Err())
			continue
		}
		once := b.once
		if once.Token != "" {
			once.Token = fmt.Sprintf("%s:%d", once.Token, it.index)
		}
		done, err := importIn(ctx, b.x, once, it.body, b.carry)
		if err != nil {
			b.failed(it.index, err)
			continue
		}
		b.put(it.index, client.ImportResult{
			ConversationID: done.Conversation.ID, ExternalID: done.Conversation.ExternalID, CallerID: done.Caller.ID,
			Existing: done.Existing,
		})
	}
}

func (b *batch) grow(i int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.results = append(b.results, client.ImportResult{Index: i})
}

func (b *batch) put(i int, r client.ImportResult) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r.Index = i
	b.results[i] = r
}

func (b *batch) failed(i int, err error) {
	p := problemOf(err)
	if p.Status >= http.StatusInternalServerError {
		b.s.Log.Error("import failed", "request_id", b.x.ID, "index", i, "kind", string(admission.KindOf(err)),
			"err", err)
	}
	b.put(i, client.ImportResult{Error: &p.Problem})
}

func (b *batch) response() client.ImportBatchResponse {
	out := client.ImportBatchResponse{Results: b.results}
	for _, r := range b.results {
		switch {
		case r.Error != nil:
			out.Failed++
		case r.Existing:
			out.Existing++
		default:
			out.Imported++
		}
	}
	if out.Results == nil {
		out.Results = []client.ImportResult{}
	}
	return out
}
