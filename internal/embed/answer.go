package embed

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"

	"github.com/recallerhq/recaller/internal/endpoint"
)

// openAI is the format of OpenAI's embeddings.
type openAI struct {
	model string
	width int
}

func (openAI) path() string { return "/embeddings" }

func (o openAI) request(texts []string) any {
	return struct {
		Model      string   `json:"model"`
		Input      []string `json:"input"`
		Format     string   `json:"encoding_format"`
		Dimensions int      `json:"dimensions,omitempty"`
	}{o.model, texts, "float", o.asked()}
}

// asked returns the width to ask for. It does not ask for the default model's own width, because an endpoint that
// offers that name may know no other.
func (o openAI) asked() int {
	if o.model == defaultModel && o.width == defaultWidth {
		return 0
	}
	return o.width
}

func (openAI) vectors(body []byte, n int) ([][]float32, error) {
	var answer struct {
		Data []struct {
			Index  *int            `json:"index"`
			Vector json.RawMessage `json:"embedding"`
		} `json:"data"`
	}
	if json.Unmarshal(body, &answer) != nil || len(answer.Data) != n {
		return nil, endpoint.ErrBroken // the cause may quote the answer
	}
	vectors := make([][]float32, n)
	for place, d := range answer.Data {
		if d.Index != nil {
			place = *d.Index // a repeated index leaves another vector empty, which check refuses
		}
		if place < 0 || place >= n {
			return nil, endpoint.ErrBroken
		}
		var err error
		if vectors[place], err = numbers(d.Vector); err != nil {
			return nil, err
		}
	}
	return vectors, nil
}

// ollama is the format of Ollama's own endpoint. It cuts off texts that are too long for the model.
type ollama struct {
	model string
	width int
}

func (ollama) path() string { return "/api/embed" }

func (o ollama) request(texts []string) any {
	return struct {
		Model      string   `json:"model"`
		Input      []string `json:"input"`
		Dimensions int      `json:"dimensions,omitempty"`
	}{o.model, texts, o.width}
}

func (ollama) vectors(body []byte, n int) ([][]float32, error) {
	var answer struct {
		Vectors []json.RawMessage `json:"embeddings"`
	}
	if json.Unmarshal(body, &answer) != nil || len(answer.Vectors) != n {
		return nil, endpoint.ErrBroken
	}
	vectors := make([][]float32, n)
	for i, raw := range answer.Vectors {
		var err error
		if vectors[i], err = numbers(raw); err != nil {
			return nil, err
		}
	}
	return vectors, nil
}

// numbers reads a JSON list of numbers. encoding/json would read as 0 the null that some servers write for what is no
// number.
func numbers(raw []byte) ([]float32, error) {
	list, isList := bytes.CutPrefix(bytes.TrimSpace(raw), []byte("["))
	list, ends := bytes.CutSuffix(list, []byte("]"))
	if !isList || !ends {
		return nil, endpoint.ErrBroken
	}
	v := make([]float32, 0, bytes.Count(list, []byte(","))+1)
	for part := range bytes.SplitSeq(list, []byte(",")) {
		x, err := strconv.ParseFloat(string(bytes.TrimSpace(part)), 32)
		if err != nil {
			return nil, endpoint.ErrBroken
		}
		v = append(v, float32(x))
	}
	return v, nil
}

// normalise scales a vector to length 1. It returns false if the vector has no direction.
func normalise(v []float32) bool {
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	length := math.Sqrt(square)
	if length == 0 || math.IsNaN(length) || math.IsInf(length, 0) {
		return false
	}
	for i, x := range v {
		v[i] = float32(float64(x) / length)
	}
	return true
}
