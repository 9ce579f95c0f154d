package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// SearchVersion is what a file of conversations of one business has to say of itself.
const SearchVersion = "recaller-eval-search/1"

// Business is what a search over conversations is measured on: conversations of many callers of one business, and
// queries with the conversations that are right (docs/measurements/search.md shows the form).
type Business struct {
	Name          string
	Conversations []BusinessTalk
	Queries       []BusinessQuery
}

// BusinessTalk is one conversation.
type BusinessTalk struct {
	ID      string
	Caller  string // any name that tells callers apart
	Channel recaller.Channel
	At      time.Time
	Turns   []recaller.Turn // speaker and text
}

// BusinessQuery is one query. If no conversation is right, nothing should be found.
type BusinessQuery struct {
	ID, Type, Text string
	Right          []string // ids of conversations
}

// businessFile is the file as it is written.
type businessFile struct {
	Format        string `json:"format"`
	Name          string `json:"name"`
	Conversations []struct {
		ID      string `json:"id"`
		Caller  string `json:"caller"`
		Channel string `json:"channel"`
		At      string `json:"at"`
		Turns   []struct {
			Speaker string `json:"speaker"`
			Text    string `json:"text"`
		} `json:"turns"`
	} `json:"conversations"`
	Questions []struct {
		ID            string   `json:"id"`
		Type          string   `json:"type"`
		Text          string   `json:"text"`
		Conversations []string `json:"conversations"`
	} `json:"questions"`
}

// ReadBusiness reads a file of SearchVersion. An error says what was expected where; it holds nothing that people said.
func ReadBusiness(r io.Reader) (Business, error) {
	var f businessFile
	dec := json.NewDecoder(r)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		return Business{}, fmt.Errorf("expected an object with format, conversations and questions: %w", err)
	}
	if f.Format != SearchVersion {
		return Business{}, fmt.Errorf("format: expected %q", SearchVersion)
	}
	out, known := Business{Name: f.Name}, map[string]bool{}
	for i, c := range f.Conversations {
		at, err := clock("at", c.At)
		t := BusinessTalk{ID: c.ID, Caller: c.Caller, Channel: recaller.Channel(c.Channel), At: at}
		if c.Channel == "" {
			t.Channel = recaller.ChannelVoice
		}
		switch {
		case err != nil:
			return out, fmt.Errorf("conversations[%d].%w", i, err)
		case c.ID == "" || known[c.ID]:
			return out, fmt.Errorf("conversations[%d].id: expected one that no other conversation has", i)
		case c.Caller == "":
			return out, fmt.Errorf("conversations[%d].caller: expected one", i)
		case !t.Channel.Valid():
			return out, fmt.Errorf("conversations[%d].channel: expected one of %v", i, recaller.Channels())
		}
		known[c.ID] = true
		for j, said := range c.Turns {
			who := recaller.Speaker(said.Speaker)
			if who != recaller.User && who != recaller.Assistant {
				return out, fmt.Errorf("conversations[%d].turns[%d].speaker: expected user or assistant", i, j)
			}
			t.Turns = append(t.Turns, recaller.Turn{Speaker: who, Text: said.Text})
		}
		out.Conversations = append(out.Conversations, t)
	}
	for i, q := range f.Questions {
		unknown := func(id string) bool { return !known[id] }
		if q.ID == "" || strings.TrimSpace(q.Text) == "" || slices.ContainsFunc(q.Conversations, unknown) {
			return out, fmt.Errorf("questions[%d]: expected an id, a text, and ids of conversations", i)
		}
		out.Queries = append(out.Queries, BusinessQuery{q.ID, q.Type, q.Text, q.Conversations})
	}
	if len(out.Conversations) == 0 || len(out.Queries) == 0 {
		return out, errors.New("expected conversations and questions")
	}
	return out, nil
}

// SearchOutcome is what became of one query.
type SearchOutcome struct {
	ID    string  `json:"id"`
	Type  string  `json:"type"`
	Text  string  `json:"-"`     // a person's words
	Rank  int     `json:"rank"`  // of the first right conversation, from 1; 0: none came
	Empty bool    `json:"empty"` // nothing was found
	None  bool    `json:"none"`  // nothing is right
	MS    float64 `json:"ms"`
}

// Outcome tells what became of a query, by the ids that were found, best first.
func (q BusinessQuery) Outcome(found []string, took time.Duration) SearchOutcome {
	out := SearchOutcome{
		ID: q.ID, Type: q.Type, Text: q.Text, Empty: len(found) == 0, None: len(q.Right) == 0, MS: millis(took),
	}
	out.Rank = 1 + slices.IndexFunc(found, func(id string) bool { return slices.Contains(q.Right, id) })
	return out
}

// SearchScores are the measures over queries.
type SearchScores struct {
	N      int     `json:"n"` // queries to which some conversation is right
	Any1   float64 `json:"any@1"`
	Any5   float64 `json:"any@5"`
	Any10  float64 `json:"any@10"`
	MRR    float64 `json:"mrr"`
	None   int     `json:"none"`   // queries to which none is
	Silent int     `json:"silent"` // of them, those to which nothing was found
	MS     Spread  `json:"ms"`
}

// ScoreSearch adds up what became of queries, in all ("") and by their types.
func ScoreSearch(all []SearchOutcome) map[string]SearchScores {
	sums, times := map[string]SearchScores{}, map[string][]float64{}
	for _, o := range all {
		for _, kind := range []string{"", o.Type} {
			s := sums[kind]
			if times[kind] = append(times[kind], o.MS); o.None {
				s.None++
				s.Silent += int(indicator(o.Empty))
			} else {
				s.N++
				s.Any1 += indicator(o.Rank == 1)
				s.Any5 += indicator(o.Rank > 0 && o.Rank <= 5)
				s.Any10 += indicator(o.Rank > 0 && o.Rank <= 10)
				s.MRR += reciprocal([]int{o.Rank})
			}
			sums[kind] = s
			if o.Type == "" {
				break
			}
		}
	}
	for kind, s := range sums {
		n := float64(max(1, s.N))
		s.Any1, s.Any5, s.Any10, s.MRR, s.MS = s.Any1/n, s.Any5/n, s.Any10/n, s.MRR/n, spread(times[kind])
		sums[kind] = s
	}
	return sums
}
