package httpapi

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/httpdoor"
	"github.com/recallerhq/recaller/internal/tool"
)

// The ids of a tool call, by the names that the platforms use.
const (
	fieldSession = "callSessionId"
	fieldLine    = "lineId"
	fieldAccount = "accountId"
)

// fields is the body of a tool call, or its arguments. The tool itself refuses unknown fields.
type fields map[string]json.RawMessage

func fieldsOf(raw []byte) (fields, error) {
	var f fields
	err := json.Unmarshal(raw, &f)
	switch {
	case !json.Valid(raw):
		return nil, httpdoor.Simple(http.StatusBadRequest, "invalid", "the body is not valid JSON")
	case err != nil || f == nil:
		return nil, recaller.Errorf(recaller.Invalid, "the body must be a JSON object")
	}
	return f, nil
}

// argumentsOf reads what a model gave: an object, or a string that holds one. It returns nil if it can read neither,
// and leaves it to the tool to say what is wrong.
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

// missing returns which of the names are absent, null or empty in f, in camelCase. The spelling in f does not matter. A
// nil f, which could not be read, lacks none.
func (f fields) missing(names ...string) []string {
	if f == nil {
		return nil
	}
	there := map[string]bool{}
	for name, v := range f {
		if text := string(v); text != "null" && text != `""` {
			there[tool.Fold(name)] = true
		}
	}
	var out []string
	for _, name := range names {
		if !there[tool.Fold(name)] {
			out = append(out, camel(name))
		}
	}
	return out
}

// missed refuses a request that lacks fields.
func missed(names []string) error {
	return recaller.Errorf(recaller.Invalid, "Missing required fields: %s", strings.Join(names, ", "))
}

// text returns a string field, in any spelling of its name; empty if it is absent or null.
func (f fields) text(name string) (string, error) {
	raw, ok := f[name]
	for other, v := range f {
		if !ok && tool.Fold(other) == tool.Fold(name) {
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
