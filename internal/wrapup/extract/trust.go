package extract

import (
	"cmp"
	"strings"
	"unicode"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/token"
	"github.com/recallerhq/recaller/internal/speech"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// The bounds of what is taken for the caller's own words: longer turns, and long ones of many lines, are pasted.
const (
	maxOwnWords = 2500
	maxOwnLines = 4
	manyLines   = 400 // bytes from which the number of lines counts
	maxForeign  = 8   // letters of another script
)

// extractor holds one conversation.
type extractor struct {
	r      reading.Reading
	lang   *tongue
	own    []bool              // per turn: the caller's own words, which may be believed
	ss     [][]speech.Sentence // per turn: its sentences, parted where the caller begins anew to speak of himself
	ps     recent[[]piece]     // per turn, read when it is asked for
	theirs recent[[]string]    // per turn of the agent: its words
	names  map[string]bool     // words that are names, as far as capitals tell
	met    [][]mention         // per turn: whom of the caller's people it mentions
	client []string            // per turn: for whom the caller calls, as far as he has said so
}

func newExtractor(r reading.Reading) *extractor {
	n := len(r.Turns)
	x := &extractor{r: r, own: make([]bool, n), ss: make([][]speech.Sentence, n), met: make([][]mention, n), client: make([]string, n)}
	var d token.Detector
	for i, t := range r.Turns {
		if t.Speaker != recaller.User {
			continue
		}
		if contains(t.Text, roleWords) { // from there on neither speaks for himself
			break
		}
		x.own[i] = t.Heard() && !pasted(t.Text)
		d.Add(t.Text + " ")
	}
	if d.Language() == token.Unknown {
		for _, t := range r.Turns {
			d.Add(t.Text + " ")
		}
	}
	x.lang = tongues[cmp.Or(d.Language(), token.English)]
	for i, t := range r.Turns {
		x.ss[i] = t.Sentences
		if x.own[i] && x.lang != nil {
			x.ss[i] = x.parted(t)
		}
	}
	if x.lang != nil {
		if x.lang.language != token.German {
			x.names = namesOf(r.Turns)
		}
		x.meet()
	}
	return x
}

// leastPart is how many words either part of a sentence has.
const leastPart = 3

// parted are the sentences of a turn, cut before "and I", so that one memory says one thing. Where words are taken back
// nothing is cut.
func (x *extractor) parted(t reading.Turn) []speech.Sentence {
	var out []speech.Sentence
	for _, s := range t.Sentences {
		ws := speech.Words(s.Text)
		if s.Question || len(speech.Repairs(s.Text)) > 0 {
			out = append(out, s)
			continue
		}
		from := 0
		for k := leastPart; k+leastPart < len(ws); k++ {
			_, short := contractions[ws[k+1].Text]
			first := ws[k+1].Text
			if short {
				first = contractions[first][0]
			}
			if joint[ws[k].Text] && (x.lang.self[first] || x.lang.own[first]) && ws[k].Start-from > 8 {
				out = append(out, part(s, from, ws[k-1].End))
				from = ws[k].Start
			}
		}
		out = append(out, part(s, from, len(s.Text)))
	}
	return out
}

func part(s speech.Sentence, from, to int) speech.Sentence {
	return speech.Sentence{Start: s.Start + from, End: s.Start + to, Text: s.Text[from:to], Question: s.Question}
}

var joint = speech.Set("and but und aber y pero")

// promptWords give away a text that is handed over to be worked on.
var promptWords = strings.Split(`imagine|rewrite|re-write|paraphrase|proofread|proof read|translate|summarize|summarise|following text|the
 following:|following:|write a |write an |write me|write about|write the |story about|cover letter|in the style of|screenplay|edit this|improve
 this|correct this|`+"```"+`|lyrics|hypothetical|let's say|lets say|fanfic|http|as an ai|word essay|create a story|first person|draft a|draft
 an|{|</|answer as |respond as |chapter |scene |prompt|my character|essay|linkedin|blog post|script for|tweet|product description|in the voice of`, "|")

// roleWords give the agent a part to play.
var roleWords = strings.Split(`act as |act like |pretend|roleplay|role play|role-play|you will be playing|i want you to be |from now on you|you
 are now|play the role|let's play a game|simulate|text adventure|ignore all previous|ignore previous|i will be your`, "|")

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
	return foreign > maxForeign || contains(text, promptWords)
}

func contains(text string, phrases []string) bool {
	low := strings.ToLower(text)
	for _, p := range phrases {
		if strings.Contains(low, strings.ReplaceAll(p, "\n", "")) {
			return true
		}
	}
	return false
}
