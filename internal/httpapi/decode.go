package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/httpdoor"
)

// decode reads a body that its handler takes raw, because the body is large or comes often. It does not check values:
// the use case does. Only a body that does not decode is validated against the schema, to name the field at fault.
func decode[T any](s *server, raw []byte) (T, error) {
	var v T
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if dec.Decode(&v) == nil {
		if _, err := dec.Token(); errors.Is(err, io.EOF) {
			return v, nil
		}
	}
	return v, s.fault(raw, reflect.TypeFor[T]())
}

// learnFaults makes the schemas that fault validates against. It runs before the first request, because many requests
// may read huma's registry at once, but none may write to it. The registry is apart from the description's, which
// therefore does not show them.
func (s *server) learnFaults() {
	schemas := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	s.faultSchemas = schemas
	s.faults = map[reflect.Type]*huma.Schema{}
	for _, t := range []reflect.Type{
		reflect.TypeFor[turnsBody](), reflect.TypeFor[client.AddTurnsRequest](), reflect.TypeFor[client.TurnInput](),
		reflect.TypeFor[client.ImportRequest](), reflect.TypeFor[recaller.Receipt](),
		reflect.TypeFor[client.DocumentInput](), reflect.TypeFor[client.DocumentPatch](),
		reflect.TypeFor[client.QueryRequest](), reflect.TypeFor[client.MergeRequest](),
	} {
		s.faults[t] = schemas.Schema(t, true, "")
		if fields := schemas.SchemaFromRef(s.faults[t].Ref).Properties; fields["tags"] != nil {
			fields["tags"] = tagForms()
		}
	}
}

// fault says why a body does not decode as a type.
func (s *server) fault(raw []byte, t reflect.Type) error {
	var parsed any
	if json.Unmarshal(raw, &parsed) != nil {
		return httpdoor.Simple(http.StatusBadRequest, "invalid", "the body is not valid JSON")
	}
	var found huma.ValidateResult
	path := huma.NewPathBuffer([]byte{}, 0)
	path.Push("body")
	huma.Validate(s.faultSchemas, s.faults[t], path, huma.ModeWriteToServer, parsed, &found)
	details := make([]*huma.ErrorDetail, 0, len(found.Errors))
	for _, err := range found.Errors {
		var d *huma.ErrorDetail
		if errors.As(err, &d) {
			details = append(details, d)
		}
	}
	return invalidFields(details)
}

// firstKey returns the first key of a JSON object; empty if there is none.
func firstKey(raw []byte) string {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return ""
	}
	t, err := dec.Token()
	key, ok := t.(string)
	if err != nil || !ok {
		return ""
	}
	return key
}
