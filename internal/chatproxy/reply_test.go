package chatproxy

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/chatproxy/upstreamtest"
	"github.com/recallerhq/recaller/internal/tag"
)

// However a reply is cut, none of its tags is delivered, and all of them are kept.
func TestTagsAreTakenOutOfAStream(t *testing.T) {
	t.Parallel()
	const reply = "Larch [LEARN: prefers [red] larch] it is.\n[forget: oak] Bye [not a tag"
	want, tags := tag.Parse(reply)
	for size := 1; size < len(reply); size += 6 {
		d := open(t, Options{})
		var pieces []string
		for rest := reply; rest != ""; {
			n := min(size, len(rest))
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		d.up.Answer(func(upstreamtest.Request) upstreamtest.Answer {
			return upstreamtest.Answer{Pieces: pieces, Usage: true, Choices: 2}
		})
		_, got := d.ask(`{"user":"ana","n":2,"stream":true,"messages":[{"role":"user","content":"Hi"}]}`)
		expect(t, "delivered", text(got), want)
		expect(t, "in the second choice", strings.Count(got, "LEARN")+strings.Count(got, "forget:"), 0)
		if !strings.HasSuffix(got, "data: [DONE]\n\n") || !strings.Contains(got, `"total_tokens":12`) {
			t.Errorf("got %s", got)
		}
		kept := d.kept()
		if len(kept) != 1 || kept[0].Reply != strings.TrimSpace(want) || fmt.Sprint(kept[0].Tags) != fmt.Sprint(tags) {
			t.Errorf("in pieces of %d: got %+v", size, kept)
		}
	}
	d := open(t, Options{})
	d.up.Say(reply)
	_, got := d.ask(`{"user":"ana","messages":[{"role":"user","content":"Hi"}]}`)
	expect(t, "not a stream", parse(chat{}, []byte(got)).root.Get("choices.0.message.content").String(), want)
}

// What is no tag is delivered before the upstream says more.
func TestNoVisibleDelay(t *testing.T) {
	t.Parallel()
	d := open(t, Options{})
	wait := make(chan struct{})
	d.up.Answer(func(upstreamtest.Request) upstreamtest.Answer {
		return upstreamtest.Answer{Pieces: []string{"First sentence.", " The rest."}, Wait: wait}
	})
	res := d.post(t.Context(), `{"user":"ana","stream":true,"messages":[{"role":"user","content":"Hi"}]}`)
	got := ""
	for part := make([]byte, 4096); !strings.Contains(text(got), "First sentence."); {
		n, err := res.Body.Read(part)
		if err != nil {
			t.Fatal(err)
		}
		got += string(part[:n])
	}
	close(wait)
}

// Memory that is away, or too slow, holds nobody up: the request goes through untouched.
func TestWithoutMemoryARequestGoesThroughUntouched(t *testing.T) {
	t.Parallel()
	const body = `{"user":"ana","messages":[ {"role":"user","content":"Hi"} ],"tools":[{"type":"function","function":{"name":"x"}}]}`
	away := open(t, Options{})
	away.memory.err = recaller.Errorf(recaller.Unavailable, "the store is away")
	slow := open(t, Options{Deadline: time.Millisecond})
	slow.memory.slow = make(chan struct{})
	defer close(slow.memory.slow)
	for name, d := range map[string]*door{"away": away, "slow": slow} {
		res, _ := d.ask(body)
		expect(t, name, d.up.Last().Body.Raw, body)
		expect(t, name, res.Header.Get(statusHeader), "degraded")
		if kept := d.kept(); len(kept) != 1 || kept[0].Reply != "Hello." {
			t.Errorf("%s: got %+v, want the exchange all the same", name, kept)
		}
	}
}

// One exchange, however often and in however many requests it comes.
func TestAnExchangeIsKeptOnce(t *testing.T) {
	t.Parallel()
	d := open(t, Options{})
	const first = `{"role":"system","content":"S"},{"role":"user","content":"Hello"}`
	const second = first + `,{"role":"assistant","content":"Hello."},{"role":"user","content":"Book it."}`
	ask := func(messages string) { _, _ = d.ask(`{"user":"ana","messages":[` + messages + `]}`) }
	ask(first)
	ask(first)
	ask(second)
	ask(second)
	expect(t, "kept", len(d.kept()), 2)

	// A reply that calls the client's tools goes on when their results are there.
	d.up.Answer(func(r upstreamtest.Request) upstreamtest.Answer {
		if strings.HasSuffix(r.Roles(), "tool") {
			return upstreamtest.Answer{Pieces: []string{"Booked. [LEARN: has a booking]"}}
		}
		return upstreamtest.Answer{Pieces: []string{"One moment. [LEARN: wants a booking]"}, Calls: []upstreamtest.Call{{ID: "call_9", Name: "book", Arguments: "{}"}}}
	})
	const third = second + `,{"role":"assistant","content":"Hello."},{"role":"user","content":"At ten."}`
	ask(third)
	expect(t, "kept before its end", len(d.kept()), 2)
	ask(third + `,{"role":"assistant","content":"One moment.","tool_calls":[{"id":"call_9","type":"function","function":{"name":"book","arguments":"{}"}}]},{"role":"tool","tool_call_id":"call_9","content":"ok"}`)
	kept := d.kept()
	if len(kept) != 3 || kept[2].Reply != "One moment.\nBooked." || kept[2].Message.Text != "At ten." || len(kept[2].Tags) != 2 {
		t.Fatalf("got %+v", kept)
	}

	// One that nothing follows is kept as it is: by the next message, and when the server stops.
	const fourth = third + `,{"role":"assistant","content":"Booked."},{"role":"user","content":"Bye."}`
	ask(fourth)
	ask(fourth + `,{"role":"assistant","content":"x"},{"role":"user","content":"Still here."}`)
	d.proxy.Settle(t.Context())
	kept = d.kept()
	if len(kept) != 5 || kept[3].Message.Text != "Bye." || kept[3].Reply != "One moment." || kept[4].Message.Text != "Still here." {
		t.Errorf("got %+v", kept)
	}
}

// What is said while the store is away is kept when it is back, in order; nobody waits for that, and a stop tries a last time.
func TestAnExchangeIsKeptWhenTheStoreIsBack(t *testing.T) {
	t.Parallel()
	d := open(t, Options{Again: time.Nanosecond})
	d.memory.down = 3
	_, _ = d.ask(`{"user":"ana","messages":[{"role":"user","content":"One"}]}`)
	if kept := d.kept(); len(kept) != 1 {
		t.Errorf("got %+v", kept)
	}
	slow := open(t, Options{Again: time.Minute})
	slow.memory.down = 1
	for _, text := range []string{"One", "Two"} {
		_ = slow.post(t.Context(), `{"user":"ana","messages":[{"role":"user","content":"`+text+`"}]}`)
	}
	for range 1000 { // until the first has failed, and pauses
		slow.proxy.order.mu.Lock()
		pauses := len(slow.proxy.order.stuck) > 0
		slow.proxy.order.mu.Unlock()
		if pauses {
			break
		}
		<-time.After(time.Millisecond)
	}
	slow.proxy.Settle(t.Context())
	expect(t, "kept", slow.memory.told(), "[One Two]")
}

const withTools = `{"user":"ana","stream":true,"messages":[{"role":"user","content":"When does he come?"}],"tools":[{"type":"function","function":{"name":"book"}}]}`

// Our tool is carried out here. The client sees one answer, and nothing of the call.
func TestOurToolIsCarriedOutHere(t *testing.T) {
	t.Parallel()
	d := open(t, Options{})
	d.up.Answer(func(r upstreamtest.Request) upstreamtest.Answer {
		if strings.HasSuffix(r.Roles(), "tool") {
			return upstreamtest.Answer{Pieces: []string{"On Friday."}, Usage: true}
		}
		return upstreamtest.Answer{Pieces: []string{"Let me see."}, Usage: true, Calls: []upstreamtest.Call{{ID: "call_1", Name: recallTool, Arguments: `{"query":"plumber"}`}}}
	})
	_, got := d.ask(withTools)
	expect(t, "the answer", text(got), "Let me see.\n\nOn Friday.")
	expect(t, "in the stream", fmt.Sprint(strings.Contains(got, "tool_calls"), strings.Count(got, "[DONE]"), strings.Count(got, "chatcmpl-2"),
		strings.Count(got, `"role"`), strings.Count(got, `"finish_reason":"stop"`), strings.Contains(got, `"total_tokens":24`)), "false 1 0 1 1 true")
	expect(t, "looked for", d.memory.queries, "[c-1: plumber]")
	last := d.up.Last().Body
	expect(t, "told", fmt.Sprint(last.Get("messages.2.content"), last.Get("messages.2.tool_calls.0.id"), last.Get("messages.3.tool_call_id"),
		strings.Contains(last.Get("messages.3.content").String(), "on Friday")), "Let me see. call_1 call_1 true")
	if kept := d.kept(); len(kept) != 1 || kept[0].Reply != "Let me see.\n\nOn Friday." {
		t.Errorf("got %+v", kept)
	}

	// A model that never stops calling it is stopped.
	d.up.Answer(func(r upstreamtest.Request) upstreamtest.Answer {
		if !strings.Contains(r.Body.Get("tools").Raw, recallTool) {
			return upstreamtest.Answer{Pieces: []string{"I do not know."}}
		}
		return upstreamtest.Answer{Calls: []upstreamtest.Call{{ID: "c", Name: recallTool, Arguments: `{bad`}}}
	})
	before := len(d.up.Requests())
	_, got = d.ask(withTools)
	expect(t, "in the end", fmt.Sprint(text(got), len(d.up.Requests())-before), "I do not know.4")
}

// Calls of ours beside the client's are left out: the client gets its own, numbered as if they were alone.
func TestCallsOfTheClientsStayTheClients(t *testing.T) {
	t.Parallel()
	calls := []upstreamtest.Call{{ID: "a", Name: recallTool, Arguments: `{"query":"x"}`}, {ID: "b", Name: "book", Arguments: `{"at":10}`}}
	for _, body := range []string{withTools, strings.Replace(withTools, `"stream":true`, `"stream":false`, 1)} {
		d := open(t, Options{})
		d.up.Answer(func(upstreamtest.Request) upstreamtest.Answer { return upstreamtest.Answer{Calls: calls} })
		_, got := d.ask(body)
		if strings.Contains(got, recallTool) || strings.Contains(got, `"index":1`) || !strings.Contains(got, `"name":"book"`) ||
			!strings.Contains(got, `"finish_reason":"tool_calls"`) || len(d.up.Requests()) != 1 {
			t.Errorf("got %s", got)
		}
	}
	for name, headers := range map[string][]string{
		"turned off": {toolsHeader, "off"}, "a tool of that name": nil, "without tools": nil, "on": {toolsHeader, "on"},
	} {
		d := open(t, Options{})
		body, want := withTools, 0
		switch name {
		case "a tool of that name":
			body, want = strings.Replace(body, "book", recallTool, 1), 1
		case "without tools":
			body = body[:strings.Index(body, `,"tools"`)] + "}"
		case "on":
			body, want = body[:strings.Index(body, `,"tools"`)]+"}", 1
		}
		_, _ = d.ask(body, headers...)
		expect(t, name, strings.Count(d.up.Last().Body.Get("tools").Raw, recallTool), want)
	}
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	d := open(t, Options{})
	d.up.Say("Noted.", " [LEARN: x y]")
	var all sync.WaitGroup
	for i := range 500 {
		all.Go(func() {
			_, got := d.ask(fmt.Sprintf(`{"user":"u-%d","stream":true,"messages":[{"role":"user","content":"I am %d"}]}`, i, i))
			if text(got) != "Noted." {
				t.Errorf("got %s", got)
			}
		})
	}
	all.Wait()
	kept := d.kept()
	expect(t, "kept", len(kept), 500)
	for i, k := range kept {
		if want := "proxy:u-" + strings.TrimPrefix(k.Message.Text, "I am ") + "/"; d.memory.refs[i] != want {
			t.Errorf("got %s in %s", k.Message.Text, d.memory.refs[i])
		}
	}
}

// A model that says nothing but tags is asked once more, so that the user hears an answer; what it wanted learnt is kept.
func TestAReplyOfTagsAloneIsNoSilence(t *testing.T) {
	t.Parallel()
	for _, stream := range []string{"false", "true"} {
		for _, again := range []string{"Larch it is.", "[FORGET: oak]"} { // the second one says nothing at all
			d := open(t, Options{})
			d.up.Answer(func(r upstreamtest.Request) upstreamtest.Answer {
				if r.N > 1 {
					return upstreamtest.Answer{Pieces: []string{again}, Usage: true}
				}
				return upstreamtest.Answer{Pieces: []string{"[LEARN: likes", " larch]\n"}, Usage: true}
			})
			_, got := d.ask(`{"user":"ana","stream":` + stream + `,"messages":[{"role":"user","content":"I like larch."}]}`)
			want, tags := again, []tag.Tag{{Kind: tag.Learn, Text: "likes larch"}}
			if strings.HasPrefix(again, "[") {
				want, tags = "", append(tags, tag.Tag{Kind: tag.Forget, Text: "oak"})
			}
			said := text(got)
			if stream == "false" {
				said = parse(chat{}, []byte(got)).root.Get("choices.0.message.content").String()
			}
			expect(t, "delivered", strings.TrimSpace(said), want)
			expect(t, "reasons to end", strings.Count(got, `"finish_reason":"stop"`), 1)
			expect(t, "requests", len(d.up.Requests()), 2)
			expect(t, "the second one", d.up.Last().Roles(), "system user")
			expect(t, "tags are taught", fmt.Sprint(!d.memory.asked[0].NoTags, !d.memory.asked[1].NoTags), "true false")
			if !strings.Contains(got, `"total_tokens":24`) {
				t.Errorf("got %s, want the usage of both", got)
			}
			kept := d.kept()
			if len(kept) != 1 || kept[0].Reply != want || fmt.Sprint(kept[0].Tags) != fmt.Sprint(tags) {
				t.Errorf("kept %+v, want %q with %v", kept, want, tags)
			}
		}
	}
}

// What the model can take of itself does not fail because memory made it too long: it goes through without.
func TestMemoryThatDoesNotFitIsLeftOut(t *testing.T) {
	t.Parallel()
	for _, path := range []string{ChatPath, MessagesPath} {
		for _, refusal := range []string{
			`{"error":{"code":400,"message":"request (4200 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error"}}`,
			`{"error":{"message":"This model's maximum context length is 4096 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}}`,
			`{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 200100 tokens > 200000 maximum"}}`,
		} {
			d := open(t, Options{})
			fits := true
			d.up.Answer(func(r upstreamtest.Request) upstreamtest.Answer {
				if !fits || strings.Contains(r.Body.Raw, markOpen) {
					return upstreamtest.Answer{Status: 400, Body: refusal}
				}
				return upstreamtest.Answer{Pieces: []string{"Larch."}}
			})
			const body = `{"messages":[{"role":"user","content":"Which wood?"}],"user":"ana","metadata":{"user_id":"ana"},"tools":[{"name":"x","function":{"name":"x"}}]}`
			res, got := d.askAt(path, body)
			expect(t, "the answer", fmt.Sprint(res.StatusCode, res.Header.Get(statusHeader), strings.Contains(got, "Larch.")), "200degradedtrue")
			expect(t, "what was asked", d.up.Last().Body.Raw, body)
			if kept := d.kept(); len(kept) != 1 || kept[0].Reply != "Larch." {
				t.Errorf("got %+v", kept)
			}
			fits = false
			res, got = d.askAt(path, body)
			expect(t, "what is too long anyway", fmt.Sprint(res.StatusCode, got), "400"+refusal)
		}
	}
}
