package cli_test

import (
	"net/http/httptest"
	"testing"

	"github.com/recallerhq/recaller/internal/llm/llmtest"
)

// One question whether somebody is there, and four of the examination.
func TestDoctorAsksTheModelAndExaminesIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	provider := llmtest.New(nil)
	server := httptest.NewServer(provider)
	defer server.Close()
	b.env = append(b.env, "RECALLER_LLM_BASE_URL="+server.URL, "RECALLER_LLM_MODEL=m")
	want(t, "doctor", b.must("doctor"), "ok    model", "m at "+server.URL, "answered in ", "may write in its own words")
	if n := provider.Count(); n != 5 {
		t.Errorf("it asked %d questions, want five", n)
	}
	provider.Fail(llmtest.Refusal())
	want(t, "a model that does not answer", b.must("doctor"), "warn  model", "is there, but m did not answer", "by rules")
}

func TestDoctorSaysThatAModelWritesFalseThings(t *testing.T) {
	t.Parallel()
	b := setup(t)
	provider := llmtest.New(func(llmtest.Request) string {
		return `{"brief":"Tomas Reuter has a toothache and is allergic to penicillin.","topics":[],"decisions":[],"actions":[],"facts":[],"next":""}`
	})
	server := httptest.NewServer(provider)
	defer server.Close()
	b.env = append(b.env, "RECALLER_LLM_BASE_URL="+server.URL, "RECALLER_LLM_MODEL=m")
	want(t, "doctor", b.must("doctor"), "warn  model", "nothing in its own words", "somebody else's allergy", "a larger model")
	b.env = append(b.env, "RECALLER_LLM_WORDS=own")
	want(t, "one who knows better", b.must("doctor"), "ok    model")
}
