package httpapi

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/client"
)

// Whoever sends tags of another type is told both forms that are taken, wherever there are tags.
func TestTagsOfAWrongTypeAreToldBothForms(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	const want = "must be a list of texts, or one text with commas between"
	for _, route := range []string{"POST " + documentsPath, "PUT " + documentsPath + "/x", "POST " + queryPath} {
		method, path, _ := strings.Cut(route, " ")
		for _, tags := range []string{`7`, `{"policy":true}`, `["policy",7]`, `true`} {
			p := h.refused(t, http.StatusUnprocessableEntity, method, path, `{"title":"T","content":"c","tags":`+tags+`}`)
			if !slices.Contains(p.Errors, client.FieldError{Location: "tags", Message: want}) {
				t.Errorf("%s with tags %s: got %+v, want both forms told", route, tags, p.Errors)
			}
		}
	}
}

// What curl sends without a content type is read on every route of documents that takes a body.
func TestDocumentRoutesReadWhatCurlSends(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	const byCurl = "application/x-www-form-urlencoded"
	_, ops := described(t, h)
	tried := 0
	for pattern, op := range ops {
		method, path, _ := strings.Cut(pattern, " ")
		if op.RequestBody == nil || op.Tags[0] != tagDocuments {
			continue
		}
		tried++
		path = strings.ReplaceAll(path, "{id}", "x")
		p := h.refused(t, http.StatusUnprocessableEntity, method, path, `{"none of its fields":1}`, "Content-Type", byCurl)
		if p.Detail != "none of its fields: is not a field of this request" && !strings.Contains(p.Detail, "is required") {
			t.Errorf("%s: got %+v, want the body read", pattern, p)
		}
	}
	if tried < 4 {
		t.Errorf("only %d routes were tried", tried)
	}
}
