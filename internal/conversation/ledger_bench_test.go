package conversation

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
)

// The conversations of one caller, out of 10,000 that are live. Recall and every briefing ask for them.
func BenchmarkOfCaller(b *testing.B) {
	l := NewLedger(slog.New(slog.DiscardHandler))
	for i := range 10_000 {
		tenant := recaller.Tenant{ID: recaller.TenantID(fmt.Sprint("t", i%10))}
		l.takeUp(tenant, recaller.Conversation{
			ID: recaller.ConversationID(fmt.Sprint("c", i)), Caller: recaller.CallerID(fmt.Sprint("p", i)),
		}, nil, time.Time{})
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		n := i % 10_000
		if got := l.ofCaller(recaller.TenantID(fmt.Sprint("t", n%10)), recaller.CallerID(fmt.Sprint("p", n))); len(got) != 1 {
			b.Fatalf("got %d conversations, want 1", len(got))
		}
	}
}
