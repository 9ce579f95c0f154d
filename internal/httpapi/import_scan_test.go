package httpapi

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/client"
)

// imported is the JSON of one past conversation, with n bytes of words.
func imported(external string, n int) string {
	turn := fmt.Sprintf(`{"speaker":"user","text":%q}`, strings.Repeat("word ", min(n, 50_000)/5))
	turns := strings.Repeat(turn+",", n/50_000) + turn
	return fmt.Sprintf(`{"external_id":%q,"caller":{"phone":"+4930901820"},"started_at":"2026-01-01T00:00:00Z","turns":[%s]}`, external, turns)
}

// A batch is looked through before any of it is kept.
func TestABatchIsRefusedWholeForWhatItHasFurtherOn(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	fine, long := imported("a", 20), imported("b", maxImported)
	for name, c := range map[string]struct {
		body   string
		status int
		field  string
	}{
		"a conversation that is too large": {`{"conversations":[` + fine + `,` + long + `]}`, 422, "conversations[1]"},
		"one that breaks off":              {`{"conversations":[` + fine + `,` + long[:1<<20], 400, ""},
		"an end that is missing":           {`{"conversations":[` + fine + `]`, 400, ""},
		"something after the end":          {`{"conversations":[` + fine + `]}]`, 400, ""},
		"a field behind them":              {`{"conversations":[` + fine + `],"caller":{}}`, 422, "caller"},
		"nothing":                          {``, 400, ""},
		"one alone that is too large":      {long, 413, ""},
	} {
		if p := h.refused(t, c.status, http.MethodPost, "/v1/conversations/import", c.body); p.Field != c.field {
			t.Errorf("%s: the fault is said to be in %q, want %q", name, p.Field, c.field)
		}
	}
	var list client.ConversationList
	h.asked(t, http.StatusOK, http.MethodGet, "/v1/conversations", "", &list)
	if len(list.Conversations) != 0 {
		t.Errorf("%d conversations were kept of batches that were refused", len(list.Conversations))
	}
}

// What a conversation may have is taken whole, alone and between others.
func TestAConversationMayHaveAllThatItMay(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	body := imported("a", 100_000)
	full := "{" + strings.Repeat(" ", maxImported-len(body)) + body[1:]
	const path = "/v1/conversations/import?check=true"
	h.asked(t, http.StatusOK, http.MethodPost, path, full, nil)
	var out client.ImportBatchResponse
	h.asked(t, http.StatusCreated, http.MethodPost, path, `{"conversations": [`+full+" , \n"+full+` ] , "wrapup" : false} `, &out)
	if out.Failed != 0 || len(out.Results) != 2 {
		t.Errorf("got %d results, %d of them failures; want two that are taken", len(out.Results), out.Failed)
	}
}

// A body of many megabytes comes through a file, which has no name and shows no word.
func TestALargeBatchIsImported(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := setup(t, func(_ *Deps, o *Options) { o.Spool = dir })
	body := `{"wrapup":false,"conversations":[` + imported("a", 500_000) + `,` + imported("b", 700_000) + `,` + imported("a", 500_000) + `]}`
	var out client.ImportBatchResponse
	h.asked(t, http.StatusCreated, http.MethodPost, "/v1/conversations/import", body, &out)
	if out.Imported != 2 || out.Existing != 1 || out.Failed != 0 {
		t.Errorf("got %d imported, %d existing, %d failed; want 2, 1 and 0", out.Imported, out.Existing, out.Failed)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("%d files are left (%v)", len(left), err)
	}
}

func TestWhatIsSpooledIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, spoolInMemory, spoolInMemory + 1, 3*spoolInMemory + 7} {
		b := &spool{dir: t.TempDir()}
		want := bytes.Repeat([]byte("marmalade "), size/10+1)[:size]
		if _, err := io.Copy(b, struct{ io.Reader }{bytes.NewReader(want)}); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if got, err := io.ReadAll(b.Reader()); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d bytes come back as %d others (%v)", size, len(got), err)
			}
		}
		if b.file != nil {
			raw, err := io.ReadAll(io.NewSectionReader(b.file, 0, int64(size)))
			if err != nil || len(raw) != size-spoolInMemory || bytes.Contains(raw, []byte("marmalade")) {
				t.Errorf("%d bytes are in the file in the clear, or not at all (%v)", len(raw), err)
			}
		}
		if left, err := os.ReadDir(b.dir); err != nil || len(left) != 0 {
			t.Errorf("the file has a name: %v (%v)", left, err)
		}
		b.discard()
	}
}
