package eval

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall"
)

// session is one conversation as a file has it.
type session struct {
	id    string
	at    time.Time
	turns []said
}

// said is one turn as a file has it.
type said struct {
	id      string // unique in its case
	speaker recaller.Speaker
	name    string
	text    string
	at      time.Time // zero: a minute after the turn before
}

// assembly makes a case of sessions. It replaces ids by neutral ones, in the order of time, which tell nothing.
type assembly struct {
	c        Case
	sessions map[string]recaller.ConversationID // the file's id → ours
	turns    map[string]recaller.TurnID
	of       map[recaller.TurnID]recaller.ConversationID
}

func assemble(sessions []session) *assembly {
	a := &assembly{
		c:        Case{names: map[string]string{}},
		sessions: make(map[string]recaller.ConversationID, len(sessions)),
		turns:    map[string]recaller.TurnID{},
		of:       map[recaller.TurnID]recaller.ConversationID{},
	}
	a.c.Corpus = recaller.Corpus{Version: 1, Turns: make(map[recaller.ConversationID][]recaller.Turn, len(sessions))}
	slices.SortStableFunc(sessions, func(x, y session) int { return x.at.Compare(y.at) })
	for i, s := range sessions {
		a.add(recaller.ConversationID(fmt.Sprintf("c%04d", i+1)), s)
	}
	return a
}

func (a *assembly) add(id recaller.ConversationID, s session) {
	a.sessions[s.id], a.c.names[string(id)] = id, s.id
	turns := make([]recaller.Turn, len(s.turns))
	at := s.at
	for i, t := range s.turns {
		if i > 0 {
			at = at.Add(time.Minute)
		}
		if !t.at.IsZero() {
			at = t.at
		}
		turn := recaller.TurnID(fmt.Sprintf("%s-%04d", id, i+1))
		turns[i] = recaller.Turn{
			ID: turn, Number: i, Speaker: t.speaker, Name: t.name, Text: t.text, At: at, Confidence: 1,
		}
		a.turns[t.id], a.c.names[string(turn)], a.of[turn] = turn, t.id, id
	}
	a.c.Corpus.Turns[id] = turns
	a.c.Corpus.Conversations = append(a.c.Corpus.Conversations, recaller.Conversation{
		ID: id, ExternalID: string(id), Channel: recaller.ChannelAPI, Status: recaller.Completed,
		StartedAt: s.at, EndedAt: at.Add(time.Minute), Turns: len(turns),
	})
}

// askable reports whether recall takes a question of these words.
func askable(text string) bool {
	return strings.TrimSpace(text) != "" && len(text) <= recall.MaxQueryBytes
}

// ask adds a question, with the file's ids of its gold. The conversations of gold turns are gold too. It counts in the
// notes the ids that the corpus does not have, and leaves out a question with no others, or one that cannot be asked.
func (a *assembly) ask(q Question, sessions, turns []string, notes *Notes) {
	if !askable(q.Text) {
		notes.Unaskable++
		return
	}
	gold := func(id recaller.ConversationID) {
		if !slices.Contains(q.Sessions, id) {
			q.Sessions = append(q.Sessions, id)
		}
	}
	for _, id := range sessions {
		if ours, ok := a.sessions[id]; ok {
			gold(ours)
		} else {
			notes.Unknown++
		}
	}
	for _, id := range turns {
		ours, ok := a.turns[id]
		if !ok {
			notes.Unknown++
			continue
		}
		if !slices.Contains(q.Turns, ours) {
			q.Turns = append(q.Turns, ours)
		}
		gold(a.of[ours])
	}
	if len(q.Sessions) == 0 {
		notes.WithoutEvidence++
		return
	}
	a.c.Questions = append(a.c.Questions, q)
}
