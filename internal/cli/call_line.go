package cli

import (
	"strings"

	"github.com/recallerhq/recaller"
)

// line is what one typed line asks for: a command, or something said.
type line struct {
	command string // without the slash; empty: something is said
	rest    string // what follows the command
	speaker recaller.Speaker
	text    string
}

// sides tracks whose turn it is while one person types both sides. They alternate. A line may begin with who speaks
// ("A: good morning"), and an empty line passes the turn.
type sides struct {
	next  recaller.Speaker
	alone bool // only the caller types: a model answers
}

// read understands one typed line. An empty line gives a line with nothing said.
func (s *sides) read(raw string) line {
	raw = strings.TrimSpace(raw)
	if raw == "" {
		s.pass()
		return line{}
	}
	if name, ok := strings.CutPrefix(raw, "/"); ok {
		command, rest, _ := strings.Cut(name, " ")
		command, rest = strings.ToLower(command), strings.TrimSpace(rest)
		if speaker, ok := speakerOf(command); ok {
			return s.say(speaker, rest)
		}
		return line{command: command, rest: rest}
	}
	if label, text, ok := strings.Cut(raw, ":"); ok {
		if speaker, ok := speakerOf(strings.ToLower(strings.TrimSpace(label))); ok {
			return s.say(speaker, strings.TrimSpace(text))
		}
	}
	return s.say(s.next, raw)
}

func (s *sides) say(speaker recaller.Speaker, text string) line {
	if s.alone {
		speaker = recaller.User
	}
	s.next = speaker
	if text != "" {
		s.pass()
	}
	return line{speaker: speaker, text: text}
}

func (s *sides) pass() {
	if s.alone {
		return
	}
	if s.next == recaller.User {
		s.next = recaller.Assistant
	} else {
		s.next = recaller.User
	}
}

// speakerOf returns the side that people mean by a label.
func speakerOf(label string) (recaller.Speaker, bool) {
	switch label {
	case "c", "u", "caller", "user", "customer", "patient":
		return recaller.User, true
	case "a", "agent", "assistant", "bot", "doctor":
		return recaller.Assistant, true
	default:
		return "", false
	}
}

// sideName is what the screen calls a side.
func sideName(speaker recaller.Speaker) string {
	if speaker == recaller.Assistant {
		return "agent"
	}
	return "caller"
}
