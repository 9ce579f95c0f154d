package reminder

import (
	"encoding/json"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/repeat"
)

// event is what the webhook gets. Every try sends the same, unless the memory or the caller changes in between.
type event struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"` // when it happened: when the reminder came due
	Data      data      `json:"data"`
}

type data struct {
	Reminder     recaller.ReminderID     `json:"reminder_id"`
	DueAt        time.Time               `json:"due_at"`
	Conversation recaller.ConversationID `json:"conversation_id,omitempty"`
	Text         string                  `json:"text"`              // what to remind of
	Repeats      string                  `json:"repeats,omitempty"` // "every Monday"
	Caller       person                  `json:"caller"`
	Memory       memory                  `json:"memory"`
}

type person struct {
	ID         recaller.CallerID `json:"id"`
	Phone      string            `json:"phone,omitempty"`
	ExternalID string            `json:"external_id,omitempty"`
	Name       string            `json:"name,omitempty"`
}

type memory struct {
	ID    recaller.MemoryID   `json:"id"`
	Type  recaller.MemoryType `json:"type"`
	Key   string              `json:"key"`
	Value string              `json:"value"`
}

// payload is the body of a reminder's request.
func payload(r recaller.Reminder, m recaller.Memory, c recaller.Caller) ([]byte, error) {
	due := r.DueAt.UTC()
	text := r.Text
	if text == "" {
		text = m.Value
	}
	body, err := json.Marshal(event{Type: "reminder.due", Timestamp: due, Data: data{
		Reminder: r.ID, DueAt: due, Conversation: r.Conversation, Text: text, Repeats: repeat.Words(r.Rule),
		Caller: person{ID: c.ID, Phone: c.Phone(), ExternalID: c.ExternalID(), Name: c.Name},
		Memory: memory{ID: m.ID, Type: m.Type, Key: m.Key, Value: m.Value},
	}})
	return body, recaller.Wrap(recaller.Internal, err, "the reminder does not marshal")
}
