package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// record is a question as LongMemEval writes it.
type record struct {
	ID       string        `json:"question_id"`
	Type     string        `json:"question_type"`
	Question string        `json:"question"`
	Answer   text          `json:"answer"`
	Date     string        `json:"question_date"`
	Dates    []string      `json:"haystack_dates"`
	IDs      []string      `json:"haystack_session_ids"`
	Sessions [][]statement `json:"haystack_sessions"`
	Answers  []string      `json:"answer_session_ids"`
}

type statement struct {
	Role      string `json:"role"`
	Content   string `json:"content"`
	HasAnswer bool   `json:"has_answer"`
}

// text is a JSON string, or a number or truth value as it is written: answers come as all of them.
type text string

// UnmarshalJSON takes any scalar; null is the empty text.
func (t *text) UnmarshalJSON(raw []byte) error {
	var s string
	switch {
	case string(raw) == "null":
	case raw[0] == '"':
		if err := json.Unmarshal(raw, &s); err != nil {
			return err
		}
	case raw[0] == '{' || raw[0] == '[':
		return errors.New("answer: expected a string, a number or a truth value")
	default:
		s = string(raw)
	}
	*t = text(s)
	return nil
}

// The time layout of LongMemEval, and how an error shows it.
const (
	longMemEvalTime    = "2006/01/02 (Mon) 15:04"
	longMemEvalExample = `"2023/05/30 (Tue) 23:40"`
)

// readLongMemEval reads one question with its conversations. Of conversations with one id the first counts.
func readLongMemEval(n int, dec *json.Decoder, notes *Notes) (Case, error) {
	var rec record
	if err := dec.Decode(&rec); err != nil {
		return Case{}, fmt.Errorf("question %d: %w", n, err)
	}
	if strings.HasSuffix(rec.ID, "_abs") {
		notes.Abstention++
		return Case{}, nil
	}
	c, err := rec.read(notes)
	if err != nil {
		return Case{}, fmt.Errorf("question %d: %w", n, err)
	}
	return c, nil
}

func (rec *record) read(notes *Notes) (Case, error) {
	if len(rec.Sessions) != len(rec.IDs) || len(rec.Dates) != len(rec.IDs) {
		return Case{}, errors.New("haystack_sessions, haystack_session_ids and haystack_dates differ in length")
	}
	asked, err := time.Parse(longMemEvalTime, rec.Date)
	if err != nil {
		return Case{}, errors.New("question_date is no time: expected such as " + longMemEvalExample)
	}
	var sessions []session
	var gold []string
	met := make(map[string]bool, len(rec.IDs))
	for i, id := range rec.IDs {
		if met[id] {
			continue
		}
		met[id] = true
		s := session{id: id}
		if s.at, err = time.Parse(longMemEvalTime, rec.Dates[i]); err != nil {
			return Case{}, fmt.Errorf("haystack_dates[%d] is no time: expected such as %s", i, longMemEvalExample)
		}
		for j, st := range rec.Sessions[i] {
			t := said{id: fmt.Sprintf("%s-%d", id, j), speaker: recaller.User, text: st.Content}
			if st.Role == string(recaller.Assistant) {
				t.speaker = recaller.Assistant
			}
			if st.HasAnswer {
				gold = append(gold, t.id)
			}
			s.turns = append(s.turns, t)
		}
		sessions = append(sessions, s)
	}
	a := assemble(sessions)
	a.askMarked(Question{ID: rec.ID, Type: rec.Type, Asked: Asked{rec.Question, asked}, Answer: string(rec.Answer)},
		rec.Answers, gold, notes)
	return a.c, nil
}

// askMarked adds a question whose gold conversations are all told: a marked turn elsewhere makes none.
func (a *assembly) askMarked(q Question, sessions, turns []string, notes *Notes) {
	marked := make([]recaller.TurnID, 0, len(turns))
	for _, id := range turns {
		marked = append(marked, a.turns[id])
	}
	q.Turns = marked
	a.ask(q, sessions, nil, notes)
}
