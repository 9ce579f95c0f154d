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

// asked is the width to ask for. The default model's own is not: an endpoint that goes by its name may know no other.
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
			place = *d.Index // one that is told twice leaves another vector empty, which check refuses
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

// ollama is the format of Ollama's own endpoint. Texts that are longer than the model reads are cut off there.
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

// numbers reads a JSON list of numbers. encoding/json would take a null, which some servers write for what is no
// number, for a 0.
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

// normalise makes a vector's length 1. It reports false for one that has no direction.
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
