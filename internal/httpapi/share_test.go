package httpapi

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/privacy"
)

// large is the export of somebody who has a great deal.
type large struct {
	Privacy
	conversations iter.Seq2[privacy.ExportedConversation, error]
}

func (l large) Export(context.Context, recaller.TenantID, recaller.CallerID) (privacy.Export, error) {
	return privacy.Export{
		Caller: recaller.Caller{ID: "ann"}, Reminders: listOf[recaller.Reminder](), Memories: listOf[recaller.Memory](), Documents: listOf[recaller.Document](), Threads: listOf[recaller.Thread](), Conversations: l.conversations,
	}, nil
}

// listOf is a list that is all there.
func listOf[T any](list ...T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, v := range list {
			if !yield(v, nil) {
				return
			}
		}
	}
}

func turnOf(n int) recaller.Turn {
	return recaller.Turn{Number: n, Speaker: recaller.User, Text: strings.Repeat("word ", 2000)}
}

// Whoever exports reads the first words of a conversation before its last have left the store, so the server need not
// hold all.
func TestAnExportIsSentWhileItIsRead(t *testing.T) {
	t.Parallel()
	heard := make(chan struct{})
	words := func(yield func(recaller.Turn, error) bool) {
		for i := range 300 {
			if i == 200 {
				<-heard
			}
			if !yield(turnOf(i), nil) {
				return
			}
		}
	}
	h := setup(t, func(d *Deps, _ *Options) {
		d.Privacy = large{d.Privacy, listOf(privacy.ExportedConversation{Conversation: recaller.Conversation{ID: "conv-0", Turns: 300}, Words: words})}
	})
	res := h.export(t, "ann")
	first := make([]byte, 4096)
	if _, err := io.ReadFull(res, first); err != nil {
		t.Fatal(err)
	}
	close(heard)
	rest, err := io.ReadAll(res)
	if err != nil {
		t.Fatal(err)
	}
	var got client.Export
	if err := json.Unmarshal(append(first, rest...), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Conversations) != 1 || len(got.Conversations[0].Turns) != 300 || got.Conversations[0].Turns[299].Number != 299 {
		t.Errorf("got %d conversations of %s, want one of 300 turns", len(got.Conversations), got.Caller.ID)
	}
}

// An export is to the byte what the encoder makes of the whole of it.
func TestAnExportIsWrittenAsTheEncoderWouldWriteIt(t *testing.T) {
	t.Parallel()
	h := setup(t, func(d *Deps, _ *Options) {
		d.Privacy = large{d.Privacy, listOf(
			privacy.ExportedConversation{Conversation: recaller.Conversation{ID: "none", EndReason: "a <b> & c"}, Words: listOf[recaller.Turn]()},
			privacy.ExportedConversation{
				Conversation: recaller.Conversation{ID: "some", Turns: 2, Summary: &recaller.Summary{Brief: "é \u2028"}}, Words: listOf(turnOf(0), turnOf(1)),
				ToolCalls: []recaller.ToolCall{{ID: "call"}},
			})}
	})
	raw, err := io.ReadAll(h.export(t, "ann"))
	if err != nil {
		t.Fatal(err)
	}
	var got struct { // in the order in which an export has them
		ExportedAt    time.Time                     `json:"exported_at"`
		Caller        client.Caller                 `json:"caller"`
		History       []client.CheckpointState      `json:"checkpoint_history"`
		Reminders     []client.Reminder             `json:"reminders"`
		Agreements    []client.Agreement            `json:"agreements"`
		Memories      []client.Memory               `json:"memories"`
		Documents     []client.Document             `json:"documents"`
		Threads       []client.Thread               `json:"threads"`
		Moves         []client.Move                 `json:"moves"`
		Conversations []client.ExportedConversation `json:"conversations"`
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	want, err := json.Marshal(got)
	if err != nil || string(raw) != string(want)+"\n" {
		t.Errorf("got\n%s\nwant\n%s (%v)", raw, want, err)
	}
	if len(got.Conversations) != 2 || len(got.Conversations[1].Turns) != 2 || len(got.Conversations[1].ToolCalls) != 1 {
		t.Errorf("got %d conversations, want two, and the words and the call of one", len(got.Conversations))
	}
}

// export asks for an export, to read it as it comes.
func (h *house) export(t *testing.T, caller string) io.Reader {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.http.URL+"/v1/callers/"+caller+"/export", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+h.key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	return res.Body
}

// Half an export is never taken for a whole one, whatever of it could not be read.
func TestAnExportThatFailsBreaksTheConnection(t *testing.T) {
	t.Parallel()
	away := recaller.Errorf(recaller.Unavailable, "away")
	talk := recaller.Conversation{ID: "conv-0", Turns: 20}
	for name, list := range map[string]iter.Seq2[privacy.ExportedConversation, error]{
		"at the first conversation": func(yield func(privacy.ExportedConversation, error) bool) {
			yield(privacy.ExportedConversation{}, away)
		},
		"between two": func(yield func(privacy.ExportedConversation, error) bool) {
			_ = yield(privacy.ExportedConversation{Conversation: talk, Words: listOf(turnOf(0))}, nil) && yield(privacy.ExportedConversation{}, away)
		},
		"within one": listOf(privacy.ExportedConversation{Conversation: talk, Words: func(yield func(recaller.Turn, error) bool) {
			for n := range 10 {
				if !yield(turnOf(n), nil) {
					return
				}
			}
			yield(recaller.Turn{}, away)
		}}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := setup(t, func(d *Deps, _ *Options) { d.Privacy = large{d.Privacy, list} })
			if got, err := h.admin.ExportCaller(t.Context(), "ann"); err == nil {
				t.Errorf("got an export of %d conversations, want an error", len(got.Conversations))
			}
			if log := h.logs.String(); !strings.Contains(log, "answer broke off") {
				t.Errorf("the log does not say that it broke off:\n%s", log)
			}
		})
	}
}

