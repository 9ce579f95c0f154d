//go:build measure

package app

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/chatproxy/upstreamtest"
)

// The official clients of OpenAI and Anthropic find through the proxy what they find at a provider: streams, calls of tools,
// errors, and ends of their own. `make proxy-clients` gets and runs them.
func TestOfficialClients(t *testing.T) {
	python, node := os.Getenv("RECALLER_OPENAI_PYTHON"), os.Getenv("RECALLER_OPENAI_NODE")
	if python == "" || node == "" {
		t.Fatal("make proxy-clients runs it")
	}
	h, up := chatting(t, "RECALLER_SIGNIN_FAILURES=0")
	up.Answer(asWanted)
	for name, command := range map[string][]string{
		"py": {python, "../../tools/proxy/client.py"}, "js": {node, "../../tools/proxy/client.mjs"},
		"anthropic-py": {python, "../../tools/proxy/anthropic_client.py"},
		"anthropic-js": {node, "../../tools/proxy/anthropic_client.mjs"},
	} {
		out, err := exec.CommandContext(t.Context(), command[0], append(command[1:], h.url, h.app.BootstrapKey())...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		t.Logf("%s", out)
		<-up.Gone() // both that went away are away upstream, too
		<-up.Gone()
		h.settled()
		who, err := h.CallersByExternalID(t.Context(), name)
		if err != nil || len(who) != 1 {
			t.Fatalf("got %+v, %v", who, err)
		}
		h.eventually("all of it is kept", func() bool {
			threads, err := h.Threads(t.Context(), who[0].ID, "", 10)
			if err != nil || len(threads.Threads) != 1 {
				t.Fatalf("got %+v, %v", threads, err)
			}
			said, err := h.ThreadMessages(t.Context(), threads.Threads[0].ID, 50)
			if err != nil {
				t.Fatal(err)
			}
			var all strings.Builder
			for _, m := range said.Messages {
				all.WriteString(strings.ReplaceAll(m.Text, "\n\n", "\n") + "|")
			}
			for _, want := range []string{"tags|Noted. Anything else?|", "tool|One moment.\nBooked.|", "recall|Let me see.\nIt was Friday.|", "hang|Your appointment is|", "break|Half|"} {
				if strings.Count(all.String(), want) != 1 {
					return false
				}
			}
			return true
		})
	}
}

// asWanted answers as the newest message of the user asks.
func asWanted(r upstreamtest.Request) upstreamtest.Answer {
	asked, answered := newest(r)
	switch {
	case asked == "tags":
		return upstreamtest.Answer{Pieces: []string{"Noted", ". [LEA", "RN: likes larch] ", "Anything else?"}, Usage: true}
	case asked == "tool" && answered:
		return upstreamtest.Answer{Pieces: []string{"Booked."}}
	case asked == "tool":
		return upstreamtest.Answer{Pieces: []string{"One moment."}, Calls: []upstreamtest.Call{{ID: "call_1", Name: "book", Arguments: `{"at":10}`}}}
	case asked == "recall" && answered:
		return upstreamtest.Answer{Pieces: []string{"It was ", "Friday."}}
	case asked == "recall":
		return upstreamtest.Answer{Pieces: []string{"Let me see."}, Calls: []upstreamtest.Call{{ID: "call_2", Name: "recall_memory", Arguments: `{"query":"when"}`}}}
	case asked == "break":
		return upstreamtest.Answer{Pieces: []string{"Half", " "}, Break: true}
	case asked == "hang":
		return upstreamtest.Answer{Pieces: []string{"Your appointment is", " "}, Hang: true}
	}
	status, _ := strconv.Atoi(strings.TrimPrefix(asked, "fail ")) // 0: "Hello." of a test that asks for nothing
	if status == 0 {
		return upstreamtest.Answer{Pieces: []string{"Hello."}}
	}
	return upstreamtest.Answer{Status: status, Body: `{"error":{"message":"no","type":"t","param":null,"code":"c"}}`, Header: map[string]string{"Retry-After": "7"}}
}

// newest returns what the user said last, on either wire, and whether results of tools came behind it.
func newest(r upstreamtest.Request) (asked string, answered bool) {
	for _, m := range r.Body.Get("messages").Array() {
		content := m.Get("content")
		switch {
		case m.Get("role").String() == "tool" || content.Get("0.type").String() == "tool_result":
			answered = true
		case m.Get("role").String() == "user" && content.IsArray():
			asked, answered = content.Get("0.text").String(), false
		case m.Get("role").String() == "user":
			asked, answered = content.String(), false
		}
	}
	return asked, answered
}
