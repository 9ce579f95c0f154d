package endpoint

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/recallerhq/recaller"
)

func TestEventsAreReadAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	for stream, want := range map[string][]string{
		"":                                     nil,
		"data: a\n\ndata: b\n\n":               {"a", "b"},
		"data:a\r\n\r\ndata:  b\r\n\r\n":       {"a", " b"},
		"event: x\nid: 1\ndata: a\n\n":         {"a"},
		": still here\n\ndata: a\ndata: b\n\n": {"a\nb"},
		"data: a\n\ndata: the end came first":  {"a", "the end came first"},
		"no stream\n\nat all\n\n":              nil,
		"data: a\n\ndata: STOP\n\ndata: b\n\n": {"a"},
	} {
		var got []string
		err := events(iotest.OneByteReader(strings.NewReader(stream)), func(data []byte) error {
			if string(data) == "STOP" {
				return io.EOF
			}
			got = append(got, string(data))
			return nil
		})
		if !errors.Is(err, io.EOF) || !slices.Equal(got, want) {
			t.Errorf("%q: got %q, %v; want %q", stream, got, err, want)
		}
	}
}

// What a wire knows of a failure holds, and a job that nobody waits for sends nothing.
func TestAJobsOwnFailuresKeepTheirKind(t *testing.T) {
	t.Parallel()
	var asked int
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		_, _ = w.Write([]byte(`{}`))
	}))
	defer server.Close()
	c := New(Settings{Name: "test endpoint", Base: server.URL, Concurrency: 1, Tries: 3})
	send := func(ctx context.Context) (Told, error) {
		_, err := c.Post(ctx, "/x", struct{}{})
		return Told{In: 3, Out: 2}, errors.Join(err, recaller.Errorf(recaller.Invalid, "no"))
	}
	cost, err := c.Pursue(t.Context(), Job{Send: send})
	if recaller.KindOf(err) != recaller.Invalid || asked != 1 || cost.Calls != 1 || cost.TokensIn != 3 || cost.TokensOut != 2 {
		t.Errorf("got %v after %d requests, which cost %+v; want invalid after one", err, asked, cost)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if cost, err := c.Pursue(gone, Job{Send: send}); recaller.KindOf(err) != recaller.Timeout || asked != 1 || cost.Calls != 0 {
		t.Errorf("nobody waits: got %v after %d requests, which cost %+v", err, asked-1, cost)
	}
}
