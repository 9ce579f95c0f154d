package wrapup

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/agreement"
	"github.com/recallerhq/recaller/internal/forgotten"
	"github.com/recallerhq/recaller/internal/guard"
	"github.com/recallerhq/recaller/internal/repeat"
	"github.com/recallerhq/recaller/internal/wrapup/extract"
	"github.com/recallerhq/recaller/internal/wrapup/label"
	"github.com/recallerhq/recaller/internal/wrapup/name"
	"github.com/recallerhq/recaller/internal/wrapup/quote"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
	"github.com/recallerhq/recaller/internal/wrapup/summary"
)

// scraps are what turns are made of that no person would say, and recognisers, pranks and other scripts still bring.
var scraps = strings.Split(`hello |no |no, |5|5 |five |"|[|]|(|“a” |'|💬|שלום |`+"\u202e|\u0301|\x00|\xff"+`|日本|a.|. |... |? |a? |-|a-|,|monday |no wait |Monday at five |
not Monday, |my name is |B-O-B |double |i'm |forget that |forget my number and |don't write that down |what is |i have a dog. |my password is |card 4111 |
every monday |I'll call you Monday. |Thursday or Friday? |um |the the |a at b dot |½|０|Dr. |U.S. |1,000,|1:|12:30 |1/2/|€5 |a@b.|It's Anna. |hold |und |or and |lunes y |el lunes o `, "|")

// reads are the readers of what was said, each by itself.
func reads(tb testing.TB) map[string]func([]recaller.Turn) {
	packs, err := label.Packs(label.Builtin())
	if err != nil {
		tb.Fatal(err)
	}
	at := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	read := func(turns []recaller.Turn) reading.Reading { return reading.Of(turns, at, false) }
	return map[string]func([]recaller.Turn){
		"guard": func(turns []recaller.Turn) {
			var d guard.Dialogue
			for _, t := range turns {
				d.Mask(t.Speaker, t.Text)
			}
		},
		"repeat": func(turns []recaller.Turn) {
			for _, t := range turns {
				_, _, _ = repeat.Read(t.Text, time.Time{}, at)
			}
		},
		"reading":   func(turns []recaller.Turn) { read(turns) },
		"agreement": func(turns []recaller.Turn) { agreement.Fold(agreement.Find(read(turns)), at) },
		"summary":   func(turns []recaller.Turn) { summary.Write(read(turns), summary.Options{Broken: true}) },
		"extract":   func(turns []recaller.Turn) { extract.Memories(read(turns)) },
		"label":     func(turns []recaller.Turn) { label.Analyse(turns, nil, false, packs) },
		"name":      func(turns []recaller.Turn) { name.Said(turns) },
		"quote": func(turns []recaller.Turn) {
			for _, t := range read(turns).Turns {
				for _, s := range t.Sentences {
					quote.Of(t, s.Start, s.End)
				}
			}
		},
		"forgotten": func(turns []recaller.Turn) {
			for _, r := range forgotten.Requests(turns) {
				s := r.Search()
				s.Read("c", turns, true)
				forgotten.New([]recaller.Memory{{ID: "m", Key: "dog", Value: turns[0].Text, Status: recaller.MemoryForgotten, ClosedReason: recaller.ClosedForgotten, ClosedAt: at}}).Turns("c", turns)
			}
		},
	}
}

// scrapped are turns of so many bytes in all, in turn of the caller and of the agent.
func scrapped(turns, bytes int, next func() string) []recaller.Turn {
	out := make([]recaller.Turn, turns)
	for i := range out {
		var b strings.Builder
		for b.Len() < bytes/turns {
			b.WriteString(next())
		}
		out[i] = recaller.Turn{Number: i + 1, Speaker: recaller.User, Text: b.String()}
		if i%2 == 1 {
			out[i].Speaker = recaller.Assistant
		}
	}
	return out
}

// Whatever stands in a turn, in whatever order: no reader stops at it.
func TestNoScrapOfWordsStopsAReader(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 11))
	mix := func() string { return scraps[rnd.IntN(len(scraps))] }
	var calls [][]recaller.Turn
	for range 40 {
		calls = append(calls, scrapped(1+rnd.IntN(12), 2000, mix))
	}
	for _, s := range scraps {
		calls = append(calls, scrapped(1, 300, func() string { return s }), scrapped(40, 300, func() string { return s }))
	}
	for by, read := range reads(t) {
		for i, turns := range calls {
			func() {
				defer func() {
					if r := recover(); r != nil {
						t.Errorf("%s, call %d: %v", by, i, r)
					}
				}()
				read(turns)
			}()
		}
	}
}

// BenchmarkLongTurns shows how the time grows with a turn of one scrap: eight times the bytes should take about eight
// times as long. One scrap for all: go test -bench 'LongTurns/summary/dog' -run '^$'.
func BenchmarkLongTurns(b *testing.B) {
	for by, read := range reads(b) {
		for _, s := range scraps {
			for _, size := range []int{8 << 10, 64 << 10} {
				turns := scrapped(1, size, func() string { return s })
				b.Run(fmt.Sprintf("%s/%s/%dk", by, s, size>>10), func(b *testing.B) {
					for b.Loop() {
						read(turns)
					}
				})
			}
		}
	}
}
