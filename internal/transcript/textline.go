package transcript

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
)

// A header is what the lines before the first speaker say of a conversation.
type header struct {
	phone, externalCaller, name string
	externalID                  string
	channel                     recaller.Channel
	direction                   recaller.Direction
	status                      recaller.Status
	started, ended              time.Time
}

// take reads a "Key: value" line. done is false if the line does not belong to the header.
func (h *header) take(number int, line string) (done bool, err error) {
	key, value, ok := strings.Cut(line, ":")
	if value = strings.TrimSpace(value); !ok {
		return false, nil
	}
	words := strings.FieldsFunc(key, func(r rune) bool { return r == ' ' || r == '_' || r == '-' })
	switch strings.ToLower(strings.Join(words, " ")) {
	case "phone", "from", "number":
		h.phone = value
	case "caller id", "caller external id":
		h.externalCaller = value
	case "name", "caller name":
		h.name = value
	case "external id", "id", "conversation", "session":
		h.externalID = value
	case "channel":
		if h.channel = recaller.Channel(strings.ToLower(value)); !h.channel.Valid() {
			return true, at(number, "Channel", "expected one of %v", recaller.Channels())
		}
	case "direction":
		if h.direction = recaller.Direction(strings.ToLower(value)); !h.direction.Valid() {
			return true, at(number, "Direction", "expected inbound or outbound")
		}
	case "status":
		h.status = recaller.Status(strings.ToLower(value))
		if h.status != recaller.Completed && h.status != recaller.Failed {
			return true, at(number, "Status", "expected completed or failed")
		}
	case "started", "start", "date", "started at":
		if h.started, ok = timeOr(value, time.Time{}); !ok {
			return true, at(number, "Started", "expected a time such as 2026-03-01 10:00")
		}
	case "ended", "end", "ended at":
		if h.ended, ok = timeOr(value, time.Time{}); !ok {
			return true, at(number, "Ended", "expected a time such as 2026-03-01 10:05")
		}
	default:
		return false, nil
	}
	return true, nil
}

// caller returns who the header names, or the fallback.
func (h *header) caller(fallback Caller) Caller {
	c := Caller{Phone: h.phone, ExternalID: h.externalCaller, Name: h.name}
	if c.known() {
		return c
	}
	if h.name != "" {
		fallback.Name = h.name
	}
	return fallback
}

// A line is one line of a transcript, taken apart.
type line struct {
	label  string        // the speaker; empty: the line continues a turn
	offset time.Duration // since the start; negative if not told
	when   time.Time     // if told as such
	text   string
	stage  bool // "[the line drops]": nobody said it
}

// maxLabel bounds the length of a speaker's label in runes.
const maxLabel = 40

// The ways to write when something was said: a time within the call before the speaker ("[00:01:02]", "(1:02)",
// "00:01:02.5 -") or after ("AGENT [00:01:02]:"), or a bracketed date and time.
var (
	clock     = regexp.MustCompile(`^[\[(]?\s*(?:(\d{1,2}):)?(\d{1,3}):(\d{2}(?:[.,]\d{1,3})?)\s*[\])]?(?:\s*-)?(?:\s+|$)`)
	lateClock = regexp.MustCompile(`^([^:\[(]{1,60}?)\s*([\[(](?:\d{1,2}:)?\d{1,3}:\d{2}(?:[.,]\d{1,3})?[\])])\s*:(.*)$`)
	stamp     = regexp.MustCompile(`^[\[(]\s*(\d{4}-\d\d-\d\d[^\])]*)[\])]\s*`)
)

// readLine splits a line into its parts. Without a speaker, the text is the whole line.
func readLine(raw string) line {
	l := line{offset: -1}
	rest := l.takeTime(raw)
	if m := lateClock.FindStringSubmatch(rest); m != nil {
		l.takeTime(m[2])
		rest = m[1] + ":" + m[3]
	}
	if strings.HasPrefix(rest, "[") && strings.HasSuffix(rest, "]") {
		return line{offset: -1, stage: true}
	}
	label, text, ok := strings.Cut(rest, ":")
	label = strings.TrimSpace(label)
	if !ok || !isLabel(label) || (text != "" && !strings.HasPrefix(text, " ") && !strings.HasPrefix(text, "\t")) {
		return line{offset: -1, text: raw}
	}
	l.label, l.text = label, strings.TrimSpace(text)
	return l
}

// takeTime takes a time off the front of a line and returns the rest.
func (l *line) takeTime(s string) string {
	if m := stamp.FindStringSubmatch(s); m != nil {
		if t, ok := timeOr(m[1], time.Time{}); ok {
			l.when = t
			return s[len(m[0]):]
		}
	}
	m := clock.FindStringSubmatch(s)
	if m == nil {
		return s
	}
	hours, _ := strconv.Atoi(m[1]) // digits or empty
	minutes, _ := strconv.Atoi(m[2])
	secs, _ := strconv.ParseFloat(strings.Replace(m[3], ",", ".", 1), 64)
	l.offset = time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute + seconds(secs)
	return s[len(m[0]):]
}

// isLabel reports whether s can be a speaker: a word for a side, or up to three words that begin like a name.
func isLabel(s string) bool {
	if s == "" || utf8.RuneCountInString(s) > maxLabel {
		return false
	}
	words := strings.Fields(s)
	if len(words) > 3 {
		return false
	}
	first, _ := utf8.DecodeRuneInString(s)
	if !unicode.IsUpper(first) && sideOf(s) == "" {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" .'’-_#", r)
	})
}
