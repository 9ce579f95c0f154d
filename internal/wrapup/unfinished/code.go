package unfinished

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/recallerhq/recaller/internal/speech"
	"github.com/recallerhq/recaller/internal/wrapup/extract"
)

// readNumbers finds the numbers to call the caller by, and of his orders. What is said later holds.
func (c *conversation) readNumbers(out found) {
	for i := range c.r.Turns {
		if !c.own(i) {
			continue
		}
		t, ask := c.r.Turns[i], c.askedFor(i)
		ws := c.words[i]
		for _, run := range runs(t.Text, ws) {
			cues := c.cues(i, run)
			key := numberKey(cues)
			switch {
			case key == "" && c.phone(run, cues, ask):
				if !run.unsure {
					out[keyCallback] = fact{run.written(t.Text, ws), i, ws[run.from].Start}
				} else {
					delete(out, keyCallback)
				}
			case key == "" && ask.number != "" && run.from < 8:
				key = ask.number
				fallthrough
			case key != "" && !run.unsure:
				if v := c.code(i, run); v != "" {
					out[key] = fact{v, i, ws[run.from].Start}
				}
			}
		}
		c.readCodes(i, ask, out)
	}
}

// cues are the words before and behind a number in its sentence, and those of a short sentence before it.
func (c *conversation) cues(i int, r run) []speech.Word {
	t, ws := c.r.Turns[i], c.words[i]
	s := sentenceAt(t, ws[r.from].Start)
	if r.from > 0 && ws[r.from].Start <= s.Start+4 {
		before := sentenceAt(t, ws[r.from-1].Start)
		s.Start = min(s.Start, before.Start)
	}
	var out []speech.Word
	for k, w := range ws {
		if w.Start >= s.Start && w.End <= s.End && (k < r.from || k >= r.to && k < r.to+6) {
			out = append(out, w)
		}
	}
	return out
}

// The digits of a number that one can call.
const (
	leastPhone = 7
	mostPhone  = 15
)

// phone reports whether a number is one to call the caller by.
func (c *conversation) phone(r run, cues []speech.Word, ask asked) bool {
	n := r.count()
	if n < leastPhone || n > mostPhone || dialled.In(cues) {
		return false
	}
	return reaches.In(cues) || ask.phone && ask.number == ""
}

// written is a number as it was written; one that was said in words is in digits.
func (r run) written(text string, ws []speech.Word) string {
	said := text[ws[r.from].Start:ws[r.to-1].End]
	if strings.IndexFunc(said, unicode.IsLetter) >= 0 || strings.ContainsAny(said, "\n") {
		return r.digits
	}
	if from := ws[r.from].Start; strings.HasPrefix(r.digits, "+") {
		said = "+" + said
	} else if from > 0 && text[from-1] == '(' {
		said = "(" + said
	}
	return said
}

// code is the number of an order as it is written, of which a run has the digits: letters may stand beside them.
func (c *conversation) code(i int, r run) string {
	t, ws := c.r.Turns[i], c.words[i]
	if written := writtenCode(t.Text, ws[r.from].Start); r.to == r.from+1 && written != "" {
		return written
	}
	for _, s := range extract.Spelled(t.Text) {
		if strings.Contains(s, r.digits) || letteredCode(s) {
			return s
		}
	}
	return lettersBefore(t.Text, ws, r.from) + r.digits
}

// lettersBefore are the capitals that stand right before the digits of a code: "PL 88 412 7".
func lettersBefore(text string, ws []speech.Word, at int) string {
	if at == 0 {
		return ""
	}
	w := text[ws[at-1].Start:ws[at-1].End]
	if len(w) < 2 || len(w) > 3 || strings.Trim(w, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" || numberWords[ws[at-1].Text] ||
		strings.Trim(text[ws[at-1].End:ws[at].Start], " -") != "" {
		return ""
	}
	return w
}

func letteredCode(s string) bool {
	return strings.IndexFunc(s, unicode.IsLetter) >= 0 && strings.IndexFunc(s, unicode.IsDigit) >= 0
}

// writtenCode is the code in one piece at a byte of a text: "QF-2291".
func writtenCode(text string, at int) string {
	from := strings.LastIndexFunc(text[:at], unicode.IsSpace) + 1
	to := strings.IndexFunc(text[at:], unicode.IsSpace)
	if to < 0 {
		to = len(text) - at
	}
	piece := strings.Trim(text[from:at+to], ".,;:!?()\"'“”#")
	if !codeForm.MatchString(piece) {
		return ""
	}
	return piece
}

var codeForm = regexp.MustCompile(`^[A-Za-z]{0,6}[-/]?\d[\dA-Za-z]*(?:[-/][\dA-Za-z]+)*$`)

// readCodes finds codes without three digits in a row: "Q X 7 L 2 P", "QX7L2P".
func (c *conversation) readCodes(i int, ask asked, out found) {
	t := c.r.Turns[i]
	for _, s := range t.Sentences {
		ws := speech.Words(s.Text)
		key := numberKey(ws)
		if key == "" {
			key = ask.number
		}
		if key == "" || out[key].value != "" && key != ask.number {
			continue
		}
		for piece := range strings.FieldsSeq(s.Text) {
			if code := writtenCode(piece, 0); len(code) > leastCode && letteredCode(code) {
				out[key] = fact{code, i, s.Start}
			}
		}
		for _, spelled := range extract.Spelled(spoken(s.Text)) {
			if len(spelled) >= 5 && strings.IndexFunc(spelled, unicode.IsLetter) >= 0 {
				out[key] = fact{spelled, i, s.Start}
			}
		}
	}
}

// spoken is a text with single digits in words, and the spelling alphabet without hyphens, as Spelled reads it.
func spoken(text string) string {
	return loneDigit.ReplaceAllStringFunc(hyphened.Replace(text), func(d string) string { return speech.English.Small[d[0]-'0'] })
}

var (
	loneDigit = regexp.MustCompile(`\b[0-9]\b`)
	hyphened  = strings.NewReplacer("x-ray", "xray", "X-ray", "xray", "X-Ray", "xray")
)

// leastCode is how many letters and digits a code has at least that is more than a number of a house.
const leastCode = 4
