//go:build measure

package app

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// What the proxy adds before the first byte of an answer, against asking the upstream directly, one after the other:
// RECALLER_PROXY_REQUESTS=2000 of each. Each request of the proxy's goes on in a thread of somebody of whom 40 things are
// known, and is kept before the next. The first request of each, for which all is read and his index is made, is told
// apart. `make bench-proxy` runs it; the figures are in docs/benchmarks.md.
func TestWhatTheProxyAdds(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("RECALLER_PROXY_REQUESTS"))
	if err != nil {
		t.Fatal("make bench-proxy runs it")
	}
	pause, err := time.ParseDuration(cmp.Or(os.Getenv("RECALLER_PROXY_PAUSE"), "0s"))
	if err != nil {
		t.Fatalf("RECALLER_PROXY_PAUSE: %v", err)
	}
	h, up := chatting(t, "RECALLER_RATE_LIMIT=0")
	up.Say("Noted", ", larch", " it is. [LEARN: likes larch]")
	const people = 20
	for p := range people {
		h.known(fmt.Sprintf("u-%d", p))
	}
	var direct, through, plain, added, undisturbed, first []time.Duration
	for i := range people + n {
		<-time.After(pause)
		alone := quiet()
		body := fmt.Sprintf(`{"model":"m","stream":true,"messages":[{"role":"system","content":"Be kind."},{"role":"user","content":"Question %d: what did we say about the garden house?"}]}`, i)
		d := h.first(up.URL, body, "")
		p := h.first(h.url, body, fmt.Sprintf("u-%d", i%people))
		if i < people {
			first = append(first, p-d)
			continue
		}
		direct, through, added = append(direct, d), append(through, p), append(added, p-d)
		if alone {
			undisturbed = append(undisturbed, p-d)
		}
		plain = append(plain, h.first(h.url, body, ""))
	}
	t.Logf("n = %d\ndirectly: %s\nthrough the proxy, with memory: %s\nthrough the proxy, nobody named: %s\nadded by memory and proxy, pair by pair: %s\n"+
		"added to the first request of each of %d: %s", n, quantiles(direct), quantiles(through), quantiles(plain), quantiles(added), people, quantiles(first))
	if len(undisturbed) < 100 {
		t.Fatalf("%d pairs began while nothing else ran: too few to tell on this machine; leave it alone, or ask for more", len(undisturbed))
	}
	t.Logf("of these, %d pairs that began while nothing else ran: %s", len(undisturbed), quantiles(undisturbed))
	if p99 := undisturbed[len(undisturbed)*99/100]; p99 > 5*time.Millisecond {
		t.Errorf("p99 of what is added is %v, want at most 5ms", p99)
	}
}

// quiet reports whether nothing else runs on this machine just now.
func quiet() bool {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return true // no Linux: it is for whoever runs it to be alone
	}
	_, rest, _ := strings.Cut(string(stat), "procs_running ")
	running, _, _ := strings.Cut(rest, "\n")
	return running == "1"
}

// known makes somebody known, with 40 memories and a few exchanges.
func (h *house) known(user string) {
	h.t.Helper()
	h.exchange(h.chat(user, "old-"+user, "").ID, "I plan a garden house of larch.", "Lovely.")
	who, err := h.CallersByExternalID(h.t.Context(), user)
	if err != nil {
		h.t.Fatal(err)
	}
	for i := range 40 {
		_, err := h.StoreMemory(h.t.Context(), who[0].ID, client.MemoryInput{
			Type: recaller.Fact, Key: fmt.Sprintf("matter_%d", i), Value: fmt.Sprintf("matter %d was settled on the %dth with the builder", i, 1+i%28),
		})
		if err != nil {
			h.t.Fatal(err)
		}
	}
}

// first returns how long the first event of an answer took, and reads it to its end.
func (h *house) first(url, body, user string) time.Duration {
	h.t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, url+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+h.app.BootstrapKey())
	if user != "" {
		r.Header.Set("X-Memory-User", user)
	}
	began := time.Now()
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	defer res.Body.Close()
	in := bufio.NewScanner(res.Body)
	if !in.Scan() || !strings.HasPrefix(in.Text(), "data: ") {
		h.t.Fatalf("got %s", in.Text())
	}
	took := time.Since(began)
	for in.Scan() {
	}
	h.settled()
	return took
}
