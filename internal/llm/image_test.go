package llm_test

import (
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/llm"
)

// A question with a picture shows it in each provider's form, and its words after it.
func TestPicturesAreShown(t *testing.T) {
	t.Parallel()
	for _, provider := range []string{llm.OpenAI, llm.Anthropic} {
		h := newHouse(t, provider, nil)
		_, err := h.client.Ask(t.Context(), recaller.Ask{Text: "What is this?", Images: []recaller.Image{{Type: "image/jpeg", Data: []byte("JPEG")}}})
		q := h.provider.Requests()
		if err != nil || len(q) != 1 || q[0].Images != 1 || strings.TrimSpace(q[0].Text) != "What is this?" {
			t.Errorf("%s: got %+v, %v", provider, q, err)
		}
	}
}
