package obs_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"time"

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
		log.Warn("turn refused", "tenant", "t1")
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

func TestARegistryTellsOfTheProcess(t *testing.T) {
	families, err := obs.NewRegistry("1.2.3").Gather()
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, f := range families {
		fmt.Fprintln(&got, f)
	}
	for _, want := range []string{`"recaller_build_info"`, `"1.2.3"`, `"go_goroutines"`, `"process_`} {
		if !strings.Contains(got.String(), want) {
			t.Errorf("the metrics do not have %s", want)
		}
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
	log.Debug("turn stored", "conversation", "c1", "err", errors.New(word))
	r := &recorder{TB: t}
	obstest.WantNone(r, stream.String(), word)
	if len(r.errors) != 1 {
		t.Errorf("in a log: got %q", r.errors)
	}
	obstest.WantNone(t, stream.String(), "", "elephant", "+15550001111")
}
