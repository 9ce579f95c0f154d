package notify

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/recallerhq/recaller"
)

// errOver says that there is nothing to tell any more: the conversation that ended goes on again.
var errOver = errors.New("it is over")

// message is what the webhook gets. Every try sends the same, unless what it is about changes in between.
type message struct {
	Type      recaller.EventType `json:"type"`
	Timestamp time.Time          `json:"timestamp"` // when it happened
	Data      data               `json:"data"`
}

type data struct {
	Event        recaller.EventID `json:"event_id"`
	Sequence     int64            `json:"sequence"`
	Caller       person           `json:"caller"`
	Conversation *conversation    `json:"conversation,omitempty"`
	Memory       *memory          `json:"memory,omitempty"`
	Reminder     *reminder        `json:"reminder,omitempty"`
}

// reminder is one whose caller was reached, or could not be.
type reminder struct {
	ID           recaller.ReminderID     `json:"id"`
	Memory       recaller.MemoryID       `json:"memory_id"`
	Conversation recaller.ConversationID `json:"conversation_id,omitempty"`
	DueAt        *time.Time              `json:"due_at,omitempty"`
	By           recaller.Means          `json:"by,omitempty"`     // ring, or text
	Reason       string                  `json:"reason,omitempty"` // why he could not be
	Rings        int                     `json:"rings"`
}

// person is a caller. What identifies him, and his name, are content.
type person struct {
	ID         recaller.CallerID `json:"id"`
	Phone      string            `json:"phone,omitempty"`
	ExternalID string            `json:"external_id,omitempty"`
	Name       string            `json:"name,omitempty"`
}

type conversation struct {
	ID        recaller.ConversationID `json:"id"`
	Thread    recaller.ThreadID       `json:"thread_id,omitempty"`
	Channel   recaller.Channel        `json:"channel"`
	Direction recaller.Direction      `json:"direction"`
	Status    recaller.Status         `json:"status"`
	Imported  bool                    `json:"imported,omitempty"`
	StartedAt time.Time               `json:"started_at"`
	EndedAt   time.Time               `json:"ended_at"`
	Seconds   float64                 `json:"duration_seconds"`
	Turns     int                     `json:"turns"`
	Analysis  *recaller.Analysis      `json:"analysis,omitempty"` // of one that is written up
	// Content.
	ExternalID string            `json:"external_id,omitempty"`
	Summary    *recaller.Summary `json:"summary,omitempty"`
}

type memory struct {
	ID           recaller.MemoryID       `json:"id"`
	Version      int                     `json:"version"`
	Conversation recaller.ConversationID `json:"conversation_id,omitempty"`
	Type         recaller.MemoryType     `json:"type,omitempty"`
	Source       recaller.MemorySource   `json:"source,omitempty"`
	Interim      bool                    `json:"interim,omitempty"`
	// Content, of the version that is active when it is sent.
	Key   string `json:"key,omitempty"`
	Value string `json:"value,omitempty"`
}

// payload is the body of an event's request.
func (s *Service) payload(ctx context.Context, t recaller.Tenant, d recaller.Dispatch) ([]byte, error) {
	content := t.Webhook.Content && t.Retention != recaller.Ephemeral
	m := message{Type: d.Type, Timestamp: d.At.UTC(), Data: data{
		Event: d.ID, Sequence: d.Sequence, Caller: person{ID: d.Caller},
	}}
	if content {
		c, err := s.Store.Caller(ctx, t.ID, d.Caller)
		if err != nil {
			return nil, err
		}
		m.Data.Caller = person{ID: c.ID, Phone: c.Phone(), ExternalID: c.ExternalID(), Name: c.Name}
	}
	var err error
	switch d.Type {
	case recaller.EventConversationEnded, recaller.EventConversationWrittenUp:
		m.Data.Conversation, err = s.conversation(ctx, t.ID, d, content)
	case recaller.EventMemoryCreated, recaller.EventMemoryUpdated, recaller.EventMemoryForgotten:
		m.Data.Memory, err = s.memory(ctx, t.ID, d, content)
	case recaller.EventReminderDelivered, recaller.EventReminderFailed:
		m.Data.Reminder, err = s.reminder(ctx, t.ID, d)
	case recaller.EventCallerCreated, recaller.EventCallerMerged, recaller.EventCallerSplit,
		recaller.EventReminderDue: // there is no more to it
	}
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(m)
	return body, recaller.Wrap(recaller.Internal, err, "the event does not marshal")
}

// conversation tells of one that has ended. errOver: it goes on again.
func (s *Service) conversation(
	ctx context.Context, tenant recaller.TenantID, d recaller.Dispatch, content bool,
) (*conversation, error) {
	read := s.Store.Conversation
	if content {
		read = s.Summarised
	}
	c, err := read(ctx, tenant, string(d.Conversation))
	if err != nil {
		return nil, err
	}
	if c.Status == recaller.Active || c.EndedAt.After(d.At) { // which may have come to another end
		return nil, errOver
	}
	out := &conversation{
		ID: c.ID, Thread: c.Thread, Channel: c.Channel, Direction: c.Direction, Status: c.Status, Imported: c.Imported,
		StartedAt: c.StartedAt.UTC(), EndedAt: c.EndedAt.UTC(), Seconds: c.Duration.Seconds(), Turns: c.Turns,
	}
	if d.Type == recaller.EventConversationWrittenUp {
		out.Analysis = c.Analysis
	}
	if content {
		out.ExternalID = c.ExternalID
		if d.Type == recaller.EventConversationWrittenUp {
			out.Summary = c.Summary
		}
	}
	return out, nil
}

// reminder tells of one whose caller was reached, or could not be. Of one that repeats it is that time of it.
func (s *Service) reminder(ctx context.Context, tenant recaller.TenantID, d recaller.Dispatch) (*reminder, error) {
	out := &reminder{ID: d.Reminder, Memory: d.Memory, Conversation: d.Conversation}
	r, err := s.Store.Reminder(ctx, tenant, d.Reminder)
	if errors.Is(err, recaller.NotFound) {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	due := r.DueAt.UTC()
	if out.DueAt = &due; r.Errand != nil {
		out.By, out.Reason, out.Rings = r.Errand.By, r.Errand.Reason, r.Errand.Rings
	}
	return out, nil
}

// memory tells of a version of a memory. What it says is left out if the version is not the active one any more: a later
// event tells of that.
func (s *Service) memory(
	ctx context.Context, tenant recaller.TenantID, d recaller.Dispatch, content bool,
) (*memory, error) {
	out := &memory{ID: d.Memory, Version: d.MemoryVersion, Conversation: d.Conversation}
	m, err := s.Store.MemoryByID(ctx, tenant, d.Memory)
	if errors.Is(err, recaller.NotFound) { // an interim one that was removed
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	out.Type, out.Source, out.Interim = m.Type, m.Source, m.Interim
	if content && m.Status == recaller.MemoryActive && m.Version == d.MemoryVersion {
		out.Key, out.Value = m.Key, m.Value
	}
	return out, nil
}
