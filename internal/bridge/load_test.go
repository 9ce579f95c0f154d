package bridge_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/tidwall/gjson"

	"github.com/recallerhq/recaller/internal/bridge"
	"github.com/recallerhq/recaller/internal/mediastream"
	"github.com/recallerhq/recaller/internal/rehearsal"
)

var (
	loadCalls = flag.Int("bridge.calls", 200, "calls at once in BenchmarkAddedDelay")
	loadFor   = flag.Duration("bridge.for", 10*time.Second, "how long they take")
)

// delays collects how long pieces of audio took.
type delays struct {
	mu   sync.Mutex
	list []time.Duration
}

func (d *delays) add(took time.Duration) {
	d.mu.Lock()
	d.list = append(d.list, took)
	d.mu.Unlock()
}

func (d *delays) at(share float64) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.list) == 0 {
		return 0
	}
	slices.Sort(d.list)
	return d.list[int(share*float64(len(d.list)-1))]
}

// stamp is 20 ms of audio that says when it was sent.
func stamp(now time.Time) []byte {
	audio := slices.Repeat([]byte{rehearsal.Quiet}, 160)
	audio[0] = 'T'
	binary.BigEndian.PutUint64(audio[1:], uint64(now.UnixNano()))
	return audio
}

// since returns how old a stamp is.
func since(payload string) (time.Duration, bool) {
	audio, err := base64.StdEncoding.DecodeString(payload)
	if err != nil || len(audio) < 9 || audio[0] != 'T' {
		return 0, false
	}
	return time.Since(time.Unix(0, int64(binary.BigEndian.Uint64(audio[1:])))), true
}

// BenchmarkAddedDelay has many calls at once, over real sockets on one machine: each sends a frame in 20 ms and gets one
// in 20 ms, both stamped. It tells how long a frame is on its way, from socket to socket with the fakes' own work; first
// straight from the telephones to the model, then over the bridge. The difference is what the bridge adds.
//
//	go test -run '^$' -bench AddedDelay -benchtime 1x ./internal/bridge -bridge.calls 200 -bridge.for 60s
func BenchmarkAddedDelay(b *testing.B) {
	for b.Loop() {
		var there, back delays
		model := echo(func(payload string) {
			if took, ok := since(payload); ok {
				there.add(took)
			}
		})
		dial, _, outcomes, reg := connect(b, model, bridge.Call{SpeaksFirst: true})
		api := httptest.NewServer(model)
		run := func(name string, one func(ctx context.Context, n int)) {
			there.list, back.list = nil, nil
			ctx, cancel := context.WithTimeout(b.Context(), *loadFor)
			defer cancel()
			cpu, began := cpuTime(b), time.Now()
			var phones sync.WaitGroup
			for n := range *loadCalls {
				phones.Go(func() { one(ctx, n) })
			}
			phones.Wait()
			cores := (cpuTime(b) - cpu).Seconds() / time.Since(began).Seconds()
			b.Logf("%s: %d calls, %s: to the model %s; to the telephone %s; %.2f cores, the fakes' own work included", name, *loadCalls, *loadFor, &there, &back, cores)
		}
		run("straight", func(ctx context.Context, n int) { straight(ctx, b, api.URL, n, &back) })
		run("over the bridge", func(ctx context.Context, n int) { call(ctx, b, dial, n, &back) })
		for range *loadCalls {
			if o := <-outcomes; o.Reason != bridge.HungUp {
				b.Errorf("a call ended as %q", o.Reason)
			}
		}
		api.Close()
		b.Log(reported(b, reg))
	}
}

