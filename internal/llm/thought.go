package llm

import "strings"

// marks are how local models mark what they think before they answer: opening and closing.
var marks = [][2]string{{"<think>", "</think>"}, {"<thinking>", "</thinking>"}, {"<thought>", "</thought>"}, {"[THINK]", "[/THINK]"}}

const spaces = " \t\r\n"

// thoughts passes on what is said and holds back what is thought before it, piece by piece: any number of marked blocks
// at the beginning. What looks like such a block further on is part of the answer. The zero value is ready.
type thoughts struct {
	held   string // not decided yet, or the end of a thought
	closes string // the mark that ends the thought that we are in; "": in none
	loud   bool   // the answer has begun
}

// pass takes the next piece and returns what of it, and of pieces before it, is said.
func (u *thoughts) pass(piece string) string {
	if u.loud {
		return piece
	}
	u.held += piece
	for {
		if u.closes != "" {
			_, after, ends := strings.Cut(u.held, u.closes)
			if !ends {
				u.held = u.held[max(0, len(u.held)-len(u.closes)+1):]
				return ""
			}
			u.closes, u.held = "", after
		}
		u.held = strings.TrimLeft(u.held, spaces)
		if !u.enter() {
			break
		}
	}
	if u.held == "" || u.mayOpen() {
		return ""
	}
	u.loud = true
	said := u.held
	u.held = ""
	return said
}

// enter begins a thought if one begins here.
func (u *thoughts) enter() bool {
	for _, m := range marks {
		if after, opens := strings.CutPrefix(u.held, m[0]); opens {
			u.closes, u.held = m[1], after
			return true
		}
	}
	return false
}

// mayOpen reports whether what is held may become an opening mark.
func (u *thoughts) mayOpen() bool {
	for _, m := range marks {
		if strings.HasPrefix(m[0], u.held) {
			return true
		}
	}
	return false
}

// rest returns what is still held when all has come. A thought that never ended is none of the answer.
func (u *thoughts) rest() string {
	if u.loud || u.closes != "" {
		return ""
	}
	return u.held
}

// aloud takes the thoughts out of a whole answer. Some chat templates open the thought themselves, so that an answer
// may begin within it; that is believed only as long as no JSON has begun, whose strings may hold anything.
func aloud(answer string) string {
	var u thoughts
	said := u.pass(answer) + u.rest()
	for _, m := range marks {
		thought, after, ends := strings.Cut(said, m[1])
		if ends && !strings.ContainsAny(thought, "{[") && !strings.Contains(thought, m[0]) {
			return strings.TrimLeft(after, spaces)
		}
	}
	return said
}
