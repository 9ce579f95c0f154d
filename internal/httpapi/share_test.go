package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
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
	none := func(func(recaller.Memory, error) bool) {}
	return privacy.Export{Caller: recaller.Caller{ID: "ann"}, Memories: none, Conversations: l.conversations}, nil
}

func long(i int) privacy.ExportedConversation {
	return privacy.ExportedConversation{
		Conversation: recaller.Conversation{ID: recaller.ConversationID(fmt.Sprint("conv-", i)), Turns: 1},
		Words:        []recaller.Turn{{Speaker: recaller.User, Text: strings.Repeat("word ", 2000)}},
	}
}

// Whoever exports reads the first conversations before the last have left the store, so the server need not hold all.
func TestAnExportIsSentWhileItIsRead(t *testing.T) {
	t.Parallel()
	heard := make(chan struct{})
	h := setup(t, func(d *Deps, _ *Options) {
		d.Privacy = large{Privacy: d.Privacy, conversations: func(yield func(privacy.ExportedConversation, error) bool) {
			for i := range 300 {
				if i == 200 {
					<-heard
				}
				if !yield(long(i), nil) {
					return
				}
			}
		}}
	})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.http.URL+"/v1/callers/ann/export", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+h.key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	first := make([]byte, 4096)
	if _, err := io.ReadFull(res.Body, first); err != nil {
		t.Fatal(err)
	}
	close(heard)
	rest, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	var got client.Export
	if err := json.Unmarshal(append(first, rest...), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Conversations) != 300 || got.Conversations[299].ID != "conv-299" || got.Caller.ID != "ann" || got.Memories == nil {
		t.Errorf("got %d conversations of %s, want 300 of ann", len(got.Conversations), got.Caller.ID)
	}
}

// Half an export is never taken for a whole one.
func TestAnExportThatFailsBreaksTheConnection(t *testing.T) {
	t.Parallel()
	h := setup(t, func(d *Deps, _ *Options) {
		d.Privacy = large{Privacy: d.Privacy, conversations: func(yield func(privacy.ExportedConversation, error) bool) {
			_ = yield(long(0), nil) && yield(privacy.ExportedConversation{}, recaller.Errorf(recaller.Unavailable, "away"))
		}}
	})
	if got, err := h.admin.ExportCaller(t.Context(), "ann"); err == nil {
		t.Errorf("got an export of %d conversations, want an error", len(got.Conversations))
	}
	if log := h.logs.String(); !strings.Contains(log, "export broke off") {
		t.Errorf("the log does not say that an export broke off:\n%s", log)
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

// Where there is no room for a body, its sender is told to come again.
func TestABodyWithoutRoomIsRefused(t *testing.T) {
	t.Parallel()
	h := setup(t, func(_ *Deps, o *Options) { o.MaxImport = 64 << 10 })
	trickle, slow := io.Pipe()
	t.Cleanup(func() { slow.Close() })
	most := `{"x":"` + strings.Repeat("x", 50<<10)
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
	p := h.refused(t, http.StatusTooManyRequests, "POST", "/v1/conversations/import", most+`"}`)
	if p.Code != "exhausted" || p.Detail != importsAtWork {
		t.Errorf("got %+v, want exhausted, and why", p)
	}
}
