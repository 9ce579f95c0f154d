package rehearsal

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/realtime"
	rules "github.com/recallerhq/recaller/internal/speech"
	"github.com/recallerhq/recaller/internal/wrapup/extract"
	"github.com/recallerhq/recaller/internal/wrapup/name"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// Mind is what a Model thinks with in a rehearsal. It is no language model: it greets, asks the memory what it is asked,
// has the memory keep what the rules of the wrap-up find worth keeping, and says goodbye. All that it knows it has from its instructions, from the words
// of the call, and from what its tools answer. Safe for concurrent use.
type Mind struct {
	hearsay *Hearsay
	voice   Voice
	now     func() time.Time
	did     func(Did)

	mu     sync.Mutex // guards what follows
	asked  []realtime.Call
	said   []recaller.Turn // so far, the newest of it
	caller string          // as he is called; empty: not known
	kept   memory          // what it had kept last
	noted  int             // how often it was told something
	first  string          // what it says before what its tools give it to say
	bye    bool            // the caller has said goodbye
}

// Did is a tool call that a Mind made, and what came of it.
type Did struct {
	Tool      string
	Arguments string // JSON
	Answer    string // JSON
}

// maxSaid is how many turns of the call are read for what is worth keeping.
const maxSaid = 40

// NewMind returns a Mind, which reads days by now. did is told of each tool call, once it is answered; nil: nobody is.
func NewMind(hearsay *Hearsay, voice Voice, now func() time.Time, did func(Did)) *Mind {
	if did == nil {
		did = func(Did) {}
	}
	return &Mind{hearsay: hearsay, voice: voice, now: now, did: did}
}

// Think is for ModelOptions.
func (m *Mind) Think(h Heard) Reply {
	m.mu.Lock()
	defer m.mu.Unlock()
	reply := m.think(h)
	if reply.Say == "" {
		return reply
	}
	m.note(recaller.Assistant, reply.Say)
	audio, err := m.voice.Speak(context.Background(), reply.Say)
	if err != nil {
		return Reply{Fail: true}
	}
	reply.Audio = audio
	return reply
}

// note remembers what was said. The lock is held.
func (m *Mind) note(by recaller.Speaker, text string) {
	n := 0
	if len(m.said) > 0 {
		n = m.said[len(m.said)-1].Number + 1
	}
	m.said = append(m.said[max(0, len(m.said)-maxSaid+1):], recaller.Turn{Number: n, Speaker: by, Text: text, Confidence: 1})
}

// The words by which a bridge has a model say a greeting.
const greetingMark = "say nothing else: "

// think decides what to say, and what to call. The lock is held.
func (m *Mind) think(h Heard) Reply {
	if called := calledIn(h.Instructions); called != "" && m.caller == "" {
		m.caller = called
	}
	words := m.hearsay.Words(h.Audio)
	switch {
	case len(h.Results) > 0:
		return m.tell(h.Results)
	case strings.Contains(h.Asked, greetingMark):
		_, greeting, _ := strings.Cut(h.Asked, greetingMark)
		return Reply{Say: greeting}
	case h.N == 1 && len(h.Items) == 0 && words == "":
		return Reply{Say: m.greet(h.Instructions)}
	case words == "":
		return Reply{Say: "I am sorry, I did not hear that."}
	}
	return m.answer(words)
}

// greet opens a call by what the briefing tells of the last one.
func (m *Mind) greet(instructions string) string {
	last := lastTold(instructions)
	switch {
	case m.caller == "" && last == "":
		return "Hello, this is the rehearsal line. Who is calling, please?"
	case last == "":
		return "Hello " + m.caller + ", good to hear you again. What can I do for you?"
	}
	did := "told me"
	if strings.HasSuffix(last, "?") {
		did = "asked"
	}
	return "Hello" + strings.TrimSuffix(" "+m.caller, " ") + ", welcome back. Last time you " + did + ": " + ended(last) + " What can I do for you?"
}

// answer takes what the caller said. What it says, it says after the tools have answered.
func (m *Mind) answer(words string) Reply {
	m.note(recaller.User, words)
	var calls []realtime.Call
	m.first, m.bye = "", false
	named, _, ok := name.Said([]recaller.Turn{{Speaker: recaller.User, Text: words, Confidence: 1}})
	if ok && named != m.caller && !farewell(words) {
		m.caller, m.first = named, "Nice to meet you, "+named+"."
		calls = append(calls, call(recaller.ToolStoreMemory, "memory_type", string(recaller.Fact), "key", "name", "value", named))
	}
	sentences := rules.Sentences(words)
	if again := m.corrected(words); again != nil {
		calls = append(calls, again...)
	} else {
		calls = append(calls, m.memorable(sentences)...)
	}
	for _, s := range sentences {
		said := strings.TrimSpace(s.Text)
		switch {
		case farewell(said):
			m.bye = true
		case request(said):
		case (s.Question || strings.HasSuffix(said, "?")) && !(ok && len(wordsIn(said)) < 4): // "Grüß Gott, Tischlerei?"
			calls = append(calls, call(recaller.ToolRecall, "query", said))
		}
	}
	if m.asked = calls; len(calls) == 0 {
		return m.last("")
	}
	return Reply{Calls: calls}
}

