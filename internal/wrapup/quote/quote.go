// Package quote renders words of a turn as a quotation: as they were said, without sounds of hesitation, and with the
// day that a date means in square brackets right behind it. What is left out is marked with an ellipsis. Whatever
// stands between the quotation marks, but for brackets, is in the turn. It is pure, and not for choosing what is worth
// quoting.
package quote

import (
	"slices"
	"strings"

	"github.com/recallerhq/recaller/internal/speech"
	"github.com/recallerhq/recaller/internal/when"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// Cut marks what was left out.
const Cut = "…"

// Of quotes the bytes from start to end of a turn, which begin and end with words: “We need a plumber on Tuesday [20
// October 2026]”. A filler at the beginning or the end goes without a mark. Nothing to say gives "".
func Of(t reading.Turn, start, end int) string {
	if body := Body(t, start, end); body != "" {
		return "“" + body + "”"
	}
	return ""
}

// Body is Of without the quotation marks.
func Body(t reading.Turn, start, end int) string {
	var b strings.Builder
	text, done := t.Text[start:end], 0
	copyTo := func(to int) {
		to = max(to, done)
		b.WriteString(marks.Replace(text[done:to]))
		done = to
	}
	told := map[string]bool{}
	dates := datesIn(t.Dates, start, end)
	for _, c := range cuts(text) {
		dates = dated(&b, copyTo, dates, text, start, c.from, told)
		copyTo(c.from)
		if done > 0 && c.to < len(text) && !strings.HasSuffix(strings.TrimSpace(b.String()), Cut) {
			b.WriteString(" " + Cut + " ")
		}
		done = c.to
		for len(dates) > 0 && dates[0].End-start <= done { // nobody said it: it stands in brackets
			dates = dates[1:]
		}
	}
	dated(&b, copyTo, dates, text, start, len(text), told)
	copyTo(len(text))
	return tidy(b.String())
}

// dated writes the text up to a place, with the days that the dates before it mean, and returns the dates behind it.
func dated(b *strings.Builder, copyTo func(int), dates []when.Found, text string, start, to int, told map[string]bool) []when.Found {
	for len(dates) > 0 && dates[0].End-start <= to {
		f := dates[0]
		dates = dates[1:]
		rest := text[f.End-start:]
		copyTo(min(to, f.End-start+span(f, rest)))
		if note := Note(f); note != "" && !told[when.Day(f.At)] {
			told[when.Day(f.At)] = true
			b.WriteString(" [" + note + "]")
		}
	}
	return dates
}

// span is how many bytes behind an hour belong to it as the end of a range: "between nine and eleven".
func span(f when.Found, rest string) int {
	if !f.Clock || !strings.HasPrefix(rest, " ") {
		return 0
	}
	ws := speech.Words(rest[:min(len(rest), maxRange)])
	if len(ws) < 2 || !speech.IsNumber(ws[1].Text) {
		return 0
	}
	switch ws[0].Text {
	case "and", "to", "till", "until":
		return ws[1].End
	}
	return 0
}

const maxRange = 24

// Note is what stands in brackets behind a date: the day that it means, with the weekday where the words do not name
// it; "" where they mean no one day, were taken back, or say it in full.
func Note(f when.Found) string {
	if !f.Exact() || f.Retracted || strings.Contains(f.Phrase, f.At.Format("2006")) {
		return ""
	}
	if strings.Contains(strings.ToLower(f.Phrase), strings.ToLower(f.At.Weekday().String())) {
		return when.Day(f.At)
	}
	return f.At.Format("Monday ") + when.Day(f.At)
}

func datesIn(all []when.Found, start, end int) []when.Found {
	from, _ := slices.BinarySearchFunc(all, start, func(f when.Found, at int) int { return f.Start - at })
	to := from
	for to < len(all) && all[to].End <= end {
		to++
	}
	return all[from:to:to]
}

// hole is a stretch of bytes that is left out.
type hole struct{ from, to int }

// cuts are the fillers of a text, and what a transcript says in brackets ("[noise]").
func cuts(text string) []hole {
	var out []hole
	ws := speech.Words(text)
	first := true
	for i, skip := 0, 0; i <= len(ws); i++ {
		before, to := 0, len(text)
		if i > 0 {
			before = ws[i-1].End
		}
		if i < len(ws) {
			to = ws[i].Start
		}
		if open := strings.IndexByte(text[before:to], '['); open >= 0 {
			out = put(out, text, hole{before + open, to})
		}
		if i == len(ws) {
			break
		}
		n := speech.Filler(text, ws, i)
		if n == 0 && (speech.Stumble(ws, i) || first && leads(text, ws, i)) {
			n = 1
		}
		first = first && n > 0
		if n > 0 && ws[i].Start >= skip {
			skip = ws[i+n-1].End
			out = put(out, text, hole{ws[i].Start, skip})
		}
	}
	return out
}

// leads reports whether a word only leads on from what was said before: "And I have a cough", "So, the boiler".
// What is read out has none: "Oh, one six one", "Y, A, S, M".
func leads(text string, ws []speech.Word, i int) bool {
	if !leading[ws[i].Text] || i+1 == len(ws) {
		return false
	}
	next := ws[i+1].Text
	return subjects[next] || len(next) > 1 && !speech.IsNumber(next) && strings.Contains(text[ws[i].End:ws[i+1].Start], ",")
}

var (
	leading  = speech.Set("and so well oh und y pues bueno")
	subjects = speech.Set(`i i'm i've i'd i'll we we're we've we'll you you've you're he he's she she's it it's they they're there's my our the
		ich wir er es mein meine unser yo mi el`)
)

// put adds a hole with the marks behind it, which may be a part of the last one.
func put(out []hole, text string, h hole) []hole {
	for h.to < len(text) && strings.IndexByte(", .", text[h.to]) >= 0 && (text[h.to] != '.' || h.to+1 < len(text)) {
		h.to++
	}
	if n := len(out); n > 0 && out[n-1].to >= h.from {
		out[n-1].to = max(out[n-1].to, h.to)
		return out
	}
	return append(out, h)
}

// marks are what would be taken for marks of ours.
var marks = strings.NewReplacer("“", "'", "”", "'", "\"", "'", "«", "'", "»", "'", "„", "'", "(", "– ", ")", " –", "[", "", "]", "", "\n", " ")

// tidy makes one line of a quotation.
func tidy(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	s = strings.ReplaceAll(s, ", "+Cut, " "+Cut)
	s = strings.TrimPrefix(s, Cut+" ")
	return strings.Trim(s, " ,;:–—-")
}
