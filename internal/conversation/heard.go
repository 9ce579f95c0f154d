package conversation

import (
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
	"github.com/recallerhq/recaller/internal/guard"
	"github.com/recallerhq/recaller/internal/livebuffer"
)

// heard is what was said in a conversation, as far as this process keeps it. The entry's mu guards it.
type heard struct {
	only     []recaller.Turn // words that nobody else has: ephemeral ones, and imported ones until they are written up
	size     int             // bytes of only, where they are ephemeral
	glance   livebuffer.Buffer
	talk     guard.Dialogue // what was asked last; decides how the answer is masked
	lastUser int            // the number of the user's last turn, as far as is known; -1: none
	gone     forgotten.View // what was forgotten of the caller, as far as this process has heard
	private  forgotten.View // what he marked as private, as far as this process has heard
}

// add takes in turns. ephemeral says that nobody else keeps their words.
func (h *heard) add(turns []recaller.Turn, ephemeral bool) {
	for _, t := range turns {
		h.glance.Add(t)
		if t.Speaker == recaller.User {
			h.lastUser = max(h.lastUser, t.Number)
		}
		if ephemeral {
			h.only, h.size = append(h.only, t), h.size+len(t.Text)
		}
	}
	for h.size > maxWords && len(h.only) > 1 {
		h.size -= len(h.only[0].Text)
		h.only[0] = recaller.Turn{}
		h.only = h.only[1:]
	}
}

// again takes in what was said before this process took the conversation up, so that the moment is known, and what was
// asked last. What of it only an earlier process had is lost.
func (h *heard) again(turns []recaller.Turn) {
	h.add(turns, false)
	for _, t := range turns {
		_, _ = h.talk.Mask(t.Speaker, t.Text) // it was masked before it was kept
	}
}

// rename gives held words the ids and numbers that the store has for them. It drops those that are not new, because
// they were heard before.
func (h *heard) rename(held, stored []recaller.Turn, isNew func(recaller.Turn) bool) {
	if len(h.only) == 0 {
		return
	}
	as := make(map[recaller.TurnID]recaller.Turn, len(held))
	for i, t := range stored {
		as[held[i].ID] = t
	}
	words := h.only[:0]
	for _, word := range h.only {
		t, is := as[word.ID]
		switch {
		case !is:
		case isNew(t):
			word.ID, word.Number = t.ID, t.Number
		default:
			h.size -= len(word.Text)
			continue
		}
		words = append(words, word)
	}
	clear(h.only[len(words):])
	h.only = words
}

// lastWords is how many turns of a call that broke off a briefing may see.
const lastWords = 16

// last returns the last turns as they were heard. Long ones are cut, and those that say what was forgotten, or is
// private, are left out.
func (h *heard) last(conv recaller.ConversationID, now time.Time) []recaller.Turn {
	last := h.glance.Turns(now)
	last = last[max(0, len(last)-lastWords):]
	turns := make([]recaller.Turn, len(last))
	for i, t := range last {
		turns[i] = recaller.Turn{Number: t.Number, Speaker: t.Speaker, Text: t.Text, At: t.At, Confidence: 1}
	}
	return h.private.Turns(conv, h.gone.Turns(conv, turns))
}

// momentTurns is how many of the user's turns say what is being talked about.
const momentTurns = 3

// moment says what is being talked about: the last turns of the user, newest last, each as long as the buffer holds it.
// It is empty if nothing was said yet.
func (h *heard) moment(now time.Time) string {
	var last []string
	for _, t := range slices.Backward(h.glance.Turns(now)) {
		if t.Speaker != recaller.User {
			continue
		}
		if last = append(last, t.Text); len(last) == momentTurns {
			break
		}
	}
	slices.Reverse(last)
	return strings.Join(last, "\n")
}

func textBytes(turns []recaller.Turn) (n int) {
	for _, t := range turns {
		n += len(t.Text)
	}
	return n
}
