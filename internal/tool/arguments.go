package tool

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
)

// maxArguments bounds the arguments of a call, and maxName an argument's name in an error.
const (
	maxArguments = 64 << 10
	maxName      = 60
)

// Arguments are the fields of a call by their folded names: "memoryType" and "memory_type" are "memorytype".
type Arguments map[string]json.RawMessage

// ReadArguments reads the arguments of a call: an object, a string that holds one, as some models send it, or nothing. A field
// that is given twice, in whatever spelling, must have the same value both times.
func ReadArguments(raw json.RawMessage) (Arguments, error) {
	if len(raw) > maxArguments {
		return nil, recaller.InvalidField("arguments", "must be at most %d bytes", maxArguments)
	}
	if !utf8.Valid(raw) {
		return nil, recaller.InvalidField("arguments", "must be valid UTF-8")
	}
	text := bytes.TrimSpace(raw)
	if len(text) > 0 && text[0] == '"' {
		var inner string
		if err := json.Unmarshal(text, &inner); err != nil {
			return nil, notObject()
		}
		text = bytes.TrimSpace([]byte(inner))
	}
	if len(text) == 0 || string(text) == "null" {
		return Arguments{}, nil
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return nil, notObject()
	}
	args := Arguments{}
	for dec.More() {
		if err := args.member(dec); err != nil {
			return nil, err
		}
	}
	if _, err := dec.Token(); err != nil { // the closing brace
		return nil, notObject()
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, notObject()
	}
	return args, nil
}

// member reads one field.
func (a Arguments) member(dec *json.Decoder) error {
	tok, err := dec.Token()
	name, isName := tok.(string)
	var value json.RawMessage
	if err != nil || !isName || dec.Decode(&value) != nil {
		return notObject()
	}
	field := Fold(name)
	if before, twice := a[field]; twice && !bytes.Equal(before, value) {
		if told, ok := fields[field]; ok {
			return recaller.InvalidField(told, "must not be told twice")
		}
	}
	a[field] = value
	return nil
}

func notObject() error { return recaller.InvalidField("arguments", "must be a JSON object") }

// Fold returns a name as the tools compare it: without case, underscores and hyphens.
func Fold(name string) string { return strings.ToLower(joined.Replace(name)) }

var joined = strings.NewReplacer("_", "", "-", "")

// fields holds the names of the fields that the tools know, as W spells them, by their folded names.
var fields = map[string]string{
	"memorytype": "memoryType",
	"key":        "key", "value": "value", "confidence": "confidence", "suggestreminder": "suggestReminder",
	"existingkey": "existingKey", "newvalue": "newValue", "memoryid": "memoryId", "dueat": "dueAt",
	"repeat": "repeat", "reminderid": "reminderId",
	"query": "query", "summary": "summary", "intent": "intent", "stagingdata": "stagingData",
	"name": "name", "recycled": "recycled",
	"pin": "pin",
}

// ids are the fields that say in which call a tool is used. They may stand beside the arguments.
var ids = []string{"callsessionid", "lineid", "accountid"}

// unknown refuses arguments that the tool does not have, by name, because the model counts on them. Wherever a key
// names a memory, an id may.
func (a Arguments) unknown(call Call) error {
	known := argumentsOf(call.Name)
	told := make([]string, len(known))
	for i, k := range known {
		told[i] = fields[Fold(k)]
	}
	byID := slices.Contains(known, "key") && call.Name != recaller.ToolStoreMemory
	for _, field := range slices.Sorted(maps.Keys(a)) {
		if slices.Contains(ids, field) || field == "memoryid" && byID ||
			slices.ContainsFunc(known, func(k string) bool { return Fold(k) == field }) {
			continue
		}
		return recaller.InvalidField(spelled(call.Arguments, field), "is no argument of %s, which takes %s", call.Name,
			strings.Join(told, ", "))
	}
	return nil
}

