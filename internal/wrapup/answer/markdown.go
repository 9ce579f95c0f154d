package answer

import "strings"

// maxRows bounds how many lines of markdown are read.
const maxRows = 500

// markdown reads V5's layout: headings with lists below them. Small models answer so whatever form was asked for. The
// layout has no brief; a paragraph before the first section is one, else the context for the next call is.
func (w *writeUp) markdown(s string, cut bool) {
	at, found, closed := brief, 0, false
	rows := strings.SplitN(s, "\n", maxRows+1)
	if len(rows) > maxRows {
		rows = rows[:maxRows]
	}
	for i, row := range rows {
		text := strings.TrimSpace(row)
		h, rest, heading := headingOf(text)
		switch {
		case text == "" || strings.HasPrefix(text, "```") || strings.Trim(text, "-=*_") == "":
			closed = closed || at == next && len(w[next]) > 0
			continue
		case heading && h >= 0:
			at, closed = h, false
			found++
			if rest == "" {
				continue
			}
			text = rest
		case heading: // the title, or a heading that was not asked for
			at, closed = brief, found > 0
			continue
		case labelled(text), at == brief && strings.HasSuffix(text, ":"), closed:
			continue
		}
		if cut && i == len(rows)-1 && sentenceEnd(text) != len(text) {
			continue
		}
		w[at] = append(w[at], text)
	}
	if found == 0 {
		*w = writeUp{}
	}
	if len(w[brief]) == 0 {
		w[brief] = w[next]
	}
}

// headingOf reads a line as the heading of a section, with what stands behind it on the line. The section is -1 where
// it is a heading of something else.
func headingOf(s string) (at section, rest string, ok bool) {
	marked := strings.HasPrefix(s, "#") || strings.HasPrefix(s, "**")
	title := strings.TrimSpace(strings.TrimLeft(unbulleted(strings.TrimLeft(s, "# ")), "* "))
	name, rest, split := cutAny(title, "**:", ":**", "**", ":", " - ", " – ", " — ")
	if at, known := sectionOf(name); known && (marked || split || title == name) {
		return at, strings.TrimSpace(strings.TrimLeft(rest, " :*-–—")), true
	}
	return -1, "", strings.HasPrefix(s, "#")
}

// cutAny cuts a text at the first of the marks that stands in it.
func cutAny(s string, marks ...string) (before, after string, found bool) {
	at, size := len(s), 0
	for _, m := range marks {
		if i := strings.Index(s, m); i >= 0 && i < at {
			at, size = i, len(m)
		}
	}
	return s[:at], s[at+size:], size > 0
}

// labelled reports whether a line is one of the header lines of V5's layout: "**Duration:** 4m 22s".
func labelled(s string) bool {
	if !strings.HasPrefix(s, "**") {
		return false
	}
	name, _, _ := strings.Cut(strings.TrimLeft(s, "* "), ":")
	switch plainName(name) {
	case "session", "duration", "caller", "date", "time", "agent", "channel", "language":
		return true
	}
	return false
}
