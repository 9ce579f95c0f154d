package answer

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// line puts a text on one line: without control and invisible characters, white space collapsed.
func line(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	gap := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			gap = b.Len() > 0
			continue
		case r == utf8.RuneError, unicode.In(r, unicode.C) && !joiner(r):
			continue
		}
		if gap {
			b.WriteByte(' ')
			gap = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// joiner reports the invisible characters that some scripts cannot be written without.
func joiner(r rune) bool { return r == '\u200c' || r == '\u200d' }

// shorten returns at most limit characters of a line, cut after a word where there is one.
func shorten(s string, limit int) string {
	n := 0
	for i := range s {
		if n++; n <= limit {
			continue
		}
		if word := strings.LastIndexByte(s[:i], ' '); word > i/2 {
			i = word
		}
		return strings.TrimRight(s[:i], " ,;:-–")
	}
	return s
}

// flat writes a value as text: lists with commas, objects as "name: value", what is nested deeper not at all.
func flat(v value) string {
	var parts []string
	switch v.kind {
	case text:
		return v.text
	case bare:
		switch v.text {
		case "true":
			return "yes"
		case "false":
			return "no"
		}
		return v.text
	case array:
		for _, e := range v.list {
			if e.kind == object {
				parts = append(parts, flat(e))
			} else if e.scalar() {
				parts = append(parts, flat(e))
			}
		}
	case object:
		for _, f := range v.fields {
			if f.value.scalar() && f.value.text != "" {
				parts = append(parts, strings.ReplaceAll(f.name, "_", " ")+": "+flat(f.value))
			}
		}
	}
	return strings.Join(parts, ", ")
}

// snake brings a key to snake_case: small letters and digits of any script, words joined by underscores.
// "favoriteColor", "Favorite color" and "favorite-color" are one key.
func snake(s string) string {
	var b strings.Builder
	count := 0
	last := rune(0)
	for _, r := range s {
		word := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
		switch {
		case !word && (r == '\'' || r == '’' || unicode.In(r, unicode.Cf)):
			continue
		case !word:
			r = '_'
		case unicode.IsUpper(r) && (unicode.IsLower(last) || unicode.IsDigit(last)):
			if b.Len() > 0 {
				b.WriteByte('_')
				count++
			}
		}
		last = r
		if r == '_' && (b.Len() == 0 || strings.HasSuffix(b.String(), "_")) {
			continue
		}
		if count++; count > MaxKey || b.Len()+utf8.RuneLen(r) > maxKeyBytes {
			break
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Trim(b.String(), "_")
}

// missing reports whether a text stands for a value that is not there.
func missing(s string) bool {
	switch strings.ToLower(strings.Trim(s, " .-–—?<>[]()")) {
	case "", "null", "undefined", "n/a", "na", "unknown", "unspecified", "not specified", "not mentioned", "not provided", "not stated", "string":
		return true
	}
	return false
}

// none reports whether a text says that there is nothing, in the commonest languages.
func none(s string) bool {
	switch strings.ToLower(strings.Trim(s, " \t\n.-–—*()[]")) {
	case "", "none", "null", "nil", "n/a", "na", "nothing", "no", "not applicable", "none identified", "none mentioned", "none discussed", "none noted",
		"none stated", "none reported", "none specified", "no decisions", "no action items", "no actions", "no decisions made", "no decisions were made",
		"no key decisions", "no important facts", "no follow-ups", "keine", "keine angaben", "nichts", "ninguno", "ninguna", "nada",
		"aucun", "aucune", "rien", "nessuno", "nessuna", "niente", "geen", "nenhum", "nenhuma", "нет", "なし", "無し", "无", "無", "没有", "없음":
		return true
	}
	return false
}

// bracketed reports whether a text begins like JSON.
func bracketed(s string) bool {
	s = strings.TrimSpace(s)
	return s != "" && (s[0] == '{' || s[0] == '[')
}
