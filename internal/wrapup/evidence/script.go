package evidence

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
)

// The fence around the turns. Cleaned text holds no "<", so nothing inside can end it.
const (
	fenceOpen  = "<conversation>\n"
	fenceClose = "</conversation>\n"
)

// The overlap of two parts of a conversation: so many turns at most, if they take no more than this share of a part.
const (
	overlapTurns = 2
	overlapShare = 4 // a quarter
)

// Script writes turns as a model reads them: "[12] USER: …" and "[12] ASSISTANT: …", one line each, between
// <conversation> and </conversation>. It is data to the last character: what was said can neither close the fence nor
// look like another line. Empty for no turns.
func Script(turns []recaller.Turn) string {
	if len(turns) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(fenceOpen)
	for _, t := range turns {
		b.WriteString(scriptLine(t))
	}
	b.WriteString(fenceClose)
	return b.String()
}

func scriptLine(t recaller.Turn) string {
	who := "ASSISTANT"
	if t.Speaker == recaller.User {
		who = "USER"
	}
	return "[" + strconv.Itoa(t.Number) + "] " + who + ": " + clean(t.Text) + "\n"
}

// maxStoredKey bounds a key in the list of Stored, in characters.
const maxStoredKey = 64

// Stored writes the keys that are known already as the prompt for the extraction expects them, one "[STORED] key" a
// line, as data. Empty for none.
func Stored(keys []string) string {
	var b strings.Builder
	for _, k := range keys {
		key := strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_' || r == '-' || r == ' ' {
				return r
			}
			return -1
		}, clean(k))
		if key = strings.TrimSpace(clip(key, maxStoredKey)); key != "" {
			b.WriteString("[STORED] " + key + "\n")
		}
	}
	return b.String()
}

func clip(s string, runes int) string {
	for i := range s {
		if runes--; runes < 0 {
			return s[:i]
		}
	}
	return s
}

// Window cuts a conversation into parts whose scripts have at most maxBytes each, between turns, in order. A part
// begins with the last turns of the one before it, so that an answer keeps its question. A single turn that is too long
// is cut after words, and its pieces keep its number. maxBytes ≤ 0: one part. Nil for no turns.
func Window(turns []recaller.Turn, maxBytes int) [][]recaller.Turn {
	if len(turns) == 0 {
		return nil
	}
	if maxBytes <= 0 {
		return [][]recaller.Turn{turns}
	}
	room := max(maxBytes-len(fenceOpen)-len(fenceClose), minRoom)
	var out [][]recaller.Turn
	var part []recaller.Turn
	size, fresh := 0, 0 // fresh: turns of the part that are not the overlap
	for _, t := range pieces(turns, room) {
		n := len(scriptLine(t))
		if size+n > room && fresh > 0 {
			out = append(out, part)
			part, size = overlap(part, min(room/overlapShare, room-n))
			fresh = 0
		}
		part, size, fresh = append(part, t), size+n, fresh+1
	}
	return append(out, part)
}

// minRoom is the least room for turns in a part, so that any turn can be cut to fit.
const minRoom = 256

// overlap returns the last turns of a part that fit, with their size.
func overlap(part []recaller.Turn, room int) (last []recaller.Turn, size int) {
	from := len(part)
	for from > 0 && len(part)-from < overlapTurns {
		n := len(scriptLine(part[from-1]))
		if size+n > room {
			break
		}
		size += n
		from--
	}
	return append([]recaller.Turn(nil), part[from:]...), size
}

// pieces returns the turns with those cut that are longer than a part.
func pieces(turns []recaller.Turn, room int) []recaller.Turn {
	out := make([]recaller.Turn, 0, len(turns))
	for _, t := range turns {
		head := len(scriptLine(recaller.Turn{Number: t.Number, Speaker: t.Speaker}))
		if head+len(t.Text) <= room && len(scriptLine(t)) <= room {
			out = append(out, t)
			continue
		}
		for rest := clean(t.Text); rest != ""; {
			n := cutAt(rest, room-head)
			piece := t
			piece.Text, rest = strings.TrimSpace(rest[:n]), strings.TrimSpace(rest[n:])
			out = append(out, piece)
		}
	}
	return out
}

// cutAt returns where a line is cut so that at most n bytes are before it: after a word, where there is one. Signs that
// cleaning makes longer are counted by having been cleaned before.
func cutAt(s string, n int) int {
	if len(s) <= n {
		return len(s)
	}
	if word := strings.LastIndexByte(s[:n], ' '); word > n/2 {
		return word
	}
	for n > 1 && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}
