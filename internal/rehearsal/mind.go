package rehearsal

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/tidwall/gjson"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/realtime"
	"github.com/recallerhq/recaller/internal/recall/token"
	rules "github.com/recallerhq/recaller/internal/speech"
	"github.com/recallerhq/recaller/internal/wrapup/name"
)

// Mind is what a Model thinks with in a rehearsal. It is no language model: it greets, asks the memory what it is asked,
// has the memory keep what it is told, and says goodbye. All that it knows it has from its instructions, from the words
// of the call, and from what its tools answer. Safe for concurrent use.
type Mind struct {
	hearsay *Hearsay
	voice   Voice
	did     func(Did)

	mu     sync.Mutex // guards what follows
	asked  []realtime.Call
	caller string // as he is called; empty: not known
	noted  int    // how often it was told something
	first  string // what it says before what its tools give it to say
	bye    bool   // the caller has said goodbye
}

// Did is a tool call that a Mind made, and what came of it.
type Did struct {
	Tool      string
	Arguments string // JSON
	Answer    string // JSON
}

// NewMind returns a Mind. did is told of each tool call, once it is answered; nil: nobody is.
func NewMind(hearsay *Hearsay, voice Voice, did func(Did)) *Mind {
	if did == nil {
		did = func(Did) {}
	}
	return &Mind{hearsay: hearsay, voice: voice, did: did}
}

