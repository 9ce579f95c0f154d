// Package evalset measures recall on questions whose answers are known to lie in certain conversations: LongMemEval's,
// by that set's own metrics. It is what `recaller eval longmemeval` and the benchmarks run.
//
// It is for measuring, not for serving: nothing else imports it. Which conversations hold an answer never reaches
// the index.
package evalset

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// Question asks something of one user's past conversations.
type Question struct {
	ID       string
	Type     string // "multi-session", "temporal-reasoning" …
	Text     string
	AskedAt  time.Time
	Corpus   recaller.Corpus
	Sessions []recaller.ConversationID // that hold the answer
	Turns    []recaller.TurnID         // that hold the answer; may be empty
}

// record is a question as LongMemEval writes it.
type record struct {
	ID       string     `json:"question_id"`
	Type     string     `json:"question_type"`
	Question string     `json:"question"`
	Date     string     `json:"question_date"`
	Dates    []string   `json:"haystack_dates"`
	IDs      []string   `json:"haystack_session_ids"`
	Sessions [][]spoken `json:"haystack_sessions"`
	Answers  []string   `json:"answer_session_ids"`
}

type spoken struct {
	Role      string `json:"role"`
	Content   string `json:"content"`
	HasAnswer bool   `json:"has_answer"`
}

// dateLayout is how LongMemEval writes times.
const dateLayout = "2006/01/02 (Mon) 15:04"

// Load reads the questions of a LongMemEval file, JSON or gzipped JSON. Questions that have no answer in the
// conversations (abstention) are left out, as they are from the metrics.
func Load(path string) ([]Question, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open questions: %w", err)
	}
	defer f.Close()
	if !strings.HasSuffix(path, ".gz") {
		return Read(f)
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("unpack questions: %w", err)
	}
	defer z.Close()
	return Read(z)
}

// Read reads the questions of a LongMemEval file.
func Read(r io.Reader) ([]Question, error) {
	dec := json.NewDecoder(r)
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("read questions: %w", err)
	}
	var all []Question
	for dec.More() {
		var rec record
		if err := dec.Decode(&rec); err != nil {
			return nil, fmt.Errorf("read question %d: %w", len(all), err)
		}
		if strings.HasSuffix(rec.ID, "_abs") {
			continue
		}
		q, err := rec.question()
		if err != nil {
			return nil, fmt.Errorf("question %s: %w", rec.ID, err)
		}
		all = append(all, q)
	}
	return all, nil
}

func (rec *record) question() (Question, error) {
	if len(rec.Sessions) != len(rec.IDs) || len(rec.Dates) != len(rec.IDs) {
		return Question{}, errors.New("sessions, ids and dates differ in number")
	}
	asked, err := time.Parse(dateLayout, rec.Date)
	if err != nil {
		return Question{}, fmt.Errorf("question date: %w", err)
	}
	q := Question{ID: rec.ID, Type: rec.Type, Text: rec.Question, AskedAt: asked}
	q.Corpus = recaller.Corpus{Version: 1, Turns: make(map[recaller.ConversationID][]recaller.Turn, len(rec.IDs))}
	for i, id := range rec.IDs {
		conv := recaller.ConversationID(id)
		if _, twice := q.Corpus.Turns[conv]; twice {
			continue
		}
		at, err := time.Parse(dateLayout, rec.Dates[i])
		if err != nil {
			return Question{}, fmt.Errorf("session date: %w", err)
		}
		q.addSession(conv, at, rec.Sessions[i])
	}
	for _, id := range rec.Answers {
		q.Sessions = append(q.Sessions, recaller.ConversationID(id))
	}
	return q, nil
}

// addSession adds a conversation whose turns follow each other by a minute.
func (q *Question) addSession(id recaller.ConversationID, at time.Time, said []spoken) {
	turns := make([]recaller.Turn, len(said))
	for i, s := range said {
		t := recaller.Turn{
			ID: recaller.TurnID(fmt.Sprintf("%s-%d", id, i)), Number: i, Speaker: recaller.User,
			Text: s.Content, At: at.Add(time.Duration(i) * time.Minute), Confidence: 1,
		}
		if s.Role == "assistant" {
			t.Speaker = recaller.Assistant
		}
		if s.HasAnswer {
			q.Turns = append(q.Turns, t.ID)
		}
		turns[i] = t
	}
	q.Corpus.Turns[id] = turns
	q.Corpus.Conversations = append(q.Corpus.Conversations, recaller.Conversation{
		ID: id, ExternalID: string(id), Channel: recaller.ChannelAPI, Status: recaller.Completed,
		StartedAt: at, EndedAt: at.Add(time.Duration(len(said)) * time.Minute), Turns: len(said),
	})
}
