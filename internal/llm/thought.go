package llm

import "strings"

// marks enclose what local models think before they answer.
var marks = [][2]string{
	{"<think>", "</think>"}, {"<thinking>", "</thinking>"}, {"<thought>", "</thought>"}, {"[THINK]", "[/THINK]"},
}

const spaces = " \t\r\n"

// thoughts passes on what is said, piece by piece, and drops what is thought before it: any number of marked blocks at
// the beginning. Later on such a block is part of the answer. The zero value is ready.
type thoughts struct {
	held   string // undecided, or the end of a thought
	closes string // the mark that ends the present thought; "": there is none
	loud   bool   // the answer has begun
}

// pass takes the next piece, and returns what is known to be said by now.
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

// rest returns what is held at the end. A thought that never ended is not part of the answer.
func (u *thoughts) rest() string {
	if u.loud || u.closes != "" {
		return ""
	}
	return u.held
}

// aloud removes the thoughts from a whole answer. Some chat templates open the thought themselves, so an answer may
// begin inside one. That is assumed only while no JSON has begun, because its strings may hold anything.
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
