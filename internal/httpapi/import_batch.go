package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"sync"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/admission"
	"github.com/recallerhq/recaller/internal/httpdoor"
)

// importWorkers is how many conversations of a batch are imported at once, so that they share commits. Conversations
// that name their caller in the same way go to one worker, and stay in order.
const importWorkers = 8

// item is one conversation of a batch.
type item struct {
	index int
	body  client.ImportRequest
	held  int64 // bytes of server.importing
}

func (s *server) importBatch(
	ctx context.Context, x *exchange, once recaller.Once, body io.Reader, head batchHead, carry carrying,
) (*importAnswer, error) {
	b := &batch{s: s, x: x, once: once, carry: carry, wrapup: head.Wrapup, queues: make([]chan item, importWorkers)}
	var workers sync.WaitGroup
	for i := range b.queues {
		b.queues[i] = make(chan item, 4)
		workers.Go(func() { b.work(ctx, b.queues[i]) })
	}
	err := b.feed(ctx, body, head.Rooms)
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

// feed hands out the conversations one by one, each when there is room for it. What scan accepted it can read.
func (b *batch) feed(ctx context.Context, body io.Reader, rooms []int32) error {
	v := valuesOf(body)
	if _, err := v.token(); err != nil { // the object
		return err
	}
	for key, err := v.token(); key != json.Token("conversations"); key, err = v.token() {
		if err != nil {
			return err
		}
		if _, err := v.value(&skipped{}); err != nil {
			return err
		}
	}
	if _, err := v.token(); err != nil { // the array
		return err
	}
	for i := 0; v.more(); i++ {
		held := int64(rooms[min(i, len(rooms)-1)])
		if err := b.s.importing.Acquire(ctx, held); err != nil {
			return err
		}
		var one json.RawMessage
		if _, err := v.value(&one); err != nil {
			b.s.importing.Release(held)
			return err
		}
		b.grow(i)
		body, err := decode[client.ImportRequest](b.s, one)
		if err != nil {
			b.s.importing.Release(held)
			b.failed(i, err)
			continue
		}
		if body.Wrapup == nil {
			body.Wrapup = b.wrapup
		}
		b.queues[queueOf(body.Caller)] <- item{i, body, held}
	}
	return nil
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
			for it := range queue { // so that the feeder does not wait for ever
				b.s.importing.Release(it.held)
			}
		}
	}()
	for it := range queue {
		b.carryOut(ctx, it)
	}
}

func (b *batch) carryOut(ctx context.Context, it item) {
	defer b.s.importing.Release(it.held)
	if ctx.Err() != nil {
		b.failed(it.index, ctx.Err())
		return
	}
	once := b.once
	if once.Token != "" {
		once.Token = fmt.Sprintf("%s:%d", once.Token, it.index)
	}
	done, err := importIn(ctx, b.x, once, it.body, b.carry)
	if err != nil {
		b.failed(it.index, err)
		return
	}
	b.put(it.index, client.ImportResult{
		ConversationID: done.Conversation.ID, ExternalID: done.Conversation.ExternalID, CallerID: done.Caller.ID,
		Existing: done.Existing,
	})
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
	p := httpdoor.ProblemOf(err)
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
