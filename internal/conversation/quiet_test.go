package conversation_test

import (
	"testing"
	"time"

	"github.com/recallerhq/recaller"
)

// An exchange of texts may be silent for as long as the tenant says of texts; whatever else there is, for the idle limit.
func TestHowLongAConversationMayBeSilent(t *testing.T) {
	t.Parallel()
	tenant := recaller.Tenant{IdleLimit: 5 * time.Minute}.WithDefaults()
	for _, test := range []struct {
		c    recaller.Conversation
		want time.Duration
	}{
		{recaller.Conversation{Channel: recaller.ChannelSMS, Thread: "th"}, time.Hour},
		{recaller.Conversation{Channel: recaller.ChannelWhatsApp, Thread: "th"}, time.Hour},
		{recaller.Conversation{Channel: recaller.ChannelSMS}, 5 * time.Minute}, // an application's own
		{recaller.Conversation{Channel: recaller.ChannelTelegram, Thread: "th"}, 5 * time.Minute},
		{recaller.Conversation{Channel: recaller.ChannelVoice}, 5 * time.Minute},
	} {
		if got := tenant.Quiet(test.c); got != test.want {
			t.Errorf("%s in thread %q: got %s, want %s", test.c.Channel, test.c.Thread, got, test.want)
		}
	}
}
