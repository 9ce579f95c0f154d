package answer

import "strings"

// kind is what a value is.
type kind int

// The kinds of value. A bare one is a text without quotation marks: a number, true, or words.
const (
	nothing kind = iota
	text
	bare
	array
	object
)

// value is a piece of JSON as it was read.
type value struct {
	kind   kind
	text   string  // of a text or bare value
	list   []value // of an array
	fields []field // of an object, in their order
	whole  bool    // it ended where it should; false where the answer broke off inside it
}

type field struct {
	name  string
	value value
}

// scalar reports whether a value is one piece of text.
func (v value) scalar() bool { return v.kind == text || v.kind == bare }

// empty reports whether a value says that there is nothing.
func (v value) empty() bool {
	switch v.kind {
	case text, bare:
		return none(v.text)
	case array:
		return len(v.list) == 0
	case object:
		return len(v.fields) == 0
	}
	return true
}

// readable reports whether all that a value holds was there to its end, though its own bracket may be missing.
func (v value) readable() bool {
	if v.whole {
		return true
	}
	if v.kind != object || len(v.fields) == 0 {
		return false
	}
	for _, f := range v.fields {
		if !f.value.whole || f.value.kind == nothing {
			return false
		}
	}
	return true
}

// plainName brings the name of a field to small letters and digits: "Memory_Type" and "memoryType" are "memorytype".
func plainName(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r >= 0x80:
			return r
		}
		return -1
	}, s)
}
