package embedtest

import (
	"encoding/json"
	"strings"

	"github.com/recallerhq/recaller/internal/endpoint/endpointtest"
)

// item is one vector of an answer, before it is put into a format. Numbers are as they are written, so that they can be
// none.
type item struct {
	index   string // "": left out
	numbers []string
}

// exchange is one request and its vectors, as a provider tells them. It implements endpointtest.Wire.
type exchange struct {
	q      Request
	answer []item
}

func (x *exchange) Kind() string { return "application/json" }

func (x *exchange) Parts() [][]byte {
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
	body := `{"model":` + quoted(x.q.Model) + `,"embeddings":[` + list + `],"total_duration":1}`
	if x.q.Provider == "openai" {
		body = `{"object":"list","data":[` + list + `],"model":` + quoted(x.q.Model) +
			`,"usage":{"prompt_tokens":1,"total_tokens":1}}`
	}
	return [][]byte{[]byte(body)}
}

func (x *exchange) Problem(p endpointtest.Problem) []byte {
	text := quoted(p.Message)
	if x.q.Provider == "ollama" {
		return []byte(`{"error":` + text + `}`)
	}
	return []byte(`{"error":{"message":` + text + `,"type":` + quoted(p.Kind) + `,"param":null,"code":null}}`)
}

func (x *exchange) Asked() string { return strings.Join(x.q.Texts, " ") }

func quoted(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		return `""` // never, of a string
	}
	return string(raw)
}
