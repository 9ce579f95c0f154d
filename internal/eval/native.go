package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall"
)

// NativeVersion is what a file of our own format has to say of itself.
const NativeVersion = "recaller-eval/1"

// person is one person with conversations and questions, as our own format writes it (docs/recall.md).
type person struct {
	ID            string         `json:"id"`
	Conversations []conversation `json:"conversations"`
	Questions     []question     `json:"questions"`
}

type conversation struct {
	ID    string `json:"id"`
	At    string `json:"at"`
	Turns []turn `json:"turns"`
}

type turn struct {
	ID      string `json:"id"` // else CONVERSATION:N, from 1
	Speaker string `json:"speaker"`
	Name    string `json:"name"`
	Text    string `json:"text"`
	At      string `json:"at"`
}

type question struct {
	ID            string   `json:"id"`
	Type          string   `json:"type"`
	Text          string   `json:"text"`
	At            string   `json:"asked_at"`
	Answer        text     `json:"answer"`
	Turns         []string `json:"turns"`
	Conversations []string `json:"conversations"`
}

// readNative reads {"format": "recaller-eval/1", "name": …, "people": […]}, a person at a time.
func readNative(r io.Reader, notes *Notes) iter.Seq2[Case, error] {
	return func(yield func(Case, error) bool) {
		dec := json.NewDecoder(r)
		dec.DisallowUnknownFields()
		fail := func(err error) { yield(Case{}, err) }
		if err := delimiter(dec, '{'); err != nil {
			fail(fmt.Errorf("expected an object with format and people: %w", err))
			return
		}
		format, people := "", false
		for dec.More() {
			key, err := dec.Token()
			if err != nil {
				fail(err)
				return
			}
			switch key {
			case "format":
				if err := dec.Decode(&format); err != nil || format != NativeVersion {
					fail(fmt.Errorf("format: expected %q", NativeVersion))
					return
				}
			case "name":
				var name string
				if err := dec.Decode(&name); err != nil {
					fail(fmt.Errorf("name: %w", err))
					return
				}
			case "people":
				people = true
				if !readPeople(dec, format, notes, yield) {
					return
				}
			default:
				fail(errors.New("an unknown field: expected format, name and people"))
				return
			}
		}
		switch err := delimiter(dec, '}'); {
		case err != nil:
			fail(fmt.Errorf("the object does not end: %w", err))
		case !people:
			fail(errors.New("people: expected a list of people"))
		}
	}
}

// readPeople reads the list of people, and reports whether to go on.
func readPeople(dec *json.Decoder, format string, notes *Notes, yield func(Case, error) bool) bool {
	if format == "" {
		yield(Case{}, fmt.Errorf("format: expected %q before people", NativeVersion))
		return false
	}
	if err := delimiter(dec, '['); err != nil {
		yield(Case{}, fmt.Errorf("people: expected a list: %w", err))
		return false
	}
	return list(dec, func(n int, dec *json.Decoder) (Case, error) {
		var p person
		if err := dec.Decode(&p); err != nil {
			return Case{}, fmt.Errorf("people[%d]: %w", n-1, err)
		}
		c, err := p.read(notes)
		if err != nil {
			return Case{}, fmt.Errorf("people[%d]: %w", n-1, err)
		}
		return c, nil
	}, yield)
}

func (p *person) read(notes *Notes) (Case, error) {
	var sessions []session
	taken := map[string]bool{}
	for i := range p.Conversations {
		s, err := p.Conversations[i].read(taken)
		if err != nil {
			return Case{}, fmt.Errorf("conversations[%d].%w", i, err)
		}
		sessions = append(sessions, s)
	}
	a := assemble(sessions)
	for i, q := range p.Questions {
		at, err := clock("asked_at", q.At)
		switch {
		case err != nil:
			return Case{}, fmt.Errorf("questions[%d].%w", i, err)
		case strings.TrimSpace(q.ID) == "":
			return Case{}, fmt.Errorf("questions[%d].id: expected one", i)
		case !askable(q.Text):
			return Case{}, fmt.Errorf("questions[%d].text: expected a question of at most %d bytes", i,
				recall.MaxQueryBytes)
		}
		known := notes.Unknown
		a.ask(Question{ID: p.ID + "/" + q.ID, Type: q.Type, Asked: Asked{q.Text, at}, Answer: string(q.Answer)},
			q.Conversations, q.Turns, notes)
		if notes.Unknown != known {
			return Case{}, fmt.Errorf("questions[%d]: turns or conversations: expected ids of this person's", i)
		}
	}
	return a.c, nil
}

// read checks a conversation. Ids of conversations and turns are unique in a person.
func (c *conversation) read(taken map[string]bool) (session, error) {
	s := session{id: c.ID}
	if c.ID == "" || taken["conversation "+c.ID] {
		return s, errors.New("id: expected one that no other conversation of this person has")
	}
	taken["conversation "+c.ID] = true
	var err error
	if s.at, err = clock("at", c.At); err != nil {
		return s, err
	}
	for i, t := range c.Turns {
		one := said{id: t.ID, speaker: recaller.Speaker(t.Speaker), name: t.Name, text: t.Text}
		if one.id == "" {
			one.id = fmt.Sprintf("%s:%d", c.ID, i+1)
		}
		if taken["turn "+one.id] {
			return s, fmt.Errorf("turns[%d].id: expected one that no other turn of this person has", i)
		}
		taken["turn "+one.id] = true
		if one.speaker != recaller.User && one.speaker != recaller.Assistant {
			return s, fmt.Errorf("turns[%d].speaker: expected user or assistant", i)
		}
		if t.At != "" {
			if one.at, err = clock("at", t.At); err != nil {
				return s, fmt.Errorf("turns[%d].%w", i, err)
			}
		}
		s.turns = append(s.turns, one)
	}
	return s, nil
}

// clock reads a time of our own format: with its zone, or in UTC.
func clock(field, value string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"} {
		if t, err := time.Parse(layout, value); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%s: expected a time such as 2026-05-30T14:00:00+02:00 or 2026-05-30 14:00", field)
}
