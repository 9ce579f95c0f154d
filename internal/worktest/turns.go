package worktest

import (
	"strconv"
	"time"

	"github.com/recallerhq/recaller"
)

// Base is when the conversations begin.
var Base = time.Date(2026, time.October, 16, 9, 30, 0, 0, time.UTC)

// One is a conversation in which the caller says a text in one breath.
func One(text string) []recaller.Turn { return cut(text, len(text)) }

// Many is a conversation in which both say a text in turns of a few words each.
func Many(text string) []recaller.Turn { return cut(text, piece) }

// piece is how long a turn of many is, in bytes.
const piece = 24

// cut makes turns of a text, where it has a space. The caller has the first one.
func cut(text string, size int) []recaller.Turn {
	var turns []recaller.Turn
	for n := 0; text != ""; n++ {
		end := min(size, len(text))
		for end < len(text) && text[end-1] != ' ' && end < 2*size {
			end++
		}
		speaker := recaller.User
		if n%2 == 1 {
			speaker = recaller.Assistant
		}
		turns = append(turns, recaller.Turn{
			ID: recaller.TurnID(strconv.Itoa(n)), Number: n, Speaker: speaker, Text: text[:end], Confidence: 1,
			At: Base.Add(time.Duration(n) * time.Second),
		})
		text = text[end:]
	}
	return turns
}
