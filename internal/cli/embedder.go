package cli

import (
	"context"
	"fmt"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/config"
	"github.com/recallerhq/recaller/internal/embed"
	"github.com/recallerhq/recaller/internal/embed/dialogue"
	"github.com/recallerhq/recaller/internal/recall"
	"github.com/recallerhq/recaller/internal/vector"
)

// embedder returns the embedder of the settings.
func embedder(e config.Embedding) (*embed.Client, error) {
	return embed.New(embed.Settings{
		Provider: e.Provider, BaseURL: e.BaseURL, APIKey: e.APIKey.Reveal(), Model: e.Model, Width: e.Width,
		Timeout: e.Timeout, Query: e.Query, Passage: e.Passage,
	})
}

// checkEmbedder names the embedder. An endpoint must embed one word.
func (s *session) checkEmbedder(ctx context.Context, cfg config.Config) finding {
	chosen := cfg.Embedder()
	client, err := embedder(chosen)
	if err != nil {
		return finding{"embedder", verdictFail, plain(err), "correct the setting: the server does not start with it"}
	}
	if chosen.Provider == config.EmbedderBuiltIn {
		return finding{
			"embedder", verdictOK,
			fmt.Sprintf("built in: %s, %d wide, %s", client.Model(), client.Width(), dialogueModel(chosen)), "",
		}
	}
	if _, err := client.Embed(ctx, []string{"hello"}); err != nil {
		return finding{
			"embedder", verdictWarn, embedderName(chosen) + ": " + plain(err),
			adviceOnEmbedder(err) + "; until then conversations are searched by their words alone",
		}
	}
	chosen.Width = client.Width()
	return finding{"embedder", verdictOK, embedderName(chosen), ""}
}

// dialogueModel says whether the built-in model of dialogues is in use.
func dialogueModel(e config.Embedding) string {
	switch {
	case !e.Dialogue:
		return "without the model of dialogues, which is turned off"
	case !vector.Fast():
		return "without the model of dialogues: this processor has no AVX2"
	}
	return "and " + dialogue.Model
}

// embedderName says which embedder there is, and where.
func embedderName(e config.Embedding) string {
	switch {
	case e.Provider == config.EmbedderBuiltIn:
		return "built in: nothing is sent anywhere"
	case e.Width == 0:
		return fmt.Sprintf("%s at %s", e.Model, e.BaseURL)
	}
	return fmt.Sprintf("%s, %d wide, at %s", e.Model, e.Width, e.BaseURL)
}

// adviceOnEmbedder says what to do about a failure of the embedder's endpoint.
func adviceOnEmbedder(err error) string {
	switch recaller.KindOf(err) {
	case recaller.Unauthenticated:
		return "set RECALLER_EMBEDDING_API_KEY (or OPENAI_API_KEY, where the endpoint is OpenAI's) to a key of that " +
			"endpoint"
	case recaller.NotFound, recaller.Invalid:
		return "check RECALLER_EMBEDDING_MODEL, RECALLER_EMBEDDING_WIDTH and RECALLER_EMBEDDING_BASE_URL"
	case recaller.Exhausted:
		return "look at the limits and the credit of the account"
	case recaller.Timeout:
		return "look at how busy it is, or raise RECALLER_EMBEDDING_TIMEOUT"
	default:
		return "check that it runs, and RECALLER_EMBEDDING_BASE_URL"
	}
}

// likeness returns the configured embedder in the form that recall takes.
func (s *session) likeness() (recall.Meaning, error) {
	cfg, err := s.config()
	if err != nil {
		return nil, err
	}
	chosen := cfg.Embedder()
	if chosen.Provider == config.EmbedderBuiltIn {
		return nil, &failure{
			code: ExitFailed, msg: "--embedder needs one, and none is configured",
			hint: "set RECALLER_EMBEDDING_BASE_URL and RECALLER_EMBEDDING_MODEL; `recaller doctor` tries them",
		}
	}
	client, err := embedder(chosen)
	if err != nil {
		return nil, err
	}
	return embed.NewLikeness(client), nil
}
