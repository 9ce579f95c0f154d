package httpdoor_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/httpdoor"
)

// A door's own refusal is no fault of the server's: the log has its kind.
func TestAProblemHasAKind(t *testing.T) {
	t.Parallel()
	for kind, o := range httpdoor.Outcomes() {
		if got := recaller.KindOf(httpdoor.Simple(o.Status, o.Code, "no")); got != kind {
			t.Errorf("%s: got %s, want %s", o.Code, got, kind)
		}
	}
	if err := httpdoor.Simple(http.StatusMethodNotAllowed, "method_not_allowed", "no"); !errors.Is(err, recaller.Invalid) {
		t.Errorf("got %s, want invalid", recaller.KindOf(err))
	}
	if err := httpdoor.Simple(http.StatusBadGateway, "odd", "no"); !errors.Is(err, recaller.Internal) {
		t.Errorf("got %s, want internal", recaller.KindOf(err))
	}
}
