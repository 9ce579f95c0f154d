package llm

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/recallerhq/recaller"
)

// Bounds of the calls in one answer.
const (
	maxCalls     = 32
	maxArguments = 256 << 10 // bytes of all of them
	maxCallName  = 64
)

// callPiece is what one event tells of a call of a tool.
type callPiece struct {
	index     int // of the call in the answer; -1: it does not say
	id, name  string
	arguments string // to add to those before
	extra     json.RawMessage
}

// calls puts calls together from their pieces. The zero value is ready.
type calls struct {
	list []*openCall
	size int // bytes of arguments
}

// openCall is a call of which more may come.
type openCall struct {
	index     int
	id, name  string
	arguments strings.Builder
	extra     json.RawMessage
}

// take adds pieces. It fails if there are more than any answer needs.
func (c *calls) take(pieces []callPiece) error {
	for _, p := range pieces {
		k := c.of(p)
		if k == nil {
			k = &openCall{index: p.index}
			c.list = append(c.list, k)
		}
		if k.id == "" {
			k.id = p.id
		}
		if k.name == "" { // some servers tell it with each piece
			k.name = p.name
		}
		if len(p.extra) > 0 {
			k.extra = p.extra
		}
		k.arguments.WriteString(p.arguments)
		c.size += len(p.arguments)
		if len(c.list) > maxCalls || c.size > maxArguments {
			return refused("the model called more than any answer needs")
		}
	}
	return nil
}

// of returns the call that a piece belongs to; nil: it begins one. Some servers number no calls, or all of them 0, and
// tell them apart by their ids.
func (c *calls) of(p callPiece) *openCall {
	for i := len(c.list) - 1; i >= 0; i-- {
		k := c.list[i]
		another := p.id != "" && k.id != "" && p.id != k.id
		if !another && (p.index == k.index || p.index < 0) && !(p.index < 0 && p.id == "" && p.name != "") {
			return k
		}
	}
	return nil
}

// whole returns the calls as they are at the end. One without a name is none.
func (c *calls) whole() []recaller.ModelCall {
	var out []recaller.ModelCall
	taken := map[string]bool{}
	for i, k := range c.list {
		call := recaller.ModelCall{ID: k.id, Name: callName(k.name), Extra: k.extra}
		if call.Name == "" {
			continue
		}
		if call.ID == "" || taken[call.ID] {
			call.ID = "call_" + strconv.Itoa(i)
		}
		taken[call.ID] = true
		call.Arguments, call.Broken = callArguments(k.arguments.String())
		out = append(out, call)
	}
	return out
}

// callName returns a name that can be told to the endpoint again, whatever the model made up.
func callName(name string) string {
	name = strings.TrimPrefix(strings.TrimSpace(name), "functions.") // as some models were trained to write it
	name = strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '_'
	}, name)
	return name[:min(len(name), maxCallName)]
}

// callArguments reads arguments: an object, or a string that holds one. None are an empty object.
func callArguments(text string) (_ json.RawMessage, broken bool) {
	text = strings.TrimSpace(text)
	var inner string
	if json.Unmarshal([]byte(text), &inner) == nil {
		text = strings.TrimSpace(inner)
	}
	if text == "" {
		return json.RawMessage("{}"), false
	}
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &object) != nil || object == nil {
		return json.RawMessage("{}"), true
	}
	return json.RawMessage(text), false
}
