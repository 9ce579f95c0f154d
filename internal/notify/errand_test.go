package notify_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
)

// What became of a reminder's errand is told: by what its caller was reached, or why he was not, and how often it rang.
func TestWhatIsToldOfAnErrand(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(h *house) {
		h.set(func(w *recaller.Webhook) {
			w.Events = []recaller.EventType{recaller.EventReminderDelivered, recaller.EventReminderFailed}
		})
		o := h.ring(tenantID, ann)
		for _, test := range []struct {
			close  recaller.ReminderStatus
			errand recaller.Errand
			kind   recaller.EventType
			want   string
		}{
			{
				recaller.ReminderDelivered,
				recaller.Errand{State: recaller.ErrandReached, By: recaller.MeansRing, Rings: 2},
				recaller.EventReminderDelivered,
				`"conversation_id":"` + string(o.Conversation.ID) + `","due_at":%s,"by":"ring","rings":2}`,
			},
			{
				recaller.ReminderDead,
				recaller.Errand{State: recaller.ErrandFailed, Reason: recaller.ErrandReasons()[0], Rings: 3},
				recaller.EventReminderFailed,
				`"conversation_id":"` + string(o.Conversation.ID) + `","due_at":%s,"reason":"` + recaller.ErrandReasons()[0] + `","rings":3}`,
			},
		} {
			r := h.remind(h.remember(tenantID, o.Caller.ID, string(test.close), "water the plants"))
			_, err := h.Place.Store.ChangeErrand(h.Context(), tenantID, r.ID, h.Clock.Now(), func(recaller.Reminder, func(time.Time) (recaller.Errands, error)) (*recaller.ErrandWrite, error) {
				return &recaller.ErrandWrite{Errand: test.errand, Close: test.close, Conversation: o.Conversation.ID}, nil
			})
			h.ok(err)
			h.pass(time.Second)
			due, err := json.Marshal(r.DueAt.UTC())
			h.ok(err)
			want := `"reminder":{"id":"` + string(r.ID) + `","memory_id":"` + string(r.Memory) + `",` + fmt.Sprintf(test.want, due)
			got := h.receiver.Take()
			if len(got) != 1 || !strings.Contains(got[0].Body, want) || !strings.Contains(got[0].Body, `"type":"`+string(test.kind)+`"`) {
				h.Errorf("got %v, want %s: %s", got, test.kind, want)
			}
		}
	})
}
