package bridge_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/bridge"
	"github.com/recallerhq/recaller/internal/bridge/bridgetest"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/events"
	"github.com/recallerhq/recaller/internal/mediastream"
	"github.com/recallerhq/recaller/internal/rehearsal"
)

// books keeps the turns of many conversations apart.
type books struct {
	mu    sync.Mutex
	lines map[string][]string
}

func (b *books) AddTurns(
	_ context.Context, _ recaller.TenantID, ref string, _ recaller.Once, in []conversation.TurnInput,
) ([]recaller.Turn, bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, t := range in {
		b.lines[ref] = append(b.lines[ref], t.Text)
	}
	return nil, true, nil
}

// Sixty calls over one bridge: each caller is answered what he asked, and nobody hears another's words.
func TestCallsDoNotMix(t *testing.T) {
	const calls = 60
	synctest.Test(t, func(t *testing.T) {
		kept := &books{lines: map[string][]string{}}
		model := rehearsal.NewModel(rehearsal.ModelOptions{
			Now:    time.Now,
			Listen: func(_, _ int, audio []byte) (string, time.Duration) { return fmt.Sprintf("This is %d.", audio[0]), 0 },
			Think: func(h rehearsal.Heard) rehearsal.Reply {
				return rehearsal.Reply{Say: fmt.Sprintf("Hello %d.", h.Audio[0]), Audio: rehearsal.Tone(int(h.Audio[0])-1, time.Second)}
			},
		})
		b := bridge.New(bridge.Deps{
			Dial: bridgetest.Dial(model), Tools: &desk{}, Turns: kept, Events: events.New(time.Now), Log: quiet(),
			Metrics: bridge.NewMetrics(prometheus.NewRegistry()), Now: time.Now,
		}, bridge.Options{})
		var all sync.WaitGroup
		for n := range calls {
			all.Go(func() {
				conv, wire := fmt.Sprintf("conv%d", n), mediastream.Wire(n%2)
				ours, theirs := bridgetest.Pipe(64)
				phone := rehearsal.NewPhone(theirs, rehearsal.PhoneOptions{Wire: wire, Start: mediastream.Start{Stream: conv}})
				all.Go(func() {
					line := bridge.NewPhone(ours, wire)
					if start, why := b.Begin(t.Context(), line); why != "" || start.Stream != conv {
						t.Errorf("got %+v, %s", start, why)
					}
					o := b.Run(t.Context(), line, bridge.Call{Tenant: "acme", Conversation: recaller.ConversationID(conv)})
					if o.Reason != bridge.HungUp || o.Kept != 2 {
						t.Errorf("got %+v", o)
					}
				})
				if err := phone.Begin(t.Context()); err != nil {
					t.Error(err)
				}
				all.Go(func() {
					if err := phone.Run(t.Context()); err != nil {
						t.Error(err)
					}
				})
				phone.Say(rehearsal.Tone(n%100, 500*time.Millisecond))
				time.Sleep(5 * time.Second)
				if want := string(rehearsal.Tone(n%100, time.Second)); string(phone.Heard()) != want {
					t.Errorf("call %d heard %d bytes, want %d of its own", n, len(phone.Heard()), len(want))
				}
				if err := phone.HangUp(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		model.Wait()
		for n := range calls {
			want := fmt.Sprintf("This is %d. Hello %d.", n%100+1, n%100+1)
			if got := strings.Join(kept.lines[fmt.Sprintf("conv%d", n)], " "); got != want {
				t.Errorf("call %d: kept %q, want %q", n, got, want)
			}
		}
	})
}
