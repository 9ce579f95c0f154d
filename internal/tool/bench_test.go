package tool_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/tool"
)

// Fifty calls are under way and store a memory each, again and again, as soon as the one before is answered:
//
//	go test ./internal/tool -run '^$' -bench Fifty -benchtime 10000x
func BenchmarkFiftyStoreAtOnce(b *testing.B) { storeAtOnce(b, 50, 0) }

// One call, alone.
func BenchmarkStoreAlone(b *testing.B) { storeAtOnce(b, 1, 0) }

// Fifty calls store a memory about every quarter of a second each, which is more than people talk.
func BenchmarkFiftyStoreAsTheyTalk(b *testing.B) { storeAtOnce(b, 50, 250*time.Millisecond) }

func storeAtOnce(b *testing.B, lines int, pause time.Duration) {
	h := newBench(b)
	ids := make([]recaller.ConversationID, lines)
	for i := range ids {
		opened := h.calls(fmt.Sprint("line", i), recaller.Identity{Kind: recaller.IdentityPhone, Value: fmt.Sprintf("+1212555%04d", 1000+i)})
		ids[i] = opened.Conversation.ID
	}
	took := make([][]time.Duration, lines)
	var work sync.WaitGroup
	b.ResetTimer()
	for i, id := range ids {
		work.Go(func() {
			time.Sleep(pause * time.Duration(i) / time.Duration(lines)) // people do not speak in step
			for n := i; n < b.N; n += lines {
				args := fmt.Sprintf(`{"memoryType":"fact","key":"thing_%d","value":"what was said of it, number %d"}`, n%200, n)
				begun := time.Now()
				_, err := h.tools.Do(b.Context(), tool.Call{Tenant: tenant, Conversation: string(id), Name: recaller.ToolStoreMemory, Arguments: json.RawMessage(args)})
				if err != nil {
					b.Error(err)
					return
				}
				took[i] = append(took[i], time.Since(begun))
				time.Sleep(pause)
			}
		})
	}
	work.Wait()
	all := slices.Concat(took...)
	slices.Sort(all)
	for _, p := range []int{50, 99} {
		b.ReportMetric(float64(all[len(all)*p/100].Microseconds())/1000, fmt.Sprintf("p%d-ms", p))
	}
}
