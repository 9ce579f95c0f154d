package transcript

import (
	"bufio"
	"errors"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// maxLine bounds a line of text; a turn may go on over many.
const maxLine = 1 << 20

// parseText reads "SPEAKER: text" lines. A line of three dashes or equals signs separates conversations. If a later one
// does not say who calls, the caller is that of the one before.
func parseText(r io.Reader, opts Options) iter.Seq2[Conversation, error] {
	return func(yield func(Conversation, error) bool) {
		ids, caller := unique{}, opts.Caller
		draft, line := newDraft(1), 0
		finish := func() bool {
			if draft.empty() {
				return true
			}
			conv, err := draft.conversation(caller, opts, ids)
			caller = conv.Caller
			return yield(conv, err) && err == nil
		}
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, maxLine)
		for lines.Scan() {
			line++
			if parting(lines.Text()) {
				if !finish() {
					return
				}
				draft = newDraft(line + 1)
				continue
			}
			if err := draft.take(line, lines.Text()); err != nil {
				yield(Conversation{}, err)
				return
			}
		}
		if err := lines.Err(); err != nil {
			if errors.Is(err, bufio.ErrTooLong) {
				err = at(line+1, "", "expected a line of at most %d bytes", maxLine)
			} else {
				err = unreadable(err)
			}
			yield(Conversation{}, err)
			return
		}
		if draft.empty() && draft.first == 1 {
			yield(Conversation{}, recaller.Errorf(recaller.Invalid, `the file has no line such as "CALLER: hello"`))
			return
		}
		finish()
	}
}

// parting reports whether a line separates two conversations.
func parting(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) >= 3 && (strings.Trim(line, "-") == "" || strings.Trim(line, "=") == "")
}

// A draft is a conversation while its lines are read.
type draft struct {
	first    int // the line it begins on
	indent   int // of its first speaker; deeper lines continue a turn
	header   header
	inHeader bool
	entries  []entry
}

// An entry is a turn before it is known which side spoke.
type entry struct {
	line   int
	label  string
	offset time.Duration // since the start; negative if not told
	when   time.Time     // if told as such
	text   []string      // as the lines have it
	bytes  int           // how much text that is
}

func newDraft(line int) *draft { return &draft{first: line, inHeader: true} }

func (d *draft) empty() bool { return len(d.entries) == 0 && d.header == (header{}) }

// take reads one line.
func (d *draft) take(number int, raw string) error {
	raw = strings.ToValidUTF8(strings.TrimRight(raw, " \t\r"), "\uFFFD")
	if d.inHeader {
		if strings.TrimSpace(raw) == "" {
			d.inHeader = d.empty()
			return nil
		}
		done, err := d.header.take(number, raw)
		if done || err != nil {
			return err
		}
		d.inHeader = false
	}
	indent := len(raw) - len(strings.TrimLeft(raw, " \t"))
	line := readLine(strings.TrimSpace(raw))
	switch {
	case line.stage:
	case line.label != "" && (len(d.entries) == 0 || indent <= d.indent):
		if len(d.entries) == 0 {
			d.indent = indent
		}
		d.entries = append(d.entries, entry{line: number, label: line.label, offset: line.offset, when: line.when})
		return d.say(line.text)
	case len(d.entries) > 0:
		return d.say(strings.TrimSpace(raw))
	case line.text != "":
		return at(number, "", `expected a speaker first, such as "CALLER: hello"`)
	}
	return nil
}

// say adds text to the last turn.
func (d *draft) say(text string) error {
	last := &d.entries[len(d.entries)-1]
	if text == "" {
		return nil
	}
	if last.bytes += len(text) + 1; last.bytes > recaller.MaxTurnBytes {
		return at(last.line, "", "expected a turn of at most %d bytes", recaller.MaxTurnBytes)
	}
	last.text = append(last.text, text)
	return nil
}

