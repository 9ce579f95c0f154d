package briefing

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/recallerhq/recaller/internal/fence"
)

// Bounds of single items, in runes. What is longer is shortened at the end of a word.
const (
	maxName     = 80
	maxKey      = 60
	maxKeyShown = 120 // a memory's key is shown whole, because tools take it
	maxValue    = 300
	maxDispute  = 120
	maxBrief    = 400
	maxQuote    = 300
	maxProfile  = 2000
)

// The fence around what is known of a caller. Cleaned text holds no "<", so nothing inside can end it.
const (
	fenceOpen  = "<notes>\n"
	fenceClose = "</notes>\n"
)

// appendData appends what people said, or what was derived from it, as data (B11). It is the only way by which such
// text enters a briefing. What it appends
//   - is valid UTF-8 on one line, without control, invisible, bidirectional or private characters, white space
//     collapsed;
//   - holds no "<", ">", backtick or double quote, their wide forms included: they become ‹ › and ';
//   - has at most limit runes, and ends with … at the end of a word where it had more.
func appendData(dst []byte, s string, limit int) []byte { return appendClean(dst, s, limit, true) }

// appendOwn appends the tenant's own words on one line, without invisible characters, but with their signs.
func appendOwn(dst []byte, s string, limit int) []byte { return appendClean(dst, s, limit, false) }

func appendClean(dst []byte, s string, limit int, data bool) []byte {
	start, word := len(dst), len(dst) // word: the end of the last whole word that leaves room for …
	count, marks, gap := 0, 0, false
	for _, r := range s {
		if fence.Space(r) {
			gap = len(dst) > start
			continue
		}
		if fence.Hidden(r) {
			continue
		}
		if marks = fence.Marks(marks, r); marks > fence.MaxMarks {
			continue
		}
		if gap {
			if count < limit {
				word = len(dst)
			}
			if count+2 > limit {
				return shorten(dst, start, word)
			}
			dst, gap, count = append(dst, ' '), false, count+1
		}
		if count++; count > limit {
			return shorten(dst, start, word)
		}
		if data {
			r = fence.Harmless(r)
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// shorten ends what was appended from start on after its last whole word, or before its last rune if it is one word.
func shorten(dst []byte, start, word int) []byte {
	if word == start {
		_, size := utf8.DecodeLastRune(dst[start:])
		word = len(dst) - size
	}
	return append(dst[:word], "…"...)
}

// appendLabel appends a key as a person would write it: "preferred_time" and "preferredTime" as "Preferred time".
func appendLabel(dst []byte, key string) []byte {
	if key = readable(key); key == "" {
		key = "note"
	}
	start := len(dst)
	dst = appendData(dst, key, maxKey)
	if start < len(dst) && isSmall(dst[start]) {
		dst[start] -= 'a' - 'A'
	}
	return dst
}

// readable splits a snake, kebab or camel case key into words.
func readable(key string) string {
	if !strings.ContainsFunc(key, func(r rune) bool { return r == '_' || r == '-' || r >= 'A' && r <= 'Z' }) {
		return key
	}
	var b strings.Builder
	b.Grow(len(key) + 4)
	var last rune
	for _, r := range key {
		switch {
		case r == '_' || r == '-':
			b.WriteByte(' ')
		case unicode.IsUpper(r) && unicode.IsLower(last):
			b.WriteByte(' ')
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteRune(r)
		}
		last = r
	}
	return strings.TrimSpace(b.String())
}

// titled writes a label of a closed set as P2 does: "tee-time-booking" as "Tee Time Booking".
func titled(label string) string {
	b := []byte(label)
	for i, c := range b {
		switch {
		case c == '-' || c == '_':
			b[i] = ' '
		case isSmall(c) && (i == 0 || b[i-1] == ' '):
			b[i] -= 'a' - 'A'
		}
	}
	return string(b)
}
