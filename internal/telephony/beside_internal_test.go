package telephony

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

// A defect in what is done beside the requests ends it, and nothing else; the log does not have its words.
func TestADefectBesideTheRequestsEndsItself(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := &Server{Deps: Deps{Log: slog.New(slog.NewTextHandler(&log, nil))}}
	s.beside(func() { panic("what she said") })
	s.working.Wait()
	if got := log.String(); !strings.Contains(got, "panic beside") || strings.Contains(got, "she said") {
		t.Errorf("got the log %q", got)
	}
}
