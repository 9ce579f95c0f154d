package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// sample is one dialogue with its questions, as LoCoMo writes it.
type sample struct {
	ID           string                     `json:"sample_id"`
	Conversation map[string]json.RawMessage `json:"conversation"` // speaker_a, speaker_b, session_1, session_1_date_time …
	QA           []struct {
		Question string          `json:"question"`
		Answer   text            `json:"answer"`
		Evidence json.RawMessage `json:"evidence"`
		Category int             `json:"category"`
	} `json:"qa"`
}

// utterance is one turn of a dialogue. What a photo was looked for by ("query") and where it lies ("img_url") nobody
// said.
type utterance struct {
	Speaker string `json:"speaker"`
	ID      string `json:"dia_id"`
	Text    string `json:"text"`
	Caption string `json:"blip_caption"`
}

// The time layout of LoCoMo, and how an error shows it.
const (
	loCoMoTime    = "3:04 pm on 2 January, 2006"
	loCoMoExample = `"1:56 pm on 8 May, 2023"`
)

const adversarial = 5

// category names LoCoMo's kinds of questions by their numbers.
func category(n int) (name string, ok bool) {
	names := map[int]string{
		1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", adversarial: "adversarial",
	}
	name, ok = names[n]
	return name, ok
}

// readLoCoMo reads one dialogue with its questions. The questions are asked a day after the last session.
func readLoCoMo(n int, dec *json.Decoder, how Reading, notes *Notes) (Case, error) {
	var s sample
	if err := dec.Decode(&s); err != nil {
		return Case{}, fmt.Errorf("sample %d: %w", n, err)
	}
	sessions, err := s.sessions()
	if err != nil {
		return Case{}, fmt.Errorf("sample %d: %w", n, err)
	}
	var last time.Time
	for _, one := range sessions {
		if one.at.After(last) {
			last = one.at
		}
	}
	a := assemble(sessions)
	for i, qa := range s.QA {
		kind, ok := category(qa.Category)
		if !ok {
			return Case{}, fmt.Errorf("sample %d: qa[%d]: category: expected a number from 1 to 5", n, i)
		}
		if qa.Category == adversarial && !how.AllCategories {
			notes.Adversarial++
			continue
		}
		turns, unread := evidence(qa.Evidence)
		notes.Unreadable += unread
		a.ask(Question{
			ID: fmt.Sprintf("%s/%d", s.ID, i), Type: kind, Asked: Asked{qa.Question, last.AddDate(0, 0, 1)},
			Answer: string(qa.Answer),
		}, nil, turns, notes)
	}
	return a.c, nil
}

var sessionKey = regexp.MustCompile(`^session_(\d+)$`)

func (s *sample) sessions() ([]session, error) {
	var all []session
	for _, key := range slices.Sorted(maps.Keys(s.Conversation)) {
		m := sessionKey.FindStringSubmatch(key)
		if m == nil {
			continue
		}
		var turns []utterance
		if err := json.Unmarshal(s.Conversation[key], &turns); err != nil {
			return nil, fmt.Errorf("conversation.%s: %w", key, err)
		}
		if len(turns) == 0 {
			continue
		}
		one := session{id: "D" + m[1]}
		var stamp string
		if err := json.Unmarshal(s.Conversation[key+"_date_time"], &stamp); err != nil {
			return nil, fmt.Errorf("conversation.%s_date_time: expected such as %s", key, loCoMoExample)
		}
		var err error
		if one.at, err = time.Parse(loCoMoTime, stamp); err != nil {
			return nil, fmt.Errorf("conversation.%s_date_time is no time: expected such as %s", key, loCoMoExample)
		}
		for i, u := range turns {
			one.turns = append(one.turns, u.turn(m[1], i+1))
		}
		all = append(all, one)
	}
	if len(all) == 0 {
		return nil, errors.New("conversation: expected at least one session_1 with turns")
	}
	return all, nil
}

// turn makes a turn of ours. Both speakers are people who talk to each other, so both are users, told apart by name:
// neither is the agent, whose words recall weighs less. A photo is its caption, in words.
func (u utterance) turn(session string, place int) said {
	t := said{id: fmt.Sprintf("D%s:%d", session, place), speaker: recaller.User, name: u.Speaker, text: u.Text}
	if ids, _ := dialogIDs(u.ID); len(ids) == 1 {
		t.id = ids[0]
	}
	if u.Caption != "" {
		if t.text != "" {
			t.text += " "
		}
		t.text += "[shares a photo: " + u.Caption + "]"
	}
	return t
}

// evidence reads the ids of turns, and counts the pieces in which there is none. The list is written in many ways:
// "D8:6; D9:17" and "D9:1 D4:4" are two turns, "D:11:26" and "D11:026" are turn 26 of session 11, and "D" is nothing.
func evidence(raw json.RawMessage) (turns []string, unread int) {
	var pieces []json.RawMessage
	if json.Unmarshal(raw, &pieces) != nil { // one string instead of a list
		if len(raw) == 0 {
			return nil, 0
		}
		pieces = []json.RawMessage{raw}
	}
	for _, piece := range pieces {
		var s string
		if json.Unmarshal(piece, &s) != nil {
			unread++
			continue
		}
		ids, bad := dialogIDs(s)
		turns = append(turns, ids...)
		unread += bad
	}
	return turns, unread
}

var (
	dialogID    = regexp.MustCompile(`^\(?[Dd]:?(\d{1,6}):(\d{1,6})\)?$`)
	dialogParts = regexp.MustCompile(`[\s;,]+`)
)

// dialogIDs finds all turns that a piece of evidence names, in one writing, and counts the parts that name none.
func dialogIDs(piece string) (ids []string, unread int) {
	for _, part := range dialogParts.Split(piece, -1) {
		m := dialogID.FindStringSubmatch(part)
		switch {
		case m != nil:
			ids = append(ids, "D"+number(m[1])+":"+number(m[2]))
		case part != "":
			unread++
		}
	}
	if len(ids) == 0 && unread == 0 {
		unread = 1 // an empty piece
	}
	return ids, unread
}

// number writes digits without leading zeros.
func number(digits string) string {
	last := len(digits) - 1
	return strings.TrimLeft(digits[:last], "0") + digits[last:]
}
