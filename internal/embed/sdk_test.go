package embed_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/recallerhq/recaller/internal/embed"
)

// The official library sends the same, and reads the same out of what comes back.
func TestOpenAIsOwnLibrarySpeaksAsWeDo(t *testing.T) {
	t.Parallel()
	type sent struct {
		URL, Key, Content string
		Body              any
	}
	both(t, func(t *testing.T, h *house) {
		if h.settings.Provider != embed.OpenAI {
			return // it knows no other
		}
		var all []sent
		next := h.settings.HTTP.Transport
		h.with(func(s *embed.Settings) {
			s.Width = 16
			s.HTTP = &http.Client{Transport: trip(func(r *http.Request) (*http.Response, error) {
				body, err := r.GetBody()
				if err != nil {
					return nil, err
				}
				one := sent{URL: r.URL.String(), Key: r.Header.Get("Authorization"), Content: r.Header.Get("Content-Type")}
				if err := json.NewDecoder(body).Decode(&one.Body); err != nil {
					return nil, err
				}
				all = append(all, one)
				return next.RoundTrip(r)
			})}
		})
		texts := []string{"my knee", "<a & b>"}
		ours, err := h.client.Embed(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		service := openai.NewEmbeddingService(option.WithHTTPClient(h.settings.HTTP), option.WithBaseURL(h.settings.BaseURL+"/v1"),
			option.WithAPIKey(key), option.WithMaxRetries(0))
		theirs, err := service.New(t.Context(), openai.EmbeddingNewParams{
			Model: "m", Dimensions: openai.Int(16), EncodingFormat: openai.EmbeddingNewParamsEncodingFormatFloat,
			Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: texts},
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(all[1], all[0]); diff != "" {
			t.Errorf("what the library sends (-) and what we send (+):\n%s", diff)
		}
		if len(theirs.Data) != len(ours) || len(theirs.Data[0].Embedding) != len(ours[0]) {
			t.Errorf("the library reads %d vectors, we %d", len(theirs.Data), len(ours))
		}
	})
}
