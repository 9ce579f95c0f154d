package extract

import (
	"strings"
	"time"
	"unicode"

	"github.com/recallerhq/recaller"
)

// The bounds of what is taken for the caller's own words: longer turns, and long ones of many lines, are pasted.
const (
	maxOwnWords = 2500
	maxOwnLines = 4
	manyLines   = 400 // bytes from which the number of lines counts
	minHeard    = 0.5 // recogniser confidence (B10)
)

// utterance is what the caller said in one go: one turn, or several that carry one sentence on.
type utterance struct {
	turns      []int
	at         time.Time
	confidence float64
	sentences  []sentence
	question   *question // what the assistant had asked just before
}

// question is the last question of an assistant's turn.
type question struct {
	turn int
	text string // lower case
}

// utterances returns the caller's turns that may be believed.
func utterances(turns []recaller.Turn, opts Options) []utterance {
	r := reader{opts: opts}
	for _, t := range turns {
		if t.Speaker != recaller.User {
			r.heard(t)
			continue
		}
		if t.Interrupted || t.Confidence < minHeard || pasted(t.Text) {
			r.flush()
			r.asked = nil
			continue
		}
		if roleplay(t.Text) {
			break
		}
		r.said(t)
	}
	r.flush()
	return r.out
}

// reader puts the turns together as they come.
type reader struct {
	opts  Options
	out   []utterance
	asked *question // what the assistant asked last
	text  string    // the beginning of a sentence that the next turn may carry on
	open  utterance // what is known of that one
}

// heard takes a turn of the assistant.
func (r *reader) heard(t recaller.Turn) {
	if !backchannel(t.Text) {
		r.flush()
	}
	r.asked = ask(t, r.asked)
}

// said takes a turn of the caller.
func (r *reader) said(t recaller.Turn) {
	if r.text == "" {
		r.open = utterance{at: base(t, r.opts), confidence: sure(t), question: r.asked}
	}
	r.text = strings.TrimSpace(r.text + " " + t.Text)
	r.open.turns = append(r.open.turns, t.Number)
	r.open.confidence = min(r.open.confidence, sure(t))
	if !unfinished(t.Text) || len(r.open.turns) > 3 {
		r.flush()
	}
}

// flush ends the utterance that is open.
func (r *reader) flush() {
	if r.text == "" {
		return
	}
	if r.open.sentences = sentences(r.text); len(r.open.sentences) > 0 {
		r.out = append(r.out, r.open)
	}
	if !holding(r.text) {
		r.asked = nil
	}
	r.text = ""
}

func base(t recaller.Turn, opts Options) time.Time {
	if t.At.IsZero() {
		return opts.Base
	}
	return t.At.In(opts.Base.Location())
}

// sure scales what is believed by how well it was heard; above 0.9 it makes no difference.
func sure(t recaller.Turn) float64 {
	if t.Confidence >= 0.9 {
		return 1
	}
	return t.Confidence
}

var unhesitating = strings.NewReplacer(",", "", " uh ", " ", " um ", " ")

// ask returns the question that a turn of the assistant leaves standing. A question that was cut off was not heard; a mere
// "okay" leaves the one before standing.
func ask(t recaller.Turn, before *question) *question {
	if backchannel(t.Text) {
		return before
	}
	if t.Interrupted {
		return nil
	}
	text := strings.ToLower(strings.ReplaceAll(t.Text, "’", "'"))
	text = strings.TrimSpace(text)
	if i := strings.LastIndexByte(text, '?'); i >= 0 {
		text = text[:i]
	}
	if i := strings.LastIndexAny(text, ".!?\n"); i >= 0 && i+1 < len(text) {
		text = text[i+1:]
	}
	text = strings.TrimSpace(text)
	if text == "" {
		return before
	}
	return &question{turn: t.Number, text: " " + unhesitating.Replace(text) + " "}
}

var nods = set(`ok okay yes yeah yep mm mm-hmm mhm hmm uh um uh-huh right sure alright i see hello hi oh ohh ah great good fine perfect
	thanks thank you sorry pardon noise laughter`)

// backchannel reports whether a turn says nothing but that someone listens.
func backchannel(text string) bool {
	n := 0
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == ' ' || strings.ContainsRune(".,!?[]<>", r) }) {
		n++
		if !nods[w] || n > 4 {
			return false
		}
	}
	return true
}

// holding reports whether the caller only gained time, so that the question still stands.
func holding(text string) bool {
	switch strings.Trim(strings.ToLower(text), " .,!?") {
	case "um", "uh", "hmm", "sorry", "pardon", "well", "hello", "so", "":
		return true
	}
	return false
}

var leadsOn = set(`my a an the have got is am i to of at in and with because three two from was`)

// unfinished reports whether a recogniser's segment breaks off in the middle of a phrase.
func unfinished(text string) bool {
	text = strings.TrimSpace(text)
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".?!,;:\"')") || len(text) > 200 {
		return false
	}
	i := strings.LastIndexAny(text, " \t\n") + 1
	return leadsOn[strings.ToLower(text[i:])]
}

// promptWords give away a text that is handed over to be worked on, or a part to be played.
var promptWords = []string{
	"imagine", "you are a ", "you're a ", "rewrite", "re-write", "paraphrase", "proofread", "proof read", "translate",
	"summarize", "summarise", "following text", "the following", "following:", "write a ", "write an ", "write me", "write about", "write the ",
	"writing a ", "story about", "cover letter", "in the style of", "generate", "compose", "screenplay", "edit this", "improve this",
	"correct this", "grammar", "```", "lyrics", "hypothetical", "let's say", "lets say", "for example,", "fanfic", "dialogue", "http",
	"as an ai", "word essay", "create a story", "first person", "draft a", "draft an", "{", "</", "answer as ", "respond as ", "respond with",
	"chapter ", "scene ", "prompt", "reply to this", "my character", "essay", "linkedin", "blog post", "script for", "tweet", "product description",
	"give me a speech", "in the voice of", "text:",
}

// pasted reports whether a turn is, or holds, a text that is not the caller speaking.
func pasted(text string) bool {
	if len(text) > maxOwnWords || len(text) > manyLines && strings.Count(text, "\n") > maxOwnLines {
		return true
	}
	foreign := 0
	for _, r := range text {
		if r > 0x2FF && unicode.IsLetter(r) {
			foreign++
		}
	}
	if foreign > 8 {
		return true
	}
	low := strings.ToLower(text)
	for _, w := range promptWords {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}

var roleWords = []string{
	"act as ", "act like", "pretend", "roleplay", "role play", "role-play", "you will be playing", "i want you to be ", "from now on you",
	"you are now", "play the role", "let's play a game", "simulate", "text adventure", "ignore all previous", "ignore previous", "i will be your",
}

// roleplay reports whether the caller gives the agent a part to play: from there on neither speaks for himself.
func roleplay(text string) bool {
	low := strings.ToLower(text)
	for _, w := range roleWords {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}
