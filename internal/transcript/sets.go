package transcript

import (
	"fmt"
	"io"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// longMemEvalQuestion is what is read of a question: the sessions, but not question, answer or gold marks.
type longMemEvalQuestion struct {
	ID       string   `json:"question_id"`
	Dates    []string `json:"haystack_dates"`
	IDs      []string `json:"haystack_session_ids"`
	Sessions [][]struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"haystack_sessions"`
}

// parseLongMemEval reads each question as one user, whose external id is the question's, and each session as one chat,
// oldest first. An id that comes twice gets a suffix (see unique).
func parseLongMemEval(r io.Reader, opts Options) iter.Seq2[Conversation, error] {
	return func(yield func(Conversation, error) bool) {
		ids, place, found := unique{}, -1, false
		for it, err := range items(r) {
			if err != nil {
				yield(Conversation{}, err)
				return
			}
			place++
			if !picked(it, opts.Question, place) {
				continue
			}
			found = true
			for conv, err := range longMemEvalUser(it, ids) {
				if !yield(conv, err) || err != nil {
					return
				}
			}
			if opts.Question != "" {
				return
			}
		}
		if opts.Question != "" && !found {
			yield(Conversation{}, recaller.InvalidField("question", "the file has no such question; it has %d", place+1))
		}
	}
}

// picked reports whether a question is the one asked for: by its id, or by its place, a number of at most four digits.
func picked(it item, want string, place int) bool {
	if want == "" {
		return true
	}
	if n, err := strconv.Atoi(want); err == nil && len(want) <= 4 && n == place {
		return true
	}
	var head struct {
		ID string `json:"question_id"`
	}
	return it.into(&head) == nil && head.ID == want
}

func longMemEvalUser(it item, ids unique) iter.Seq2[Conversation, error] {
	return func(yield func(Conversation, error) bool) {
		var q longMemEvalQuestion
		if err := it.into(&q); err != nil {
			yield(Conversation{}, err)
			return
		}
		convs, err := q.conversations(it.line)
		if err != nil {
			yield(Conversation{}, err)
			return
		}
		for _, conv := range convs {
			conv.ExternalID = ids.take(conv.ExternalID)
			if !yield(conv, nil) {
				return
			}
		}
	}
}

func (q longMemEvalQuestion) conversations(line int) ([]Conversation, error) {
	if q.ID == "" {
		return nil, at(line, "question_id", "expected an id")
	}
	if len(q.Dates) != len(q.Sessions) || len(q.IDs) != len(q.Sessions) {
		return nil, at(line, "haystack_sessions", "expected as many as haystack_dates and haystack_session_ids")
	}
	var convs []Conversation
	for i, session := range q.Sessions {
		start, ok := timeOr(q.Dates[i], time.Time{})
		if !ok || start.IsZero() {
			return nil, at(line, fmt.Sprintf("haystack_dates[%d]", i), "expected a time such as 2023/05/30 (Tue) 23:40")
		}
		c := Conversation{
			Caller: Caller{ExternalID: q.ID}, ExternalID: q.IDs[i], Channel: recaller.ChannelWebChat, StartedAt: start,
		}
		for j, t := range session {
			side := sideOf(t.Role)
			field := fmt.Sprintf("haystack_sessions[%d][%d]", i, j)
			if side == "" {
				return nil, at(line, field+".role", "expected user or assistant")
			}
			if len(t.Content) > recaller.MaxTurnBytes {
				return nil, at(line, field+".content", "expected at most %d bytes", recaller.MaxTurnBytes)
			}
			if strings.TrimSpace(t.Content) != "" {
				c.add(recaller.Turn{Speaker: side, Text: t.Content, Confidence: 1})
			}
		}
		if len(c.Turns) > 0 {
			convs = append(convs, c.withDefaults())
		}
	}
	slices.SortStableFunc(convs, func(a, b Conversation) int { return a.StartedAt.Compare(b.StartedAt) })
	return convs, nil
}

// harperValleyCall is what is read of a call: not the task, the agent's notes, or the surveys.
type harperValleyCall struct {
	ID      string  `json:"sid"`
	StartMS float64 `json:"start_time_ms"`
	EndMS   float64 `json:"end_time_ms"`
	Caller  struct {
		Name string `json:"name"`
	} `json:"caller"`
	Segments []struct {
		StartMS    float64 `json:"start_ms"`
		Role       string  `json:"speaker_role"`
		Human      string  `json:"human_transcript"`
		Recogniser string  `json:"transcript"`
	} `json:"segments"`
}

// sounds matches what transcribers write for sounds: "[noise]", "[laughter]", "<unk>".
var sounds = regexp.MustCompile(`\[[a-z][a-z _-]*\]|<[a-z]+>`)

func parseHarperValley(r io.Reader, opts Options) iter.Seq2[Conversation, error] {
	ids := unique{}
	return each(r, func(it item) (Conversation, error) {
		var call harperValleyCall
		if err := it.into(&call); err != nil {
			return Conversation{}, err
		}
		return call.conversation(it.line, opts, ids)
	})
}

func (call harperValleyCall) conversation(line int, opts Options, ids unique) (Conversation, error) {
	switch {
	case call.ID == "":
		return Conversation{}, at(line, "sid", "expected an id")
	case call.StartMS <= 0 || call.StartMS > 1e14 || call.EndMS < call.StartMS || call.EndMS > 1e14:
		return Conversation{}, at(line, "start_time_ms", "expected milliseconds since 1970, and end_time_ms after them")
	}
	who := call.Caller.Name
	if who == "" {
		who = call.ID
	}
	c := Conversation{
		Caller: Caller{Phone: FakePhone(who)}, ExternalID: ids.take(call.ID),
		StartedAt: time.UnixMilli(int64(call.StartMS)).UTC(), EndedAt: time.UnixMilli(int64(call.EndMS)).UTC(),
	}
	if opts.GiveNames {
		c.Caller.Name = call.Caller.Name
	}
	for i, s := range call.Segments {
		side := sideOf(s.Role)
		if side == "" {
			return Conversation{}, at(line, fmt.Sprintf("segments[%d].speaker_role", i), "expected caller or agent")
		}
		text := s.Human
		if opts.Recogniser {
			text = s.Recogniser
		}
		text = strings.Join(strings.Fields(sounds.ReplaceAllString(text, " ")), " ")
		if len(text) > recaller.MaxTurnBytes {
			return Conversation{}, at(line, fmt.Sprintf("segments[%d]", i), "expected at most %d bytes",
				recaller.MaxTurnBytes)
		}
		if text != "" {
			c.Turns = append(c.Turns, recaller.Turn{Speaker: side, Text: text, At: c.StartedAt.Add(seconds(s.StartMS / 1000)), Confidence: 1})
		}
	}
	return c.inOrder(line, "segments")
}

// priMock57Consultation is what is read of a consultation: not the complaint, the note, or its highlights.
type priMock57Consultation struct {
	ID       string  `json:"id"`
	Duration float64 `json:"duration_s"`
	Turns    []struct {
		Start   float64 `json:"start_s"`
		Speaker string  `json:"speaker"`
		Text    string  `json:"text"`
	} `json:"turns"`
}

// parsePriMock57 reads consultations, each with a patient of its own under a made-up number. The set has no dates. So
// "day2_consultation05" gets the second day, at the fifth half hour after the options' start, which is 4 January 2021,
// 08:00 UTC by default.
func parsePriMock57(r io.Reader, opts Options) iter.Seq2[Conversation, error] {
	ids := unique{}
	first := opts.StartedAt
	if first.IsZero() {
		first = time.Date(2021, 1, 4, 8, 0, 0, 0, time.UTC)
	}
	return each(r, func(it item) (Conversation, error) {
		var in priMock57Consultation
		if err := it.into(&in); err != nil {
			return Conversation{}, err
		}
		return in.conversation(it.line, first, ids)
	})
}

func (in priMock57Consultation) conversation(line int, first time.Time, ids unique) (Conversation, error) {
	if in.ID == "" {
		return Conversation{}, at(line, "id", "expected an id")
	}
	start := first
	var day, number int
	n, _ := fmt.Sscanf(in.ID, "day%d_consultation%d", &day, &number)
	if n == 2 && 0 < day && day < 1000 && 0 <= number && number < 48 {
		start = first.AddDate(0, 0, day-1).Add(time.Duration(number) * 30 * time.Minute)
	}
	c := Conversation{
		Caller: Caller{Phone: FakePhone("primock57 " + in.ID)}, ExternalID: ids.take(in.ID),
		StartedAt: start, EndedAt: start.Add(seconds(in.Duration)),
	}
	for i, t := range in.Turns {
		side := sideOf(t.Speaker)
		field := fmt.Sprintf("turns[%d]", i)
		switch {
		case side == "":
			return Conversation{}, at(line, field+".speaker", "expected user or assistant")
		case len(t.Text) > recaller.MaxTurnBytes:
			return Conversation{}, at(line, field+".text", "expected at most %d bytes", recaller.MaxTurnBytes)
		case strings.TrimSpace(t.Text) != "":
			c.Turns = append(c.Turns, recaller.Turn{Speaker: side, Text: t.Text, At: start.Add(seconds(t.Start)), Confidence: 1})
		}
	}
	return c.inOrder(line, "turns")
}

// each reads a file whose items are conversations.
func each(r io.Reader, read func(item) (Conversation, error)) iter.Seq2[Conversation, error] {
	return func(yield func(Conversation, error) bool) {
		for it, err := range items(r) {
			var conv Conversation
			if err == nil {
				conv, err = read(it)
			}
			if !yield(conv, err) || err != nil {
				return
			}
		}
	}
}

// inOrder sorts the turns of a recording by time, because those of two channels are not sorted, and numbers them.
func (c Conversation) inOrder(line int, field string) (Conversation, error) {
	if len(c.Turns) == 0 {
		return Conversation{}, at(line, field, "expected words")
	}
	slices.SortStableFunc(c.Turns, func(a, b recaller.Turn) int { return a.At.Compare(b.At) })
	for i := range c.Turns {
		c.Turns[i].Number = i
	}
	if last := c.Turns[len(c.Turns)-1].At; c.EndedAt.Before(last) {
		c.EndedAt = last
	}
	return c.withDefaults(), nil
}
