package index

import (
	"unsafe"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/kind"
	"github.com/recallerhq/recaller/internal/recall/token"
)

// This file is about texts: whatever can be found that is neither a turn nor a memory. What is different from one kind
// of texts to another stands in its row of the table (internal/recall/kind). The summary of a conversation is a text
// too; the texts of segments are all summaries, and are read with their conversations.

// written is a text that is, or was, in the index.
type written struct {
	recaller.Text // as it may be told
	of            *kind.Kind
	doc           int32 // -1: it is not to be found
}

// textKey names a text.
type textKey struct {
	kind recaller.HitKind
	id   string
	part int
}

// textOverhead is about what the map of texts takes for each of them.
const textOverhead = 64

// know has the index take in texts of these kinds. Texts of others are left out.
func (ix *Index) know(kinds []kind.Kind) {
	ix.kinds = make(map[recaller.HitKind]*kind.Kind, 1+len(kinds))
	for _, k := range append(kinds[:len(kinds):len(kinds)], kind.Summary()) {
		if k.Weight == 0 {
			k.Weight = 1
		}
		ix.kinds[k.Name] = &k
	}
}

// takeText takes a text in as it now is, without what was forgotten of it.
func (ix *Index) takeText(to sink, t recaller.Text) {
	k := ix.kinds[t.Kind]
	if k == nil {
		return
	}
	if k.Words {
		t = ix.gone.Text(t, ix.said(t.Conversation))
	}
	ix.setText(to, k, t)
}

// said returns the turns of a conversation that the index holds.
func (ix *Index) said(conv recaller.ConversationID) []recaller.Turn {
	if si, ok := ix.byID[conv]; ok {
		return ix.sessions[si].turns
	}
	return nil
}

// setText puts a text in the place of the one of its name. One without words is not found.
func (ix *Index) setText(to sink, k *kind.Kind, t recaller.Text) {
	key := textKey{t.Kind, t.ID, t.Part}
	place, known := ix.byText[key]
	switch {
	case !known && t.Text == "":
		return
	case !known:
		place = int32(len(ix.texts))
		ix.byText[key] = place
		ix.texts = append(ix.texts, written{of: k, doc: -1})
		ix.bytes += int64(unsafe.Sizeof(written{})) + int64(len(t.ID)) + textOverhead
	}
	w := &ix.texts[place]
	if w.Title == t.Title && w.Text.Text == t.Text && (w.doc < 0 || ix.docs[w.doc].day == dayOf(ix.local(t.At))) {
		w.Text = t
		return
	}
	if w.doc >= 0 {
		ix.remove(uint32(w.doc))
	}
	ix.bytes += int64(len(t.Title) + len(t.Text) - len(w.Title) - len(w.Text.Text))
	w.Text, w.doc = t, -1
	if t.Text != "" {
		w.doc = int32(len(ix.docs))
		ix.addText(to, place)
	}
}

// addText indexes the words of a text.
func (ix *Index) addText(to sink, place int32) {
	w := &ix.texts[place]
	d := doc{session: -1, place: place, kind: text}
	si, here := ix.byID[w.Conversation]
	quoted := here && len(ix.sessions[si].turns) > 0
	var l token.Language
	if w.of.Within && here {
		d.session, l = si, ix.sessions[si].told
	} else {
		l = ix.tongue(w.Title, w.Text.Text)
		quoted = quoted || ix.older(w.Conversation)
	}
	d.echo = w.Quotes && quoted
	ix.add(to, ix.language(l), d, w.Title, w.Text.Text)
}

// about returns the conversation that a doc outside of all conversations is about; empty: none.
func (ix *Index) about(d *doc) recaller.ConversationID {
	if d.kind == memory {
		return ix.memories[d.place].Provenance.Conversation
	}
	return ix.texts[d.place].Conversation
}

// hideTexts takes out of all texts what was forgotten.
func (ix *Index) hideTexts() {
	for i := range ix.sessions {
		ix.setSummary(ix, int32(i), ix.sessions[i].written)
	}
	for i := range ix.texts {
		if w := &ix.texts[i]; w.doc >= 0 && w.Kind != recaller.HitSummary {
			ix.takeText(ix, w.Text)
		}
	}
}

// BuildHouse makes an index of a tenant's own texts, which Rank ranks beside what is held of a caller. It has nothing
// else of the corpus.
func BuildHouse(c recaller.Corpus, w Weights, kinds ...kind.Kind) *Index {
	ix := build(recaller.Corpus{Texts: c.Texts, Zone: c.Zone}, w, plan{several: true}, kinds)
	ix.house = true
	return ix
}
