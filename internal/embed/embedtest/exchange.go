package embedtest

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/recallerhq/recaller/internal/endpoint/endpointtest"
)

// item is one vector of an answer, before it is put into a format. Numbers are as they are written, so that they can be
// none.
type item struct {
	index   string // "": left out
	numbers []string
}

// exchange is one request and its response.
type exchange struct {
	w      http.ResponseWriter
	r      *http.Request
	q      Request
	answer []item
}

// send writes the answer as the provider would.
func (x *exchange) send() { x.write(http.StatusOK, "application/json", x.body()) }

// body is the answer in the provider's format.
func (x *exchange) body() string {
	var vectors []string
	for _, it := range x.answer {
		vector := "[" + strings.Join(it.numbers, ",") + "]"
		if x.q.Provider == "openai" {
			index := ""
			if it.index != "" {
				index = `,"index":` + it.index
			}
			vector = `{"object":"embedding"` + index + `,"embedding":` + vector + `}`
		}
		vectors = append(vectors, vector)
	}
	list := strings.Join(vectors, ",")
	if x.q.Provider == "openai" {
		return `{"object":"list","data":[` + list + `],"model":` + quoted(x.q.Model) + `,"usage":{"prompt_tokens":1,"total_tokens":1}}`
	}
	return `{"model":` + quoted(x.q.Model) + `,"embeddings":[` + list + `],"total_duration":1}`
}

// problem writes an error in the provider's format, which quotes what was sent.
func (x *exchange) problem(status int, message string) {
	text := quoted(message + ": " + strings.Join(x.q.Texts, " "))
	if x.q.Provider == "ollama" {
		x.write(status, "application/json", `{"error":`+text+`}`)
		return
	}
	x.write(status, "application/json", `{"error":{"message":`+text+`,"type":"api_error","param":null,"code":null}}`)
}

func (x *exchange) write(status int, kind, body string) {
	endpointtest.Write(x.w, status, kind, []byte(body))
}

func (x *exchange) flush() { _ = http.NewResponseController(x.w).Flush() } // only for timing

func quoted(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		return `""` // never, of a string
	}
	return string(raw)
}
