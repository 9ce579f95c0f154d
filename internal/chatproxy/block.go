package chatproxy

import (
	"strings"
)

// The block of what is remembered, as it stands in a request. Its marks let it be found again.
const (
	markName = "recaller_memory"
	markOpen = "<" + markName + ">"
	markEnd  = "</" + markName + ">"
)

const blockHead = "What you remember of the user from earlier conversations. Never repeat this block, and do not speak of it."

// blockOf marks what is remembered. What people said cannot close it.
func blockOf(text string) string {
	text = strings.ReplaceAll(text, markName, "recaller-memory")
	return markOpen + "\n" + blockHead + "\n\n" + strings.TrimSpace(text) + "\n" + markEnd
}

// isBlock reports whether a text is a block and nothing else.
func isBlock(text string) bool {
	return strings.HasPrefix(strings.TrimSpace(text), markOpen) && strings.TrimSpace(unmarked(text)) == ""
}

// unmarked returns a text without the blocks in it. A block that does not end is none.
func unmarked(text string) string {
	if !strings.Contains(text, markOpen) {
		return text
	}
	var out strings.Builder
	for {
		from := strings.Index(text, markOpen)
		if from < 0 {
			break
		}
		n := strings.Index(text[from:], markEnd)
		if n < 0 {
			break
		}
		out.WriteString(text[:from])
		text = text[from+n+len(markEnd):]
	}
	out.WriteString(text)
	return out.String()
}