// memorable has the memory keep what is worth it of what was said last: what the wrap-up will find in it, so that it is
// there once, else what the caller tells of what is his.
func (m *Mind) memorable(sentences []rules.Sentence) (calls []realtime.Call) {
	store := func(kind recaller.MemoryType, key, value string) {
		if key != "name" && key != strings.Join(wordsIn(m.caller), "_") {
			calls = append(calls, m.store(memory{kind: kind, key: key, value: value}))
		}
	}
	now := m.said[len(m.said)-1].Number
	for _, c := range extract.Memories(reading.Of(m.said, m.now(), false)) {
		if slices.Contains(c.Turns, now) {
			store(c.Type, c.Key, c.Value)
		}
	}
	if len(calls) > 0 {
		return calls
	}
	for _, s := range sentences {
		if of := thing(plain(s.Text)); of != "" && !s.Question {
			store(recaller.Fact, of, plain(s.Text))
		}
	}
	return calls
}

// corrected has what the caller had kept right before kept with his correction behind it: which word it stands for, rules
// do not know. It is one of that only if both tell a number, or both a day.
func (m *Mind) corrected(words string) []realtime.Call {
	now := m.said[len(m.said)-1].Number
	if m.kept.key == "" || now-m.kept.at > 2 || !corrects(words) {
		return nil
	}
	both := reading.Of([]recaller.Turn{{Speaker: recaller.User, Text: m.kept.value}, {Speaker: recaller.User, Text: words}}, m.now(), false).Turns
	days := len(both[0].Dates) > 0 && len(both[1].Dates) > 0
	if numbers := numbered(m.kept.value) && numbered(words); !days && !numbers {
		return nil
	}
	c := m.kept
	c.value = ended(c.value) + " " + words
	return []realtime.Call{m.store(c)}
}

// memory is something that it had kept, and the turn that told it.
type memory struct {
	kind       recaller.MemoryType
	key, value string
	at         int
}

func (m *Mind) store(c memory) realtime.Call {
	c.at = m.said[len(m.said)-1].Number
	m.kept = c
	return call(recaller.ToolStoreMemory, "memory_type", string(c.kind), "key", c.key, "value", c.value)
}

// last is what it says at the end of its turn, after what the tools gave it to say.
func (m *Mind) last(told string) Reply {
	said := strings.TrimSpace(m.first + " " + told)
	switch {
	case m.bye:
		m.asked = []realtime.Call{{Name: endCall, Arguments: []byte(`{}`)}}
		goodbye := "Goodbye" + strings.TrimSuffix(" "+m.caller, " ") + ". Take care."
		return Reply{Say: strings.TrimSpace(said + " " + goodbye), Calls: m.asked}
	case said == "":
		said = "I see. Is there anything else?"
	case said == m.first:
		said += " What can I do for you?"
	}
	return Reply{Say: said}
}

// endCall is the bridge's own tool.
const endCall = "end_call"

// tell says what came of the tools that it called.
func (m *Mind) tell(results []string) Reply {
	var said []string
	asked := m.asked
	m.asked = nil
	for i, c := range asked[:min(len(asked), len(results))] {
		m.did(Did{c.Name, string(c.Arguments), results[i]})
		if c.Name == endCall {
			return Reply{} // the goodbye was said with the call
		}
		if text := m.sayOf(c, gjson.Parse(results[i])); text != "" && !slices.Contains(said, text) {
			said = append(said, text)
		}
	}
	return m.last(strings.Join(said, " "))
}

// sayOf is what a result is worth saying.
func (m *Mind) sayOf(c realtime.Call, r gjson.Result) string {
	ok := r.Get("success").Bool()
	switch recaller.Tool(c.Name) {
	case recaller.ToolRecall:
		for _, found := range r.Get("recalled").Array() {
			if ok && !found.Get("unsure").Bool() {
				return recalled(found)
			}
		}
		return "I am sorry, I do not know that."
	case recaller.ToolStoreMemory:
		switch action := recaller.MemoryAction(r.Get("action").String()); {
		case !ok:
			return "I am sorry, that did not work just now."
		case gjson.GetBytes(c.Arguments, "key").String() == "name":
			return ""
		case action == recaller.MemoryConfirmed || action == recaller.MemoryKept:
			return "Yes, so you told me before."
		case action == recaller.MemoryUpdated:
			return "All right, I have changed that."
		}
		m.noted++ // it stores silently, as its instructions say
		return []string{"Thank you for telling me.", "All right.", "Good to know.", "I see."}[(m.noted-1)%4]
	default:
		return ""
	}
}

// recalled is what was found, as one says it.
func recalled(found gjson.Result) string {
	lead, when := "You told me: ", found.Get("when").String()
	switch recaller.Speaker(found.Get("speaker").String()) {
	case recaller.User:
		lead = strings.TrimSuffix("You told me "+when, " ") + ": "
	case recaller.Assistant:
		lead = strings.TrimSuffix("I told you "+when, " ") + ": "
	default:
	}
	return lead + ended(quoted(keyed.ReplaceAllString(found.Get("text").String(), "")))
}

// keyed is the key that a memory is found with.
var keyed = regexp.MustCompile(`^[\p{Ll}\d]+(?:_[\p{Ll}\d]+)*: `)

// ended gives a text a mark at its end.
func ended(text string) string {
	text = strings.TrimSpace(text)
	if said := strings.TrimRight(text, `”"'`); said != "" && !strings.ContainsAny(said[len(said)-1:], ".!?") {
		text += "."
	}
	return text
}

func call(tool recaller.Tool, pairs ...string) realtime.Call {
	arguments := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		arguments[pairs[i]] = pairs[i+1]
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(arguments); err != nil {
		return realtime.Call{Name: string(tool), Arguments: []byte(`{}`)} // no text fails to be one
	}
	return realtime.Call{Name: string(tool), Arguments: bytes.TrimSpace(b.Bytes())}
}