// String tells the middle and the 99th percentile.
func (d *delays) String() string {
	p50, p99, p999 := d.at(0.5), d.at(0.99), d.at(0.999)
	return fmt.Sprintf("n = %d, p50 %.2f ms, p99 %.2f ms, p99.9 %.2f ms", len(d.list), ms(p50), ms(p99), ms(p999))
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// straight is a telephone that speaks to the model by itself.
func straight(ctx context.Context, b *testing.B, url string, n int, back *delays) {
	c, _, err := websocket.Dial(b.Context(), url, nil)
	if err != nil {
		b.Error(err)
		return
	}
	conn := bridge.Socket(c, 1<<20)
	send := func(text string) {
		if err := conn.Write(b.Context(), []byte(text)); err != nil {
			b.Error(err)
		}
	}
	send(`{"type":"session.update"}`)
	var reading sync.WaitGroup
	reading.Go(func() {
		for {
			raw, _, err := conn.Read(b.Context())
			if err != nil {
				return
			}
			if took, ok := since(gjson.GetBytes(raw, "delta").String()); ok {
				back.add(took)
			}
		}
	})
	speak(ctx, n, func(payload string) { send(`{"type":"input_audio_buffer.append","audio":"` + payload + `"}`) })
	_ = conn.Drop() // nobody minds
	reading.Wait()
}

// speak says a frame each 20 ms until ctx ends. Not all speak at the same moment.
func speak(ctx context.Context, n int, say func(payload string)) {
	time.Sleep(time.Duration(n) * 20 * time.Millisecond / time.Duration(*loadCalls))
	pace := time.NewTicker(20 * time.Millisecond)
	defer pace.Stop()
	for ctx.Err() == nil {
		<-pace.C
		say(base64.StdEncoding.EncodeToString(stamp(time.Now())))
	}
}

// echo is a model that says a frame for each frame that it hears, in one answer without an end.
func echo(arrives func(payload string)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		conn := bridge.Socket(c, 1<<20)
		tell := func(text string) bool { return conn.Write(r.Context(), []byte(text)) == nil }
		for ok := true; ok; {
			raw, _, err := conn.Read(r.Context())
			if err != nil {
				return
			}
			switch e := gjson.ParseBytes(raw); e.Get("type").String() {
			case "session.update":
				ok = tell(`{"type":"session.updated","session":{}}`)
			case "response.create":
				ok = tell(`{"type":"response.created","response":{"id":"r1"}}`) &&
					tell(`{"type":"response.output_item.added","response_id":"r1","item":{"id":"i1","type":"message","role":"assistant","content":[]}}`)
			case "input_audio_buffer.append":
				arrives(e.Get("audio").String())
				ok = tell(`{"type":"response.output_audio.delta","response_id":"r1","item_id":"i1","content_index":0,"delta":"` +
					base64.StdEncoding.EncodeToString(stamp(time.Now())) + `"}`)
			}
		}
	}
}

// reported is how long audio was in the bridge itself, as its metric has it: the share that took no longer than each
// bound.
func reported(b *testing.B, reg *prometheus.Registry) string {
	families, err := reg.Gather()
	if err != nil {
		b.Fatal(err)
	}
	out := "in the bridge itself:"
	for _, f := range families {
		if f.GetName() != "recaller_bridge_added_seconds" {
			continue
		}
		for _, m := range f.GetMetric() {
			h := m.GetHistogram()
			out += "\nto the " + m.GetLabel()[0].GetValue() + ":"
			for _, bucket := range h.GetBucket() {
				out += fmt.Sprintf(" ≤%gms %.3f%%", bucket.GetUpperBound()*1000, 100*float64(bucket.GetCumulativeCount())/float64(h.GetSampleCount()))
			}
		}
	}
	return out
}

// call is one telephone: it sends and takes a frame each 20 ms.
func call(ctx context.Context, b *testing.B, dial func(context.Context) bridge.Conn, n int, back *delays) {
	conn := dial(context.WithoutCancel(ctx))
	phone := rehearsal.NewPhone(conn, rehearsal.PhoneOptions{Start: mediastream.Start{Stream: fmt.Sprintf("MZ%d", n), Parameters: tok}})
	if err := phone.Begin(b.Context()); err != nil {
		b.Error(err)
		return
	}
	var reading sync.WaitGroup
	reading.Go(func() {
		for {
			raw, _, err := conn.Read(b.Context())
			if err != nil {
				return
			}
			if r := gjson.ParseBytes(raw); r.Get("event").String() == "media" {
				if took, ok := since(r.Get("media.payload").String()); ok {
					back.add(took)
				}
			} else if name := r.Get("mark.name").String(); name != "" {
				if phone.Send(b.Context(), []byte(`{"event":"mark","mark":{"name":"`+name+`"}}`)) != nil {
					return
				}
			}
		}
	})
	speak(ctx, n, func(payload string) {
		frame := `{"event":"media","streamSid":"MZ","media":{"track":"inbound","payload":"` + payload + `"}}`
		if err := phone.Send(b.Context(), []byte(frame)); err != nil {
			b.Error(err)
		}
	})
	if err := phone.HangUp(b.Context()); err != nil {
		b.Error(err)
	}
	reading.Wait()
}

// cpuTime is how long this process, all of it, has computed.
func cpuTime(b *testing.B) time.Duration {
	raw, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		b.Fatalf("how many cores it takes cannot be told here: %v", err)
	}
	fields := strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+2:]))
	var user, system int64
	if _, err := fmt.Sscan(fields[11], &user); err != nil {
		b.Fatal(err)
	}
	if _, err := fmt.Sscan(fields[12], &system); err != nil {
		b.Fatal(err)
	}
	return time.Duration(user+system) * 10 * time.Millisecond
}
