package guard

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Object masks the texts inside a JSON object, in which a name says what its value is: {"pin": "4711"}. Numbers are
// texts too where they are secrets. What holds no secret comes back byte for byte; else the names are in order and the
// white space is gone. Names themselves stay. What is no JSON comes back as it is.
func Object(raw json.RawMessage) (masked json.RawMessage, found []Kind) {
	if len(raw) == 0 {
		return raw, nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return raw, nil
	}
	v = value("", v, &found)
	if len(found) == 0 {
		return raw, nil
	}
	out, err := json.Marshal(v)
	if err != nil { // cannot be: it was read as JSON
		return raw, nil
	}
	return out, found
}

// value masks what stands under a name.
func value(name string, v any, found *[]Kind) any {
	switch v := v.(type) {
	case map[string]any:
		for k, inner := range v {
			v[k] = value(k, inner, found)
		}
	case []any:
		for i, inner := range v {
			v[i] = value(name, inner, found)
		}
	case string:
		masked, kinds := field(name, v)
		*found = append(*found, kinds...)
		return masked
	case json.Number:
		if masked, kinds := field(name, v.String()); len(kinds) > 0 {
			*found = append(*found, kinds...)
			return masked
		}
	}
	return v
}

// field masks a value as an answer to its name. A value that is called a password is one, whatever it looks like.
func field(name, text string) (masked string, found []Kind) {
	toks := tokenize(words(name))
	a := askedIn(toks, 0, len(toks), labels(toks))
	if n := len(toks); a.has(askWord) && text != "" && text != passwordMark && n > 0 {
		if _, isLast := phrases[toks[n-1].s]; isLast {
			return passwordMark, []Kind{Password}
		}
	}
	return mask(text, a)
}

// words splits a name as programs write it: "cardNumber", "card_number".
func words(name string) string {
	var b strings.Builder
	last := ' '
	for _, c := range name {
		switch {
		case c == '_' || c == '-' || c == '.':
			c = ' '
		case unicode.IsUpper(c) && unicode.IsLower(last):
			b.WriteByte(' ')
		}
		if c != utf8.RuneError {
			b.WriteRune(c)
		}
		last = c
	}
	return b.String()
}
