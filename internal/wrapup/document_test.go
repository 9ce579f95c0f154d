package wrapup_test

import (
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/document"
)

func (h *house) paper(conv recaller.Conversation) recaller.Document {
	h.Helper()
	d, err := h.documents.Get(h.ctx, "t1", recaller.DocumentID(conv.ID))
	h.ok(err)
	return d
}

// A voice conversation leaves a document in V's layout (V5): titled, tagged, and of nothing but what its summary says.
func TestAVoiceConversationLeavesADocument(t *testing.T) {
	h := newHouse(t, recaller.Tenant{})
	h.tenant.Name = "Deep Claw"
	_, job := h.hold(past{words: visit})
	conv := h.run(job)
	if p := h.progress(conv, recaller.StepDocument); p.State != recaller.StepDone || p.By != conv.Summary.By {
		t.Errorf("got the step %+v, want it done", p)
	}
	d := h.paper(conv)
	title := "Voice Call Summary — " + conv.StartedAt.In(time.FixedZone("", -5*3600)).Format("2006-01-02 03:04 PM")
	if d.Title != title || d.Source != "voice-call" || strings.Join(d.Tags, ", ") != "voice-session, deep-claw, phone-call" {
		t.Errorf("got %q from %q tagged %v, want %q from voice-call, tagged as V's", d.Title, d.Source, d.Tags, title)
	}
	if d.Origin != recaller.DocumentSession || d.Conversation != conv.ID || d.Caller != conv.Caller || !d.CreatedAt.Equal(conv.EndedAt) {
		t.Errorf("got %+v, want it to be of the conversation, as old as its end", d)
	}
	lines := strings.Split(d.Content, "\n")
	if lines[0] != "## "+title || lines[2] != "**Session:** voice-session:"+string(conv.ID) ||
		!strings.HasPrefix(lines[3], "**Duration:** ") || !strings.HasPrefix(lines[4], "**Caller:** Rosa") {
		t.Errorf("got the header\n%s", strings.Join(lines[:5], "\n"))
	}
	for _, line := range append(conv.Summary.Decisions, conv.Summary.Next) {
		if !strings.Contains(d.Content, line) {
			t.Errorf("the document does not tell %q:\n%s", line, d.Content)
		}
	}
	for _, action := range conv.Summary.Actions {
		if !strings.Contains(d.Content, "\n- [ ] "+action+"\n") {
			t.Errorf("no box for %q:\n%s", action, d.Content)
		}
	}
}

// To write a conversation up again changes nothing; what a client made of its document stays.
func TestADocumentIsWrittenOnceAndLeftToItsClient(t *testing.T) {
	h := newHouse(t, recaller.Tenant{})
	_, job := h.hold(past{words: visit})
	conv := h.run(job)
	first := h.paper(conv)
	caller, err := h.store.Caller(h.ctx, "t1", conv.Caller)
	h.ok(err)
	again := func(topics ...string) recaller.Document {
		if topics != nil {
			conv.Summary.Topics = topics
		}
		if there, err := h.documents.FileSession(h.ctx, h.tenant, caller, conv); err != nil || !there {
			t.Fatalf("got %v, %v", there, err)
		}
		return h.paper(conv)
	}
	if d := again(); d.Version != first.Version {
		t.Errorf("the same summary made version %d of it", d.Version)
	}
	pinned, tags := true, []string{"kitchen"}
	if _, err := h.documents.Update(h.ctx, "t1", first.ID, document.Patch{Pinned: &pinned, Tags: &tags}); err != nil {
		t.Fatal(err)
	}
	d := again("The sink, in better words.")
	if !strings.Contains(d.Content, "in better words") || !d.Pinned || strings.Join(d.Tags, ",") != "kitchen" {
		t.Errorf("got %+v, want the new summary, still pinned and tagged by the client", d)
	}
	mine := "My own notes."
	if _, err := h.documents.Update(h.ctx, "t1", first.ID, document.Patch{Content: &mine}); err != nil {
		t.Fatal(err)
	}
	if d := again("Yet another."); d.Content != mine || d.Origin != recaller.DocumentWritten {
		t.Errorf("got %+v, want the client's words", d)
	}
}

func TestWhatIsNoVoiceConversationLeavesNoDocument(t *testing.T) {
	h := newHouse(t, recaller.Tenant{})
	text, job := h.hold(past{words: visit, channel: recaller.ChannelSMS})
	h.run(job)
	silent, job := h.hold(past{})
	h.run(job)
	if p := h.progress(silent, recaller.StepDocument); p.State != recaller.StepSkipped {
		t.Errorf("got %+v for a call in which nothing was said, want it skipped", p)
	}
	for _, conv := range []recaller.Conversation{text, silent} {
		if _, err := h.documents.Get(h.ctx, "t1", recaller.DocumentID(conv.ID)); recaller.KindOf(err) != recaller.NotFound {
			t.Errorf("got %v, want no document", err)
		}
	}
}
