package httpapi

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/tool"
)

// The ids of a tool's call, in the names that its platforms use.
const (
	fieldSession = "callSessionId"
	fieldLine    = "lineId"
	fieldAccount = "accountId"
)

// fields is a tool's body, or its arguments. What its tool does not take, the tool refuses.
type fields map[string]json.RawMessage

func fieldsOf(raw []byte) (fields, error) {
	var f fields
	err := json.Unmarshal(raw, &f)
	switch {
	case !json.Valid(raw):
		return nil, simple(http.StatusBadRequest, "invalid", "the body is not valid JSON")
	case err != nil || f == nil:
		return nil, recaller.Errorf(recaller.Invalid, "the body must be a JSON object")
	}
	return f, nil
}

// argumentsOf reads what a model gave, an object or a string that holds one, as far as it can be read: what is wrong
// with it, the tool says.
func argumentsOf(raw json.RawMessage) fields {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		raw = json.RawMessage(text)
	}
	f := fields{}
	if len(raw) > 0 && json.Unmarshal(raw, &f) != nil {
		return nil
	}
	return f
}

// missing are those of the names, in camelCase, that are absent, null or empty, in whatever spelling of theirs; none
// where nothing could be read.
func (f fields) missing(names ...string) []string {
	if f == nil {
		return nil
	}
	there := map[string]bool{}
	for name, v := range f {
		if text := string(v); text != "null" && text != `""` {
			there[folded(name)] = true
		}
	}
	var out []string
	for _, name := range names {
		if !there[folded(name)] {
			out = append(out, camel(name))
		}
	}
	return out
}

// missed refuses a request that lacks fields.
func missed(names []string) error {
	return recaller.Errorf(recaller.Invalid, "Missing required fields: %s", strings.Join(names, ", "))
}

// text is a field that is a string, in whatever spelling of its name; one that is absent or null is empty.
func (f fields) text(name string) (string, error) {
	raw, ok := f[name]
	for other, v := range f {
		if !ok && folded(other) == folded(name) {
			raw = v
		}
	}
	var s string
	if len(raw) > 0 && json.Unmarshal(raw, &s) != nil {
		return "", recaller.InvalidField(name, "must be a string")
	}
	return s, nil
}

// call reads the ids.
func (f fields) call() (c tool.Call, err error) {
	if c.Conversation, err = f.text(fieldSession); err != nil {
		return c, err
	}
	if c.Caller, err = f.text(fieldLine); err != nil {
		return c, err
	}
	c.Account, err = f.text(fieldAccount)
	return c, err
}

// folded is a name as the tools compare them: without case, underscores and hyphens.
func folded(name string) string {
	return strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(name, "_", ""), "-", ""))
}

// camel turns due_at into dueAt.
func camel(name string) string {
	head, rest, ok := strings.Cut(name, "_")
	for ok && rest != "" {
		var part string
		part, rest, ok = strings.Cut(rest, "_")
		if part != "" {
			head += strings.ToUpper(part[:1]) + part[1:]
		}
	}
	return head
}

func dashed(name string) string { return strings.ReplaceAll(name, "_", "-") }