// conversation makes a conversation of the lines that were read. Caller is who calls if the header does not say.
func (d *draft) conversation(caller Caller, opts Options, ids unique) (Conversation, error) {
	c := Conversation{
		Caller: d.header.caller(caller), ExternalID: d.header.externalID, Channel: d.header.channel,
		Direction: d.header.direction, Status: d.header.status, StartedAt: d.header.started, EndedAt: d.header.ended,
	}
	if c.StartedAt.IsZero() {
		c.StartedAt = opts.StartedAt
	}
	switch {
	case !c.Caller.known():
		return Conversation{}, at(d.first, "", `expected to be told who calls: a line "Phone: +15551234567" or "Caller ID: …" before the first speaker`)
	case c.StartedAt.IsZero():
		return Conversation{}, at(d.first, "", `expected to be told when: a line "Started: 2026-03-01 10:00" before the first speaker`)
	case !c.EndedAt.IsZero() && c.EndedAt.Before(c.StartedAt):
		return Conversation{}, at(d.first, "Ended", "expected a time not before the start")
	case c.ExternalID != "" && ids[c.ExternalID] > 0:
		return Conversation{}, at(d.first, "External ID", "is the same as that of an earlier conversation")
	}
	ids.take(c.ExternalID)
	sides, err := d.sides(opts.FirstSpeaker)
	if err != nil {
		return Conversation{}, err
	}
	for i := range d.entries {
		if turn := d.entries[i].turn(c.StartedAt, sides); turn.Text != "" {
			c.add(turn)
		}
	}
	if len(c.Turns) == 0 {
		return Conversation{}, at(d.first, "", "the conversation has no words")
	}
	return c.withDefaults(), nil
}

// sides finds which side each label means. At most two labels may be words that do not tell, such as names.
func (d *draft) sides(first recaller.Speaker) (map[string]recaller.Speaker, error) {
	found := map[string]recaller.Speaker{}
	taken := map[recaller.Speaker]bool{}
	var unknown []*entry
	for i := range d.entries {
		e := &d.entries[i]
		key := strings.ToLower(e.label)
		if _, seen := found[key]; seen {
			continue
		}
		side := sideOf(e.label)
		found[key] = side
		if side == "" {
			unknown = append(unknown, e)
		} else {
			taken[side] = true
		}
	}
	switch {
	case len(unknown) == 0:
		return found, nil
	case len(unknown) > 2 || len(unknown)+len(taken) > 2:
		e := unknown[len(unknown)-1]
		return nil, at(e.line, "",
			"a speaker that is neither the caller nor the agent; a line that goes on with a turn must be indented")
	case len(unknown) == 1 && len(taken) == 1:
		for side := range taken {
			found[strings.ToLower(unknown[0].label)] = other(side)
		}
		return found, nil
	case !first.Valid():
		return nil, at(unknown[0].line, "",
			"cannot tell who is the caller and who the agent: use words such as CALLER and AGENT, or say which side "+
				"speaks first")
	}
	found[strings.ToLower(unknown[0].label)] = first
	if len(unknown) == 2 {
		found[strings.ToLower(unknown[1].label)] = other(first)
	}
	return found, nil
}

func other(side recaller.Speaker) recaller.Speaker {
	if side == recaller.User {
		return recaller.Assistant
	}
	return recaller.User
}

func (e *entry) turn(start time.Time, sides map[string]recaller.Speaker) recaller.Turn {
	t := recaller.Turn{
		Speaker: sides[strings.ToLower(e.label)], Text: unquote(strings.Join(e.text, " ")), At: e.when, Confidence: 1,
	}
	if e.when.IsZero() && e.offset >= 0 {
		t.At = start.Add(e.offset)
	}
	if !isRole(e.label) {
		t.Name = e.label
	}
	return t
}

// unquote removes the quotation marks around a whole turn.
func unquote(s string) string {
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' || strings.Count(s, `"`) != 2 {
		return s
	}
	return strings.TrimSpace(s[1 : len(s)-1])
}
