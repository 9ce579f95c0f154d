package cli

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// cue is what the caller does next in a call that is spoken.
type cue struct {
	text    string
	over    bool          // he speaks over the agent
	pause   time.Duration // he waits
	command string        // "hangup" or "drop"
}

// maxScript bounds a script, in bytes.
const maxScript = 256 << 10

// cuesOf reads a script: what the caller says, a line each.
func cuesOf(r io.Reader, name string) ([]cue, error) {
	var cues []cue
	lines := bufio.NewScanner(io.LimitReader(r, maxScript))
	for n := 1; lines.Scan(); n++ {
		c, ok, err := cueOf(lines.Text())
		if err != nil {
			return nil, usagef("%s, line %d: %v", name, n, err)
		}
		if ok {
			cues = append(cues, c)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return cues, nil
}

// cueOf reads a line; false: there is nothing to do. Lines of the agent's are left out: it speaks for itself.
func cueOf(raw string) (cue, bool, error) {
	raw = strings.TrimSpace(raw)
	if raw == "" || strings.HasPrefix(raw, "#") {
		return cue{}, false, nil
	}
	if name, ok := strings.CutPrefix(raw, "/"); ok {
		return commandOf(name)
	}
	if label, text, ok := strings.Cut(raw, ":"); ok {
		switch speaker, known := speakerOf(strings.ToLower(strings.TrimSpace(label))); {
		case known && speaker == recaller.Assistant:
			return cue{}, false, nil
		case known:
			raw = strings.TrimSpace(text)
		}
	}
	text, over := strings.CutPrefix(raw, "!")
	text = strings.TrimSpace(text)
	return cue{text: text, over: over}, text != "", nil
}

func commandOf(name string) (cue, bool, error) {
	name, rest, _ := strings.Cut(name, " ")
	switch name {
	case "hangup", "drop":
		return cue{command: name}, true, nil
	case "wait":
		seconds, err := strconv.ParseFloat(strings.TrimSpace(rest), 64)
		if err != nil || seconds < 0 || seconds > 60 {
			return cue{}, false, fmt.Errorf("/wait takes seconds, 0 to 60, not %q", rest)
		}
		return cue{pause: time.Duration(seconds * float64(time.Second))}, true, nil
	default:
		return cue{}, false, fmt.Errorf("there is no /%s here; there are /wait, /hangup and /drop", name)
	}
}
