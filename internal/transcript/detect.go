package transcript

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
)

// Detect returns a file's format, by its name and beginning, which may be compressed with gzip. HeadSize bytes are
// always enough. The error for any other file says what was looked for.
func Detect(name string, head []byte) (Format, error) {
	if bytes.HasPrefix(head, gzipMagic) {
		head = unpackHead(head)
	}
	head = bytes.TrimSpace(bytes.TrimPrefix(head, []byte(byteOrderMark)))
	if len(head) == 0 {
		return "", recaller.Errorf(recaller.Invalid, "the file is empty")
	}
	if isJSON(head) {
		if format := byKeys(keys(head)); format != "" {
			return format, nil
		}
		return "", recaller.Errorf(recaller.Invalid,
			"JSON, but none of ours: expected conversations with caller and turns, or the files of LongMemEval, "+
				"HarperValley or PriMock57")
	}
	if strings.Contains(strings.ToLower(path.Ext(strings.TrimSuffix(name, ".gz"))), "json") {
		return "", recaller.Errorf(recaller.Invalid, "the file is named as JSON, but is none")
	}
	if looksLikeText(head) {
		return Text, nil
	}
	return "", recaller.Errorf(recaller.Invalid, `expected JSON, or text with lines such as "CALLER: hello"`)
}

// unpackHead unpacks as much of a compressed beginning as there is.
func unpackHead(head []byte) []byte {
	unpacked, err := gzip.NewReader(bytes.NewReader(head))
	if err != nil {
		return nil
	}
	plain, err := io.ReadAll(io.LimitReader(unpacked, HeadSize))
	if err != nil && len(plain) == 0 {
		return nil
	}
	return plain
}

// isJSON tells the beginning of an object, or of an array of objects, from "[00:01] CALLER: …".
func isJSON(head []byte) bool {
	if head[0] == '[' {
		head = bytes.TrimSpace(head[1:])
	}
	return len(head) > 0 && (head[0] == '{' || head[0] == ']')
}

// keys returns the keys of the first object in a beginning that may break off anywhere, without those of objects in it.
func keys(head []byte) map[string]bool {
	found := map[string]bool{}
	dec := json.NewDecoder(bytes.NewReader(head))
	depth, isKey := 0, false // isKey: the next string at depth 1 is a key
	for {
		token, err := dec.Token()
		if err != nil {
			return found
		}
		switch token {
		case json.Delim('{'):
			depth++
			isKey = depth == 1
			continue
		case json.Delim('['):
			if depth > 0 {
				depth++
			}
			continue
		case json.Delim('}'), json.Delim(']'):
			if depth--; depth <= 0 {
				return found
			}
			isKey = depth == 1
			continue
		}
		if depth != 1 {
			continue
		}
		if key, ok := token.(string); ok && isKey {
			found[key] = true
		}
		isKey = !isKey
	}
}

// byKeys knows each JSON format by keys that the others do not have.
func byKeys(keys map[string]bool) Format {
	switch {
	case keys["question_id"] || keys["haystack_sessions"]:
		return LongMemEval
	case keys["sid"] || keys["segments"]:
		return HarperValley
	case keys["presenting_complaint"] || keys["duration_s"]:
		return PriMock57
	case keys["caller"] || keys["turns"] || keys["conversations"]:
		return Native
	}
	return ""
}

// looksLikeText reports whether a beginning is text with a line that begins with a speaker.
func looksLikeText(head []byte) bool {
	if bytes.IndexByte(head, 0) >= 0 {
		return false
	}
	for line := range strings.Lines(string(head)) {
		if utf8.ValidString(line) {
			if l := readLine(strings.TrimSpace(line)); l.label != "" {
				return true
			}
		}
	}
	return false
}
