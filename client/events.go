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
	// follows changes of the caller's memories, several at a time if they come fast
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
	return func(yield func(Event, error) bool) {
		for failures := 0; ; {
			over, got, err := c.stream(ctx, conversation, &last, yield)
			if over {
				return
			}
			if got {
				failures = 0
			}
			failures++
			if failures > c.retries || ctx.Err() != nil || refused(err) {
				yield(Event{}, errors.Join(ctx.Err(), err))
				return
			}
			if !pause(ctx, backoff(failures)) {
				yield(Event{}, ctx.Err())
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

// stream yields the events of one connection. over means that nothing more may be yielded, and got that an event of the
// conversation came.
func (c *Client) stream(
	ctx context.Context, conversation string, last *uint64, yield func(Event, error) bool,
) (over, got bool, err error) {
	req, err := c.newRequest(ctx, request{method: http.MethodGet, path: path("conversations", conversation, "events")},
		nil)
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
		e, err := readEvent(in)
		if err != nil {
			return false, got, fmt.Errorf("the event stream broke off: %w", err)
		}
		got = got || e.Type != EventServerClosing
		if e.ID > 0 {
			*last = e.ID
		}
		if !yield(e, nil) || e.Type == EventConversationEnded || e.Type == EventError {
			return true, got, nil
		}
	}
}

const maxEvent = 16 << 20

// readEvent reads one event, and passes over comments and empty events.
func readEvent(in *bufio.Reader) (Event, error) {
	var e Event
	var data strings.Builder
	for {
		line, err := readLine(in)
		if err != nil {
			return e, err
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "" && data.Len() == 0:
			e = Event{}
		case line == "":
			return e, json.Unmarshal([]byte(data.String()), &e)
		case field == "id":
			e.ID, _ = strconv.ParseUint(value, 10, 64) // an id that is no number cannot be asked for again: 0
		case field == "event":
			e.Type = value
		case field == "data":
			data.WriteString(value)
		}
		if data.Len() > maxEvent {
			return e, errors.New("an event is too long")
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
