package ears_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller/internal/bridge"
	"github.com/recallerhq/recaller/internal/ears"
	"github.com/recallerhq/recaller/internal/rehearsal"
)

// dead is a connection whose other end is gone without a word: nothing comes, and pings are not answered.
type dead struct{ bridge.Conn }

func (d dead) Read(ctx context.Context) ([]byte, bool, error) {
	<-ctx.Done()
	return nil, false, ctx.Err()
}

func (d dead) Ping(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

// stuck is one over which nothing goes out.
type stuck struct{ dead }

func (s stuck) WriteBinary(ctx context.Context, _ []byte) error {
	<-ctx.Done()
	return ctx.Err()
}

func (stuck) Ping(context.Context) error { return nil }

// A recogniser that is there no more, or takes nothing any more, breaks: another one hears the side, and once that is gone
// too, the side is deaf. The other side is heard all the while, and the metrics say what broke.
func TestASideWhoseRecogniserIsGone(t *testing.T) {
	tests := map[string]struct {
		cause string
		spoil func(c bridge.Conn) bridge.Conn
	}{
		"half open":  {"socket", func(c bridge.Conn) bridge.Conn { return dead{c} }},
		"full queue": {"stuck", func(c bridge.Conn) bridge.Conn { return stuck{dead{c}} }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { gone(t, test.cause, test.spoil) })
	}
}

func gone(t *testing.T, cause string, spoil func(bridge.Conn) bridge.Conn) {
	stages(t, plot{dial: func(n int, c bridge.Conn) (bridge.Conn, bool) {
		if n != 2 { // of the first two, one is good
			return spoil(c), true
		}
		return c, false
	}}, func(s *stage) {
		s.pass(2 * time.Minute)
		s.phone.Say(rehearsal.Tone(11, time.Second))
		s.phone.Tell(rehearsal.Tone(11, time.Second))
		s.pass(10 * time.Second)
		if err := s.phone.HangUp(s.Context()); err != nil {
			s.Fatal(err)
		}
		if o := s.over(bridge.HungUp); o.Kept != 1 {
			s.Errorf("got %+v, want one turn, of the side that is heard\n%s", o, &s.log)
		}
		if n := s.dials.Load(); n != 3 {
			s.Errorf("%d sessions were dialled, want 3", n)
		}
		if n := total(s.T, s.reg, "recaller_ears_breaks_total", cause); n != 2 {
			s.Errorf("%v breaks, want 2", n)
		}
		if n := total(s.T, s.reg, "recaller_ears_deaf_sides_total", ""); n != 1 {
			s.Errorf("%v sides are deaf, want 1", n)
		}
	})
}

// total reads a counter; label: the value of its label, if it has one.
func total(t *testing.T, reg *prometheus.Registry, name, label string) (n float64) {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == name && (label == "" || m.GetLabel()[0].GetValue() == label) {
				n += m.GetCounter().GetValue()
			}
		}
	}
	return n
}

// Each API of Deepgram's has an address of its own, and takes languages otherwise.
func TestWhereEachModelIsAsked(t *testing.T) {
	t.Parallel()
	tests := []struct {
		model, language, path string
		want                  map[string]string // what the query has; empty: it has not
	}{
		{"nova-3", "en", "/v1/listen", map[string]string{"language": "en", "interim_results": "true", "endpointing": "300", "utterance_end_ms": "1000"}},
		{"nova-3", "", "/v1/listen", map[string]string{"language": "multi"}},
		{"nova-2", "", "/v1/listen", map[string]string{"language": ""}},
		{"flux-general-en", "en", "/v2/listen", map[string]string{"language": "", "language_hint": "", "interim_results": "", "encoding": "mulaw"}},
		{"flux-general-multi", "de", "/v2/listen", map[string]string{"language": "", "language_hint": "de", "endpointing": ""}},
		{"flux-general-multi", "", "/v2/listen", map[string]string{"language_hint": ""}},
	}
	for _, test := range tests {
		recogniser := rehearsal.NewRecogniser(rehearsal.RecogniserOptions{Now: time.Now, Refuse: func(int) error { return errors.New("no") }})
		api := httptest.NewServer(recogniser)
		_, err := ears.Recogniser{URL: api.URL, Key: "k", Model: test.model}.Dial(api.Client())(t.Context(), test.language)
		api.Close()
		if err == nil {
			t.Fatal("a session that is refused was opened")
		}
		u, err := url.Parse(recogniser.Queries()[0])
		if err != nil || u.Path != test.path || u.Query().Get("model") != test.model {
			t.Errorf("%s: asked %v, %v", test.model, u, err)
		}
		for name, want := range test.want {
			if got := u.Query().Get(name); got != want || (want == "") != !u.Query().Has(name) {
				t.Errorf("%s, %q: %s is %q, want %q", test.model, test.language, name, got, want)
			}
		}
	}
}
