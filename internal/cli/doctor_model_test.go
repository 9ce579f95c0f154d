package cli_test

import (
	"net/http/httptest"
	"testing"

	"github.com/recallerhq/recaller/internal/llm/llmtest"
)

func TestDoctorAsksTheModelOneQuestion(t *testing.T) {
	t.Parallel()
	b := setup(t)
	provider := llmtest.New(nil)
	server := httptest.NewServer(provider)
	defer server.Close()
	b.env = append(b.env, "RECALLER_LLM_BASE_URL="+server.URL, "RECALLER_LLM_MODEL=m")
	want(t, "doctor", b.must("doctor"), "ok    model", "m at "+server.URL, "answered in ")
	if n := provider.Count(); n != 1 {
		t.Errorf("it asked %d questions, want one", n)
	}
	provider.Fail(llmtest.Refusal())
	want(t, "a model that does not answer", b.must("doctor"), "warn  model", "is there, but m did not answer", "by rules")
}
