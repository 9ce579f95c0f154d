package httpapi

import (
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/client"
)

// However a conversation is written, it is read turn by turn as it is read whole.
func TestAnImportReadByTurnsIsTheSameAsReadWhole(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	const turn = `{"speaker":"user","text":"a \u00e9 <b>","at":"2026-01-01T00:00:00Z","confidence":0.5}`
	for _, body := range []string{
		`{"caller":{"phone":"+4930901820"},"started_at":"2026-01-01T00:00:00+02:00","turns":[` + turn + `,` + turn + `],"metadata":{"a": [1, {"turns":[]}]}}`,
		`{"turns":[` + turn + `]}`, `{"turns":[]}`, ` { "wrapup" : false , "turns" : [ ] } `, `{}`, `null`, `{"turns":null}`,
		`{"turns":[` + turn + `],"turns":null}`, `{"turns":[` + turn + `],"turns":[]}`, `{"turns":[` + turn + `],"TURNS":null}`,
		`{"Turns":[` + turn + `]}`, `{"turn\u0073":[` + turn + `]}`, `{"turns":[null]}`, `{"external_id":"a","EXTERNAL_ID":"b","turns":[]}`,
		`17`, `"turns"`, `[]`, ``, `{"turns":{}}`, `{"turns":[1]}`, `{"turns":[{"speaker":"user","who":"me"}]}`, `{"who":1,"turns":[]}`,
		`{"turns":[]} {}`, `{"turns":[],}`, `{"turns":[` + turn + ` ` + turn + `]}`, `{"turns":[` + turn + `,]}`, `{"turns":[` + turn,
		`{"turns" [` + turn + `]}`, `{"started_at":"soon","turns":[]}`, `, {"turns":[]}`,
	} {
		spooled := &spool{}
		_, _ = io.WriteString(spooled, body) // it is kept in memory
		got, err := h.srv.readImport(spooled, span{0, spooled.size})
		want, wantErr := decode[client.ImportRequest](h.srv, []byte(body))
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("%s: %v, want %v", body, err, wantErr)
		}
		if err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n got %+v\nwant %+v", body, got, want)
		}
	}
}

// What is wrong with one of several is told of it, wherever it stands, and the others are kept.
func TestOneOfSeveralIsNamedForWhatIsWrongWithIt(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	body := `{"conversations":[17 , ` + imported("a", 300_000) + ` , "turns",null,` + strings.Replace(imported("b", 20), "user", "nobody", 1) + `, {"who":1}]}`
	var out client.ImportBatchResponse
	h.asked(t, http.StatusCreated, http.MethodPost, "/v1/conversations/import", body, &out)
	var told []string
	for _, r := range out.Results {
		if r.Error != nil {
			told = append(told, fmt.Sprintf("%d %s %s: %s", r.Index, r.Error.Code, r.Error.Field, r.Error.Detail))
		}
	}
	if out.Imported != 1 || out.Failed != 5 {
		t.Errorf("%d were imported and %d failed, want 1 and 5: %q", out.Imported, out.Failed, told)
	}
	for _, s := range told {
		if strings.Contains(s, "not valid JSON") {
			t.Errorf("JSON that is valid is said not to be: %s", s)
		}
	}
}

// No more of a long conversation's JSON is in memory at a time than a turn of it.
func TestALongConversationIsReadTurnByTurn(t *testing.T) {
	t.Parallel()
	text := imported("a", 4<<20)
	for name, read := range map[string]func(io.Reader) error{
		"looked through": func(r io.Reader) error { _, err := valuesOf(r).pass(2); return err },
		"read":           func(r io.Reader) error { _, err := importByTurns(r); return err },
	} {
		body := &widest{r: strings.NewReader(text)}
		if err := read(body); err != nil || body.asked > 256<<10 {
			t.Errorf("%s: %d bytes were asked for at once (%v)", name, body.asked, err)
		}
	}
}

// widest notes the largest read that was asked for, which a decoder's memory follows.
type widest struct {
	r     io.Reader
	asked int
}

// Read reads on.
func (w *widest) Read(p []byte) (int, error) {
	w.asked = max(w.asked, len(p))
	return w.r.Read(p)
}
