package llmtest

import (
	"regexp"
	"strconv"
	"strings"
)

// turn is one line of a conversation, as models are given it.
type turn struct {
	n    int
	user bool
	text string
}

var (
	line = regexp.MustCompile(`(?m)^\[(\d+)\] (USER|ASSISTANT): (.*)$`)
	mine = regexp.MustCompile(`(?i)\bmy ([a-z]+(?: [a-z]+)?)(?: is called|'s name is| is| are) ([^.,;!?]+)`)
	like = regexp.MustCompile(`(?i)\bI (?:really )?(?:like|love|enjoy) ([^.,;!?]+)`)
)

// Answer is the default answer. Asked for memories, it lists what the caller's turns say in the plainest ways ("my X is
// Y", "I love Z"), each with its turn; asked for a summary, it puts one together from the caller's own words; asked for
// anything else, it says how much it was told. The same question always gets the same answer.
func Answer(q Request) string {
	turns := read(q.Text)
	switch about := strings.ToLower(q.SchemaName + " " + string(q.Schema) + " " + q.System); {
	case strings.Contains(about, `"memories"`):
		return string(encode(object{"memories": memories(turns)}))
	case strings.Contains(about, `"brief"`):
		return string(encode(summary(turns)))
	case q.Form != "":
		return "{}"
	default:
		return "I heard " + strconv.Itoa(len(strings.Fields(q.Text))) + " words."
	}
}

// read finds the turns in a text.
func read(text string) []turn {
	var out []turn
	for _, m := range line.FindAllStringSubmatch(text, -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			continue // a number that no turn has
		}
		out = append(out, turn{n: n, user: m[2] == "USER", text: strings.TrimSpace(m[3])})
	}
	return out
}

// Entry is a memory in the form that models are asked for.
type Entry struct {
	Type       string  `json:"type"`
	Key        string  `json:"key"`
	Value      string  `json:"value"`
	Confidence float64 `json:"confidence"`
	Turns      []int   `json:"turns"`
	Due        string  `json:"due"`
}

func memories(turns []turn) []Entry {
	out := []Entry{}
	for _, t := range turns {
		if !t.user {
			continue
		}
		for _, m := range mine.FindAllStringSubmatch(t.text, -1) {
			out = append(out, Entry{Type: "fact", Key: key(m[1]), Value: strings.TrimSpace(m[0]), Confidence: 0.9, Turns: []int{t.n}})
		}
		for _, m := range like.FindAllStringSubmatch(t.text, -1) {
			out = append(out, Entry{Type: "preference", Key: "likes_" + key(m[1]), Value: strings.TrimSpace(m[0]), Confidence: 0.8, Turns: []int{t.n}})
		}
	}
	return out
}

// key makes a key of at most three words.
func key(s string) string {
	fields := strings.Fields(strings.ToLower(s))
	return strings.Trim(strings.Join(fields[:min(len(fields), 3)], "_"), "'\"")
}

func summary(turns []turn) object {
	var said []string
	for _, t := range turns {
		if t.user {
			said = append(said, "Caller said “"+strings.TrimSpace(clip(t.text, 180))+"”")
		}
	}
	out := object{"brief": "", "topics": []string{}, "decisions": []string{}, "actions": []string{}, "facts": []string{}, "next": ""}
	if len(said) == 0 {
		return out
	}
	out["brief"], out["facts"], out["next"] = said[0], said[:min(len(said), 3)], said[len(said)-1]
	return out
}

// clip keeps the first words of a text, at most n bytes of them.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:strings.LastIndexByte(s[:n], ' ')+1]
}