// spelled returns the name of a field as the call spells it, as far as it may be shown.
func spelled(raw json.RawMessage, field string) string {
	var inner string
	if json.Unmarshal(raw, &inner) == nil {
		raw = json.RawMessage(inner)
	}
	var told map[string]json.RawMessage
	if json.Unmarshal(raw, &told) == nil {
		for name := range told {
			if Fold(name) == field {
				field = name
			}
		}
	}
	return cut(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, field), maxName)
}

// argumentsOf returns the arguments of a tool, as its definition names them.
func argumentsOf(name recaller.Tool) []string {
	for _, d := range Definitions() {
		var schema struct {
			Properties map[string]any `json:"properties"`
		}
		if d.Name == name && json.Unmarshal(d.Parameters, &schema) == nil {
			return slices.Sorted(maps.Keys(schema.Properties))
		}
	}
	return nil
}

// Given reports whether the call has a field.
func (a Arguments) Given(field string) bool {
	v, ok := a[Fold(field)]
	return ok && string(v) != "null"
}

// Text returns a string; "" if it is absent or blank.
func (a Arguments) Text(field string) (string, error) {
	if !a.Given(field) {
		return "", nil
	}
	var s string
	if json.Unmarshal(a[Fold(field)], &s) != nil {
		return "", recaller.InvalidField(field, "must be a string")
	}
	return strings.TrimSpace(s), nil
}

// Needed returns a string that must be given.
func (a Arguments) Needed(field string) (string, error) {
	s, err := a.Text(field)
	if err == nil && s == "" {
		err = recaller.InvalidField(field, "is required")
	}
	return s, err
}

// Number returns a whole number from 0 to most, which may come as a string; 0 if it is absent.
func (a Arguments) Number(field string, most int) (int, error) {
	if !a.Given(field) {
		return 0, nil
	}
	n, err := strconv.Atoi(strings.Trim(string(a[Fold(field)]), "\" "))
	if err != nil || n < 0 || n > most {
		return 0, recaller.InvalidField(field, "must be a whole number between 0 and %d", most)
	}
	return n, nil
}

// Of returns the fields with these names, in any spelling, and takes them out of a.
func (a Arguments) Of(names ...string) Arguments {
	out := Arguments{}
	for _, name := range names {
		if v, ok := a[Fold(name)]; ok {
			out[Fold(name)] = v
			delete(a, Fold(name))
		}
	}
	return out
}

// share returns a number from 0 to 1, which may come as a string; nil if it is absent.
func (a Arguments) share(field string) (*float64, error) {
	if !a.Given(field) {
		return nil, nil //nolint:nilnil // absent is no error
	}
	raw := string(a[Fold(field)])
	var s string
	if json.Unmarshal([]byte(raw), &s) == nil {
		raw = strings.TrimSpace(s)
	}
	v, err := strconv.ParseFloat(raw, 64)
	if err != nil || !(v >= 0 && v <= 1) { // NaN is neither
		return nil, recaller.InvalidField(field, "must be a number between 0 and 1")
	}
	return &v, nil
}

// truth returns true or false, which may come as a string; false if it is absent.
func (a Arguments) truth(field string) (bool, error) {
	if !a.Given(field) {
		return false, nil
	}
	switch strings.ToLower(strings.Trim(string(a[Fold(field)]), "\" ")) {
	case "true":
		return true, nil
	case "false", "":
		return false, nil
	}
	return false, recaller.InvalidField(field, "must be true or false")
}

// kind returns the type of a memory; "" if it is absent.
func (a Arguments) kind() (recaller.MemoryType, error) {
	s, err := a.Text("memoryType")
	if err != nil || s == "" {
		return "", err
	}
	for _, t := range recaller.MemoryTypes() {
		if Fold(string(t)) == Fold(strings.ReplaceAll(s, " ", "")) {
			return t, nil
		}
	}
	return "", recaller.InvalidField("memoryType", "must be one of %v", recaller.MemoryTypes())
}
