package chatproxy

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/admission"
	"github.com/recallerhq/recaller/internal/chatproxy/upstreamtest"
)

const hello = `{"messages":[{"role":"user","content":"Hello"}],"user":"ana"}`

// Where it is not known which upstream a tenant has, nothing is sent: what is said to one provider is not for another.
func TestNothingIsSentWhereTheUpstreamIsNotKnown(t *testing.T) {
	t.Parallel()
	d := open(t, Options{})
	d.own.err = recaller.Errorf(recaller.Unavailable, "the store is away")
	res, got := d.ask(hello)
	expect(t, "the status", res.StatusCode, http.StatusServiceUnavailable)
	expect(t, "requests", len(d.up.Requests()), 0)
	if !strings.Contains(got, `"error"`) {
		t.Errorf("got %s", got)
	}
}

// The upstream of one tenant answers without end, with lines and replies without number: it gets its share of the memory.
func TestAnUpstreamTakesNoMoreMemoryThanItsShare(t *testing.T) {
	t.Parallel()
	d := open(t, Options{})
	d.proxy.chat.Bodies = admission.Bytes(1<<20, "full")
	d.proxy.said.Bodies = d.proxy.chat.Bodies
	long := strings.Repeat("a", 1<<20)
	d.up.Answer(func(upstreamtest.Request) upstreamtest.Answer {
		return upstreamtest.Answer{Lines: "data: " + long + "\n\n", Pieces: []string{long}}
	})
	res, _ := d.ask(hello)
	expect(t, "a whole answer", res.StatusCode, http.StatusBadGateway)
	_, got := d.ask(strings.Replace(hello, "{", `{"stream":true,`, 1))
	if !strings.Contains(got, "broke off") || len(got) > 1000 {
		t.Errorf("a line: got %d bytes", len(got))
	}
	d.up.Answer(func(upstreamtest.Request) upstreamtest.Answer {
		return upstreamtest.Answer{Lines: strings.Repeat("data: "+strings.Repeat("a", 1000)+"\n", 2000)}
	})
	_, got = d.askAt(MessagesPath, strings.Replace(hello, "{", `{"stream":true,`, 1))
	if !strings.Contains(got, "broke off") || len(got) > 1000 {
		t.Errorf("an event without end: got %d bytes", len(got))
	}
	expect(t, "what is held afterwards", d.proxy.chat.Bodies.Held(), 0)

	a := &answer{}
	for i := range int64(10_000) {
		a.choice(i).write("words")
		a.call(parse(chat{}, []byte(`{"function":{"name":"x"}}`)).root, i)
	}
	expect(t, "replies", len(a.choices), maxChoices)
	expect(t, "calls", len(a.round.calls), maxCalls)
}

// Some upstreams close a connection right behind their answer. The next request, which finds it closing, is sent again.
func TestAConnectionThatIsClosingFailsNoRequest(t *testing.T) {
	t.Parallel()
	listen, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listen.Close()
	const answer = `{"choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]}`
	go func() {
		for {
			conn, err := listen.Accept()
			if err != nil {
				return
			}
			in := bufio.NewReader(conn)
			if r, err := http.ReadRequest(in); err == nil {
				_, _ = io.Copy(io.Discard, r.Body)
				_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(answer), answer)
			}
			_, _ = in.Peek(1) // the next request comes, and finds nobody
			_ = conn.Close()
		}
	}()
	d := open(t, Options{Upstream: recaller.Upstream{BaseURL: "http://" + listen.Addr().String() + "/v1"}})
	for n := range 4 {
		if res, got := d.ask(hello); res.StatusCode != http.StatusOK {
			t.Errorf("request %d: got %d, %s", n+1, res.StatusCode, got)
		}
	}
}
