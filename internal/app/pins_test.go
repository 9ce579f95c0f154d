package app

import (
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// says has a caller ring, say one thing, and hang up, and waits until the call is written up.
func (h *house) says(from, text string) {
	h.t.Helper()
	call := h.ring(from).Conversation.ID
	h.say(call, text)
	h.hangUp(call)
	h.writtenUp(call)
}

// pinned are a caller's documents of topics by their titles.
func (h *house) pinned(from string) map[string]client.Document {
	h.t.Helper()
	list, err := h.Documents(h.t.Context(), client.DocumentFilter{CallerID: from, Origin: recaller.DocumentPin})
	if err != nil {
		h.t.Fatal(err)
	}
	out := map[string]client.Document{}
	for _, d := range list.Documents {
		out[d.Title] = d
	}
	return out
}

// What comes up in three calls is told in the fourth, and what a client decides about it stands.
func TestAMatterThatComesBackIsTold(t *testing.T) {
	t.Parallel()
	const ana = "+14155550199"
	h := build(t, t.TempDir(), Options{}).start()
	for _, said := range []string{
		"The Orlando sale is on my mind.", "Any news of the Orlando sale?", "The buyer of the Orlando house wants to see the roof.",
	} {
		h.says(ana, said)
	}
	b := h.ring(ana).Briefing.Text
	_, told, found := strings.Cut(b, "## Matters that come back")
	if !found || !strings.Contains(told, "- Orlando sale: About: ") || !strings.Contains(told, "wants to see the roof") {
		t.Errorf("got %s", b)
	}
	d := h.pinned(ana)["Orlando sale"]
	if !d.Pinned || !strings.Contains(d.Content, "in 3 conversations") || d.Source != "pin" {
		t.Errorf("got %+v", d)
	}

	no := false
	if _, err := h.UpdateDocument(t.Context(), d.ID, client.DocumentPatch{Pinned: &no}); err != nil {
		t.Fatal(err)
	}
	h.says(ana, "The Orlando sale needs my signature.")
	if d := h.pinned(ana)["Orlando sale"]; d.Pinned || !strings.Contains(d.Content, "needs my signature") {
		t.Errorf("unpinned by hand: got %+v", d)
	}
	if b := h.ring(ana).Briefing.Text; strings.Contains(b, "Matters that come back") {
		t.Errorf("unpinned by hand: got %s", b)
	}
}

// Two pins of one matter are merged by hand, and what is said of either is about the one that stays.
func TestPinsOfOneMatterAreMerged(t *testing.T) {
	t.Parallel()
	const ana = "+14155550199"
	h := build(t, t.TempDir(), Options{}).start()
	for _, said := range []string{
		"My boiler is leaking.", "The radiator is cold.", "Is there any news about the boiler?", "The radiator makes noises.", "The boiler is still leaking.",
		"Please look at the radiator.",
	} {
		h.says(ana, said)
	}
	list := h.pinned(ana)
	if len(list) != 2 {
		t.Fatalf("got %+v, want two pins", list)
	}
	for range 2 {
		d, err := h.MergeDocument(t.Context(), list["Radiator"].ID, list["Boiler"].ID)
		if err != nil || d.Title != "Boiler" || !strings.Contains(d.Content, "The radiator is cold") {
			t.Errorf("got %+v, %v", d, err)
		}
	}
	h.says(ana, "The radiator is still cold.")
	list = h.pinned(ana)
	if d := list["Boiler"]; len(list) != 1 || !strings.Contains(d.Content, "The radiator is still cold") {
		t.Errorf("got %+v", list)
	}
	_, err := h.MergeDocument(t.Context(), list["Boiler"].ID, list["Boiler"].ID)
	wantStatus(t, err, 422)
}

// What a caller has forgotten is in no pin, wherever that is read.
func TestPinsForget(t *testing.T) {
	t.Parallel()
	const ana = "+14155550199"
	h := build(t, t.TempDir(), Options{}).start()
	for _, said := range []string{
		"My boiler is leaking.", "The key for the boiler is under the third flowerpot.", "The boiler is still leaking.",
	} {
		h.says(ana, said)
	}
	if d := h.pinned(ana)["Boiler"]; !strings.Contains(d.Content, "flowerpot") {
		t.Fatalf("got %+v", d)
	}
	h.says(ana, "Please forget what I said about the third flowerpot.")
	d := h.pinned(ana)["Boiler"]
	if strings.Contains(d.Content, "flowerpot") || !strings.Contains(d.Content, "My boiler is leaking") {
		t.Errorf("got %s", d.Content)
	}
	found, err := h.Query(t.Context(), client.QueryRequest{Text: "boiler", CallerID: ana})
	if err != nil || len(found.Results) == 0 {
		t.Fatalf("got %+v, %v", found, err)
	}
	for _, r := range found.Results {
		if strings.Contains(r.Snippet, "flowerpot") {
			t.Errorf("found %+v", r)
		}
	}
	if b := h.ring(ana).Briefing.Text; strings.Contains(b, "flowerpot") {
		t.Errorf("told %s", b)
	}
}
