package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// description is the OpenAPI document that a server serves, as far as answers are held against it. It is read by code
// of our own, so that the library that wrote it does not judge itself.
type description struct {
	Paths      map[string]map[string]operation `json:"paths"`
	Components struct {
		Schemas map[string]*schema `json:"schemas"`
	} `json:"components"`
}

type operation struct {
	ID        string                `json:"operationId"`
	Scope     string                `json:"x-scope"`
	Security  []map[string][]string `json:"security"`
	Responses map[string]struct {
		Content map[string]struct {
			Schema *schema `json:"schema"`
		} `json:"content"`
	} `json:"responses"`
}

type schema struct {
	Ref                  string             `json:"$ref"`
	Type                 any                `json:"type"` // a name, or a list of names
	Properties           map[string]*schema `json:"properties"`
	Required             []string           `json:"required"`
	AdditionalProperties any                `json:"additionalProperties"` // a bool or a schema
	Items                *schema            `json:"items"`
	Enum                 []any              `json:"enum"`
	OneOf                []*schema          `json:"oneOf"`
	Format               string             `json:"format"`
	Pattern              string             `json:"pattern"`
	Minimum              *float64           `json:"minimum"`
	Maximum              *float64           `json:"maximum"`
}

func describe(t testing.TB, raw []byte) *description {
	t.Helper()
	d := &description{}
	if err := json.Unmarshal(raw, d); err != nil {
		t.Fatal(err)
	}
	if len(d.Paths) < 15 {
		t.Fatalf("the description has %d paths: it is not the whole API", len(d.Paths))
	}
	return d
}

// find returns the operation of a request, and false if the description has none.
func (d *description) find(method, path string) (operation, bool) {
	best, literals := operation{}, -1
	for template, item := range d.Paths {
		op, ok := item[strings.ToLower(method)]
		if n := matches(template, path); ok && n > literals {
			best, literals = op, n
		}
	}
	return best, literals >= 0
}

// matches counts the literal segments that a path shares with a template; -1 if it does not fit.
func matches(template, path string) int {
	want, got := strings.Split(template, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return -1
	}
	n := 0
	for i := range want {
		switch {
		case strings.HasPrefix(want[i], "{"):
		case want[i] == got[i]:
			n++
		default:
			return -1
		}
	}
	return n
}

// fault says what an answer has that the description does not allow; "" if nothing.
func (d *description) fault(method, path string, status int, contentType string, body []byte) string {
	op, ok := d.find(method, path)
	if !ok {
		if status == http.StatusNotFound || status == http.StatusMethodNotAllowed {
			return ""
		}
		return "the description has no such operation"
	}
	res, ok := op.Responses[strconv.Itoa(status)]
	if !ok {
		return fmt.Sprintf("%s does not say that it answers %d", op.ID, status)
	}
	mime, _, _ := strings.Cut(contentType, ";")
	if len(res.Content) == 0 && len(body) == 0 {
		return ""
	}
	media, ok := res.Content[mime]
	if !ok {
		return fmt.Sprintf("%s does not say that it answers %d as %q", op.ID, status, mime)
	}
	if !strings.HasSuffix(mime, "json") || mime == "application/openapi+json" {
		return ""
	}
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		return fmt.Sprintf("%s answers %d with what is not JSON", op.ID, status)
	}
	if why := d.invalid("", media.Schema, v); why != "" {
		return fmt.Sprintf("%s answers %d with %s", op.ID, status, why)
	}
	return ""
}

// invalid says where a value breaks its schema; "" if it does not.
func (d *description) invalid(at string, s *schema, v any) string {
	if s == nil {
		return ""
	}
	if s.Ref != "" {
		to := d.Components.Schemas[strings.TrimPrefix(s.Ref, "#/components/schemas/")]
		if to == nil {
			return at + ": a reference to nothing"
		}
		return d.invalid(at, to, v)
	}
	if len(s.OneOf) > 0 {
		return d.notOne(at, s.OneOf, v)
	}
	if !s.is(kindOf(v)) {
		return fmt.Sprintf("%s: a %s where the type is %v", at, kindOf(v), s.Type)
	}
	if len(s.Enum) > 0 && v != nil && !slices.Contains(s.Enum, v) {
		return at + ": a value that is not of the enumeration"
	}
	switch v := v.(type) {
	case map[string]any:
		return d.invalidObject(at, s, v)
	case []any:
		for i, item := range v {
			if why := d.invalid(fmt.Sprintf("%s[%d]", at, i), s.Items, item); why != "" {
				return why
			}
		}
	case string:
		return s.invalidText(at, v)
	case float64:
		if (s.Minimum != nil && v < *s.Minimum) || (s.Maximum != nil && v > *s.Maximum) {
			return at + ": a number out of its range"
		}
	}
	return ""
}

func (d *description) notOne(at string, list []*schema, v any) string {
	fits := 0
	for _, s := range list {
		if d.invalid(at, s, v) == "" {
			fits++
		}
	}
	if fits == 1 {
		return ""
	}
	return fmt.Sprintf("%s: a value that fits %d of %d schemas", at, fits, len(list))
}

func (d *description) invalidObject(at string, s *schema, v map[string]any) string {
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			return at + "." + name + " missing"
		}
	}
	for name, value := range v {
		if p := s.Properties[name]; p != nil {
			if why := d.invalid(at+"."+name, p, value); why != "" {
				return why
			}
			continue
		}
		if s.AdditionalProperties == false {
			return at + "." + name + ", which the schema does not have"
		}
	}
	return ""
}

func (s *schema) invalidText(at, v string) string {
	if s.Format == "date-time" {
		if _, err := time.Parse(time.RFC3339, v); err != nil {
			return at + ": not an RFC 3339 time"
		}
	}
	if s.Pattern != "" && !regexp.MustCompile(s.Pattern).MatchString(v) {
		return at + ": a text that does not match the pattern"
	}
	return ""
}

// is reports whether the schema allows a type.
func (s *schema) is(kind string) bool {
	fits := func(name any) bool { return name == kind || (name == "number" && kind == "integer") }
	switch t := s.Type.(type) {
	case nil:
		return true
	case []any:
		return slices.ContainsFunc(t, fits)
	default:
		return fits(t)
	}
}

func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case float64:
		if v == float64(int64(v)) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

// checked is a transport that holds every answer against the description.
type checked struct {
	t    testing.TB
	api  *description
	next http.RoundTripper
}

// RoundTrip makes a request. Event streams pass unread; the story about events looks into them.
func (c checked) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := c.next.RoundTrip(req)
	if err != nil || strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		return res, err
	}
	body, err := io.ReadAll(res.Body)
	_ = res.Body.Close() // it was only read
	if err != nil {
		return nil, err // the server died in the middle of its answer
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	if why := c.api.fault(req.Method, req.URL.EscapedPath(), res.StatusCode, res.Header.Get("Content-Type"), body); why != "" {
		c.t.Errorf("%s %s: %s", req.Method, req.URL.Path, why)
	}
	if res.Header.Get("X-Request-Id") == "" {
		c.t.Errorf("%s %s: no X-Request-Id", req.Method, req.URL.Path)
	}
	return res, nil
}
