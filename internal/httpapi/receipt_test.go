package httpapi

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// What is checked is all that the body says: what else it says is refused, and not left out.
func TestAReceiptIsCheckedAsAWhole(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	issued, err := h.admin.EraseCaller(t.Context(), h.begun(t, "+4930901820").Caller.ID)
	if err != nil {
		t.Fatal(err)
	}
	reader := h.withKey(t, recaller.ScopeRead)
	if got, err := reader.CheckReceipt(t.Context(), issued); err != nil || got != (client.ReceiptCheck{Intact: true, Ours: true}) {
		t.Errorf("got %+v, %v; want it whole and ours", got, err)
	}
	raw, err := json.Marshal(issued)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		old, new string
		status   int
		field    string
	}{
		"a field more":            {`"id"`, `"note":"x","id"`, http.StatusUnprocessableEntity, "note"},
		"a field twice":           {`"id"`, `"caller_id":"x","id"`, http.StatusUnprocessableEntity, "caller_id"},
		"a field in another case": {`"id"`, `"ID":"x","id"`, http.StatusUnprocessableEntity, ""},
		"a count twice":           {`"callers":1`, `"callers":7,"callers":1`, http.StatusUnprocessableEntity, "erased"},
		"without a field":         {`"caller_id":"` + string(issued.Caller) + `",`, "", http.StatusUnprocessableEntity, "caller_id"},
		"a count in words":        {`"callers":1`, `"callers":"one"`, http.StatusUnprocessableEntity, "erased.callers"},
		"text after it":           {string(raw), string(raw) + "x", http.StatusBadRequest, ""},
		"another one after it":    {string(raw), string(raw) + string(raw), http.StatusBadRequest, ""},
		"no JSON":                 {string(raw), "receipt", http.StatusBadRequest, ""},
		"nothing":                 {string(raw), "", http.StatusBadRequest, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := strings.Replace(string(raw), tt.old, tt.new, 1)
			if body == string(raw) {
				t.Fatal("nothing was changed")
			}
			if p := h.refused(t, tt.status, http.MethodPost, receiptCheck, body, "Content-Type", "application/json"); p.Field != tt.field {
				t.Errorf("got field %q (%s), want %q", p.Field, p.Detail, tt.field)
			}
		})
	}
}
