package llm

import (
	"bytes"
	"encoding/json"
	"net/http"

	"github.com/recallerhq/recaller/internal/endpoint"
)

// read reads an answer, or an event of one. It must be a JSON object, and must not report a failure, as some routers in
// front of several providers do under a status of success.
func read(body []byte, into any) error {
	var object struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &object) != nil {
		return endpoint.ErrBroken // the cause may quote the answer
	}
	if len(object.Error) > 0 && !bytes.Equal(object.Error, []byte("null")) {
		return &endpoint.RefusalError{Status: http.StatusBadGateway}
	}
	if json.Unmarshal(body, into) != nil {
		return endpoint.ErrBroken
	}
	return nil
}
