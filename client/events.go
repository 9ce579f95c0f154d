package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// The types of event.
const (
	EventMemoryStored      = "memory.stored"
	EventMemoryUpdated     = "memory.updated"
	EventMemoryForgotten   = "memory.forgotten"
	EventTurnsAdded        = "turns.added"
	EventConversationEnded = "conversation.ended"
	EventTrustRaised       = "trust.raised" // it is surer now who the caller is
	// follows changes of the caller's memories and of the trust, several at a time if they come fast
	EventBriefingUpdated = "briefing.updated"
	// events after the one you named are no longer kept: read the state anew
	EventMissed        = "events.missed"
	EventError         = "error"          // the stream ends here; Reason says why
	EventServerClosing = "server.closing" // the server goes down, and Reason says why; Events connects again
)

// Event is one thing that happened in a conversation, or to its caller.
type Event struct {
	ID       uint64          `json:"-"` // rises by one inside a conversation; 0 for events that cannot be asked for again: events.missed, the briefing after it, error, server.closing
	Type     string          `json:"-"` // one of the types above
	At       time.Time       `json:"at" doc:"When." example:"2026-03-02T09:31:00Z"`
	Memory   *Memory         `json:"memory,omitempty" doc:"For memory.stored, memory.updated and memory.forgotten; one that is forgotten and interim gave way to what the model found."`
	Turns    []Turn          `json:"turns,omitempty" nullable:"false" doc:"For turns.added."`
	Status   recaller.Status `json:"status,omitempty" enum:"completed,failed" doc:"For conversation.ended." example:"completed"`
	Trust    recaller.Trust  `json:"trust,omitempty" enum:"anonymous,claimed,attested,verified" doc:"For trust.raised: how sure it is now who the caller is." example:"verified"`
	Briefing *Briefing       `json:"briefing,omitempty" doc:"For briefing.updated: the new briefing."`
	Reason   string          `json:"reason,omitempty" doc:"For error and server.closing: why the stream ends." example:"too slow"`
}

// Events yields what happens in a conversation from now on, until the conversation or ctx ends. It resumes a broken
// stream where that stopped. An error is the last thing that it yields.
func (c *Client) Events(ctx context.Context, conversation string) iter.Seq2[Event, error] {
	return c.EventsAfter(ctx, conversation, 0)
}

// EventsAfter is Events from after the event with the id last; 0 means from now on.
func (c *Client) EventsAfter(ctx context.Context, conversation string, last uint64) iter.Seq2[Event, error] {
	made := func(f frame) (Event, error) {
		e := Event{ID: f.id, Type: f.kind}
		return e, json.Unmarshal(f.data, &e)
	}
	return follow(ctx, c, path("conversations", conversation, "events"), last, made, EventConversationEnded, EventError)
}

// follow yields what made makes of the events of a stream, from after the one with the id last. It resumes a stream that
// breaks where that stopped. After an event of a kind in ends nothing more comes.
func follow[T any](
	ctx context.Context, c *Client, where string, last uint64, made func(frame) (T, error), ends ...string,
) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		for failures := 0; ; {
			over, got, err := stream(ctx, c, where, &last, func(f frame) (bool, error) {
				e, err := made(f)
				if err != nil {
					return false, err
				}
				return !yield(e, nil) || slices.Contains(ends, f.kind), nil
			})
			if over {
				return
			}
			if got {
				failures = 0
			}
			failures++
			if failures > c.retries || ctx.Err() != nil || refused(err) {
				yield(none, errors.Join(ctx.Err(), err))
				return
			}
			if !pause(ctx, backoff(failures)) {
				yield(none, ctx.Err())
				return
			}
		}
	}
}

// refused reports whether the server said no, rather than that it could not be reached.
func refused(err error) bool {
	var p *Problem
	return errors.As(err, &p) && p.Status < http.StatusInternalServerError && p.Status != http.StatusTooManyRequests
}

// stream hands on the events of one connection until take says that it is over. got says that an event of what is
// listened to came.
func stream(
	ctx context.Context, c *Client, where string, last *uint64, take func(frame) (over bool, err error),
) (over, got bool, err error) {
	req, err := c.newRequest(ctx, request{method: http.MethodGet, path: where}, nil)
	if err != nil {
		return false, false, err
	}
	req.Header.Set("Accept", "text/event-stream")
	if *last > 0 {
		req.Header.Set("Last-Event-ID", strconv.FormatUint(*last, 10))
	}
	res, err := c.http.Do(req)
	if err != nil {
		return false, false, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return false, false, problemFrom(res)
	}
	in := bufio.NewReader(res.Body)
	for {
		f, err := readFrame(in)
		if err != nil {
			return false, got, fmt.Errorf("the event stream broke off: %w", err)
		}
		got = got || f.kind != EventServerClosing
		if f.id > 0 {
			*last = f.id
		}
		if over, err = take(f); over || err != nil {
			return over, got, err
		}
	}
}

const maxEvent = 16 << 20

// frame is one event as it comes.
type frame struct {
	id   uint64 // 0: it has none that is a number, so it cannot be asked for again
	kind string
	data []byte
}

// readFrame reads one event, and passes over comments and empty events.
func readFrame(in *bufio.Reader) (frame, error) {
	var f frame
	for {
		line, err := readLine(in)
		if err != nil {
			return f, err
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "" && len(f.data) == 0:
			f = frame{}
		case line == "":
			return f, nil
		case field == "id":
			f.id, _ = strconv.ParseUint(value, 10, 64)
		case field == "event":
			f.kind = value
		case field == "data":
			f.data = append(f.data, value...)
		}
		if len(f.data) > maxEvent {
			return f, errors.New("an event is too long")
		}
	}
}

func readLine(in *bufio.Reader) (string, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if err == nil {
			return strings.TrimRight(string(line), "\r\n"), nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			if errors.Is(err, io.EOF) {
				return "", io.ErrUnexpectedEOF
			}
			return "", err
		}
		if len(line) > maxEvent {
			return "", errors.New("an event is too long")
		}
	}
}
