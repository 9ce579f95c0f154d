package obs_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller/internal/obs"
	"github.com/recallerhq/recaller/internal/obs/obstest"
)

func TestLoggerWritesTheFormatAndLevel(t *testing.T) {
	for _, test := range []struct{ format, want string }{
		{"json", `"level":"WARN","msg":"turn refused","tenant":"t1"}`},
		{"text", `level=WARN msg="turn refused" tenant=t1`},
	} {
		var out strings.Builder
		log := obs.Logger(&out, slog.LevelWarn, test.format)
		log.Info("not shown")
		log.Warn("turn refused", obs.KeyTenant, "t1")
		if got := out.String(); !strings.HasSuffix(got, test.want+"\n") || strings.Count(got, "\n") != 1 {
			t.Errorf("%s: got %q, want it to end with %q", test.format, got, test.want)
		}
		if !strings.Contains(out.String(), "Z") {
			t.Errorf("%s: the time is not in UTC: %q", test.format, out.String())
		}
	}
}

func TestLogTimesAreUTC(t *testing.T) {
	var out strings.Builder
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("there", 5*3600))
	record := slog.NewRecord(at, slog.LevelInfo, "m", 0)
	if err := obs.Logger(&out, slog.LevelInfo, "text").Handler().Handle(t.Context(), record); err != nil {
		t.Fatal(err)
	}
	if want := "time=2026-01-01T22:04:05.000Z"; !strings.HasPrefix(out.String(), want) {
		t.Errorf("got %q, want it to begin with %q", out.String(), want)
	}
}

type failing struct{}

func (failing) Describe(ch chan<- *prometheus.Desc) {
	ch <- prometheus.NewDesc("recaller_failing", "Fails.", nil, nil)
}

func (failing) Collect(ch chan<- prometheus.Metric) {
	ch <- prometheus.NewInvalidMetric(prometheus.NewDesc("recaller_failing", "Fails.", nil, nil), errors.New("no data"))
}

func TestMetricsAreServed(t *testing.T) {
	stream, log := obstest.NewStream()
	r := obs.NewRegistry("1.2.3")
	r.MustRegister(failing{})
	w := httptest.NewRecorder()
	obs.MetricsHandler(r, log).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	for _, want := range []string{`version="1.2.3"} 1`, "go_goroutines ", "process_"} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("the metrics do not have %q", want)
		}
	}
	if w.Code != 200 || !strings.Contains(stream.String(), "metrics could not be gathered") {
		t.Errorf("one failing collector: status %d, log %q; want 200 and a line", w.Code, stream.String())
	}
}

// recorder is a test that only notes what is reported.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func TestWantNoneFindsWordsInManyForms(t *testing.T) {
	const word = `She said "biscuit <3" & left`
	for name, text := range map[string]string{
		"plain":        "x " + word,
		"upper case":   strings.ToUpper(word),
		"JSON":         fmt.Sprintf("%q", word),
		"URL":          "/v1?q=" + url.QueryEscape(word),
		"hexadecimal":  fmt.Sprintf("%x", "before"+word),
		"base64":       base64.StdEncoding.EncodeToString([]byte(word)),
		"base64 later": base64.StdEncoding.EncodeToString([]byte("ab" + word + "c")),
	} {
		r := &recorder{TB: t}
		obstest.WantNone(r, "first line\n"+text+"\n", "absent", word)
		if len(r.errors) != 1 || !strings.Contains(r.errors[0], "line 2 of the output shows word 2 of 2") {
			t.Errorf("%s: got %q", name, r.errors)
		}
	}
	stream, log := obstest.NewStream()
	log.Debug("turn stored", obs.KeyConversation, "c1", "err", errors.New(word))
	r := &recorder{TB: t}
	obstest.WantNone(r, stream.String(), word)
	if len(r.errors) != 1 {
		t.Errorf("in a log: got %q", r.errors)
	}
	obstest.WantNone(t, stream.String(), "", "elephant", "+15550001111")
}
