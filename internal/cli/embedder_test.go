package cli_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/cli"
	"github.com/recallerhq/recaller/internal/embed/dialogue"
	"github.com/recallerhq/recaller/internal/embed/embedtest"
	"github.com/recallerhq/recaller/internal/endpoint/endpointtest"
	"github.com/recallerhq/recaller/internal/vector"
)

func TestDoctorTriesTheEmbedder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	serves := "and " + dialogue.Model
	if !vector.Fast() {
		serves = "without the model of dialogues: this processor has no AVX2"
	}
	want(t, "doctor", b.must("doctor"), "ok    embedder    built in: recaller-static/2, 256 wide, "+serves)
	b.env = append(b.env, "RECALLER_EMBEDDING_DIALOGUE=false")
	want(t, "doctor, turned off", b.must("doctor"), "256 wide, without the model of dialogues, which is turned off")

	provider := embedtest.New(64)
	server := httptest.NewServer(provider)
	t.Cleanup(server.Close)
	b.env = append(b.env, "RECALLER_EMBEDDING_BASE_URL="+server.URL, "RECALLER_EMBEDDING_MODEL=m", "RECALLER_EMBEDDING_TIMEOUT=200ms")
	want(t, "doctor", b.must("doctor"), "ok    embedder    m, 64 wide, at "+server.URL)
	if texts := provider.Requests()[0].Texts; len(texts) != 1 || strings.ContainsRune(texts[0], ' ') {
		t.Errorf("embedded %q, want one word", texts)
	}
	for _, test := range []struct {
		fault endpointtest.Fault
		says  []string
	}{
		{endpointtest.Unauthorized(), []string{"refused the key", "→ set RECALLER_EMBEDDING_API_KEY"}},
		{endpointtest.NoSuchModel(), []string{"does not know this address or model", "→ check RECALLER_EMBEDDING_MODEL"}},
		{endpointtest.BadRequest("no"), []string{"refused the texts", "→ check RECALLER_EMBEDDING_MODEL"}},
		{endpointtest.NoQuota(), []string{"at its limit", "→ look at the limits"}},
		{endpointtest.Hang(nil), []string{"did not answer in time", "→ look at how busy it is"}},
		{endpointtest.Page(), []string{"could not be read", "→ check that it runs"}},
	} {
		provider.Fail(test.fault)
		said := b.must("doctor") // searches go on by words, so nothing has to be done
		want(t, test.fault.Name, said, append(test.says, "warn  embedder    m at "+server.URL, "by their words alone")...)
		if strings.Contains(said, "pulling it first") {
			t.Errorf("%s: it shows what the endpoint wrote:\n%s", test.fault.Name, said)
		}
	}
	provider.Heal()
	b.env = append(b.env, "RECALLER_EMBEDDING_WIDTH=16")
	want(t, "a width that was made", b.must("doctor"), "ok    embedder    m, 16 wide, at ")
	provider.Fail(embedtest.WrongWidth(64))
	want(t, "a width that was not", b.must("doctor"), "m, 16 wide, at ", "makes vectors of 64 numbers, expected 16", "→ check RECALLER_EMBEDDING_MODEL")
	server.Close()
	want(t, "nobody there", b.must("doctor"), "the connection to the embedding endpoint failed", "→ check that it runs")
}

func TestTheBannerNamesTheEmbedder(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		env  []string
		want string
	}{
		"built in":          {nil, "embedder built in: nothing is sent anywhere"},
		"an endpoint":       {[]string{"RECALLER_EMBEDDING_BASE_URL=http://127.0.0.1:1/v1"}, "embedder text-embedding-3-small at http://127.0.0.1:1/v1"},
		"one with a width":  {[]string{"RECALLER_EMBEDDING_BASE_URL=http://127.0.0.1:1/v1", "RECALLER_EMBEDDING_WIDTH=512"}, "embedder text-embedding-3-small, 512 wide, at http://"},
		"Ollama, by itself": {[]string{"RECALLER_EMBEDDING_PROVIDER=ollama", "RECALLER_EMBEDDING_MODEL=m"}, "embedder m at http://127.0.0.1:11434"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			var out, logged watched
			over := make(chan int, 1)
			go func() {
				over <- cli.Main(ctx, cli.Process{Args: []string{"serve", "--addr", "127.0.0.1:0"}, Env: append(b.env, test.env...), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &logged})
			}()
			banner := out.until(t, "embedder ")
			stop()
			if code := <-over; code != cli.ExitOK {
				t.Errorf("exit %d\n%s", code, logged.text.String())
			}
			want(t, "banner", banner, test.want)
		})
	}
}
