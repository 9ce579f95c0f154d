//go:build measure

package wrapup_test

import (
	"os"
	"testing"
	"time"

	"github.com/recallerhq/recaller/internal/llm"
)

// The coverage of a model of your own, counted as the rules' is. What it is sent are the conversations of the
// development data, some hundred questions, so it is no part of the tests:
//
//	RECALLER_LLM_BASE_URL=http://localhost:11434/v1 RECALLER_LLM_MODEL=qwen3:8b \
//	  go test -tags measure ./internal/wrapup -run TestAModelKeepsWhatIsAskedForLater -v -timeout 5h
//
// RECALLER_LLM_API_KEY, RECALLER_LLM_PROVIDER (openai or anthropic) and RECALLER_LLM_TIMEOUT mean what they mean for
// the server.
func TestAModelKeepsWhatIsAskedForLater(t *testing.T) {
	settings := modelSettings(t, os.Getenv)
	m := llm.New(settings)
	if err := m.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Logf("model %s", settings.Model)
	count := &counting{Client: m, timeout: settings.Timeout}
	report(t, measureCoverage(t, questions(t), count))
	t.Logf("cost: %d requests, %d tokens in, %d out, %s", count.Calls, count.TokensIn, count.TokensOut, count.Took.Round(time.Second))
}
