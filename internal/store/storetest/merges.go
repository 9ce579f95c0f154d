//go:build measure

package storetest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/recallerhq/recaller"
)

// Merges measures how long merges of a caller with 80,000 turns take, and their undoing, and how long others wait meanwhile
// for a turn to be kept, and for what is known and was said to be read.
func Merges(d *Data) {
	const calls, turns, rounds = 100, 800, 6
	var big recaller.Opened
	for range calls {
		big = d.Call("+15550100199")
		d.Say(big, turns)
		d.End(big)
	}
	to, other := d.Call("+15550100142"), d.Call("+15550100100")
	d.End(to)
	d.Remember(other.Caller.ID, 10)
	var busy atomic.Bool
	stop := make(chan struct{})
	write := func() { d.Say(other, 1) }
	read := func() {
		_, err := d.Snapshot(d.ctx, "t", other.Caller.ID)
		d.OK(err)
		_, err = d.Corpus(d.ctx, "t", other.Caller.ID)
		d.OK(err)
	}
	var took [2][2][]time.Duration // of writes and reads, at rest and amid a move
	var both sync.WaitGroup
	for kind, do := range []func(){write, read} {
		both.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(5 * time.Millisecond):
				}
				amid, began := busy.Load(), time.Now()
				do()
				when := 0
				if amid || busy.Load() {
					when = 1
				}
				took[kind][when] = append(took[kind][when], time.Since(began))
			}
		})
	}
	time.Sleep(2 * time.Second)
	var merges, undone []time.Duration
	move := func(list *[]time.Duration, do func(context.Context) error) {
		busy.Store(true)
		began := time.Now()
		d.OK(do(d.ctx))
		*list = append(*list, time.Since(began))
		busy.Store(false)
		time.Sleep(time.Second)
	}
	for i := range rounds {
		id := recaller.MoveID(fmt.Sprint("m", i))
		move(&merges, func(ctx context.Context) error {
			_, err := d.Merge(ctx, "t", recaller.Merging{ID: id, From: big.Caller.ID, To: to.Caller.ID, At: d.Now})
			return err
		})
		move(&undone, func(ctx context.Context) error {
			_, err := d.UndoMove(ctx, "t", recaller.Unmoving{ID: id, At: d.Now})
			return err
		})
	}
	close(stop)
	both.Wait()
	d.Logf("merges: %v; undone: %v", merges, undone)
	for kind, what := range []string{"a turn kept", "read"} {
		for when, at := range []string{"at rest", "amid a move"} {
			list := took[kind][when]
			slices.Sort(list)
			if len(list) == 0 {
				d.Errorf("%s, %s: none", what, at)
				continue
			}
			d.Logf("%s, %s: n %d, median %v, p99 %v, worst %v", what, at, len(list), list[len(list)/2], list[len(list)*99/100], list[len(list)-1])
		}
	}
}