// Imports whose bodies trickle in hold up nobody whose body is there.
func TestABodyThatTricklesInHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	for range 3 * maxImports {
		trickle, slow := io.Pipe()
		t.Cleanup(func() { slow.Close() })
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.http.URL+"/v1/conversations/import", trickle)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+h.key)
		go func() {
			if res, err := http.DefaultClient.Do(req); err == nil {
				res.Body.Close()
			}
		}()
		if _, err := io.WriteString(slow, `{"caller":`); err != nil { // the server reads it
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	_, err := h.admin.ImportConversation(ctx, client.ImportRequest{
		Caller: client.CallerRef{Phone: "+4930901820"}, StartedAt: time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC),
		Turns: []client.TurnInput{{Speaker: recaller.User, Text: "Hello."}},
	})
	if err != nil {
		t.Errorf("got %v, want the import carried out", err)
	}
}

// Where there is no room for a body, its sender is told to come again, and hears it even if it sends all before it reads.
func TestABodyWithoutRoomIsRefused(t *testing.T) {
	t.Parallel()
	h := setup(t, func(_ *Deps, o *Options) { o.MaxImport = 4 << 20 })
	trickle, slow := io.Pipe()
	t.Cleanup(func() { slow.Close() })
	most := `{"x":"` + strings.Repeat("x", 4<<20-100)
	req, err := http.NewRequestWithContext(
		t.Context(), http.MethodPost, h.http.URL+"/v1/conversations/import", io.MultiReader(strings.NewReader(most), trickle))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+h.key)
	go func() {
		if res, err := http.DefaultClient.Do(req); err == nil {
			res.Body.Close()
		}
	}()
	for h.srv.operations["import-conversations"].Bodies.Held() < int64(len(most)) { // until the server has read it
		runtime.Gosched()
	}
	conn := h.piped(t)
	_, err = fmt.Fprintf(conn, "POST /v1/conversations/import HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s",
		h.key, len(most)+2, most+`"}`)
	if err != nil {
		t.Fatalf("the body was not taken: %v", err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	answer, _ := io.ReadAll(res.Body)
	if res.StatusCode != http.StatusTooManyRequests || !strings.Contains(string(answer), importsAtWork) {
		t.Errorf("got %s %s, want exhausted, and why", res.Status, answer)
	}
}

// piped returns a connection to the server in which nothing waits: what one side writes, the other must read.
func (h *house) piped(t *testing.T) net.Conn {
	t.Helper()
	ours, theirs := net.Pipe()
	in := make(pipes, 1)
	in <- theirs
	srv := &http.Server{Handler: h.http.Config.Handler, ReadHeaderTimeout: time.Minute}
	go srv.Serve(in)
	t.Cleanup(func() { close(in); ours.Close(); srv.Close() })
	if err := ours.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return ours
}

// pipes are the connections that a server is to accept.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if c, ok := <-p; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (pipes) Close() error { return nil }

func (pipes) Addr() net.Addr { return &net.UnixAddr{} }