// Think is for ModelOptions.
func (m *Mind) Think(h Heard) Reply {
	m.mu.Lock()
	defer m.mu.Unlock()
	reply := m.think(h)
	if reply.Say == "" {
		return reply
	}
	audio, err := m.voice.Speak(context.Background(), reply.Say)
	if err != nil {
		return Reply{Fail: true}
	}
	reply.Audio = audio
	return reply
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

// greet opens a call by what the briefing tells.
func (m *Mind) greet(instructions string) string {
	last := lastTold(instructions)
	switch {
	case m.caller == "" && last == "":
		return "Hello, this is the rehearsal line. Who is calling, please?"
	case last == "":
		return "Hello " + m.caller + ", good to hear you again. What can I do for you?"
	}
	return "Hello" + strings.TrimSuffix(" "+m.caller, " ") + ", welcome back. Last time you told me: " + ended(last) + " What can I do for you?"
}

// answer takes what the caller said, a sentence after the other. What it says, it says after the tools have answered.
func (m *Mind) answer(words string) Reply {
	var calls []realtime.Call
	m.first, m.bye = "", false
	named, _, ok := name.Said([]recaller.Turn{{Speaker: recaller.User, Text: words, Confidence: 1}})
	if ok && named != m.caller && !farewell(words) {
		m.caller, m.first = named, "Nice to meet you, "+named+"."
		calls = append(calls, call(recaller.ToolStoreMemory, "memory_type", string(recaller.Fact), "key", "name", "value", named))
	}
	for _, s := range rules.Sentences(words) {
		said := strings.TrimSpace(s.Text)
		switch {
		case farewell(said):
			m.bye = true
		case request(said):
			calls = append(calls, call(recaller.ToolStoreMemory,
				"memory_type", string(recaller.FollowUp), "key", keyOf(said), "value", said))
		case s.Question || strings.HasSuffix(said, "?"):
			calls = append(calls, call(recaller.ToolRecall, "query", said))
		case telling(said, m.caller):
			calls = append(calls, call(recaller.ToolStoreMemory,
				"memory_type", string(typeOf(said)), "key", keyOf(said), "value", plain(said)))
		}
	}
	if m.asked = calls; len(calls) == 0 {
		return m.last("")
	}
	return Reply{Calls: calls}
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
		if found := r.Get("recalled.0"); ok && found.Exists() {
			return recalled(found)
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
	if found.Get("unsure").Bool() {
		lead = "I am not sure. " + lead
	}
	return lead + ended(keyed.ReplaceAllString(found.Get("text").String(), ""))
}

// keyed is the key that a memory is found with.
var keyed = regexp.MustCompile(`^[a-z0-9]+(?:_[a-z0-9]+)*: `)

// ended gives a text a mark at its end.
func ended(text string) string {
	if text = strings.TrimSpace(text); text != "" && !strings.ContainsAny(text[len(text)-1:], ".!?") {
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

// wordsIn are the words of a text, in small letters.
func wordsIn(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\''
	})
}

// farewell reports whether somebody says goodbye.
func farewell(text string) bool {
	ws := wordsIn(text)
	for i, w := range ws {
		switch w {
		case "bye", "goodbye", "tschüss", "tschüs", "wiederhören", "wiedersehen", "adiós", "adios", "ciao":
			return true
		case "revoir":
			return i > 0 && ws[i-1] == "au"
		}
	}
	return false
}

// request reports whether a sentence asks for something to be done.
func request(text string) bool {
	ws := wordsIn(text)
	return len(ws) > 2 && (ws[0] == "can" || ws[0] == "could" || ws[0] == "will" || ws[0] == "would" || ws[0] == "please") &&
		len(meant(text)) > 0
}

// telling reports whether a sentence tells something that is worth a note: two words that mean something, beside the
// name that was given with them.
func telling(text, called string) bool {
	names := wordsIn(called)
	return len(slices.DeleteFunc(meant(text), func(w string) bool { return slices.Contains(names, w) })) >= 2
}

// plain is a sentence without the word that it begins with to no end: "Wait, I prefer mornings."
func plain(text string) string {
	for {
		before, after, ok := strings.Cut(text, ",")
		if !ok || !small[strings.ToLower(strings.TrimSpace(before))] {
			return text
		}
		text = strings.TrimSpace(after)
	}
}

// meant are the words of a text that mean something.
func meant(text string) []string {
	return slices.DeleteFunc(wordsIn(text), func(w string) bool {
		return token.Stop(w) || strings.Contains(w, "'") || small[w]
	})
}

// small is what people say and do not tell.
var small = rules.Set("hi hello hey yes no please thanks thank you okay ok well fine great good morning afternoon evening sorry help wait stop actually oh and so but one thing moment")

// keyOf makes the key of a memory of a sentence.
func keyOf(text string) string {
	ws := meant(text)
	return strings.Join(ws[:min(3, len(ws))], "_")
}

func typeOf(text string) recaller.MemoryType {
	for _, w := range wordsIn(text) {
		switch w {
		case "like", "love", "prefer", "hate", "rather", "favourite", "favorite":
			return recaller.Preference
		}
	}
	return recaller.Fact
}

// What of a briefing it reads.
var (
	nameLine   = regexp.MustCompile(`(?m)^- Name: (.+)$`)
	remembered = regexp.MustCompile(`(?m)^- ([^:\n]+): (.+)$`)
	summed     = regexp.MustCompile(`(?m)^ +Summary: (?:Caller: )?('[^']+')`)
	aside      = regexp.MustCompile(` \[[^\]]*\]| \((?:said|unsure)[^)]*\)`)
)

// calledIn returns the caller's name, where the briefing tells it.
func calledIn(instructions string) string {
	m := nameLine.FindStringSubmatch(instructions)
	if m == nil || strings.HasPrefix(m[1], "Unknown") {
		return ""
	}
	return strings.TrimSpace(m[1])
}

// lastTold returns what the briefing tells first of what is remembered, else of earlier conversations.
func lastTold(instructions string) string {
	if _, rest, ok := strings.Cut(instructions, "## What you remember"); ok {
		rest, _, _ = strings.Cut(rest, "\n## ")
		for _, m := range remembered.FindAllStringSubmatch(rest, -1) {
			if m[1] != "name" {
				return quoted(m[2])
			}
		}
	}
	if m := summed.FindStringSubmatch(instructions); m != nil {
		return quoted(m[1])
	}
	return ""
}

// quoted is what was said, without the marks of a briefing.
func quoted(text string) string {
	text = strings.TrimSpace(aside.ReplaceAllString(text, ""))
	return strings.TrimSpace(strings.Trim(text, `'"“”`))
}
